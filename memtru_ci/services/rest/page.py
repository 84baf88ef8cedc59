"""The page that explains REST mappings: prose, and every key from the models themselves."""

from collections.abc import Iterable, Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_json

from memtru_ci.services.rest.advertised import capability_named
from memtru_ci.services.rest.keys import OperationKeys, Paging, Resolve, Step, Task
from memtru_ci.services.rest.mapping import OperationName, RestService, VersionAt
from memtru_ci.services.rest.presets import names
from memtru_ci.services.rest.prose import EXPRESSIONS, HEAD, IDS, ISOLATION, TAIL
from memtru_ci.services.rest.rules import COMMON, RULES, SURFACE, Rule

_SURFACE = "a surface"


def page() -> str:
    """The page, in Markdown."""
    sections = [
        HEAD.format(presets=", ".join(f"`{one}`" for one in names())),
        "## Keys of `service`\n",
        _table(RestService),
        f"\nWhere `version` is a map:\n\n{_table(VersionAt)}",
        f"\nEach of `prepare`:\n\n{_table(Step)}",
        ISOLATION,
        "## Operations\n",
        _operations(),
        "\n## Keys of an operation\n",
        _table(OperationKeys),
        f"\n`next`:\n\n{_table(Paging)}",
        f"\n`task`:\n\n{_table(Task)}",
        f"\n`resolve`:\n\n{_table(Resolve)}",
        IDS,
        EXPRESSIONS,
        TAIL,
    ]
    return "\n".join(sections)


def documents() -> dict[str, str]:
    """The generated file: path below the root of the repository, and text."""
    return {"docs/rest-mapping.md": page()}


def _operations() -> str:
    rows = [_operation(name, RULES[name]) for name in get_args(OperationName)]
    head = "| Operation | Gives | Placeholders | Further keys |\n| --- | --- | --- | --- |"
    common = ", ".join(f"`{one}`" for one in sorted(COMMON))
    every = f"\n\nCommon keys: {common}. `{{namespace}}` and the variables are everywhere."
    return "\n".join([head, *rows, _operation(_SURFACE, SURFACE)]) + every


def _operation(name: str, rule: Rule) -> str:
    shown = name if name == _SURFACE else f"`{name}`"
    gives = capability_named(name)
    return f"| {shown} | {gives} | {_list(_braced(rule.names))} | {_list(rule.keys)} |"


def _braced(found: Iterable[str]) -> list[str]:
    return [f"{{{one}}}" for one in found]


def _list(found: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in sorted(found)) or "none"


def _table(model: type[BaseModel]) -> str:
    fields: Mapping[str, FieldInfo] = model.model_fields
    rows = [
        f"| `{name}` | {_default(field)} | {field.description} |" for name, field in fields.items()
    ]
    return "\n".join(["| Key | Default | Meaning |", "| --- | --- | --- |", *rows])


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if default is None or default is PydanticUndefined or default in ({}, []):
        return "none"
    return f"`{to_json(default).decode()}`"
