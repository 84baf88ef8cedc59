"""What a sidecar may be, what a report says of it, and when a capability seems to be missing."""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from memtru_ci.containers import DEFAULT_CAPABILITIES, ContainerSpec, HealthCheck, State
from memtru_ci.containers.container import health_of
from memtru_ci.containers.execution import MOST_OUTPUT, bounded
from memtru_ci.containers.vantage import gateway_of, member_of
from memtru_ci.errors import TargetError, UsageError
from memtru_ci.targets.options import ContainerOptions, notes_of
from memtru_ci.targets.sidecar import Sidecar
from memtru_ci.targets.sidecars import SidecarOptions

REDIS = SidecarOptions("redis", "redis:8")
RUNS = State(running=True, started_at="", exit_code=0, oom_killed=False, pid=1)
DEAD = replace(RUNS, running=False, exit_code=1)


class FakeContainer:
    """Shows one state after the other, the last one for ever."""

    def __init__(self, *states: State | None, log: str = "") -> None:
        self._states = list(states)
        self._log = log
        self.is_started = False

    async def start(self) -> None:
        self.is_started = True

    async def state(self) -> State | None:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    async def log_tail(self, lines: int) -> list[str]:
        return self._log.splitlines()


def sidecar(container: FakeContainer, options: SidecarOptions = REDIS) -> Sidecar:
    made: Any = container
    return Sidecar(options, made)


def test_the_container_of_a_sidecar_is_made_of_its_options() -> None:
    health = HealthCheck("true")
    options = replace(REDIS, env={"A": "1"}, volumes={"data": "/data"}, health=health)

    spec = options.spec("sha256:1", {"OPENAI_BASE_URL": "http://gate/v1"})

    assert spec == ContainerSpec(
        "sha256:1", env={"A": "1"}, volumes={"data": "/data"}, health=health
    )


def test_only_a_sidecar_of_the_targets_own_image_is_led_to_the_model() -> None:
    worker = SidecarOptions("worker", env={"A": "1"})

    spec = worker.spec("sha256:1", {"OPENAI_BASE_URL": "http://gate/v1", "A": "2"})

    assert spec.env == {"OPENAI_BASE_URL": "http://gate/v1", "A": "1"}


def test_a_health_check_is_handed_to_docker_in_nanoseconds() -> None:
    check = HealthCheck("ping", interval_s=0.5, timeout_s=1, retries=3, start_period_s=90)

    assert check.arguments() == {
        "test": ["CMD-SHELL", "ping"],
        "interval": 500_000_000,
        "timeout": 1_000_000_000,
        "retries": 3,
        "start_period": 90_000_000_000,
    }
    assert HealthCheck(retries=2).arguments() == {"retries": 2}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": "Redis"}, "lower-case"),
        ({"name": "localhost"}, "localhost"),
        ({"capabilities": ["SYS_ADMIN"]}, "SYS_ADMIN"),
    ],
)
def test_what_isolation_forbids_is_named(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        ContainerOptions(sidecars=[replace(REDIS, **changes)])


def test_the_report_names_every_sidecar_and_what_was_loosened() -> None:
    loose = replace(REDIS, capabilities=sorted(DEFAULT_CAPABILITIES), memory="2g")
    options = ContainerOptions(
        sidecars=[REDIS, replace(loose, name="db", image="postgres:17")],
        capabilities=sorted(DEFAULT_CAPABILITIES),
    )

    assert notes_of(options) == (
        "capabilities: docker-default, which is what Docker gives every container",
        "sidecar redis: image redis:8",
        "sidecar db: image postgres:17",
        "sidecar db: capabilities: docker-default, which is what Docker gives every container",
        "sidecar db: memory limit 2g instead of 512m",
    )


def test_a_single_capability_is_not_called_dockers_default() -> None:
    some = replace(REDIS, capabilities=["CHOWN"])

    assert some.notes()[1] == "sidecar redis: capabilities given back: CHOWN"


@pytest.mark.parametrize(
    "line",
    [
        "chown: /data: Operation not permitted",
        "setpriv: setresuid failed",
        "error: failed switching to \"redis\": operation not permitted",
        "initdb: could not change permissions: Permission denied",
        "su-exec: setgroups: Operation not permitted",
    ],
)  # fmt: skip
def test_a_log_that_tells_of_a_missing_capability_names_the_way_out(line: str) -> None:
    died = anyio.run(sidecar(FakeContainer(DEAD, log=line)).obituary)

    assert "Try `capabilities: docker-default` in `services.redis`" in died


def test_no_way_out_is_named_where_it_was_taken_or_would_not_help() -> None:
    taken = replace(REDIS, capabilities=sorted(DEFAULT_CAPABILITIES))
    denied = FakeContainer(DEAD, log="chown: Operation not permitted")

    assert "Try" not in anyio.run(sidecar(denied, taken).obituary)
    assert "Try" not in anyio.run(sidecar(FakeContainer(DEAD, log="no config")).obituary)


def test_a_paused_sidecar_is_not_dead() -> None:
    assert anyio.run(sidecar(FakeContainer(replace(RUNS, paused=True))).obituary) == ""


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ((DEAD,), r"died at its start: it exited with code 1; its last log lines:\n  \| why"),
        ((replace(RUNS, health="starting"), DEAD), "died at its start"),
        ((replace(RUNS, health="unhealthy"), DEAD), "died at its start: it exited with code 1"),
        ((None,), "died at its start: its container was removed by somebody else"),
        (
            (replace(RUNS, health="unhealthy", health_output="no route"),),
            "is unhealthy; its health check said: no route",
        ),
        ((replace(RUNS, health="starting"),), r"was not healthy within 0\.3 s"),
    ],
)
def test_a_sidecar_that_does_not_come_up_is_told(
    states: tuple[State | None, ...], said: str
) -> None:
    container = FakeContainer(*states, log="why")

    with pytest.raises(TargetError, match=rf"The sidecar redis \(redis:8\) {said}"):
        anyio.run(sidecar(container).start, 0.3)
    assert container.is_started


