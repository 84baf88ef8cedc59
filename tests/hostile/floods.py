"""Services whose answers are huge, or made to get out of the place they are written at."""

import base64
from typing import Any, ClassVar
from urllib.parse import quote

from tests.hostile.performing import AGAIN, Case
from tests.hostile.service import (
    INSPECT,
    READS,
    RELEASE,
    SEARCH,
    SURFACES,
    Asked,
    Behaviour,
    Told,
)

MANY = 100_000

INJECTION = (
    "\n::error::owned-by-command\r\n##[error]owned-by-marker\n"
    "\x1b[31mowned-by-ansi\x1b]0;t\x07\x9b2J\u202eowned-by-bidi\u2066\u2028::warning::x\n"
    "<img src=x onerror=alert(1)><script>owned()</script>"
    "![i](http://owned.invalid/x) [l](javascript:owned) `c` | cell | **b** @octocat #1\n"
    "```\n</details>\n# owned-heading\n{{ owned }} ${{ secrets.X }}\n::stop-commands::x\n"
)

SECRET = 's3cr3t/of+the"target\u00e9=='


class Creates(Behaviour):
    """The receipt of a release names very many records."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._created = [{"kind": "memory", "id": f"r{number}"} for number in range(count)]

    def after(self, asked: Asked, told: Told) -> Told:
        return told.with_fields(created=self._created) if asked.operation == RELEASE else told


class Talks(Behaviour):
    """Every receipt has a detail of a megabyte."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation.endswith(("_write", "_writes", "_session")):
            return told.with_fields(detail=INJECTION * 2500)
        return told


class Boasts(Behaviour):
    """It names very many capabilities that nobody knows, some of them long."""

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation != "capabilities":
            return told
        names = [f"C{number}" for number in range(MANY)]
        names += ["x" * 1_000_000, INJECTION]
        service = {"name": INJECTION, "version": "v" * 1_000_000}
        return told.with_fields(service=service, capabilities=[*told.json["capabilities"], *names])


class NamesAlike(Behaviour):
    """Reads and receipts have long fields of a service's own, named as those of other answers."""

    def after(self, asked: Asked, told: Told) -> Told:
        if not told.body or told.status >= 300:
            return told
        ids = ["x" * 500] * 40
        if asked.operation in READS:
            return told.with_fields(ids=ids)
        if "executed" in told.json:
            return told.with_fields(ids=ids, results=[{"content": "y" * 500}] * 40)
        return told


class NamesAlikeAndReturns(NamesAlike):
    """The same, where a held write lands after the delete."""

    options: ClassVar[dict[str, Any]] = {"defect": "late_write_resurrection"}


class Facets(Behaviour):
    """It has further surfaces, by any name; all of them show what the profile shows."""

    def __init__(self, *names: str, telling: str = "") -> None:
        super().__init__()
        self._names = names
        self._telling = telling
        self.read: set[str] = set()

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == INSPECT:
            self.read.add(asked.key)
            asked.raw_path = b"/lifecycle/surfaces/profile"
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == SURFACES:
            return Told.of({"surfaces": [{"name": name} for name in self._names]})
        return told


class FacetReturns(Facets):
    """The last of the surfaces shows the marker again after the release."""

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        self._content = ""

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == "write":
            self._content = self._content or asked.json["content"]
        return await super().before(asked)

    def after(self, asked: Asked, told: Told) -> Told:
        is_last = asked.operation == INSPECT and asked.key == self._names[-1]
        if is_last and self.answered[RELEASE] == 1:
            return Told.of({"results": [*told.json["results"], {"content": self._content}]})
        return super().after(asked, told)


class Complains(Behaviour):
    """An operation fails with a text that wants out."""

    def __init__(self, operation: str, status: int = 500, text: str = INJECTION) -> None:
        super().__init__()
        self._operation = operation
        self._told = Told.problem(status, text, text)

    async def before(self, asked: Asked) -> Told | None:
        return self._told if asked.operation == self._operation else None


