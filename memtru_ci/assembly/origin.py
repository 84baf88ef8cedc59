"""Where findings are shown: the files of the repository that a run belongs to."""

from dataclasses import dataclass
from pathlib import Path

from memtru_ci.errors import UsageError
from memtru_ci.reporters import Origin
from memtru_ci.reporters.anchor import SourceFile, Sources, find_anchors, parse_anchor
from memtru_ci.settings.file import LoadedSettings

_LARGEST_SOURCE = 1024 * 1024


@dataclass(frozen=True)
class Repository:
    """The repository that a run belongs to; `workflow` is the path of what started it."""

    root: Path = Path()
    uri: str = ""
    revision: str = ""
    branch: str = ""
    workflow: str = ""


def origin_of(loaded: LoadedSettings, repository: Repository, scenarios: tuple[str, ...]) -> Origin:
    """Anchors and facts for the reports; raises `UsageError` for an anchor that is not there."""
    root = repository.root
    given, line = _given(loaded.settings.anchor, root)
    sources = Sources(
        given=given,
        given_line=line,
        settings=_source(loaded.path, root),
        dockerfile=_source(_dockerfile(loaded), root),
        workflow=_source(root / repository.workflow if repository.workflow else None, root),
    )
    anchors = find_anchors(sources, scenarios)
    return Origin(anchors, repository.uri, repository.revision, repository.branch)


def _given(anchor: str | None, root: Path) -> tuple[SourceFile | None, int]:
    if anchor is None:
        return None, 1
    name, line = parse_anchor(anchor)
    source = _source(root / name, root)
    if source is None:
        raise UsageError(
            f"The anchor {name} is not a readable file of the repository.",
            hint="Give a path relative to the folder that the gate runs in.",
        )
    return source, line


def _dockerfile(loaded: LoadedSettings) -> Path | None:
    build = loaded.settings.build
    return loaded.context / build.dockerfile if build else None


def _source(path: Path | None, root: Path) -> SourceFile | None:
    """The file, where it is a text inside the repository and of a reasonable size."""
    if path is None:
        return None
    try:
        inside = path.resolve().relative_to(root.resolve())
        with path.open("rb") as file:
            raw = file.read(_LARGEST_SOURCE + 1)
    except (OSError, ValueError):
        return None
    if len(raw) > _LARGEST_SOURCE:
        return None
    return SourceFile(inside.as_posix(), raw.decode("utf-8", "replace"))
