"""A network of an instance's own, which the gate has come to, and the containers on it."""

from collections.abc import Mapping
from functools import partial

from memtru_ci.containers.calls import Calls
from memtru_ci.containers.container import Container
from memtru_ci.containers.enclosing import Enclosing
from memtru_ci.containers.reached import Reached
from memtru_ci.containers.spec import ContainerSpec
from memtru_ci.containers.vantage import Joined


class Enclosure:
    """What `Engine.enclosed` gives; all that is made in it is removed with it.

    Every method raises `EngineError` where the engine refuses.
    """

    def __init__(self, enclosing: Enclosing, joined: Joined, calls: Calls) -> None:
        self._enclosing = enclosing
        self._joined = joined
        self._calls = calls

    @property
    def network(self) -> str:
        return self._enclosing.name

    @property
    def gate_address(self) -> str:
        """Where containers on the network reach the gate; empty where it is not to be had."""
        return self._joined.gate_address

    async def add(self, alias: str, spec: ContainerSpec) -> Container:
        """Create a container that the others on the network reach by `alias`; not started yet."""
        return await self._created(f"create the sidecar {alias} of {spec.image}", spec, alias)

    async def create(
        self, spec: ContainerSpec, extra_hosts: Mapping[str, str] | None = None
    ) -> Reached:
        """Create the target's container, not started yet.

        `extra_hosts` are names that lead to other addresses, for this container alone.
        """
        what = f"create a container of {spec.image}"
        container = await self._created(what, spec, "", extra_hosts)
        return Reached(container, self.network, self._joined.approach)

    async def _created(
        self,
        what: str,
        spec: ContainerSpec,
        alias: str,
        extra_hosts: Mapping[str, str] | None = None,
    ) -> Container:
        call = partial(self._enclosing.create, spec=spec, alias=alias, extra_hosts=extra_hosts)
        made = await self._calls.run(what, call)
        return Container(made.container_id, made.name, self._calls)
