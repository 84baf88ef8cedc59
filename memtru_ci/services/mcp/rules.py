"""What each operation of an MCP mapping takes, sends and must say."""

from collections.abc import Mapping
from dataclasses import dataclass

COMMON = frozenset({"tool", "arguments", "source", "ok"})
"""Keys that every operation has."""

_GONE = frozenset({"gone", "gone_when"})
_READ = frozenset({"limit", "empty", "results", "content", "result_id", "namespaced_by", "read"})
_EMPTY = frozenset({"empty"})
_HOOK = frozenset({"created", "processed"})
_TEXT = frozenset({"content", "messages"})
_ID = frozenset({"id"})
_THREAD = frozenset({"thread_id"})


@dataclass(frozen=True)
class Rule:
    """One operation: its placeholders, its further keys, its needs.

    `required` are keys of which one must be there, `uses` placeholders of which one must be sent.
    """

    names: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    required: tuple[tuple[str, ...], ...] = ()
    uses: tuple[frozenset[str], ...] = ()


RULES: Mapping[str, Rule] = {
    "write": Rule(
        names=frozenset({"content", "messages", "thread_id", "new_id"}),
        keys=frozenset({"id", "own_id"}),
        required=(("id", "own_id"),),
        uses=(_TEXT,),
    ),
    "update": Rule(
        names=frozenset({"id", "content", "messages"}), keys=_ID | _GONE, uses=(_ID, _TEXT)
    ),
    "search": Rule(
        names=frozenset({"query", "topic", "limit"}),
        keys=_READ,
        required=(("content", "read"), ("result_id",)),
        uses=(frozenset({"query", "topic"}),),
    ),
    "list": Rule(
        names=frozenset({"limit", "cursor", "page", "offset"}),
        keys=_READ | {"next"},
        required=(("content", "read"), ("result_id",)),
    ),
    "delete": Rule(names=_ID, keys=_GONE, uses=(_ID,)),
    "delete_thread": Rule(names=_THREAD, keys=_GONE | _HOOK | _EMPTY, uses=(_THREAD,)),
    "delete_namespace": Rule(keys=_GONE | _HOOK | _EMPTY),
    "record_conversation": Rule(
        names=frozenset({"thread_id", "messages", "content", "new_id"}), keys=_HOOK, uses=(_TEXT,)
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
    names=frozenset({"query", "topic", "limit"}),
    keys=_READ,
    required=(("content", "read", "source"),),
)
"""A further surface."""

READ = Rule(names=frozenset({"result_id"}), uses=(frozenset({"result_id"}),))
"""A second call for each result."""
