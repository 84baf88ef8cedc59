"""The server as a process: it says where it listens, serves, keeps data, and leaves when told."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from memtru_ci.adapters.serve import run
from memtru_ci.errors import UsageError

PROGRAM = """
import sys
from memtru_ci.adapters.serve import run
from memtru_ci.reference.app import reference_app
run(reference_app(sys.argv[1]), "127.0.0.1", 0)
"""


@contextmanager
def served(data_dir: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(data_dir)], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+)\n", line)
        assert address, line
        yield process, address[1]
    finally:
        process.kill()
        process.wait(10)
        if process.stderr is not None:
            process.stderr.close()


def test_memories_survive_sigterm_with_exit_0_and_sigkill(tmp_path: Path) -> None:
    contents = []
    for how, code in ((signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 0)):
        with served(tmp_path) as (process, address), httpx.Client(base_url=address) as client:
            contents.append(f"fact {how.name}")
            body = {"namespace": "ann", "content": contents[-1]}
            assert client.post("/memories", json=body).status_code == 201
            process.send_signal(how)
            assert process.wait(10) == code
    with served(tmp_path) as (_, address):
        found = httpx.get(f"{address}/memories", params={"namespace": "ann"}).json()["results"]
    assert [one["content"] for one in found] == contents


def test_a_port_that_is_taken_is_said_with_what_to_try() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Cannot listen on 127.0.0.1:{port}") as caught:
            run(lambda *_: None, "127.0.0.1", port)  # type: ignore[arg-type]
    assert "--port" in caught.value.hint
