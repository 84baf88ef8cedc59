"""Finding the Docker Engine, and saying clearly why there is none."""

import os
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

DEFAULT_HOST = "unix:///var/run/docker.sock"
HANDSHAKE_S = 10
CALL_S = 30
"""How long one call may take where it has no limit of its own."""

WAY_OUT = (
    "Start Docker, or set DOCKER_HOST to an engine that answers. A service that already runs is "
    "tested without Docker as `url:http://HOST:PORT`; one that runs in a container of another "
    "engine as `container:NAME` with DOCKER_HOST set to that engine."
)


def connect(environ: Mapping[str, str] | None = None, timeout_s: int = CALL_S) -> "DockerClient":
    """A client for the engine that the environment names.

    Raises `EngineError` where the socket is missing, is no socket or may not be used, and where
    nothing answers in time.
    """
    import docker
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    environ = os.environ if environ is None else environ
    host = environ.get("DOCKER_HOST") or DEFAULT_HOST
    if reason := flaw_of_socket(host):
        raise EngineError(f"There is no usable Docker Engine: {reason}.", hint=WAY_OUT)
    try:
        client = docker.DockerClient.from_env(environment=dict(environ), timeout=HANDSHAKE_S)
        client.ping()
    except (DockerException, RequestException, OSError, ValueError) as error:
        message = f"There is no usable Docker Engine at {host}: {reason_of(error)}."
        raise EngineError(message, hint=WAY_OUT) from error
    client.api.timeout = timeout_s
    return client


def flaw_of_socket(host: str) -> str:
    """What is wrong with the socket of a `unix://` host; empty where it can be tried."""
    if not host.startswith("unix://"):
        return ""
    path = "/" + host.removeprefix("unix://").lstrip("/")
    try:
        mode = os.stat(path).st_mode
    except PermissionError:
        return f"the permission to reach {path} is missing (user {os.geteuid()})"
    except OSError:
        return f"there is no socket at {path}"
    if stat.S_ISDIR(mode):
        return f"{path} is a directory, not a socket (mounted from a host that has none?)"
    if not stat.S_ISSOCK(mode):
        return f"{path} is not a socket"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"the permission to use {path} is missing (user {os.geteuid()})"
    return ""


def reason_of(error: BaseException) -> str:
    """What an error of the library says, on one line and without its wrapping."""
    explanation = getattr(error, "explanation", None)
    text = " ".join(str(explanation or error).split())
    if "timed out" in text.lower():
        return "it does not answer in time"
    return (text[:500] or type(error).__name__).rstrip(".")
