"""Where in the repository a finding is shown: the line of a file that the user can act on."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from memtru_ci.errors import UsageError
from memtru_ci.reporters.fingerprint import line_hashes

FALLBACK_PATH = "memtru.yml"
_TARGET_KEYS = ("target", "image", "build-context", "build_context", "build", "target-url", "url")


@dataclass(frozen=True)
class Anchor:
    """A line of a file: `path` relative to the root of the repository, `line` from 1."""

    path: str
    line: int
    text: str
    line_hash: str

    @property
    def end_column(self) -> int:
        """The column after the line's last character, in UTF-16 units."""
        return len(self.text.encode("utf-16-le", "surrogatepass")) // 2 + 1


@dataclass(frozen=True)
class Anchors:
    """An anchor for each scenario that has a line of its own, and one for all others."""

    default: Anchor
    by_scenario: Mapping[str, Anchor] = field(default_factory=dict)

    def of(self, scenario: str) -> Anchor:
        """Where findings of a scenario are shown."""
        return self.by_scenario.get(scenario, self.default)


@dataclass(frozen=True)
class SourceFile:
    """A file of the repository, its path relative to the root."""

    path: str
    text: str


@dataclass(frozen=True)
class Sources:
    """The files that may hold an anchor, the best first."""

    given: SourceFile | None = None
    given_line: int = 1
    settings: SourceFile | None = None
    dockerfile: SourceFile | None = None
    workflow: SourceFile | None = None


def anchor_at(source: SourceFile, line: int) -> Anchor:
    """The anchor at a line; raises `UsageError` where the file has no such line."""
    lines = _lines(source.text)
    if not 1 <= line <= len(lines):
        raise UsageError(
            f"anchor: {source.path} has {len(lines)} lines, there is no line {line}.",
            hint="Give a line that exists, or the path alone.",
        )
    return Anchor(source.path, line, lines[line - 1], line_hashes(source.text)[line - 1])


def find_anchors(sources: Sources, scenarios: Iterable[str] = ()) -> Anchors:
    """The anchors of a run.

    In order: the one the user gave; the scenario's or else the target's line in the settings
    file; the line where the Dockerfile's last stage begins; the workflow. A repository with none
    of these gets the place where the settings file would be.
    """
    if sources.given is not None:
        return Anchors(anchor_at(sources.given, sources.given_line))
    marks = _marks(sources.settings.text) if sources.settings else {}
    own = {one: marks[one] for one in scenarios if one in marks}
    target = next((marks[key] for key in _TARGET_KEYS if key in marks), None)
    default = _default(sources, target)
    if sources.settings is None:
        return Anchors(default)
    return Anchors(default, {one: anchor_at(sources.settings, line) for one, line in own.items()})


def parse_anchor(given: str) -> tuple[str, int]:
    """`path[:line]` as path and line; line 1 where none is given."""
    path, colon, line = given.rpartition(":")
    if colon and line.isdecimal():
        return path, int(line)
    return given, 1


def _default(sources: Sources, target_line: int | None) -> Anchor:
    if sources.settings is not None and target_line is not None:
        return anchor_at(sources.settings, target_line)
    if sources.dockerfile is not None:
        return anchor_at(sources.dockerfile, _last_stage(sources.dockerfile.text))
    for source in (sources.workflow, sources.settings):
        if source is not None:
            return anchor_at(source, 1)
    return anchor_at(SourceFile(FALLBACK_PATH, ""), 1)


def _last_stage(dockerfile: str) -> int:
    lines = _lines(dockerfile)
    stages = [number for number, line in enumerate(lines, 1) if line.upper().startswith("FROM ")]
    return stages[-1] if stages else 1


def _marks(settings: str) -> dict[str, int]:
    """Lines of the top-level keys, and of what `scenarios` lists."""
    try:
        root = yaml.compose(settings, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return {}
    if not isinstance(root, yaml.MappingNode):
        return {}
    marks: dict[str, int] = {}
    for key, value in root.value:
        marks.setdefault(str(key.value), key.start_mark.line + 1)
        if key.value == "scenarios":
            for entry in _entries(value):
                marks.setdefault(str(entry.value), entry.start_mark.line + 1)
    return marks


def _entries(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        yield from (one for one in node.value if isinstance(one, yaml.ScalarNode))
    elif isinstance(node, yaml.MappingNode):
        yield from (key for key, _ in node.value)
    else:
        yield node


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines
