"""The checked-out repository of a job: what may be written to it, and whose it is then."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtru_ci.errors import UsageError


@dataclass(frozen=True)
class OutputFolder:
    """The folder for the reports, and the folders on its way that a run makes."""

    path: Path
    made: tuple[Path, ...]


def workspace_of(environ: Mapping[str, str]) -> Path:
    """The workspace; the current folder where GitHub names none that is there."""
    named = Path(environ.get("GITHUB_WORKSPACE") or ".")
    return (named if named.is_dir() else Path()).absolute()


def output_folder(workspace: Path, named: str) -> OutputFolder:
    """The folder that an input names; raises `UsageError` where it leads out of the workspace."""
    path = workspace / named
    if not path.resolve().is_relative_to(workspace.resolve()):
        raise UsageError(
            f"The output folder {named} leads out of the workspace.",
            hint="Name a folder inside the workspace: later steps see no other.",
        )
    missing = [one for one in (path, *path.parents) if one != workspace and not one.exists()]
    return OutputFolder(path, tuple(one for one in missing if one.is_relative_to(workspace)))


def hand_over(workspace: Path, folder: OutputFolder, files: Iterable[str]) -> list[str]:
    """Give what was written to the owner of the workspace, whose next checkout has to remove it.

    Only root can, and only what the run itself wrote is given away. A link is not followed.
    Returns what could not be given away, and why.
    """
    if os.geteuid() != 0:
        return []
    owner = os.stat(workspace)
    refused = []
    for path in (*folder.made, *(folder.path / name for name in files)):
        try:
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        except FileNotFoundError:
            continue
        except OSError as error:
            refused.append(f"{path}: {error.strerror}")
    return refused


def is_empty(workspace: Path) -> bool:
    """Whether nothing was checked out, or the runner's own folder is not there for Docker."""
    try:
        return not any(workspace.iterdir())
    except OSError:
        return True
