"""How an instance died, as far as anybody can tell."""

from memtru_ci.errors import InfrastructureError
from memtru_ci.ports import Instance


async def cause_of_death(instance: Instance) -> str:
    """How the instance died, or why nobody can tell; empty while it lives."""
    try:
        return await instance.autopsy()
    except InfrastructureError as problem:
        return f"nobody can tell how it died: {problem}"
