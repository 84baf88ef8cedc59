"""The command line, `memtru-ci`."""


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    from memtru_ci.cli.app import app
    from memtru_ci.cli.failures import exit_code_of
    from memtru_ci.cli.streams import harden

    harden()
    raise SystemExit(exit_code_of(lambda: app(prog_name="memtru-ci")))