def test_a_healthy_sidecar_is_waited_for() -> None:
    starting, healthy = replace(RUNS, health="starting"), replace(RUNS, health="healthy")

    anyio.run(sidecar(FakeContainer(starting, starting, healthy)).start, 5.0)


def test_docker_says_none_where_there_is_no_health_check() -> None:
    assert health_of({"Status": "none"}) == {"health": "", "health_output": ""}
    assert health_of({}) == {"health": "", "health_output": ""}
    unhealthy = {"Status": "unhealthy", "Log": [{"Output": "a"}, {"Output": "not\n ready "}]}
    assert health_of(unhealthy) == {"health": "unhealthy", "health_output": "not ready"}


class Frames:
    """Bytes as the engine sends the output of a command, in small pieces."""

    def __init__(self, *frames: tuple[int, bytes]) -> None:
        self._left = b"".join(
            bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data
            for stream, data in frames
        )

    def read(self, count: int) -> bytes:
        piece, self._left = self._left[:count], self._left[count:]
        return piece


def test_the_frames_of_both_streams_are_put_together() -> None:
    assert bounded(Frames((1, b"out"), (2, b""), (2, b"err"))) == (b"outerr", False)


@pytest.mark.parametrize(("length", "is_cut"), [(MOST_OUTPUT, False), (MOST_OUTPUT + 1, True)])
def test_output_is_bounded_and_says_so(length: int, is_cut: bool) -> None:
    kept, was_cut = bounded(Frames((1, b"x" * length)))

    assert (len(kept), was_cut) == (MOST_OUTPUT, is_cut)


@pytest.mark.parametrize(
    ("ipam", "address"),
    [
        ({"Config": [{"Subnet": "172.18.0.0/16", "Gateway": "172.18.0.1"}]}, "172.18.0.1"),
        ({"Config": [{"Gateway": "fd00::1"}, {"Gateway": "10.0.0.1/24"}]}, "10.0.0.1"),
        ({"Config": [{"Subnet": "172.18.0.0/16"}]}, ""),
        ({"Config": None}, ""),
        (None, ""),
    ],
)
def test_the_gate_on_the_machine_is_reached_at_the_gateway(ipam: Any, address: str) -> None:
    assert gateway_of({"IPAM": ipam}) == address


def test_the_gate_in_a_container_is_reached_at_its_own_address() -> None:
    facts = {"Containers": {"a": {"IPv4Address": "10.0.0.7/24"}, "b": {"IPv4Address": ""}}}

    assert [member_of(facts, one) for one in ("a", "b", "c")] == ["10.0.0.7", "", ""]
