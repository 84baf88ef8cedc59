"""An MCP server on standard input and output of a real container, over real restarts."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from memtru_ci.containers import Engine, clean
from memtru_ci.errors import NoAnswer, TargetError, TargetLost, UsageError
from memtru_ci.services.mcp.dialect import dialect_of
from memtru_ci.services.mcp.mapping import McpService
from memtru_ci.targets.container import ContainerTarget
from memtru_ci.targets.image import ImageTarget
from memtru_ci.targets.options import ContainerOptions
from tests.mcp_peers import NOTES
from tests.unit.raw_service import KeptExchanges

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

CONTEXT = Path(__file__).parent.parent / "fixtures" / "mcp_notes"


@pytest.fixture(scope="module")
def notes_image() -> Iterator[str]:
    """The id of an image of `tests/fixtures/mcp_notes`."""
    run_id = f"test-{secrets.token_hex(4)}"

    async def build() -> str:
        engine = Engine(run_id)
        built = await engine.build(CONTEXT, "Dockerfile", 300)
        engine.close()
        return built.id

    yield anyio.run(build)
    clean(run_id)


def target(image: str, **changes: object) -> ImageTarget:
    dialect = dialect_of(McpService.model_validate(NOTES))
    options = ContainerOptions(dialect=dialect, volumes={"data": "/data"}, **changes)  # type: ignore[arg-type]
    return ImageTarget(image, options, f"test-{secrets.token_hex(4)}")


async def test_a_server_is_spoken_to_over_a_restart_and_a_crash(notes_image: str) -> None:
    tested = target(notes_image)
    async with tested.started() as instance:
        service = instance.service(KeptExchanges())
        first = (await service.write("ns-1", "the blue key")).value
        second = (await service.write("ns-1", "the blue lock")).value
        await service.delete("ns-1", first)
        restarted = await instance.restart()
        assert [one.id for one in (await service.search("ns-1", "blue")).value] == [second]
        crashed = await instance.crash()
        assert [one.id for one in (await service.list("ns-1")).value] == [second]
        assert (await service.info()).value.name == "notes"
        assert await instance.autopsy() == ""
    await tested.aclose()
    assert restarted.old_started_at != restarted.new_started_at == crashed.old_started_at
    assert crashed.signal == "SIGKILL"
    assert not tested.left_behind


async def test_a_server_that_dies_is_examined_and_its_log_is_standard_error(
    notes_image: str,
) -> None:
    tested = target(notes_image)
    async with tested.started() as instance:
        service = instance.service(KeptExchanges())
        await service.write("ns-1", "the blue key")
        await instance.container.kill()
        with pytest.raises((NoAnswer, TargetLost)):
            await service.search("ns-1", "blue")
        death = await instance.autopsy()
    await tested.aclose()
    assert "137" in death
    assert "notes are ready" in death
    assert "jsonrpc" not in death


async def test_a_process_that_is_no_server_is_told_with_what_it_wrote(notes_image: str) -> None:
    command = ("sh", "-c", "echo hello there; sleep 60")
    tested = target(notes_image, command=command, ready_timeout_s=3, stop_grace_s=0)
    with pytest.raises(TargetError, match=r"has not answered initialize.*hello there"):
        async with tested.started():
            pass
    await tested.aclose()
    assert not tested.left_behind


def test_a_container_of_somebody_elses_is_not_spoken_to_on_its_standard_input() -> None:
    options = ContainerOptions(dialect=dialect_of(McpService.model_validate(NOTES)))
    with pytest.raises(UsageError, match="stdio"):
        ContainerTarget("whatever", options, "test")
