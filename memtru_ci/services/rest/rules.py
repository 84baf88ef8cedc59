"""What each operation of a mapping takes, sends and must say: one table for checks and docs."""

from collections.abc import Mapping
from dataclasses import dataclass

COMMON = frozenset({"method", "path", "query", "headers", "body", "status", "ok", "task"})
"""Keys that every operation has."""

_GONE = frozenset({"gone", "gone_when"})
_READ = frozenset({"limit", "empty", "results", "columns", "content", "result_id"})
_HOOK = frozenset({"created", "processed"})
_RESULTS = ("results", "columns")
_TEXT = frozenset({"content", "messages"})


@dataclass(frozen=True)
class Rule:
    """One operation: its placeholders, those that can be absent, its further keys, its needs.

    `required` are keys of which one must be there, `uses` placeholders of which one must be sent.
    """

    names: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    required: tuple[tuple[str, ...], ...] = ()
    uses: tuple[frozenset[str], ...] = ()


_ID = frozenset({"id"})
_THREAD = frozenset({"thread_id"})

RULES: Mapping[str, Rule] = {
    "write": Rule(
        names=frozenset({"content", "messages", "content_vector", "thread_id", "new_id"}),
        keys=frozenset({"id", "own_id"}),
        required=(("id", "own_id"),),
        uses=(_TEXT,),
    ),
    "update": Rule(
        names=frozenset({"id", "content", "messages", "content_vector"}),
        keys=frozenset({"id", "resolve"}) | _GONE,
        uses=(_ID, _TEXT),
    ),
    "search": Rule(
        names=frozenset({"query", "query_vector", "limit"}),
        keys=_READ,
        required=(_RESULTS, ("content",), ("result_id",)),
        uses=(frozenset({"query", "query_vector"}),),
    ),
    "list": Rule(
        names=frozenset({"limit", "cursor", "page", "offset"}),
        optional=frozenset({"cursor"}),
        keys=_READ | {"next"},
        required=(_RESULTS, ("content",), ("result_id",)),
    ),
    "delete": Rule(
        names=_ID,
        keys=frozenset({"resolve"}) | _GONE,
        uses=(_ID,),
    ),
    "delete_thread": Rule(names=_THREAD, keys=_GONE | _HOOK, uses=(_THREAD,)),
    "delete_namespace": Rule(keys=_GONE | _HOOK),
    "record_conversation": Rule(
        names=frozenset({"thread_id", "messages", "content", "new_id"}),
        keys=_HOOK,
        uses=(_TEXT,),
    ),
    "start_session": Rule(names=frozenset({"new_id"}), keys=_HOOK),
    "consolidate": Rule(keys=_HOOK),
    "run": Rule(
        names=frozenset({"thread_id", "content", "messages", "new_id"}),
        keys=frozenset({"id"}),
        uses=(_THREAD,),
    ),
}

SURFACE = Rule(
    names=frozenset({"query", "query_vector", "limit"}),
    keys=_READ,
    required=(_RESULTS, ("content",)),
)
"""A further surface."""


def can_be_gone(operation: str) -> bool:
    """Whether the operation names a record, which may not be there any more."""
    return operation in RULES and RULES[operation].keys >= _GONE
