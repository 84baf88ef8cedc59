"""Services that do wrong and look right: none of them may come out as a PASS."""

import time
import unicodedata
from collections.abc import Callable
from typing import Any, ClassVar

import anyio

from tests.hostile.performing import AGAIN, DELETED, LATE, Case
from tests.hostile.service import (
    INSPECT,
    LIST,
    READS,
    RELEASE,
    SEARCH,
    SURFACES,
    Asked,
    Behaviour,
    Told,
)

Write = Callable[[str], str]


def full_width(text: str) -> str:
    """Letters and digits in their full-width forms."""
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)


def mathematical(text: str) -> str:
    """Letters in the bold forms of mathematics."""
    return "".join(chr(ord(one) - 97 + 0x1D41A) if "a" <= one <= "z" else one for one in text)


def circled(text: str) -> str:
    """Letters in circles: compatibility forms that are symbols before NFKC."""
    return "".join(chr(ord(one) - 97 + 0x24D0) if "a" <= one <= "z" else one for one in text)


def combining(text: str) -> str:
    """A mark under every letter that goes with nothing."""
    return "".join(f"{one}\u034f" for one in text)


def bidi(text: str) -> str:
    """Direction marks and zero-width characters between all letters."""
    return "\u202e" + "\u200b".join(text) + "\u202c"


WAYS: dict[str, Write] = {
    "upper case": str.upper,
    "spaced out": " ".join,
    "hyphenated over lines": "-\n".join,
    "full width": full_width,
    "mathematical": mathematical,
    "circled": circled,
    "combining marks": combining,
    "direction marks": bidi,
    "decomposed": lambda text: unicodedata.normalize("NFD", text.upper()),
}


class Returns(Behaviour):
    """After the release the marker is back on one kind of surface, written in another way."""

    def __init__(self, write: Write = str, on: str = SEARCH) -> None:
        super().__init__()
        self._write = write
        self._on = on
        self._held: dict[str, str] = {}

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == "begin_pending_write":
            self._held.setdefault(asked.json["namespace"], asked.json["content"])
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        first = next(iter(self._held.values()), "")
        if asked.operation == self._on and self.answered[RELEASE] == 1:
            back = {"id": "mem_back", "content": self._write(first)}
            return told.with_fields(results=[*told.json["results"], back])
        return told


class Changed(Behaviour):
    """Gives the answers of one operation with fields of its own, from the nth on."""

    def __init__(self, operation: str, since: int = 0, **fields: Any) -> None:
        super().__init__()
        self._operation = operation
        self._since = since
        self._fields = fields

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == self._operation and self.answered[self._operation] >= self._since:
            return told.with_fields(**self._fields)
        return told


class Without(Behaviour):
    """A field of an operation's answers is not there."""

    def __init__(self, operation: str, field: str) -> None:
        super().__init__()
        self._operation = operation
        self._field = field

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation != self._operation:
            return told
        return Told.of({name: one for name, one in told.json.items() if name != self._field})


class Empty(Behaviour):
    """Surfaces answer with nothing at all once something was deleted."""

    def __init__(self, *operations: str, since: str = "delete") -> None:
        super().__init__()
        self._operations = operations
        self._since = since

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation in self._operations and self.answered[self._since]:
            return told.with_fields(results=[])
        return told


class Apologizes(Behaviour):
    """Search answers a page of an error, with a good status, once something was deleted."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == SEARCH and self.answered["delete"]:
            return Told(200, b"<html><script>alert(1)</script></html>")
        return told


class Vanishes(Behaviour):
    """A surface that had worked is not offered any more after an operation."""

    def __init__(self, operation: str, status: int, since: str = RELEASE) -> None:
        super().__init__()
        self._operation = operation
        self._status = status
        self._since = since

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == self._operation and self.answered[self._since]:
            return Told.problem(self._status, "Gone")
        return None


class Repeats(Behaviour):
    """Every page of a list has the same next cursor, from some moment on."""

    def __init__(self, since: str = "") -> None:
        super().__init__()
        self._since = since

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == LIST and (not self._since or self.answered[self._since]):
            return told.with_fields(next_cursor="1")
        return told


class Twice(Behaviour):
    """A receipt says both that it ran and that it did not."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == RELEASE:
            return Told(200, b'{"executed": false, "executed": true, "processed": 1}')
        return told


