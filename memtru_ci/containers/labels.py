"""The labels by which everything that a run made on an engine is found again."""

from collections.abc import Mapping

CI = "io.memtru.ci"
RUN = "io.memtru.run"
INSTANCE = "io.memtru.instance"
EXPIRES = "io.memtru.expires"


def marks(run_id: str, expires: int, instance: str = "") -> dict[str, str]:
    """The labels of one object; `expires` is in Unix seconds."""
    labels = {CI: "1", RUN: run_id, EXPIRES: str(expires)}
    return {**labels, INSTANCE: instance} if instance else labels


def filters(run_id: str | None = None, instance: str | None = None) -> list[str]:
    """The engine's filter for what carries the labels; None means whatever value."""
    wanted: Mapping[str, str | None] = {CI: "1", RUN: run_id, INSTANCE: instance}
    return [f"{label}={value}" for label, value in wanted.items() if value is not None]
