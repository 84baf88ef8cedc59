"""The `options` of a sidecar, as GitHub workflows write them: health checks and nothing else."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_FLAGS = {
    "--health-cmd": "command",
    "--health-interval": "interval_s",
    "--health-timeout": "timeout_s",
    "--health-retries": "retries",
    "--health-start-period": "start_period_s",
}
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:h|ms|m|s))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s)")
_LONGEST_S = 3600.0
_MOST_RETRIES = 1000


@dataclass(frozen=True)
class Health:
    """A health check; what is None is left to the image or to Docker. Times in seconds."""

    command: str | None = None
    interval_s: float | None = None
    timeout_s: float | None = None
    retries: int | None = None
    start_period_s: float | None = None


def read_health(options: str) -> Health | None:
    """The health check that the options describe; None where there is none.

    Raises `ValueError`, which names the flag that is refused, or its value.
    """
    values: dict[str, str | float | int] = {}
    for flag, value in _pairs(options):
        field = _FLAGS[flag]
        if field in values:
            raise ValueError(f"{flag} is there twice")
        values[field] = _value(flag, value)
    return Health(**values) if values else None  # type: ignore[arg-type]


def _pairs(options: str) -> Iterator[tuple[str, str]]:
    words = iter(_split(options))
    for word in words:
        flag, has_value, value = word.partition("=")
        if flag not in _FLAGS:
            raise ValueError(f"{flag} is refused: only health checks are taken")
        if not has_value:
            value = next(words, "")
        if not value:
            raise ValueError(f"{flag} has no value")
        yield flag, value


def _split(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError as error:
        raise ValueError(f"it cannot be split into words ({error})") from None


def _value(flag: str, value: str) -> str | float | int:
    if flag == "--health-cmd":
        return value
    if flag == "--health-retries":
        if not re.fullmatch(r"\d{1,4}", value) or not 1 <= int(value) <= _MOST_RETRIES:
            raise ValueError(f"{flag} {value} is not a number from 1 to {_MOST_RETRIES}")
        return int(value)
    return _seconds(flag, value)


def _seconds(flag: str, value: str) -> float:
    """Docker's way to write a time, for example `1m30s`; at least a millisecond."""
    if not _DURATION.fullmatch(value):
        raise ValueError(f"{flag} {value} is not a time such as 500ms, 5s or 1m30s")
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    if not 0.001 <= total <= _LONGEST_S:
        raise ValueError(f"{flag} {value} is not from 1ms to 1h")
    return total
