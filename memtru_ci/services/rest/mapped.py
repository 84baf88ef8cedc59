"""One operation of a mapping at its place: what it is called in messages, and what it sends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue
from pydantic_core import to_json

from memtru_ci.errors import ContractViolation
from memtru_ci.services.address import in_query
from memtru_ci.services.exchanges import Request
from memtru_ci.services.rest.keys import MappedOperation
from memtru_ci.services.rest.templates import (
    ABSENT,
    BadTemplate,
    Values,
    names_in,
    rendered,
    rendered_path,
    text_of,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Mapped:
    """An operation by the contract's name, its keys, and where they stand below `service:`."""

    operation: str
    keys: MappedOperation
    place: str

    @property
    def endpoint(self) -> str:
        """Operation, method and path template, as messages name it."""
        name = self.place.removeprefix("operations.").removeprefix("surfaces.")
        return f"{name} ({self.keys.method} {self.keys.path})"

    def uses(self, placeholder: str) -> bool:
        """Whether a placeholder is in its request."""
        keys = self.keys
        parts = (keys.path, keys.query, keys.body, *keys.headers.values())
        return any(placeholder in names_in(part) for part in parts)

    def misfit(self, key: str, what: str) -> ContractViolation:
        """The mapping does not fit what came; `key` is the one to change."""
        field = f"service.{self.place}.{key}"
        return ContractViolation(self.endpoint, f"{what}; see `{field}`", field=field)

    def request(
        self,
        namespace: str,
        values: Values,
        headers: Mapping[str, str],
        surface: str | None = None,
    ) -> Request:
        """What is sent; `headers` are the templates of those that every request has.

        Raises `ContractViolation` where a value, such as an id, cannot be put in its place.
        """
        keys = self.keys
        path = self._filled("path", lambda: rendered_path(keys.path, values))
        query = self._filled("query", lambda: queried(keys.query, values))
        body = self._filled("body", lambda: rendered(keys.body, values))
        filled = self._filled("headers", lambda: headed({**headers, **keys.headers}, values))
        sent = None if body is ABSENT else body
        return Request(
            operation=self.operation,
            method=keys.method,
            path=path + in_query(query),
            namespace=namespace,
            surface=surface,
            body=None if sent is None else to_json(sent),
            sent=sent,
            headers=filled,
        )

    def _filled(self, key: str, fill: Callable[[], T]) -> T:
        try:
            return fill()
        except BadTemplate as error:
            raise self.misfit(key, f"nothing could be sent: {error}") from None


def queried(templates: Mapping[str, JsonValue], values: Values) -> dict[str, str | list[str]]:
    """Query parameters; those that stand for nothing are left out. Raises `BadTemplate`."""
    query: dict[str, str | list[str]] = {}
    for name, template in templates.items():
        value = rendered(template, values)
        if isinstance(value, list):
            query[name] = [text_of(one) for one in value]
        elif value is not ABSENT:
            query[name] = text_of(value)
    return query


def headed(templates: Mapping[str, str], values: Values) -> dict[str, str]:
    """Headers; those that stand for nothing are left out. Raises `BadTemplate`."""
    headers = {}
    for name, template in templates.items():
        value = rendered(template, values)
        if value is ABSENT:
            continue
        text = text_of(value)
        if not all(" " <= char <= "~" for char in text):
            raise BadTemplate(f"the header {name} would not be visible ASCII")
        headers[name] = text.strip()
    return headers
