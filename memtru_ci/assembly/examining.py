"""Tries every operation of a service once, with neutral content in a namespace of its own."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import anyio

from memtru_ci.assembly.diagnosis import Check, State, trouble_of
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.marker import Marker, mint_marker, mint_topic
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import NotOffered, ServiceError
from memtru_ci.ports import Answer, Clock, Instance, Memory, RunsThreads, ServiceInfo
from memtru_ci.trial.journal import Journal

T = TypeVar("T")
Read = Callable[[], Awaitable[Answer[Sequence[Memory]]]]

PAUSE_S = 0.2
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
        self._clock = clock
        self._window_s = window_s
        self._journal = Journal(clock, (), lambda _: None)
        self._service = instance.service(self._journal)
        self._namespace = f"memtru-doctor-{source.getrandbits(48):012x}"
        self._thread = f"thread-{source.getrandbits(24):06x}"
        self._offered: frozenset[str] = frozenset()
        self._ids: list[str] = []
        self.checks: list[Check] = []
        self.service_name = ""

    async def perform(self) -> None:
        """Try everything; what was written is deleted at the end, also where it is cut short."""
        info = await self._try("capabilities", None, self._service.info, _told_of_info)
        if info is None:
            return
        self._offered = info.capabilities
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
        written = await self._try(
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
            self._untried(name, of, "nothing was written")
            return None

        def shows(memories: Sequence[Memory]) -> bool:
            contents = [one.content for one in memories]
            return self._first.shown_in(contents) and self._second.shown_in(contents)

        answer = await self._until(name, of, read, shows, "both memories are shown")
        return read if answer else None

    async def _surfaces(self) -> None:
        of = Capability.LIFECYCLE_SURFACES
        names = await self._try(
            "surfaces",
            of,
            lambda: self._service.surfaces(self._namespace),
            lambda found: ", ".join(found) or "none",
        )
        for name in names or ():
            await self._surface(name, of)

    async def _surface(self, name: str, of: Capability) -> None:
        await self._try(
            f"surface {name}",
            of,
            lambda: self._service.inspect_surface(self._namespace, name, self._first.query),
            lambda memories: f"{self._count(memories)}{self._which(memories)}",
        )

    @staticmethod
    def _count(memories: Sequence[Memory]) -> str:
        return "1 result" if len(memories) == 1 else f"{len(memories)} results"

    def _which(self, memories: Sequence[Memory]) -> str:
        is_shown = self._first.shown_in(one.content for one in memories)
        return ", the memory among them" if is_shown else ", not the memory"

    async def _hold(self, second: str | None) -> None:
        of = Capability.LIFECYCLE_PENDING_WRITES
        if self._instance.can_hold:
            self.checks.append(Check("hold a write", State.WORKS, "by the gate itself", of))
            return
        if second is None:
            self._untried("begin_pending_write", of, "nothing was written")
            return
        begun = await self._hook(
            "begin_pending_write",
            of,
            lambda: self._service.begin_pending_write(
                self._namespace, self._second.content, target_id=second, thread_id=self._thread
            ),
        )
        if begun:
            release = self._service.release_pending_writes
            await self._hook("release_pending_writes", of, lambda: release(self._namespace))

    async def _update(self, memory_id: str | None) -> None:
        of = Capability.MEMORY_UPDATE
        if memory_id is None:
            self._untried("update", of, "nothing was written")
            return
        updated = await self._try(
            "update",
            of,
            lambda: self._service.update(self._namespace, memory_id, self._later.content),
            lambda found: f"id {found}",
        )
        if updated is not None:
            self._ids += [updated] if updated not in self._ids else []
            await self._until(
                "updated text",
                Capability.MEMORY_SEARCH,
                self._reads()[0][2],
                lambda memories: self._later.shown_in(one.content for one in memories),
                "the new text is found",
            )

    async def _delete(self, memory_id: str | None, reads: Sequence[Read]) -> None:
        of = Capability.MEMORY_DELETE
        if memory_id is None:
            self._untried("delete", of, "nothing was written")
            return
        deleted = await self._try(
            "delete",
            of,
            lambda: self._service.delete(self._namespace, memory_id),
            lambda status: f"status {status}",
        )
        if deleted is None:
            return
        self._ids.remove(memory_id)
        for number, read in enumerate(reads):
            await self._until(
                ("deleted: search", "deleted: list")[number],
                (Capability.MEMORY_SEARCH, Capability.MEMORY_LIST)[number],
                read,
                lambda memories: not self._first.shown_in(one.content for one in memories),
                "the memory is gone",
            )

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
            await self._hook(name, of, call)
        await self._run()
        delete_thread = service.delete_thread
        await self._hook(
            "delete_thread", Capability.THREAD_DELETE, lambda: delete_thread(namespace, thread)
        )

    async def _run(self) -> None:
        service: object = self._service
        if not isinstance(service, RunsThreads):
            return
        try:
            run = await service.run(self._namespace, self._thread, "Say hello.")
        except NotOffered:
            self.checks.append(Check("run", State.ABSENT))
        except ServiceError as problem:
            self._fails("run", None, str(problem), problem.steps)
        else:
            self.checks.append(Check("run", State.WORKS, f"ended: {run.value}"))

    async def _policy(self) -> None:
        question = {"session": self._namespace, "query": None, "at": "2026-01-01T00:00:00Z"}
        await self._try(
            "policy_events",
            Capability.POLICY_EVENTS,
            lambda: self._service.policy_events([]),
            lambda taken: f"{taken.accepted} accepted",
        )
        await self._try(
            "policy_query",
            Capability.POLICY_QUERY,
            lambda: self._service.policy_query({**question, "limit": 10}),
            lambda ids: f"{len(ids)} ids",
        )

    async def _clean_up(self) -> None:
        for memory_id in reversed(self._ids):
            if Capability.MEMORY_DELETE in self._offered:
                with suppress(ServiceError):
                    await self._service.delete(self._namespace, memory_id)
        delete = self._service.delete_namespace
        await self._hook(
            "delete_namespace", Capability.NAMESPACE_DELETE, lambda: delete(self._namespace)
        )

    async def _hook(
        self, name: str, of: Capability, call: Callable[[], Awaitable[Answer[HookReceipt]]]
    ) -> bool:
        receipt = await self._try(name, of, call, lambda one: one.detail or "it ran")
        if receipt is not None and not receipt.executed:
            self._fails(name, of, f"it says that it did not run: {receipt.detail}", ())
            return False
        return receipt is not None

    async def _until(
        self,
        name: str,
        of: Capability,
        read: Read,
        is_so: Callable[[Sequence[Memory]], bool],
        what: str,
    ) -> bool:
        """Read until it is so, or the window is over."""
        if of not in self._offered:
            self.checks.append(Check(name, State.ABSENT, capability=of))
            return False
        ends_at = self._clock.now() + self._window_s
        while True:
            try:
                answer = await read()
            except ServiceError as problem:
                self._fails(name, of, str(problem), problem.steps)
                return False
            if is_so(answer.value):
                self.checks.append(Check(name, State.WORKS, what, of))
                return True
            if self._clock.now() >= ends_at:
                came = f"{self._count(answer.value)} came"
                why = f"not within {self._window_s:g} s: {what} ({came})"
                self._fails(name, of, why, answer.steps)
                return False
            await self._clock.sleep(PAUSE_S)

    async def _try(
        self,
        name: str,
        of: Capability | None,
        call: Callable[[], Awaitable[Answer[T]]],
        told: Callable[[T], str],
    ) -> T | None:
        if of is not None and of not in self._offered:
            self.checks.append(Check(name, State.ABSENT, capability=of))
            return None
        try:
            answer = await call()
        except ServiceError as problem:
            self._fails(name, of, str(problem), problem.steps)
            return None
        self.checks.append(Check(name, State.WORKS, told(answer.value), of))
        return answer.value

    def _fails(self, name: str, of: Capability | None, why: str, steps: tuple[int, ...]) -> None:
        self.checks = [one for one in self.checks if one.operation != name]
        kept = {one.step: one for one in self._journal.evidence}
        trouble = trouble_of(kept.get(steps[-1]) if steps else None, why)
        self.checks.append(Check(name, State.FAILS, why, of, trouble))

    def _untried(self, name: str, of: Capability, why: str) -> None:
        state = State.UNTRIED if of in self._offered else State.ABSENT
        self.checks.append(Check(name, state, why if state is State.UNTRIED else "", of))


def _told_of_info(info: ServiceInfo) -> str:
    return f"{info.name} {info.version}, {len(info.capabilities)} capabilities"
