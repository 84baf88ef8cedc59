"""Checks that a mapping is whole: every template can be filled, every answer can be read."""

from collections.abc import Iterable
from typing import NoReturn

from pydantic import JsonValue

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError
from memtru_ci.services.mcp.keys import MappedOperation, MappedRead
from memtru_ci.services.mcp.mapping import McpMapping
from memtru_ci.services.mcp.rules import COMMON, READ, RULES, SURFACE, Rule
from memtru_ci.services.rest.templates import (
    BadTemplate,
    embedded_names_in,
    names_in,
    whole_names_in,
)

_RESERVED_SURFACES = ("search", "list", "model_prompt")
_WHOLE_ONLY = frozenset({"messages"})
_BUILT_IN = {"namespace"}.union(*(one.names for one in (*RULES.values(), SURFACE, READ)))


def check(mapping: McpMapping) -> None:
    """Raises `UsageError`, which names the key."""
    if not mapping.operations:
        _refuse("operations", "no operation is mapped, so nothing can be tested")
    for name in mapping.variables:
        if name in _BUILT_IN:
            _refuse("variables", f"`{name}` is the name of a placeholder already")
    always = frozenset({"namespace", *mapping.variables})
    for number, ready in enumerate(mapping.ready):
        _template(f"ready.{number}.arguments", ready.arguments, mapping.variables)
    for operation, keys in mapping.operations.items():
        _operation(f"operations.{operation}", keys, RULES[operation], always)
    for surface, keys in mapping.surfaces.items():
        if surface in _RESERVED_SURFACES:
            _refuse(f"surfaces.{surface}", "the gate has a surface of this name already")
        _operation(f"surfaces.{surface}", keys, SURFACE, always)
    _isolation(mapping)


def _operation(key: str, keys: MappedOperation, rule: Rule, always: frozenset[str]) -> None:
    for extra in sorted(keys.model_fields_set - COMMON - rule.keys):
        _refuse(f"{key}.{extra}", "this operation has no use for it")
    for missing in rule.required:
        if not any(getattr(keys, one) for one in missing):
            _refuse(f"{key}.{missing[0]}", "it is missing, and no preset fills it")
    names = set(always | rule.names)
    if keys.own_id is not None:
        _template(f"{key}.own_id", keys.own_id, always | {"new_id", "thread_id"}, is_text=True)
        names.add("id")
    used = _template(f"{key}.arguments", keys.arguments, names)
    _sends(key, used, rule)
    if keys.own_id is not None and not used & {"id", "new_id"}:
        _refuse(f"{key}.own_id", "{id} is in none of its arguments")
    for one in (*keys.gone, *keys.empty):
        _template(f"{key}.gone", one, names, is_text=True)
    if keys.namespaced_by is not None:
        prefix = keys.namespaced_by.prefix
        _template(f"{key}.namespaced_by.prefix", prefix, always, is_text=True)
    _pages(key, keys, used)
    if keys.read is not None:
        _read(f"{key}.read", keys.read, always)


def _read(key: str, read: MappedRead, always: frozenset[str]) -> None:
    names = always | READ.names
    _sends(key, _template(f"{key}.arguments", read.arguments, names), READ)
    for one in read.gone:
        _template(f"{key}.gone", one, names, is_text=True)
    if read.content is None and read.source != "text":
        _refuse(f"{key}.content", "it is missing, and no preset fills it")


def _pages(key: str, keys: MappedOperation, used: frozenset[str]) -> None:
    for way in ("cursor", "page", "offset"):
        if keys.next and getattr(keys.next, way) is not None and way not in used:
            _refuse(f"{key}.next.{way}", f"{{{way}}} is in none of its arguments")


def _sends(key: str, used: frozenset[str], rule: Rule) -> None:
    for wanted in rule.uses:
        if not used & wanted:
            shown = " or ".join(f"{{{one}}}" for one in sorted(wanted))
            _refuse(f"{key}.arguments", f"{shown} is in none of them")


def _isolation(mapping: McpMapping) -> None:
    write = mapping.operations.get("write")
    if write is None or mapping.isolation is not None:
        return
    named = names_in(write.arguments) | names_in(write.own_id or "")
    if "namespace" not in named:
        why = "it is missing: the write does not name {namespace}, so say how namespaces are"
        _refuse("isolation", f"{why} kept apart")


def _template(
    key: str, template: JsonValue, names: Iterable[str], *, is_text: bool = False
) -> frozenset[str]:
    """The placeholders in it."""
    try:
        used, whole = names_in(template), whole_names_in(template)
    except BadTemplate as error:
        _refuse(key, str(error))
    known = set(names)
    for name in sorted(used - known):
        there = ", ".join(f"{{{one}}}" for one in sorted(known))
        _refuse(
            key, f"there is no {{{name}}} here", did_you_mean(name, known) or f"There are {there}."
        )
    in_text = embedded_names_in(template) | (whole if is_text else frozenset())
    for name in sorted(in_text & _WHOLE_ONLY):
        _refuse(key, f"{{{name}}} is a list, and must be a text of its own")
    return used


def _refuse(key: str, why: str, hint: str = "") -> NoReturn:
    raise UsageError(f"`service.{key}`: {why}.", hint=hint)
