"""Reading one field of a JSON object: right type, whole Unicode, bounded in size."""

from collections.abc import Mapping
from datetime import datetime

from memtru_ci.policy import instants

LONGEST_NAME = 512
"""Characters of an id, a target, a session and a key."""

LONGEST_SOURCE = 2048
"""Characters of a source, which may be an address."""

LARGEST_VALUE = 1024 * 1024
"""Bytes of a value in UTF-8: one of a megabyte is kept, one over a mebibyte is rejected."""


class FieldRejected(ValueError):
    """A field is not as it has to be: `code` is stable, `detail` names the field for a reader."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail

    @property
    def reason(self) -> str:
        """Code and detail; never the content that was rejected."""
        return str(self)


def name(raw: Mapping[str, object], field: str, longest: int = LONGEST_NAME) -> str:
    """A text that has to be there, from one character to `longest`."""
    found = optional_name(raw, field, longest)
    if found is None:
        raise FieldRejected("missing_field", field)
    return found


def optional_name(raw: Mapping[str, object], field: str, longest: int = LONGEST_NAME) -> str | None:
    """A text that may be left out; null counts as left out."""
    found = raw.get(field)
    if found is None:
        return None
    text = _whole(found, field)
    if not 1 <= len(text) <= longest:
        raise FieldRejected("bad_length", f"{field} has 1 to {longest} characters")
    return text


def value(raw: Mapping[str, object], field: str = "value") -> str:
    """A text that has to be there and may be empty; bounded in bytes."""
    found = raw.get(field)
    if found is None:
        raise FieldRejected("missing_field", field)
    text = _whole(found, field)
    if len(text) > LARGEST_VALUE or len(text.encode()) > LARGEST_VALUE:
        raise FieldRejected("too_large", f"{field} has at most {LARGEST_VALUE} bytes of UTF-8")
    return text


def instant(raw: Mapping[str, object], field: str) -> datetime:
    """An instant that has to be there."""
    found = optional_instant(raw, field)
    if found is None:
        raise FieldRejected("missing_field", field)
    return found


def optional_instant(raw: Mapping[str, object], field: str) -> datetime | None:
    """An instant that may be left out; null counts as left out."""
    found = raw.get(field)
    if found is None:
        return None
    if not isinstance(found, str):
        raise FieldRejected("bad_type", f"{field} is a text")
    try:
        return instants.parse(found)
    except instants.InstantRejected as rejected:
        raise FieldRejected(rejected.code, f"{field} is RFC 3339 with an offset") from None


def flag(raw: Mapping[str, object], field: str) -> bool:
    """true or false; false where it is left out. Nothing else is taken for either."""
    found = raw.get(field)
    if found is None:
        return False
    if not isinstance(found, bool):
        raise FieldRejected("bad_type", f"{field} is true or false")
    return found


def _whole(found: object, field: str) -> str:
    if not isinstance(found, str):
        raise FieldRejected("bad_type", f"{field} is a text")
    if any("\ud800" <= one <= "\udfff" for one in found) if not found.isascii() else False:
        raise FieldRejected("bad_text", f"{field} has half of a surrogate pair")
    return found
