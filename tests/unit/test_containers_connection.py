"""No usable engine is one clear message that shows the way out."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtru_ci.containers import connection
from memtru_ci.containers.connection import connect, flaw_of_socket
from memtru_ci.errors import EXIT_INFRASTRUCTURE, EngineError


def refused(host: str) -> EngineError:
    with pytest.raises(EngineError) as caught:
        connect({"DOCKER_HOST": host})
    return caught.value


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[Path]:
    """A socket that takes connections and never answers."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield path


def test_a_missing_socket_is_named(tmp_path: Path) -> None:
    error = refused(f"unix://{tmp_path}/none.sock")

    assert f"there is no socket at {tmp_path}/none.sock" in error.message
    assert "`url:" in error.hint
    assert "`container:" in error.hint
    assert error.exit_code == EXIT_INFRASTRUCTURE


def test_a_directory_in_place_of_the_socket_is_told(tmp_path: Path) -> None:
    assert "is a directory, not a socket" in refused(f"unix://{tmp_path}").message


def test_a_file_in_place_of_the_socket_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert "is not a socket" in refused(f"unix://{tmp_path}/file").message


def test_a_socket_that_may_not_be_used_is_told(
    silent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    assert "the permission to use" in flaw_of_socket(f"unix://{silent}")


def test_an_engine_that_does_not_answer_is_told_in_time(
    silent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_S", 0.2)

    assert "does not answer in time" in refused(f"unix://{silent}").message


def test_something_that_is_no_engine_is_told(silent: Path, tmp_path: Path) -> None:
    path = tmp_path / "other"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=hang_up, args=(listener,), daemon=True).start()

        error = refused(f"unix://{path}")

    assert f"no usable Docker Engine at unix://{path}" in error.message


def hang_up(listener: socket.socket) -> None:
    """Close every connection at once; ends with the listener."""
    while True:
        try:
            listener.accept()[0].close()
        except OSError:
            return


@pytest.mark.parametrize("host", ["tcp://127.0.0.1:1", "carrier-pigeon://x"])
def test_a_wrong_docker_host_is_named(host: str) -> None:
    error = refused(host)

    assert host in error.message
    assert "DOCKER_HOST" in error.hint
