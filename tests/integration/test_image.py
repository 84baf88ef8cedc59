"""The container image: its size, its commands, and that it runs locked down."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

BASE = "python:3.13-slim"
MAX_MEGABYTES_ABOVE_BASE = 90
LOCKED_DOWN: dict[str, Any] = {
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
    "read_only": True,
    "tmpfs": {"/tmp": ""},
    "network_mode": "none",
}
ASK = """
import json, sys, time, urllib.request
def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request("http://127.0.0.1:8080" + path, data, method=method)
    request.add_header("Content-Type", "application/json")
    return json.load(urllib.request.urlopen(request, timeout=5))
until = time.monotonic() + 30
while True:
    try:
        urllib.request.urlopen("http://127.0.0.1:8080/health", timeout=5)
        break
    except OSError:
        if time.monotonic() > until:
            raise
        time.sleep(0.1)
if sys.argv[1] == "write":
    call("POST", "/memories", {"namespace": "n", "content": "the kettle is blue"})
found = call("POST", "/memories/search", {"namespace": "n", "query": "kettle", "limit": 5})
print(json.dumps([hit["content"] for hit in found["results"]]))
"""
Run = Callable[..., "Container"]


@pytest.fixture
def client() -> Iterator["DockerClient"]:
    import docker

    client = docker.from_env(timeout=120)
    yield client
    client.close()


@pytest.fixture
def run(client: "DockerClient", memtru_image: str) -> Iterator[Run]:
    """Starts containers of the image, and removes them afterwards."""
    containers: list[Container] = []

    def start(*command: str, **options: Any) -> "Container":
        containers.append(client.containers.create(memtru_image, list(command), **options))
        containers[-1].start()
        return containers[-1]

    yield start
    from docker.errors import NotFound

    for container in containers:
        with suppress(NotFound):  # a volume's own teardown removes what uses it
            container.remove(force=True, v=True)


@pytest.fixture
def volume(client: "DockerClient", run: Run) -> Iterator[str]:
    name = f"memtru-test-{uuid.uuid4().hex[:12]}"
    volume = client.volumes.create(name)
    yield name
    for container in client.containers.list(all=True, filters={"volume": name}):
        container.remove(force=True)
    volume.remove()


def ended(container: "Container", within: int = 60) -> tuple[int, str]:
    """The exit code and output of a container that ends by itself within so many seconds."""
    code = container.wait(timeout=within)["StatusCode"]
    return code, container.logs().decode()


def ask(container: "Container", what: str) -> Any:
    done = container.exec_run(["/opt/memtru/bin/python", "-c", ASK, what])
    output = cast(bytes, done.output)
    assert done.exit_code == 0, output.decode() + container.logs().decode()
    return json.loads(output)


def test_the_image_is_small_above_its_base(client: "DockerClient", memtru_image: str) -> None:
    sizes = [client.images.get(name).attrs["Size"] for name in (memtru_image, BASE)]
    assert (sizes[0] - sizes[1]) / 1e6 < MAX_MEGABYTES_ABOVE_BASE


def test_without_a_command_the_image_shows_the_help(run: Run) -> None:
    code, output = ended(run())
    assert code == 0
    assert "Usage: memtru-ci" in output


def test_the_image_runs_the_demo(run: Run) -> None:
    code, output = ended(run("demo"), within=300)
    assert code == 0, output
    assert "MT-AF-001" in output


def test_the_demo_writes_nothing_to_the_root_file_system(run: Run) -> None:
    code, output = ended(run("demo", working_dir="/tmp", **LOCKED_DOWN), within=300)
    assert code == 0, output


@pytest.mark.parametrize("user", ["0:0", "65534:65534"])
def test_the_reference_service_runs_locked_down_and_keeps_its_data(
    run: Run, volume: str, user: str
) -> None:
    command = ("serve", "reference", "--host", "0.0.0.0", "--port", "8080", "--data", "/data")
    service = run(*command, user=user, volumes={volume: {"bind": "/data"}}, **LOCKED_DOWN)
    assert ask(service, "write") == ["the kettle is blue"]
    service.stop(timeout=20)
    service.reload()
    assert service.attrs["State"]["ExitCode"] in (0, 143), service.logs().decode()
    service.start()
    assert ask(service, "read") == ["the kettle is blue"]


@pytest.mark.parametrize("executable", ["memtru-action", "memtru-cleanup"])
def test_both_steps_of_the_action_run_whatever_home_and_path_are(run: Run, executable: str) -> None:
    environment = {"HOME": "/github/home", "PATH": "/nowhere", "PYTHONPATH": "/nowhere"}
    container = run(entrypoint=f"/usr/local/bin/{executable}", environment=environment)
    code, output = ended(container)
    assert code == {"memtru-action": 2, "memtru-cleanup": 0}[executable], output
    assert "Traceback" not in output
