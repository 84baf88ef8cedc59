"""The reads of a mapping: search, list and further surfaces, and the ids that only they show."""

from collections.abc import Sequence

from pydantic import JsonValue

from memtru_ci.ports import Answer, Memory
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.pages import Fetch, Page, followed
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reading import Body
from memtru_ci.services.rest.resolving import Wanted, learn
from memtru_ci.services.rest.results import meaning_of, results_of
from memtru_ci.services.rest.sender import Sender, Understand
from memtru_ci.services.rest.understanding import found, next_cursor, page

_RESOLVING = ("update", "delete")


class Reads:
    """Reads for one trial."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        """What a search finds; its query is remembered, for ids that only a search shows."""
        known = self._sender.known(namespace)
        known.asked = query
        understand = found(known, self._learners("search"))
        mapped = self._sender.mapped("search")
        return await self._sender.send(
            mapped, namespace, self._asked(mapped, query), understand, surface="search"
        )

    async def surface(self, namespace: str, name: str, query: str) -> Answer[Sequence[Memory]]:
        """What a further surface shows."""
        mapped = self._sender.surface(name)
        understand = found(self._sender.known(namespace), [])
        return await self._sender.send(
            mapped, namespace, self._asked(mapped, query), understand, surface=name
        )

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        """All that a list shows, over all its pages."""
        known, learners = self._sender.known(namespace), self._learners("list")

        async def fetch(cursor: str | None, deadline_s: float) -> Answer[Page]:
            understand = page(known, learners, cursor)
            return await self._page(namespace, cursor, understand, deadline_s, "list")

        answer = await self._followed(fetch)
        return Answer(answer.value, answer.steps)

    async def wanted_id(self, mapped: Mapped, namespace: str, memory_id: str) -> Answer[str | int]:
        """The id that an operation wants for a memory; read only where it is not known yet.

        Raises `NoSuchRecord` where no read shows the memory.
        """
        known, resolve = self._sender.known(namespace), mapped.keys.resolve
        if resolve is None:
            return Answer(known.raw(memory_id), ())
        key = (mapped.operation, memory_id)
        shown = {} if memory_id in known.written else known.shown
        for ids in (known.resolved, shown):
            if key in ids:
                return Answer(ids[key], ())
        wanted = Wanted(mapped, memory_id, known.written.get(memory_id, ""))
        steps = await self._look_for(wanted, namespace, resolve.by)
        return Answer(known.resolved[key], steps)

    async def _look_for(self, wanted: Wanted, namespace: str, by: str) -> tuple[int, ...]:
        """Read until the memory is there, and remember its ids; the steps of that."""
        known = self._sender.known(namespace)
        if by == "search":
            mapped = self._sender.mapped("search")
            given = self._asked(mapped, known.asked or wanted.memory_id)
            found_by = await self._sender.send(
                mapped, namespace, given, self._finding(wanted, namespace, by, None)
            )
            return found_by.steps

        async def fetch(cursor: str | None, deadline_s: float) -> Answer[Page]:
            understand = self._finding(wanted, namespace, by, cursor)
            return await self._page(namespace, cursor, understand, deadline_s, None)

        return (await self._followed(fetch)).steps

    def _finding(
        self, wanted: Wanted, namespace: str, by: str, cursor: str | None
    ) -> Understand[Page]:
        """Reads a page for the one memory in it; the list ends where it is found."""
        known, name = self._sender.known(namespace), wanted.mapped.operation
        learners = sorted(self._learners(by), key=lambda one: one.operation != name)

        def read(mapped: Mapped, body: Body) -> Understood[Page]:
            results = results_of(mapped, body)
            found_there, following = wanted.among(results), None
            if found_there is not None:
                learn(known.resolved, learners, wanted.memory_id, found_there)
            else:
                following = next_cursor(mapped, body.value, cursor, len(results))
                if following is None:
                    raise wanted.missing(body.status)
            meaning: JsonValue = {"results": meaning_of(results), "next_cursor": following}
            return Understood(Page([], following), meaning)

        return read

    async def _page(
        self,
        namespace: str,
        cursor: str | None,
        understand: Understand[Page],
        deadline_s: float,
        surface: str | None,
    ) -> Answer[Page]:
        mapped = self._sender.mapped("list")
        given: dict[str, JsonValue] = {"cursor": cursor}
        paging = mapped.keys.next
        if paging is not None and paging.cursor is None:
            first = paging.page if paging.page is not None else paging.offset
            way = "page" if paging.page is not None else "offset"
            given = {way: first if cursor is None else int(cursor)}
        return await self._sender.send(
            mapped, namespace, given, understand, surface=surface, deadline_s=deadline_s
        )

    async def _followed(self, fetch: Fetch) -> Answer[tuple[Memory, ...]]:
        mapped = self._sender.mapped("list")
        return await followed(
            fetch,
            mapped.endpoint,
            self._sender.exchanges.deadline_s,
            f"service.{mapped.place}.next",
        )

    def _asked(self, mapped: Mapped, query: str) -> dict[str, JsonValue]:
        asked: dict[str, JsonValue] = {"query": query}
        if mapped.uses("query_vector"):
            asked["query_vector"] = self._sender.vector(query)
        return asked

    def _learners(self, read: str) -> "Sequence[Mapped]":
        """The operations that find their ids in this read."""
        names = [one for one in _RESOLVING if one in self._sender.mapping.operations]
        operations = [self._sender.mapped(one) for one in names]
        resolves = ((one, one.keys.resolve) for one in operations)
        return [one for one, resolve in resolves if resolve is not None and resolve.by == read]
