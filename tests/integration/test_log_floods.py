"""A container whose log has no end, as far as its end is asked for."""

import time
from typing import TYPE_CHECKING

import pytest

from memtru_ci.containers.container import log_tail

if TYPE_CHECKING:
    from docker import DockerClient

FLOOD = "import sys\nfor _ in range(3000): sys.stdout.write('x' * 16384)\nprint('the end')"


@pytest.mark.integration
def test_one_endless_line_of_a_container_is_a_bounded_tail(client: "DockerClient") -> None:
    container = client.containers.create("python:3.13-slim", ["python", "-c", FLOOD])
    try:
        container.start()
        container.wait(timeout=120)
        began = time.monotonic()
        tail = log_tail(client, str(container.id), 50)
        assert time.monotonic() - began < 30
        assert all(len(line) <= 300 for line in tail)
        assert len(tail) <= 50
        assert tail
    finally:
        container.remove(force=True)
