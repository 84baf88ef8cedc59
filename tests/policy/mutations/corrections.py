"""Changes of what corrections do, and of what is known: rules 6 and 8."""

from collections.abc import Callable
from typing import Any

from memtru_ci.policy import answer, lineage, resolve
from memtru_ci.policy.query import Query
from memtru_ci.policy.session import Session
from tests.policy.mutations.registry import swap

# Rule 6
swap(
    "a correction suppresses only while it is valid",
    resolve,
    "suppresses",
    lambda one, query: (
        resolve.is_known(one.recorded_at, query)
        and resolve.has_begun(one, query.at)
        and not resolve.has_ended(one, query.at)
    ),
)
swap(
    "a correction suppresses only until its end",
    resolve,
    "suppresses",
    lambda one, query: (
        resolve.is_known(one.recorded_at, query) and not resolve.has_ended(one, query.at)
    ),
)
real_corrected_by = resolve._corrected_by


def _corrected(keeps: Callable[[Session, Any, str, str], bool]) -> Callable[..., dict[str, str]]:
    def corrected_by(session: Session, standing: Any, query: Query) -> dict[str, str]:
        found = real_corrected_by(session, standing, query)
        return {a: b for a, b in found.items() if keeps(session, standing, a, b)}

    return corrected_by


swap(
    "a deleted correction revives its target",
    resolve,
    "_corrected_by",
    _corrected(lambda session, standing, target, by: by not in standing.removed_by),
)
swap(
    "a correction suppresses only what was recorded before it",
    resolve,
    "_corrected_by",
    _corrected(lambda s, _, a, b: s.facts[a].recorded_at <= s.facts[b].recorded_at),
)
swap(
    "a corrected correction suppresses no more",
    resolve,
    "_corrected_by",
    _corrected(lambda s, standing, a, b: b not in standing.lineage.parents.values()),
)
swap(
    "in a cycle the earliest edge is ignored",
    lineage,
    "latest_of",
    lambda facts, cycle: min(cycle, key=lambda one: (facts[one].recorded_at, one)),
)
swap(
    "in a cycle of one instant the lowest id is latest",
    lineage,
    "latest_of",
    lambda facts, cycle: max(sorted(cycle), key=lambda one: facts[one].recorded_at),
)
swap(
    "in a cycle every edge is ignored",
    lineage,
    "ignored_edges",
    lambda facts, edges: [one for cycle in lineage._cycles(edges) for one in cycle],
)
swap(
    "a pending correction is visible",
    resolve,
    "RULES",
    tuple(one for one in resolve.RULES if one[0] != answer.PENDING_TARGET),
)


# Rule 8
swap("known_at is ignored", resolve, "is_known", lambda recorded_at, query: True)
swap(
    "known_at leaves out its own instant",
    resolve,
    "is_known",
    lambda recorded_at, query: query.known_at is None or recorded_at < query.known_at,
)
swap("known_at does not hide what corrections do", resolve, "suppresses", lambda *_: True)
