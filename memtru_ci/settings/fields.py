"""What the models of the settings share: strictness, and the types of names, texts and paths."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic import StringConstraints as Text

from memtru_ci.settings import checks
from memtru_ci.settings.options import DEFAULT_CAPABILITIES, DOCKER_DEFAULT, OPTIONS

Variable = Annotated[str, Text(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,254}$")]
OwnVariable = Annotated[Variable, AfterValidator(checks.handed_over)]
VolumeName = Annotated[str, Text(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]
InnerPath = Annotated[str, AfterValidator(checks.path_in_container)]
PlainText = Annotated[str, AfterValidator(checks.no_nul)]
Memory = Annotated[str, AfterValidator(checks.memory)]
Words = Annotated[list[str], BeforeValidator(checks.words, json_schema_input_type=str | list[str])]


class Strict(BaseModel):
    """Nothing is coerced, nothing unknown is taken."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def option(key: str, **limits: Any) -> Any:
    """The field of an option; its default and meaning come from the table of options."""
    one = OPTIONS[key]
    if isinstance(one.default, (list, dict)):
        limits["default_factory"] = one.default.copy
    else:
        limits["default"] = one.default
    return Field(description=one.meaning, **limits)


def capabilities(key: str) -> Any:
    """The field of a list of capabilities, or of the one word for Docker's default set."""
    names: Any = {"enum": list(DEFAULT_CAPABILITIES)}
    schema = {
        "anyOf": [
            {"type": "array", "items": {"type": "string", **names}},
            {"const": DOCKER_DEFAULT},
        ]
    }
    return option(key, json_schema_extra=lambda found: _replaced(found, schema))


Capabilities = Annotated[
    list[Annotated[str, AfterValidator(checks.capability)]], BeforeValidator(checks.docker_default)
]


def _replaced(found: dict[str, Any], schema: dict[str, Any]) -> None:
    for key in ("type", "items"):
        found.pop(key, None)
    found.update(schema)
