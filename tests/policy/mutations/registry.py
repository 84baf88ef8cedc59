"""Where mutations are put, by name."""

from collections.abc import Callable

import pytest

Mutation = Callable[[pytest.MonkeyPatch], None]

MUTATIONS: dict[str, Mutation] = {}


def swap(name: str, owner: object, attribute: str, other: object) -> None:
    """A mutation that only puts another thing in the place of one."""
    MUTATIONS[name] = lambda patch: patch.setattr(owner, attribute, other)


def mutation(function: Mutation) -> Mutation:
    """A mutation that needs more than that; its name is the function's."""
    MUTATIONS[function.__name__.replace("_", " ")] = function
    return function
