"""The reads of a mapping: search, list and further surfaces, also where each result is read."""

from collections.abc import Sequence

import anyio
from pydantic import JsonValue

from memtru_ci.errors import NoAnswer, ServiceError
from memtru_ci.ports import Answer, Memory
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mapping.selecting import next_cursor
from memtru_ci.services.mcp.caller import Caller, Understand
from memtru_ci.services.mcp.keys import MappedOperation, MappedRead
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.mcp.results import (
    Result,
    content_of,
    meaning_of,
    results_of,
)
from memtru_ci.services.pages import Page, followed
from memtru_ci.services.rest.remembered import Namespace
from memtru_ci.services.rest.templates import Values

LEAST_S = 1.0
"""What the last of several calls may take, when the time of all of them is over."""


class Reads:
    """Reads for one trial."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._deadline_s = caller.calls.deadline_s

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        """What a search finds."""
        return await self._asked(self._caller.operation("search", "search"), namespace, query)

    async def surface(self, namespace: str, name: str, query: str) -> Answer[Sequence[Memory]]:
        """What a further surface shows."""
        return await self._asked(self._caller.surface(name), namespace, query)

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        """All that a list shows, over all its pages."""
        mapped = self._caller.operation("list", "list")
        ends_at = anyio.current_time() + self._deadline_s

        async def fetch(cursor: str | None, deadline_s: float) -> Answer[Page]:
            values = self._paged(mapped, namespace, cursor)
            understand = self._page(namespace, values, cursor)
            found = await self._caller.call(
                mapped, namespace, values, understand, deadline_s=deadline_s
            )
            results, following = found.value
            shown = await self._whole(mapped, namespace, results, found.steps, ends_at)
            return Answer(Page(shown.value, following), shown.steps)

        return await followed(
            fetch, mapped.endpoint, self._deadline_s, f"service.{mapped.place}.next"
        )

    async def _asked(self, mapped: Mapped, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        keys = _operation(mapped)
        values = self._caller.values(
            namespace, query=query, topic=topic_in(query), limit=keys.limit
        )
        ends_at = anyio.current_time() + self._deadline_s

        def understand(mapped: Mapped, value: JsonValue) -> Understood[Sequence[Result]]:
            results, _ = results_of(mapped, keys, value, values)
            known = self._caller.known(namespace)
            return Understood(results, {"results": meaning_of(_memories(results, known))})

        found = await self._caller.call(mapped, namespace, values, understand)
        return await self._whole(mapped, namespace, found.value, found.steps, ends_at)

    def _page(
        self, namespace: str, values: Values, cursor: str | None
    ) -> Understand[tuple[Sequence[Result], str | None]]:
        def understand(
            mapped: Mapped, value: JsonValue
        ) -> Understood[tuple[Sequence[Result], str | None]]:
            keys = _operation(mapped)
            results, came = results_of(mapped, keys, value, values)
            following = None
            if value is not None:
                following = next_cursor(mapped, keys.next, value, cursor, came)
            shown = meaning_of(_memories(results, self._caller.known(namespace)))
            return Understood((results, following), {"results": shown, "next_cursor": following})

        return understand

    def _paged(self, mapped: Mapped, namespace: str, cursor: str | None) -> dict[str, JsonValue]:
        keys = _operation(mapped)
        paging = keys.next
        first_page = 1 if paging is None or paging.page is None else paging.page
        first_offset = 0 if paging is None or paging.offset is None else paging.offset
        number = int(cursor) if cursor is not None and paging and paging.cursor is None else None
        return self._caller.values(
            namespace,
            limit=keys.limit,
            cursor=cursor,
            page=first_page if number is None else number,
            offset=first_offset if number is None else number,
        )

    async def _whole(
        self,
        mapped: Mapped,
        namespace: str,
        results: Sequence[Result],
        steps: tuple[int, ...],
        ends_at: float,
    ) -> Answer[Sequence[Memory]]:
        """The results as they came, and what a second call shows of each."""
        known, read = self._caller.known(namespace), _operation(mapped).read
        memories = _memories(results, known)
        taken = list(steps)
        for one in results if read is not None else ():
            if one.id is None or read is None:
                continue
            try:
                self._check_time(mapped, ends_at)
                left = max(ends_at - anyio.current_time(), LEAST_S)
                shown = await self._read(mapped, read, namespace, one.id, left)
            except ServiceError as error:
                error.steps = (*taken, *error.steps)
                raise
            taken += shown.steps
            memories += shown.value
        return Answer(memories, tuple(taken))

    async def _read(
        self,
        mapped: Mapped,
        read: MappedRead,
        namespace: str,
        result_id: str | int,
        deadline_s: float,
    ) -> Answer[Sequence[Memory]]:
        second = Mapped(mapped.operation, read, f"{mapped.place}.read", mapped.surface)
        values = self._caller.values(namespace, result_id=result_id)

        def understand(second: Mapped, value: JsonValue) -> Understood[Sequence[Memory]]:
            memory = Memory(content_of(second, value), str(result_id))
            return Understood((memory,), {"results": meaning_of((memory,)), "next_cursor": None})

        # Deleted since it was found: an absence, by the service's own word.
        gone: Understood[Sequence[Memory]] = Understood((), {"results": [], "next_cursor": None})
        return await self._caller.call(
            second, namespace, values, understand, gone=gone, deadline_s=deadline_s
        )

    def _check_time(self, mapped: Mapped, ends_at: float) -> None:
        if anyio.current_time() >= ends_at:
            what = f"not all results were read within {self._deadline_s:g} s"
            raise NoAnswer(mapped.endpoint, what)


def topic_in(query: str) -> str:
    """The topic key in a query, its last word with a digit; the whole query where none has one.

    For services whose search takes a query as one piece of the text.
    """
    words = [one for one in query.split() if any(char.isdigit() for char in one)]
    return words[-1] if words else query


def _operation(mapped: Mapped) -> MappedOperation:
    assert isinstance(mapped.keys, MappedOperation)
    return mapped.keys


def _memories(results: Sequence[Result], known: Namespace) -> list[Memory]:
    return [
        Memory(one.content, "" if one.id is None else known.known(one.id))
        for one in results
        if one.content is not None
    ]
