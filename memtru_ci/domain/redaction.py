"""Takes secrets out of everything that is shown or written, in each form they may come back in."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel, JsonValue

REPLACEMENT = "[redacted]"

_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH", "PRIVATE")
_SHORTEST_GUESSED = 4
_SHORTEST_PART = 8
"""Parts of a secret (a line of it, the inside of its base64) count from this length on only."""

_OWN_WORDS = frozenset(
    (
        *("schema_version", "run_id", "started_at", "scenario", "scenarios", "asked_by_id"),
        *("required", "suite", "severity", "fail_on", "operation", "method", "deletion_contract"),
        *("resurrection_trigger", "finding", "action", "phase", "manner", "level", "provider"),
    )
)
"""Fields of a report that hold the gate's own words: a target has no way to put a secret there."""

ModelT = TypeVar("ModelT", bound=BaseModel)


def looks_secret(name: str) -> bool:
    """Whether a variable of this name probably holds a secret."""
    return any(word in name.upper() for word in _SECRET_WORDS)


def guessed_secrets(env: Mapping[str, str]) -> list[str]:
    """The values of variables whose names look secret, where they are long enough to be one."""
    return [
        value
        for name, value in env.items()
        if looks_secret(name) and len(value) >= _SHORTEST_GUESSED
    ]


class Redactor:
    """Replaces secrets: plain, escaped as in JSON, base64, hexadecimal and URL-quoted."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if secret for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(_pattern, longest_first))) if forms else None

    def text(self, text: str) -> str:
        """The text without secrets."""
        return text if self._pattern is None else self._pattern.sub(REPLACEMENT, text)

    def json(self, value: JsonValue) -> JsonValue:
        """The value without secrets, neither in its texts nor in its keys."""
        clean: JsonValue = self._plain(value)
        return clean

    def model(self, model: ModelT) -> ModelT:
        """The model with every free text in it redacted; codes and other own words stay."""
        if self._pattern is None:
            return model
        changed = {
            name: self._value(getattr(model, name))
            for name in type(model).model_fields
            if name not in _OWN_WORDS
        }
        return model.model_copy(update=changed)

    def _value(self, value: Any) -> Any:
        if isinstance(value, BaseModel):
            return self.model(value)
        if isinstance(value, tuple):
            return tuple(self._value(one) for one in value)
        if isinstance(value, list):
            return [self._value(one) for one in value]
        return self._plain(value)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Enum):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._plain(one) for one in value]
        if isinstance(value, dict):
            return {self.text(key): self._plain(one) for key, one in value.items()}
        return value


def _pattern(form: str) -> str:
    """Matches the form as it is, its percent escapes in either case."""
    return re.sub("%[0-9A-F]{2}", lambda found: f"(?i:{found[0]})", re.escape(form))


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield from (line for line in secret.splitlines() if len(line.strip()) >= _SHORTEST_PART)
    for ascii_only in (True, False):
        yield json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
    yield from (quote(secret, safe=""), quote(secret), quote_plus(secret))
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (raw.hex(), raw.hex().upper())
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[str]:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(raw).decode()
        yield encode(raw).decode().rstrip("=")
        yield from _base64_insides(raw, encode)


def _base64_insides(raw: bytes, encode: Any) -> Iterator[str]:
    """What stays of the secret where it is encoded as a part of something longer."""
    for before in range(3):
        whole = 8 * (before + len(raw)) // 6
        inside = encode(bytes(before) + raw).decode()[-(-8 * before // 6) : whole]
        if len(inside) >= _SHORTEST_PART:
            yield inside
