"""How a process died, told in words that a message can show."""

import signal
from collections.abc import Sequence

from memtru_ci.domain.legible import legible

LONGEST_LOG = 16_000
"""Characters of log in one message."""


def told(how: str, log: Sequence[str]) -> str:
    """How it died, and its last log lines, each on a line of its own and marked as such."""
    return f"{how}{shown(log)}"


def shown(log: Sequence[str]) -> str:
    """The last log lines as the end of a message."""
    kept: list[str] = []
    room = LONGEST_LOG
    for line in reversed(log):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    if not kept:
        return "; it logged nothing."
    return "; its last log lines:" + "".join(f"\n  | {legible(line)}" for line in reversed(kept))


def exit_in_words(code: int, *, oom_killed: bool = False) -> str:
    """An exit code as a container or a shell gives it, with the signal that it stands for."""
    text = f"it exited with code {code}"
    if 128 < code < 128 + signal.NSIG:
        text += f" ({signal_name(code - 128)})"
    return f"{text}, killed for want of memory" if oom_killed else text


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
