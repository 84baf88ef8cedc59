"""One operation of a mapping at its place: what it is called in messages, and what it sends."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.errors import ContractViolation
from memtru_ci.services.mcp.keys import MappedOperation, MappedRead
from memtru_ci.services.rest.templates import Absent, BadTemplate, Values, rendered, text_of


@dataclass(frozen=True)
class Mapped:
    """A call of a tool by the contract's operation, its keys, and where they stand.

    `place` is below `service:`; `surface` is given where it is a read of one.
    """

    operation: str
    keys: MappedOperation | MappedRead
    place: str
    surface: str | None = None

    @property
    def endpoint(self) -> str:
        """Operation and tool, as messages name them."""
        return f"{self.place.partition('.')[2]} (tools/call {self.keys.tool})"

    def misfit(self, key: str, what: str) -> ContractViolation:
        """The mapping does not fit what came; `key` is the one to change."""
        field = f"service.{self.place}.{key}"
        return ContractViolation(self.endpoint, f"{what}; see `{field}`", field=field)

    def arguments(self, values: Values) -> dict[str, JsonValue]:
        """What the tool is called with; what stands for nothing is left out.

        Raises `ContractViolation` where a value cannot be put in its place.
        """
        filled = self._filled("arguments", dict(self.keys.arguments), values)
        return filled if isinstance(filled, dict) else {}

    def text(self, key: str, template: str, values: Values) -> str:
        """A template that is a text. Raises `ContractViolation`."""
        filled = self._filled(key, template, values)
        return filled if isinstance(filled, str) else text_of(filled)

    def texts(self, key: str, templates: Sequence[str], values: Values) -> list[str]:
        return [self.text(key, one, values) for one in templates]

    def _filled(self, key: str, template: JsonValue, values: Values) -> JsonValue:
        try:
            filled = rendered(template, values)
            return filled if not isinstance(filled, Absent) else None
        except BadTemplate as error:
            raise self.misfit(key, f"nothing could be sent: {error}") from None