class Fickle(Behaviour):
    """Other capabilities whenever they are asked for, and surfaces that come and go."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == "capabilities" and self.answered["capabilities"]:
            return told.with_fields(capabilities=["MEMORY_WRITE", "MEMORY_SEARCH"])
        if asked.operation == SURFACES and self.answered[SURFACES]:
            return Told.of({"surfaces": []})
        return told


class Slow(Behaviour):
    """Searches take long."""

    can_restart = False

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == SEARCH:
            await anyio.sleep(2.0)
        return None


class Still(Behaviour):
    """Its restart hook does nothing, and says what it is told to say."""

    can_restart = False
    options: ClassVar[dict[str, Any]] = {"restartable": True}

    def __init__(self, **receipt: Any) -> None:
        super().__init__()
        self._receipt = receipt

    async def before(self, asked: Asked) -> Told | None:
        return Told.of(self._receipt) if asked.operation == "restart" else None


class Frozen(Behaviour):
    """After the delete every read answers what it answered last before: a cache nobody empties."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[tuple[str, str, bytes, bytes], Told] = {}

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation not in READS:
            return told
        place = (asked.operation, asked.key, asked.query, asked.body)
        if self.answered["delete"]:
            return self._kept.get(place, told)
        self._kept[place] = told
        return told


class Flickers(Behaviour):
    """The marker is back for a single answer, long after the release."""

    def __init__(self) -> None:
        super().__init__()
        self._content = ""
        self._shown = False

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == "write" and not self._content:
            self._content = asked.json["content"]
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        since = time.monotonic() - self.last.get(RELEASE, time.monotonic())
        if asked.operation == LIST and since > 0.15 and not self._shown:
            self._shown = True
            return told.with_fields(
                results=[*told.json["results"], {"id": "m", "content": self._content}]
            )
        return told


class Refuses(Behaviour):
    """A late call fails."""

    def __init__(self, operation: str, status: int, since: str = "delete") -> None:
        super().__init__()
        self._operation, self._status, self._since = operation, status, since

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == self._operation and (not self._since or self.answered[self._since]):
            return Told.problem(self._status, "Refused")
        return None


FAIL = "late_write_resurrected"
BROKEN = "contract_violation"

