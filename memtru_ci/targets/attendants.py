"""What the gate itself runs beside an instance: the model stand-in, the proxy before a store."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from anyio.abc import TaskGroup

from memtru_ci.errors import TargetError
from memtru_ci.targets.background import background

if TYPE_CHECKING:
    from memtru_ci.drivers.proxy import StoreProxy
    from memtru_ci.standin.server import ModelServer

HoldBy = Literal["service", "model", "store", "worker", "wire"]
Upstream = Callable[[], Awaitable[tuple[str, int]]]

URL = "{url}"
ELSEWHERE = (
    "The gate has to run on the engine's own machine, or in a container of that engine that can "
    "join networks."
)


@dataclass(frozen=True)
class ModelOptions:
    """The model stand-in. `{url}` in a variable's value becomes its address."""

    env: Mapping[str, str] = field(default_factory=dict)
    dimensions: int = 1536
    port: int = 0
    """0 is any that is free."""


@dataclass(frozen=True)
class HoldOptions:
    """What holds a write in flight; `sidecar` is the store, or the worker to pause."""

    by: HoldBy = "service"
    sidecar: str = ""
    port: int = 0
    """The store's port."""


@dataclass(frozen=True)
class AttendantOptions:
    """What is to be run beside each instance."""

    model: ModelOptions | None = None
    hold: HoldOptions = HoldOptions()


NOBODY = AttendantOptions()


@dataclass(frozen=True)
class Attendants:
    """What runs beside one instance, and what its target has to be told of it."""

    options: AttendantOptions = NOBODY
    model: "ModelServer | None" = None
    proxy: "StoreProxy | None" = None
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that lead the target to the model stand-in."""
    tasks: TaskGroup | None = None
    """Where writes go on that the gate holds."""
    extra_hosts: Mapping[str, str] = field(default_factory=dict)
    """Names that lead the target to the gate."""


NONE = Attendants()


@asynccontextmanager
async def attending(
    options: AttendantOptions, address: str, upstream: Upstream | None = None
) -> AsyncIterator[Attendants]:
    """Run what the options name, at an address of the gate's own; it ends with the context.

    `upstream` tells where the store is. Raises `TargetError` and `InfrastructureError` where the
    address cannot be used.
    """
    model, proxy = None, None
    env: dict[str, str] = {}
    hosts: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        if options.model is not None:
            model = await stack.enter_async_context(standing_in(options.model, address))
            env = {name: value.replace(URL, model.url) for name, value in options.model.env.items()}
        if options.hold.by == "store" and upstream is not None:
            proxy = await stack.enter_async_context(before(options.hold, address, upstream))
            hosts[options.hold.sidecar] = address
        tasks = await stack.enter_async_context(background())
        yield Attendants(options, model, proxy, env, tasks, hosts)


@asynccontextmanager
async def standing_in(options: ModelOptions, address: str) -> AsyncIterator["ModelServer"]:
    """The model stand-in, listening. Raises `InfrastructureError` where it cannot."""
    from memtru_ci.standin.server import serving

    refuse_nowhere("the model stand-in", address)
    async with serving(host=address, port=options.port, dimensions=options.dimensions) as server:
        yield server


@asynccontextmanager
async def before(
    options: HoldOptions, address: str, upstream: Upstream
) -> AsyncIterator["StoreProxy"]:
    """The proxy before a store, listening at the store's port. Raises `TargetError`."""
    from memtru_ci.drivers.proxy import StoreProxy

    what = f"the proxy before the sidecar {options.sidecar}"
    refuse_nowhere(what, address)
    async with AsyncExitStack() as stack:
        proxy = StoreProxy(upstream)
        try:
            await stack.enter_async_context(proxy.serving(address, options.port))
        except OSError as error:
            where = f"{address}:{options.port}"
            raise TargetError(
                f"Listening at {where} for {what} failed: {error.strerror or error}.",
                hint=ELSEWHERE,
            ) from error
        yield proxy


def refuse_nowhere(what: str, address: str) -> None:
    """Raises `TargetError` where the containers have no address at which to reach the gate."""
    if not address:
        raise TargetError(
            f"There is no address at which containers reach the gate, for {what}.", hint=ELSEWHERE
        )
