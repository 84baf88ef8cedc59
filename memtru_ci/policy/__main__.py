"""`python -m memtru_ci.policy`: the policy commands, with the standard library alone."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from memtru_ci.policy import commands
from memtru_ci.policy.commands import Outcome
from memtru_ci.policy.documents import Unusable

EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 where all is the same, 1 where something differs, 2 for wrong usage."""
    given = _parser().parse_args(arguments)
    try:
        outcome: Outcome = given.run(given)
    except Unusable as unusable:
        print(_safe(f"error: {unusable.message} {unusable.hint}".strip()), file=sys.stderr)
        return EXIT_USAGE
    for note in outcome.notes:
        print(_safe(note), file=sys.stderr)
    for line in outcome.lines:
        print(_safe(line))
    return outcome.code


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m memtru_ci.policy", description=__doc__)
    named = parser.add_subparsers(required=True, metavar="COMMAND")
    explain = named.add_parser("explain", help="ask a log, and say why")
    explain.add_argument("events", type=Path, metavar="EVENTS.JSON")
    explain.add_argument("--session", required=True)
    explain.add_argument("--at", required=True, help="RFC 3339 with an offset")
    explain.add_argument("--known-at", help="RFC 3339 with an offset")
    explain.add_argument("--query", help="a text to rank by")
    explain.add_argument("--limit", type=int)
    explain.add_argument("--json", action="store_true")
    explain.add_argument("--trace", type=Path, metavar="OUT.JSON", help="also write a trace")
    explain.set_defaults(run=_explain)
    replay = named.add_parser("replay", help="check a trace or an export")
    replay.add_argument("file", type=Path, metavar="TRACE.JSON")
    replay.set_defaults(run=lambda given: commands.replay_file(given.file))
    export = named.add_parser("export", help="write a log without what was deleted")
    export.add_argument("events", type=Path, metavar="EVENTS.JSON")
    export.add_argument("out", type=Path, metavar="OUT.JSON")
    export.set_defaults(run=lambda given: commands.export_file(given.events, given.out))
    evaluate = named.add_parser("evaluate", help="run every case, or check a saved evaluation")
    evaluate.add_argument("file", type=Path, metavar="OUT.JSON")
    evaluate.add_argument("--verify", action="store_true", help="check OUT.JSON")
    evaluate.set_defaults(run=lambda given: commands.evaluate_file(given.file, verify=given.verify))
    return parser


def _explain(given: Namespace) -> Outcome:
    asked = {
        "session": given.session,
        "at": given.at,
        "known_at": given.known_at,
        "query": given.query,
        "limit": given.limit,
    }
    return commands.explain_file(given.events, asked, as_json=given.json, out=given.trace)


def _safe(line: str) -> str:
    """A line that a terminal only shows: control characters as escapes."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    raise SystemExit(main())