LIES = (
    *(
        Case(f"back, {name}", lambda write=write: Returns(write), "FAIL", FAIL)  # type: ignore[misc]
        for name, write in WAYS.items()
    ),
    Case("back on a further surface only", lambda: Returns(on=INSPECT), "FAIL", FAIL),
    Case("back on list only", lambda: Returns(on=LIST), "FAIL", FAIL),
    Case("back in a single answer", Flickers, "FAIL", FAIL),
    Case(
        "search is empty after the delete", lambda: Empty(SEARCH), "INCONCLUSIVE", "bystander_lost"
    ),
    Case(
        "search is empty after the delete, again",
        lambda: Empty(SEARCH),
        "INCONCLUSIVE",
        "bystander_lost",
        AGAIN,
    ),
    Case(
        "search is empty after the delete, no event",
        lambda: Empty(SEARCH),
        "INCONCLUSIVE",
        "bystander_lost",
        DELETED,
    ),
    Case("search answers a page after the delete", Apologizes, "ERROR", BROKEN),
    Case("list is empty after the delete", lambda: Empty(LIST), "INCONCLUSIVE", "bystander_lost"),
    Case(
        "a further surface is empty after the delete",
        lambda: Empty(INSPECT),
        "INCONCLUSIVE",
        "bystander_lost",
    ),
    Case(
        "everything is empty after the release",
        lambda: Empty(*READS, since=RELEASE),
        "INCONCLUSIVE",
        "bystander_lost",
    ),
    Case("reads answer from before the delete", Frozen, "INCONCLUSIVE", "visible_after_delete"),
    Case(
        "reads answer from before the delete, no event",
        Frozen,
        "FAIL",
        "delete_not_effective",
        DELETED,
    ),
    Case("list vanishes, 404", lambda: Vanishes(LIST, 404), "ERROR", "surface_unreadable"),
    Case("list vanishes, 501", lambda: Vanishes(LIST, 501), "ERROR", "surface_unreadable"),
    Case("search vanishes, 405", lambda: Vanishes(SEARCH, 405), "ERROR", "surface_unreadable"),
    Case(
        "a further surface vanishes, 404",
        lambda: Vanishes(INSPECT, 404),
        "ERROR",
        "surface_unreadable",
    ),
    Case(
        "a further surface vanishes with the delete, 501",
        lambda: Vanishes(INSPECT, 501, "delete"),
        "ERROR",
        "surface_unreadable",
    ),
    Case("the cursor comes again", Repeats, "ERROR", BROKEN),
    Case("the cursor comes again after the release", lambda: Repeats(RELEASE), "ERROR", BROKEN),
    Case("executed is a word", lambda: Changed(RELEASE, executed="yes"), "ERROR", BROKEN),
    Case("executed is a number", lambda: Changed(RELEASE, executed=1), "ERROR", BROKEN),
    Case("processed is missing", lambda: Without(RELEASE, "processed"), "ERROR", BROKEN),
    Case("executed is missing", lambda: Without(RELEASE, "executed"), "ERROR", BROKEN),
    Case("processed is null", lambda: Changed(RELEASE, processed=None), "ERROR", BROKEN),
    Case("processed is negative", lambda: Changed(RELEASE, processed=-1), "ERROR", BROKEN),
    Case("a key is given twice", Twice, "ERROR", BROKEN),
    Case(
        "the release processed none",
        lambda: Changed(RELEASE, processed=0),
        "INCONCLUSIVE",
        "held_write_not_processed",
    ),
    Case(
        "the release did not run",
        lambda: Changed(RELEASE, executed=False),
        "INCONCLUSIVE",
        "hook_not_executed",
    ),
    Case(
        "the hold did not run",
        lambda: Changed("begin_pending_write", executed=False),
        "INCONCLUSIVE",
        "hook_not_executed",
    ),
    Case(
        "the restart hook did not run",
        lambda: Still(executed=False, detail="not here"),
        "INCONCLUSIVE",
        "hook_not_executed",
    ),
    Case("the release fails", lambda: Refuses(RELEASE, 500), "ERROR", "provider_error"),
    Case(
        "capabilities change between calls",
        Fickle,
        "PASS",
    ),
    Case("reads take 2 s", Slow, "INCONCLUSIVE", "window_not_covered"),
    Case(
        "ingestion is not run again",
        lambda: Changed("consolidate", 1, executed=False),
        "INCONCLUSIVE",
        "hook_not_executed",
        AGAIN,
    ),
    Case(
        "sessions are not begun",
        lambda: Changed("start_session", executed=False),
        "INCONCLUSIVE",
        "hook_not_executed",
        AGAIN,
    ),
    Case(
        "search never shows anything",
        lambda: Empty(SEARCH, since="capabilities"),
        "INCONCLUSIVE",
        "positive_control_failed",
        DELETED,
    ),
    Case(
        "the delete is refused", lambda: Refuses("delete", 403, ""), "ERROR", "provider_error", LATE
    ),
    Case("the delete finds nothing", lambda: Refuses("delete", 404, ""), "ERROR", "provider_error"),
)
