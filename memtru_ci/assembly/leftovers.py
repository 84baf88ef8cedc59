"""Removes what earlier runs left in the Docker Engine."""


def clean(run_id: str | None = None) -> list[str]:
    """Remove by label: of one run, or of all; returns kind and name of each thing removed.

    Raises `EngineError` where there is no usable engine, or something stays.
    """
    from memtru_ci import containers

    return containers.clean(run_id)
