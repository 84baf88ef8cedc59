"""What can be tested: every kind of target, named as `kind:rest`."""

from memtru_ci.errors import UsageError
from memtru_ci.targets.build import BuildTarget
from memtru_ci.targets.container import ContainerTarget
from memtru_ci.targets.embedded import EmbeddedTarget
from memtru_ci.targets.image import ImageTarget
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.process import ProcessTarget
from memtru_ci.targets.python import PythonTarget
from memtru_ci.targets.url import UrlTarget

TargetClass = (
    type[EmbeddedTarget]
    | type[PythonTarget]
    | type[ProcessTarget]
    | type[UrlTarget]
    | type[ImageTarget]
    | type[BuildTarget]
    | type[ContainerTarget]
)

TARGETS: dict[str, TargetClass] = {
    "embedded": EmbeddedTarget,
    "python": PythonTarget,
    "process": ProcessTarget,
    "url": UrlTarget,
    "image": ImageTarget,
    "build": BuildTarget,
    "container": ContainerTarget,
}

FORMS = {
    "embedded": "embedded:[DEFECT]",
    "python": "python:PACKAGE.MODULE:CLASS",
    "process": "process:COMMAND",
    "url": "url:http://HOST:PORT",
    "image": "image:NAME[:TAG]",
    "build": "build:CONTEXT",
    "container": "container:NAME",
}
"""How each kind is named."""

__all__ = ["FORMS", "TARGETS", "ContainerOptions", "TargetClass", "parse"]


def parse(text: str) -> tuple[str, str]:
    """The kind, and what follows its colon. Raises `UsageError` which lists what is allowed."""
    kind, _, rest = text.partition(":")
    kind, rest = kind.strip(), rest.strip()
    if kind not in TARGETS:
        hint = f"Write one of: {', '.join(FORMS.values())}."
        raise UsageError(f"{text!r} names no kind of target.", hint=hint)
    if not fits(kind, rest):
        raise UsageError(f"The target {text!r} is incomplete.", hint=f"Write {FORMS[kind]}.")
    return kind, rest


def fits(kind: str, rest: str) -> bool:
    """Whether the rest can name a target of that kind."""
    if kind == "embedded":
        return True
    if kind == "python":
        module, colon, name = rest.partition(":")
        return bool(module and colon and name)
    if kind == "url":
        scheme, slashes, host = rest.partition("://")
        return scheme in ("http", "https") and bool(slashes and host)
    return bool(rest)
