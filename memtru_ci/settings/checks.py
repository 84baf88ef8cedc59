"""What single values of the settings have to look like, beyond their type.

Each takes a value and gives it back, or raises `ValueError` with what is wrong.
"""

import re
from pathlib import PurePosixPath

from memtru_ci.settings.health import read_health
from memtru_ci.settings.options import DEFAULT_CAPABILITIES, DOCKER_DEFAULT
from memtru_ci.settings.target import parse_target

_LEAST_MEMORY = 6 * 1024**2
_UNITS = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_TMPFS = r"size=\d+[kmg]?|mode=[0-7]{3,4}|uid=\d+|gid=\d+|(?:no)?exec|rw|ro|nosuid|nodev"
_VOLUME_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}"
_RESERVED = ("/dev", "/proc", "/sys")


def target(value: str) -> str:
    """A target, `kind:rest`."""
    return str(parse_target(value))


def words(value: object) -> object:
    """A text of several names, separated by commas or white space, as a list."""
    return re.findall(r"[^\s,]+", value) if isinstance(value, str) else value


def handed_over(value: str) -> str:
    """The name of a variable that is the user's to hand over.

    The runner's own tokens would let a target write to caches and artifacts, or sign in elsewhere.
    """
    if value.upper().startswith(("ACTIONS_", "INPUT_")):
        raise ValueError("the runner's own variables are handed to nobody")
    return value


def no_nul(value: str) -> str:
    """A text that can be handed to a process."""
    if "\0" in value:
        raise ValueError("it holds a zero byte")
    return value


def path(value: str) -> str:
    """A path of any kind."""
    if not value.strip() or re.search(r"[\0-\x1f\x7f]", value):
        raise ValueError("it is empty or holds control characters")
    return value


def path_inside(value: str) -> str:
    """A relative path that does not lead out of where it begins."""
    pure = PurePosixPath(path(value))
    if pure.is_absolute() or ".." in pure.parts or "\\" in value:
        raise ValueError("it is absolute or leads outside")
    return value


def path_in_container(value: str) -> str:
    """An absolute path in a container, of a folder that is the image's to give."""
    pure = PurePosixPath(path(value))
    if not pure.is_absolute() or ".." in pure.parts or len(pure.parts) < 2 or ":" in value:
        raise ValueError("it is not an absolute path of one folder in the container")
    if any(pure == PurePosixPath(one) or one in map(str, pure.parents) for one in _RESERVED):
        raise ValueError("the system's own folders cannot be replaced")
    return value


def tmpfs_options(value: str) -> str:
    """Mount options of a tmpfs, of the harmless ones."""
    for option in filter(None, value.split(",")):
        if not re.fullmatch(_TMPFS, option):
            raise ValueError(f'"{option}" is not among the options of a tmpfs')
    return value


def memory(value: str) -> str:
    """A number of bytes as Docker writes it."""
    found = re.fullmatch(r"(\d{1,15})([bkmg]?)", value)
    if found is None or int(found[1]) * _UNITS[found[2]] < _LEAST_MEMORY:
        raise ValueError("it is no amount of memory, or less than 6m")
    return value


def capability(value: str) -> str:
    """One of the capabilities that Docker gives every container."""
    if value not in DEFAULT_CAPABILITIES:
        raise ValueError("it is not among the capabilities that Docker gives every container")
    return value


def docker_default(value: object) -> object:
    """The word for all that Docker gives a container, as the list that it stands for."""
    return list(DEFAULT_CAPABILITIES) if value == DOCKER_DEFAULT else value


def host_name(value: str) -> str:
    """A name that can lead to a container."""
    if value == "localhost":
        raise ValueError("it would lead every container to itself")
    return value


def health_options(value: str) -> str:
    """Flags of `docker create` that describe a health check, and no others."""
    read_health(no_nul(value))
    return value


def volume(value: str) -> str:
    """`NAME:PATH`, a volume of the sidecar's own."""
    name, inner = split_volume(value)
    if not inner or "/" in name or name.startswith("."):
        raise ValueError("only volumes with a name are taken, as NAME:PATH; nothing of the machine")
    if not re.fullmatch(_VOLUME_NAME, name):
        raise ValueError(f'"{name}" is not a name of letters, digits and . _ -')
    path_in_container(inner)
    return value


def split_volume(value: str) -> tuple[str, str]:
    """The name of a volume, and the path that it goes to."""
    name, _, inner = value.partition(":")
    return name, inner


def anchor(value: str) -> str:
    """`path` or `path:line`, inside the repository."""
    name, line = split_anchor(value)
    if line == 0:
        raise ValueError("lines count from 1")
    path_inside(name)
    return value


def split_anchor(value: str) -> tuple[str, int | None]:
    """The path of an anchor, and its line where it has one."""
    found = re.fullmatch(r"(.+):(\d{1,9})", value)
    return (found[1], int(found[2])) if found else (value, None)
