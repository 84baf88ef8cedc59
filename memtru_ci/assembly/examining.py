"""Tries every operation of a service once, with neutral content in a namespace of its own."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import anyio

from memtru_ci.assembly.diagnosis import Check, State
from memtru_ci.assembly.trying import Attempts, Read, told_count
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.marker import Marker, mint_marker, mint_topic
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import NotOffered, ServiceError
from memtru_ci.ports import Answer, Clock, Instance, Memory, RunsThreads, ServiceInfo

CLEANUP_S = 10.0


class Examination:
    """The checks of one instance."""

    def __init__(self, instance: Instance, clock: Clock, window_s: float) -> None:
        source = random.SystemRandom()
        topic = mint_topic(source)
        self._first = mint_marker(source, topic, "the first")
        self._second = mint_marker(source, topic, "the second")
        self._later = mint_marker(source, topic, "the later")
        self._instance = instance
        self._attempts = Attempts(clock, window_s)
        self._service = instance.service(self._attempts.journal)
        self._namespace = f"memtru-doctor-{source.getrandbits(48):012x}"
        self._thread = f"thread-{source.getrandbits(24):06x}"
        self._ids: list[str] = []
        self.service_name = ""

    @property
    def checks(self) -> list[Check]:
        """What was found so far."""
        return self._attempts.checks

    async def perform(self) -> None:
        """Try everything; what was written is deleted at the end, also where it is cut short."""
        info = await self._attempts.attempt("capabilities", None, self._service.info, _told_of_info)
        if info is None:
            return
        self._attempts.offered = info.capabilities
        self.service_name = f"{info.name} {info.version}"
        try:
            await self._memory()
            await self._lifecycle()
            await self._policy()
        finally:
            with anyio.move_on_after(CLEANUP_S, shield=True):
                await self._clean_up()

    async def _memory(self) -> None:
        first = await self._write(self._first, "write")
        second = await self._write(self._second, "write again") if first is not None else None
        shown = [await self._finds(name, of, read) for name, of, read in self._reads()]
        await self._surfaces()
        await self._hold(second)
        await self._update(second)
        await self._delete(first, [one for one in shown if one is not None])

    async def _write(self, marker: Marker, name: str) -> str | None:
        thread = self._thread
        written = await self._attempts.attempt(
            name,
            Capability.MEMORY_WRITE,
            lambda: self._service.write(self._namespace, marker.content, thread_id=thread),
            lambda memory_id: f"id {memory_id}",
        )
        self._ids += [] if written is None else [written]
        return written

    def _reads(self) -> list[tuple[str, Capability, Read]]:
        namespace, query = self._namespace, self._first.query
        return [
            (
                "search",
                Capability.MEMORY_SEARCH,
                lambda: self._service.search(namespace, query),
            ),
            ("list", Capability.MEMORY_LIST, lambda: self._service.list(namespace)),
        ]

    async def _finds(self, name: str, of: Capability, read: Read) -> Read | None:
        """The read, where it shows both memories within the window."""
        if not self._ids:
            self._attempts.untried(name, of, "nothing was written")
            return None

        def shows(memories: Sequence[Memory]) -> bool:
            contents = [one.content for one in memories]
            return self._first.shown_in(contents) and self._second.shown_in(contents)

        answer = await self._attempts.until(name, of, read, shows, "both memories are shown")
        return read if answer else None

    async def _surfaces(self) -> None:
        of = Capability.LIFECYCLE_SURFACES
        names = await self._attempts.attempt(
            "surfaces",
            of,
            lambda: self._service.surfaces(self._namespace),
            lambda found: ", ".join(found) or "none",
        )
        for name in names or ():
            await self._surface(name, of)

    async def _surface(self, name: str, of: Capability) -> None:
        await self._attempts.attempt(
            f"surface {name}",
            of,
            lambda: self._service.inspect_surface(self._namespace, name, self._first.query),
            lambda memories: f"{told_count(memories)}{self._which(memories)}",
        )

    def _which(self, memories: Sequence[Memory]) -> str:
        is_shown = self._first.shown_in(one.content for one in memories)
        return ", the memory among them" if is_shown else ", not the memory"

    async def _hold(self, second: str | None) -> None:
        of = Capability.LIFECYCLE_PENDING_WRITES
        if self._instance.can_hold:
            self._attempts.checks.append(
                Check("hold a write", State.WORKS, "by the gate itself", of)
            )
            return
        if second is None:
            self._attempts.untried("begin_pending_write", of, "nothing was written")
            return
        begun = await self._attempts.hook(
            "begin_pending_write",
            of,
            lambda: self._service.begin_pending_write(
                self._namespace, self._second.content, target_id=second, thread_id=self._thread
            ),
        )
        if begun:
            release = self._service.release_pending_writes
            await self._attempts.hook(
                "release_pending_writes", of, lambda: release(self._namespace)
            )

    async def _update(self, memory_id: str | None) -> None:
        of = Capability.MEMORY_UPDATE
        if memory_id is None:
            self._attempts.untried("update", of, "nothing was written")
            return
        updated = await self._attempts.attempt(
            "update",
            of,
            lambda: self._service.update(self._namespace, memory_id, self._later.content),
            lambda found: f"id {found}",
        )
        if updated is not None:
            self._ids += [updated] if updated not in self._ids else []
            await self._attempts.until(
                "updated text",
                Capability.MEMORY_SEARCH,
                self._reads()[0][2],
                lambda memories: self._later.shown_in(one.content for one in memories),
                "the new text is found",
            )

    async def _delete(self, memory_id: str | None, reads: Sequence[Read]) -> None:
        of = Capability.MEMORY_DELETE
        if memory_id is None:
            self._attempts.untried("delete", of, "nothing was written")
            return
        deleted = await self._attempts.attempt(
            "delete",
            of,
            lambda: self._service.delete(self._namespace, memory_id),
            lambda status: f"status {status}",
        )
        if deleted is None:
            return
        self._ids.remove(memory_id)
        for number, read in enumerate(reads):
            await self._attempts.until(
                ("deleted: search", "deleted: list")[number],
                (Capability.MEMORY_SEARCH, Capability.MEMORY_LIST)[number],
                read,
                lambda memories: not self._first.shown_in(one.content for one in memories),
                "the memory is gone",
            )

    async def _still_shown(self) -> list[str]:
        """Ids of what the service has made of the doctor's texts, such as further versions."""
        found: dict[str, None] = {}
        for _, of, read in self._reads():
            with suppress(ServiceError):
                memories = (await read()).value if of in self._attempts.offered else ()
                found |= {one.id: None for one in memories if one.id and self._is_mine(one)}
        return [one for one in found if one not in self._ids]

    def _is_mine(self, memory: Memory) -> bool:
        mine = (self._first, self._second, self._later)
        return any(one.shown_in([memory.content]) for one in mine)

    async def _lifecycle(self) -> None:
        service, namespace, thread = self._service, self._namespace, self._thread
        said = [self._later.content]
        hooks: list[tuple[str, Capability, Callable[[], Awaitable[Answer[HookReceipt]]]]] = [
            (
                "record_conversation",
                Capability.LIFECYCLE_CONVERSATION,
                lambda: service.record_conversation(namespace, thread, said),
            ),
            (
                "start_session",
                Capability.LIFECYCLE_NEW_SESSION,
                lambda: service.start_session(namespace),
            ),
            (
                "consolidate",
                Capability.LIFECYCLE_CONSOLIDATE,
                lambda: service.consolidate(namespace),
            ),
        ]
        for name, of, call in hooks:
            await self._attempts.hook(name, of, call)
        await self._run()
        delete_thread = service.delete_thread
        await self._attempts.hook(
            "delete_thread", Capability.THREAD_DELETE, lambda: delete_thread(namespace, thread)
        )

    async def _run(self) -> None:
        service: object = self._service
        if not isinstance(service, RunsThreads):
            return
        try:
            run = await service.run(self._namespace, self._thread, "Say hello.")
        except NotOffered:
            self._attempts.checks.append(Check("run", State.ABSENT))
        except ServiceError as problem:
            self._attempts.fails("run", None, str(problem), problem.steps)
        else:
            self._attempts.checks.append(Check("run", State.WORKS, f"ended: {run.value}"))

    async def _policy(self) -> None:
        question = {"session": self._namespace, "query": None, "at": "2026-01-01T00:00:00Z"}
        await self._attempts.attempt(
            "policy_events",
            Capability.POLICY_EVENTS,
            lambda: self._service.policy_events([]),
            lambda taken: f"{taken.accepted} accepted",
        )
        await self._attempts.attempt(
            "policy_query",
            Capability.POLICY_QUERY,
            lambda: self._service.policy_query({**question, "limit": 10}),
            lambda ids: f"{len(ids)} ids",
        )

    async def _clean_up(self) -> None:
        if Capability.MEMORY_DELETE in self._attempts.offered:
            for memory_id in [*reversed(self._ids), *await self._still_shown()]:
                with suppress(ServiceError):
                    await self._service.delete(self._namespace, memory_id)
        delete = self._service.delete_namespace
        await self._attempts.hook(
            "delete_namespace", Capability.NAMESPACE_DELETE, lambda: delete(self._namespace)
        )


def _told_of_info(info: ServiceInfo) -> str:
    return f"{info.name} {info.version}, {len(info.capabilities)} capabilities"
