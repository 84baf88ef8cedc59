#!/opt/memtru/bin/python -Iu
"""The main and the post step of the action; the name it is called by tells which."""

import signal
import sys
from pathlib import Path
from types import FrameType

STEPS = {"memtru-action": "main_step", "memtru-cleanup": "post_step"}


def leave(signum: int, _frame: FrameType | None) -> None:
    """Ends the step: process 1 would ignore SIGTERM until the run has a handler of its own."""
    raise SystemExit(128 + signum)


def main() -> int:
    """Runs the step and returns its exit code; 2 when called by an unknown name."""
    name = Path(sys.argv[0]).name
    if name not in STEPS:
        print(f"error: call this as one of {', '.join(STEPS)}, not as {name}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, leave)
    from memtru_ci import github  # the costly import comes after the handler is in place

    step: int = getattr(github, STEPS[name])()
    return step


if __name__ == "__main__":
    sys.exit(main())
