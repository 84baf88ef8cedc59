"""Writes the documents of a run: fixed names, whole files, nothing through a symbolic link."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from memtru_ci.domain.report import Report
from memtru_ci.errors import UsageError
from memtru_ci.ports import Reporter

_HINT = "Name a folder that can be written to with --output-dir."
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def write_all(report: Report, output_dir: Path, reporters: Iterable[Reporter]) -> list[Path]:
    """Write every reporter's document; each is there whole or not at all.

    Raises `UsageError` where the folder is none, or cannot be written to.
    """
    folder = prepare_folder(output_dir)
    try:
        return [_write(folder, output_dir, one.filename, one.render(report)) for one in reporters]
    finally:
        os.close(folder)


def check_writable(output_dir: Path) -> None:
    """Find out before a run whether its reports can be written; raises `UsageError`."""
    folder = prepare_folder(output_dir)
    try:
        probe = _create(folder, ".memtru-probe")
        os.close(probe[0])
        os.unlink(probe[1], dir_fd=folder)
    except OSError as error:
        raise _refused(output_dir, error) from error
    finally:
        os.close(folder)


def prepare_folder(output_dir: Path) -> int:
    """Make the folder where it is missing and open it; the caller closes the descriptor."""
    try:
        output_dir.mkdir(mode=0o755, parents=True, exist_ok=True)
        return os.open(output_dir, _FOLDER_FLAGS)
    except OSError as error:
        raise _refused(output_dir, error) from error


def _write(folder: int, output_dir: Path, name: str, document: str) -> Path:
    try:
        descriptor, temporary = _create(folder, f".{name}")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(document.encode("utf-8", "backslashreplace"))
                os.fchmod(file.fileno(), 0o644)  # whatever the umask is, others can read it
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            os.unlink(temporary, dir_fd=folder)
            raise
    except OSError as error:
        raise _refused(output_dir / name, error) from error
    return output_dir / name


def _create(folder: int, stem: str) -> tuple[int, str]:
    name = f"{stem}.{secrets.token_hex(8)}"
    return os.open(name, _FILE_FLAGS, 0o644, dir_fd=folder), name


def _refused(path: Path, error: OSError) -> UsageError:
    why = error.strerror or str(error)
    return UsageError(f"The reports cannot be written to {path}: {why}.", hint=_HINT)
