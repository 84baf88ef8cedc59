"""Checks that a mapping is whole: every template can be filled, every answer can be read."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError
from memtru_ci.services.rest.keys import MappedOperation, Step
from memtru_ci.services.rest.mapping import RestMapping, VersionAt
from memtru_ci.services.rest.rules import COMMON, RULES, SURFACE, Rule
from memtru_ci.services.rest.templates import (
    BadTemplate,
    embedded_names_in,
    names_in,
    whole_names_in,
)

_RESERVED_SURFACES = ("search", "list", "model_prompt")
_OWN_HEADERS = frozenset(
    {
        *("accept-encoding", "connection", "content-encoding", "content-length", "content-type"),
        *("host", "transfer-encoding"),
    }
)
_WHOLE_ONLY = frozenset({"messages", "content_vector", "query_vector"})
_TOKEN = "token"
_BUILT_IN = {"namespace", _TOKEN, "task_id", *_WHOLE_ONLY}.union(
    *(rule.names for rule in (*RULES.values(), SURFACE))
)


def check(mapping: RestMapping) -> None:
    """Raises `UsageError`, which names the key."""
    _Checks(mapping).all()


class _Checks:
    def __init__(self, mapping: RestMapping) -> None:
        self._mapping = mapping
        prepared = {name for step in mapping.prepare for name in step.variables}
        self._always = frozenset({"namespace", *mapping.variables, *prepared})

    def all(self) -> None:
        mapping = self._mapping
        if not mapping.operations:
            _refuse("operations", "no operation is mapped, so nothing can be tested")
        for name in (
            *mapping.variables,
            *(one for step in mapping.prepare for one in step.variables),
        ):
            if name in _BUILT_IN:
                _refuse("variables", f"`{name}` is the name of a placeholder already")
        self._headers("headers", mapping.headers, {"namespace", *mapping.variables})
        self._template("health", mapping.health, ())
        if isinstance(mapping.version, VersionAt):
            self._template("version.path", mapping.version.path, mapping.variables)
        for number, step in enumerate(mapping.prepare):
            self._step(number, step)
        for name, operation in mapping.operations.items():
            self._operation(f"operations.{name}", operation, RULES[name])
        for surface, operation in mapping.surfaces.items():
            if surface in _RESERVED_SURFACES:
                _refuse(f"surfaces.{surface}", "the gate has a surface of this name already")
            self._operation(f"surfaces.{surface}", operation, SURFACE)
        self._isolation()

    def _step(self, number: int, step: Step) -> None:
        key, earlier = f"prepare.{number}", self._mapping.prepare[:number]
        names = {"namespace", *self._mapping.variables, *(n for s in earlier for n in s.variables)}
        self._template(f"{key}.path", step.path, names)
        self._query(f"{key}.query", step.query, names)
        self._template(f"{key}.body", step.body, names)

    def _operation(self, key: str, operation: MappedOperation, rule: Rule) -> None:
        for extra in sorted(operation.model_fields_set - COMMON - rule.keys):
            _refuse(f"{key}.{extra}", "this operation has no use for it")
        for missing in rule.required:
            if not any(getattr(operation, one) for one in missing):
                _refuse(f"{key}.{missing[0]}", "it is missing, and no preset fills it")
        names = self._always | rule.names
        used = self._templates(key, operation, names, rule)
        for wanted in rule.uses:
            if not used & wanted:
                shown = " or ".join(f"{{{one}}}" for one in sorted(wanted))
                _refuse(key, f"{shown} is in none of its path, query, headers and body")
        self._needs_of(key, operation, used)

    def _templates(
        self, key: str, operation: MappedOperation, names: Iterable[str], rule: Rule
    ) -> frozenset[str]:
        in_path = set(names) - rule.optional
        self._template(f"{key}.path", operation.path, in_path)
        self._query(f"{key}.query", operation.query, names)
        self._headers(f"{key}.headers", operation.headers, names)
        self._template(f"{key}.body", operation.body, names)
        if operation.task is not None:
            task_names = {*in_path, "task_id"} if operation.task.id else in_path
            self._template(f"{key}.task.path", operation.task.path, task_names)
        return _used(_parts_of(operation))

    def _needs_of(self, key: str, operation: MappedOperation, used: frozenset[str]) -> None:
        if used & {"content_vector", "query_vector"} and self._mapping.vector_dimensions is None:
            _refuse("vector_dimensions", f"it is missing, and `service.{key}` sends a vector")
        if operation.own_id and "new_id" not in used:
            _refuse(f"{key}.own_id", "{new_id} is in none of its path, query and body")
        paging = operation.next
        for way in ("cursor", "page", "offset"):
            if paging and getattr(paging, way) is not None and way not in used:
                _refuse(f"{key}.next.{way}", f"{{{way}}} is in none of its path, query and body")
        resolve = operation.resolve
        if resolve is not None and resolve.by not in self._mapping.operations:
            _refuse(f"{key}.resolve.by", f"`service.operations.{resolve.by}` is not mapped")

    def _isolation(self) -> None:
        write = self._mapping.operations.get("write")
        steps = self._mapping.prepare
        if write is None or self._mapping.isolation is not None:
            return
        sent = [*_parts_of(write), *(part for step in steps for part in _parts_of(step))]
        if "namespace" not in _used(sent):
            _refuse(
                "isolation",
                "it is missing: the write does not name {namespace}, so say how namespaces "
                "are kept apart",
            )

    def _headers(self, key: str, headers: dict[str, str], names: Iterable[str]) -> None:
        for name, template in headers.items():
            if name.lower() in _OWN_HEADERS:
                _refuse(f"{key}.{name}", "the gate sets this header itself")
            self._template(f"{key}.{name}", template, {*names, _TOKEN}, is_text=True)

    def _query(self, key: str, query: dict[str, JsonValue], names: Iterable[str]) -> None:
        for name, template in query.items():
            self._template(f"{key}.{name}", template, names, is_text=True)

    def _template(
        self, key: str, template: JsonValue, names: Iterable[str], *, is_text: bool = False
    ) -> None:
        try:
            used, whole = names_in(template), whole_names_in(template)
        except BadTemplate as error:
            _refuse(key, str(error))
        known = set(names)
        for name in sorted(used - known):
            _refuse(key, f"there is no {{{name}}} here", _hint(name, known))
        in_text = embedded_names_in(template) | (whole if is_text else frozenset())
        for name in sorted(in_text & _WHOLE_ONLY):
            _refuse(key, f"{{{name}}} is a list, and must be a text of its own in the body")


def _parts_of(sent: MappedOperation | Step) -> Iterator[JsonValue]:
    yield from (sent.path, sent.query, sent.body)
    if isinstance(sent, MappedOperation):
        yield from sent.headers.values()


def _used(parts: Iterable[JsonValue]) -> frozenset[str]:
    return frozenset(name for part in parts for name in names_in(part))


def _hint(name: str, known: set[str]) -> str:
    there = ", ".join(f"{{{one}}}" for one in sorted(known))
    return did_you_mean(name, known) or f"There are {there}."


def _refuse(key: str, why: str, hint: str = "") -> None:
    raise UsageError(f"`service.{key}`: {why}.", hint=hint)