class Leaks(Behaviour):
    """It tells its secret wherever it can, in every form."""

    def __init__(self, operation: str) -> None:
        super().__init__()
        self._operation = operation

    async def before(self, asked: Asked) -> Told | None:
        if asked.operation == INSPECT:
            asked.raw_path = b"/lifecycle/surfaces/profile"
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        if asked.operation == self._operation:
            return Told.problem(500, SECRET, " ".join(secret_forms()))
        if not told.body or told.status >= 300:
            return told
        said: dict[str, Any] = {"detail": " ".join(secret_forms()), SECRET: SECRET}
        if asked.operation == "capabilities":
            known = told.json["capabilities"]
            said |= {"service": {"name": SECRET, "version": secret_forms()[1]}}
            said |= {"capabilities": [*known, *secret_forms()]}
        if asked.operation == SURFACES:
            said["surfaces"] = [{"name": SECRET}]
        if asked.operation == SEARCH:
            said["results"] = [
                {**one, "metadata": {SECRET: secret_forms()}} for one in told.json["results"]
            ]
        return told.with_fields(**said)


def secret_forms() -> list[str]:
    """The secret as it is, in base64 and URL-quoted."""
    raw = SECRET.encode()
    return [SECRET, base64.b64encode(raw).decode(), quote(SECRET, safe=""), raw.hex()]


ODD_NAMES = ("../x", "a/b", "new\nline", "\x1b[2J", "..", "%2e%2e", "x" * 10_000)
LEGAL_NAMES = ("../x", "a/b", "new\nline", "\x1b[2J", "..", "%2e%2e", "x" * 512, "??#&", INJECTION)
HUNDRED = tuple(f"surface {number}" for number in range(100))

FLOODS = (
    Case("half of 10^5 created memories", lambda: Creates(MANY // 2), "PASS"),
    Case("10^5 created memories", lambda: Creates(MANY), "ERROR", "contract_violation"),
    Case("details of 1 MB", Talks, "PASS"),
    Case("10^5 capability names", Boasts, "PASS"),
    Case("fields named alike", NamesAlike, "PASS"),
    Case("fields named alike, back", NamesAlikeAndReturns, "FAIL", "late_write_resurrected"),
    Case("a surface name of 10 kB", lambda: Facets(*ODD_NAMES), "ERROR", "contract_violation"),
    Case("96 surfaces", lambda: Facets(*HUNDRED[:90], *ODD_NAMES[:6]), "PASS", window_ms=1000),
    Case("a surface called search", lambda: Facets("search"), "ERROR", "contract_violation"),
    Case("a surface given twice", lambda: Facets("a", "b", "a"), "PASS"),
    Case("a surface without a name", lambda: Facets(""), "ERROR", "contract_violation"),
    Case(
        "120 surfaces",
        lambda: Facets(*HUNDRED, *map(str, range(20))),
        "ERROR",
        "contract_violation",
    ),
)

ESCAPES = (
    Case("surfaces by legal names", lambda: Facets(*LEGAL_NAMES), "PASS"),
    Case(
        "back on a surface by a name that wants out",
        lambda: FacetReturns(*LEGAL_NAMES),
        "FAIL",
        "late_write_resurrected",
    ),
    *(
        Case(
            f"{operation} complains",
            lambda operation=operation: Complains(operation),  # type: ignore[misc]
            "ERROR",
            "provider_error",
        )
        for operation in ("write", "delete", RELEASE, "capabilities")
    ),
    Case("search complains", lambda: Complains(SEARCH), "ERROR", "surface_unreadable"),
    Case(
        "consolidation complains",
        lambda: Complains("consolidate"),
        "ERROR",
        "provider_error",
        AGAIN,
    ),
    Case("sessions are not offered", lambda: Complains("start_session", 501), "PASS", None, AGAIN),
)

LEAKS = tuple(
    Case(f"leaks, {operation} fails", lambda operation=operation: Leaks(operation), verdict, cause)  # type: ignore[misc]
    for operation, verdict, cause in (
        ("nothing", "PASS", None),
        (RELEASE, "ERROR", "provider_error"),
        (SEARCH, "ERROR", "surface_unreadable"),
        ("delete", "ERROR", "provider_error"),
    )
)
