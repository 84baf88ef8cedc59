"""Instants: RFC 3339 with an offset, read into UTC and kept to the microsecond (rule 1)."""

import re
from datetime import UTC, datetime

LONGEST = 64
"""Characters of a timestamp; no meaningful one comes near."""

_RFC_3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?"
    r"(?P<offset>[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?",
    re.ASCII,
)


class InstantRejected(ValueError):
    """The text is no instant; `code` is `naive_timestamp` where only the offset is missing."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parse(text: str) -> datetime:
    """The instant in UTC; digits after the microsecond are cut off.

    Raises `InstantRejected` for a text without an offset, one that is not RFC 3339, a leap second,
    and an instant outside the years 1 to 9999 of UTC.
    """
    found = _RFC_3339.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise InstantRejected("bad_timestamp")
    if found["offset"] is None:
        raise InstantRejected("naive_timestamp")
    return _in_utc(text.upper())


def of(moment: datetime) -> datetime:
    """The same moment in UTC. Raises `InstantRejected` where it has no offset."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InstantRejected("naive_timestamp")
    return moment.astimezone(UTC)


def text_of(instant: datetime) -> str:
    """The one way in which an instant is written: UTC with `Z`, microseconds only where needed."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _in_utc(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InstantRejected("bad_timestamp") from None
