"""Reads the files that findings may be shown at, from a checked-out repository."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from memtru_ci.errors import UsageError
from memtru_ci.reporters import Origin
from memtru_ci.reporters.anchor import SourceFile, Sources, find_anchors, parse_anchor

_MAX_BYTES = 1024 * 1024


def origin_of(
    root: Path,
    *,
    scenarios: Iterable[str] = (),
    given: str = "",
    settings: Path | None = None,
    dockerfile: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Origin:
    """Where findings of a run in the repository at `root` are shown.

    `given` is the user's own `path[:line]`, relative to `root`. `environ` is GitHub's environment
    where there is one: it names the workflow, the repository and its revision. Raises `UsageError`
    where what is given does not exist in the repository.
    """
    known = environ or {}
    path, line = parse_anchor(given)
    sources = Sources(
        given=_given(root, path) if given else None,
        given_line=line,
        settings=source_file(root, settings),
        dockerfile=source_file(root, dockerfile),
        workflow=source_file(root, _workflow(known)),
    )
    return Origin(
        anchors=find_anchors(sources, scenarios),
        repository=_repository(known),
        revision=known.get("GITHUB_SHA", ""),
        branch=known.get("GITHUB_REF_NAME", ""),
    )


def source_file(root: Path, path: Path | None) -> SourceFile | None:
    """A file inside `root`, links resolved, as code scanning shows none; None for any other."""
    if path is None:
        return None
    try:
        whole = (root / path).resolve(strict=True)
        relative = whole.relative_to(root.resolve())
        if not whole.is_file() or whole.stat().st_size > _MAX_BYTES:
            return None
        return SourceFile(relative.as_posix(), whole.read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None


def repository_root(start: Path) -> Path:
    """The nearest folder at or above `start` that a repository is checked out in, or `start`."""
    folder = Path(os.path.abspath(start))
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _given(root: Path, path: str) -> SourceFile:
    source = source_file(root, Path(path))
    if source is None:
        raise UsageError(
            f"anchor: there is no file {path} of at most 1 MiB in the repository.",
            hint="Give a path relative to the root of the repository, as path or path:line.",
        )
    return source


def _workflow(environ: Mapping[str, str]) -> Path | None:
    """`owner/repo/<path>@<ref>`, for a workflow of this repository."""
    named = environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0]
    repository = environ.get("GITHUB_REPOSITORY", "")
    prefix = f"{repository}/"
    return Path(named[len(prefix) :]) if repository and named.startswith(prefix) else None


def _repository(environ: Mapping[str, str]) -> str:
    server, name = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
    return f"{server}/{name}" if server and name else ""
