"""Which of the declared capabilities an adapter really implements."""

from dataclasses import dataclass

from memtru_ci.adapters.base import MemoryAdapter
from memtru_ci.adapters.lifecycle import MemoryLifecycleHooks
from memtru_ci.contract.operations import OPERATIONS
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError

NOT_OFFERED = "not offered: "
"""How the line begins that tells of a capability which was declared and is not there."""


@dataclass(frozen=True)
class EffectiveCapabilities:
    """What is offered, and what was declared and is not there: capability and the reason."""

    offered: tuple[Capability, ...]
    dropped: tuple[tuple[Capability, str], ...]


def effective_capabilities(adapter: MemoryAdapter) -> EffectiveCapabilities:
    """Drop what is declared without being implemented, so that nothing is promised in vain.

    Raises `UsageError` where `capabilities()` fails or names what is none.
    """
    declared = _declared(adapter)
    reasons = {one: _missing(adapter, one) for one in declared}
    return EffectiveCapabilities(
        tuple(one for one in declared if not reasons[one]),
        tuple((one, reasons[one]) for one in declared if reasons[one]),
    )


def _declared(adapter: MemoryAdapter) -> list[Capability]:
    who = f"{type(adapter).__name__}.capabilities()"
    try:
        names = set(adapter.capabilities())
    except Exception as error:
        hint = "Return what the adapter implements, for example {Capability.MEMORY_WRITE}."
        raise UsageError(f"{who} failed: {type(error).__name__}: {error}.", hint=hint) from error
    for name in names - set(Capability):
        hint = did_you_mean(str(name), list(Capability)) or f"There are: {', '.join(Capability)}."
        raise UsageError(f"{who} names {str(name)!r}, which is no capability.", hint=hint)
    return [one for one in Capability if one in names]


def _missing(adapter: MemoryAdapter, capability: Capability) -> str:
    """Why the capability is dropped; empty where it is all there."""
    methods = [one.name for one in OPERATIONS if one.capability is capability]
    if not methods:
        return "no call of this version serves it"
    base = MemoryAdapter if hasattr(MemoryAdapter, methods[0]) else MemoryLifecycleHooks
    if not isinstance(adapter, base):
        return f"{type(adapter).__name__} does not inherit {base.__name__}"
    inherited = [one for one in methods if getattr(type(adapter), one) is getattr(base, one)]
    return f"{type(adapter).__name__} does not override {', '.join(inherited)}" * bool(inherited)
