"""Services that do right and look odd: none of them may be blamed."""

from typing import Any
from urllib.parse import quote

from tests.hostile.performing import AGAIN, DELETED, Case
from tests.hostile.service import INSPECT, LIST, READS, RELEASE, SEARCH, Asked, Behaviour, Told


class As(Behaviour):
    """The reference service itself, with options."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options  # type: ignore[misc]


class Echoes(Behaviour):
    """Answers tell everything that was ever sent, in fields that are no content."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: list[str] = []

    async def before(self, asked: Asked) -> Told | None:
        self._sent.append(asked.body.decode())
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation not in READS:
            return told
        results = [{**one, "metadata": {"log": self._sent}} for one in told.json["results"]]
        return told.with_fields(results=results, query=asked.body.decode(), log=self._sent)


class RefusesLate(Behaviour):
    """A held write that comes too late is refused with an error status, not with a receipt."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self._status = status

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == RELEASE and not self.answered[RELEASE]:
            return Told.problem(self._status, "The record was deleted")
        return told


class SaysRefused(Behaviour):
    """A held write that comes too late is dealt with by refusing it, as the receipt says."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == RELEASE:
            return told.with_fields(detail="refused: version conflict")
        return told


class WarmsUp(Behaviour):
    """The first requests after a restart find nothing; counted, so that no clock decides."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 0

    def opened(self) -> None:
        super().opened()
        self._left = 6 if self.starts > 1 else 0

    def after(self, asked: Asked, told: Told) -> Told:
        warming, self._left = self._left > 0, max(0, self._left - 1)
        return told.with_fields(results=[]) if warming and asked.operation in READS else told


class Verbose(Behaviour):
    """Every content is 64 kB long, the part that was written somewhere in it."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation not in READS:
            return told
        around = "Lorem ipsum dolor — " * 1600
        results = [
            {**one, "content": f"{around}{one['content']}{around}"} for one in told.json["results"]
        ]
        return told.with_fields(results=results)


class Generous(Behaviour):
    """Search and the others show many unrelated memories too."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation not in READS:
            return told
        others = [{"id": f"other-{n}", "content": f"I like tea no. {n}."} for n in range(60)]
        return told.with_fields(results=[*others, *told.json["results"]])


class OddIds(Behaviour):
    """Ids are what the contract allows and nobody expects."""

    def __init__(self, wrap: str) -> None:
        super().__init__()
        self._wrap = wrap
        self._inner: dict[str, str] = {}

    async def before(self, asked: Asked) -> Told | None:
        if asked.key in self._inner:
            asked.raw_path = b"/memories/" + quote(self._inner[asked.key]).encode()
        if asked.operation == "begin_pending_write":
            inner = self._inner[asked.json["target_id"]]
            asked.body = Told.of({**asked.json, "target_id": inner}).body
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        if told.status >= 300 or not told.body:
            return told
        said = told.json
        if asked.operation == "write":
            return told.with_fields(id=self._outer(said["id"]))
        if asked.operation in (SEARCH, LIST):
            results = [{**one, "id": self._outer(one["id"])} for one in said["results"]]
            return told.with_fields(results=results)
        return told

    def _outer(self, inner: str) -> str:
        # The number stays at the start, so that ids of 512 characters are told apart.
        outer = (self._wrap.replace("#", inner[-6:]))[:512]
        self._inner[outer] = inner
        return outer


class MovingTarget(Behaviour):
    """A further surface is there from the start and shows nothing to anybody, ever."""

    def after(self, asked: Asked, told: Told) -> Told:
        return told.with_fields(results=[]) if asked.operation == INSPECT else told


IDS = {
    "slashes": "a/b//#/c/",
    "dots": "../../#/..",
    "percent": "%2F%00%#%%25",
    "question and hash": "?namespace=other&#=1",
    "512 characters": "#" + "x" * 506,
    "512 wide characters": "#" + "\U0001f600" * 506,
    "control characters": "#\x01\x1b[2J\r\n\t\x7f\x00",
    "direction marks": "\u202e#\u2066",
    "spaces": " # ",
    "quotes": "\"'#\\",
    "commands": "::error::#",
    "markup": "<img src=x>[#](http://x.invalid)",
}

HONEST = (
    Case("correct", As, "PASS"),
    Case("correct, again", As, "PASS", scenario=AGAIN),
    Case("slow", lambda: As(variant="slow"), "PASS", window_ms=1000),
    Case("slow, no event", lambda: As(variant="slow"), "PASS", scenario=DELETED, window_ms=1000),
    Case("deletes later", lambda: As(variant="async_delete"), "PASS"),
    Case("deletes later, no event", lambda: As(variant="async_delete"), "PASS", scenario=DELETED),
    Case("deletes later, again", lambda: As(variant="async_delete"), "PASS", scenario=AGAIN),
    Case("pages of one", lambda: As(page_size=1), "PASS"),
    Case("echoes", Echoes, "PASS"),
    Case("echoes, again", Echoes, "PASS", scenario=AGAIN),
    Case("index warms up", WarmsUp, "PASS", window_ms=1000),
    Case("64 kB contents", Verbose, "PASS"),
    Case("64 kB contents, again", Verbose, "PASS", scenario=AGAIN),
    Case("unrelated memories", Generous, "PASS"),
    Case("a surface that shows nothing", MovingTarget, "PASS"),
    Case("late write refused, by receipt", SaysRefused, "PASS"),
    # Said by a status and not by a receipt, nobody knows whether the release ran: no FAIL, no PASS.
    Case("late write refused, 409", lambda: RefusesLate(409), "ERROR", "provider_error"),
    Case("late write refused, 412", lambda: RefusesLate(412), "ERROR", "provider_error"),
    *(
        Case(f"ids with {name}", lambda wrap=wrap: OddIds(wrap), "PASS")  # type: ignore[misc]
        for name, wrap in IDS.items()
    ),
    *(
        Case(f"ids with {name}, again", lambda wrap=wrap: OddIds(wrap), "PASS", scenario=AGAIN)  # type: ignore[misc]
        for name, wrap in IDS.items()
        if name in ("slashes", "dots", "control characters")
    ),
)
