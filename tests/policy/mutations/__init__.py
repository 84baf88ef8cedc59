"""Small named changes of the engine's rules, each of which some case has to notice."""

from tests.policy.mutations.registry import MUTATIONS as REGISTERED

# isort: split
from tests.policy.mutations import corrections, reading, tombstones, winning

MUTATIONS = REGISTERED

__all__ = ["MUTATIONS", "corrections", "reading", "tombstones", "winning"]
