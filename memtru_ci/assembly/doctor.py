"""Starts a target as a test does, and finds out which operations of it work."""

import os
from collections.abc import Mapping

import anyio

from memtru_ci.assembly.diagnosis import Check, Diagnosis, with_needs
from memtru_ci.assembly.examining import Examination
from memtru_ci.assembly.interruption import Ears, cut_short
from memtru_ci.assembly.parts import Parts, real_parts
from memtru_ci.assembly.running import named_target, new_run_id
from memtru_ci.assembly.surroundings import look_around
from memtru_ci.assembly.targets import ended
from memtru_ci.domain.redaction import Redactor
from memtru_ci.errors import InfrastructureError
from memtru_ci.ports import Clock, Target
from memtru_ci.settings.file import LoadedSettings


def examine(
    loaded: LoadedSettings,
    *,
    environment: Mapping[str, str] = os.environ,
    parts: Parts | None = None,
) -> Diagnosis:
    """Try every operation of the target's service once; what is told is redacted.

    Raises `UsageError` for bad settings, `InfrastructureError` where the target cannot be brought
    up, or is cut short by a signal or the timeout.
    """
    used = parts or real_parts()
    named_target(loaded)
    around = look_around(loaded.settings, environment)
    target = used.make_target(loaded, around, new_run_id())
    ears = Ears()
    with ears.restored():
        diagnosis = anyio.run(_examined, target, loaded, used.clock, ears)
    return _redacted(diagnosis, around.redactor)


async def _examined(target: Target, loaded: LoadedSettings, clock: Clock, ears: Ears) -> Diagnosis:
    found: list[Examination] = []

    async def perform() -> None:
        async with target.started() as instance:
            found.append(Examination(instance, clock, loaded.settings.window))
            await found[0].perform()

    try:
        why = await cut_short(perform, loaded.settings.timeout, ears)
    finally:
        left = await ended(target)
    if why or not found:
        raise InfrastructureError(f"The examination was cut short: {why}.")
    facts = target.facts()
    return Diagnosis(
        target=facts.name,
        service=found[0].service_name,
        checks=with_needs(found[0].checks),
        left_behind=tuple(left),
        notes=facts.notes,
    )


def _redacted(diagnosis: Diagnosis, redactor: Redactor) -> Diagnosis:
    checks = tuple(_redacted_check(one, redactor) for one in diagnosis.checks)
    service = redactor.text(diagnosis.service)
    return Diagnosis(**{**vars(diagnosis), "checks": checks, "service": service})


def _redacted_check(check: Check, redactor: Redactor) -> Check:
    trouble = check.trouble
    if trouble is not None:
        told = {name: redactor.text(text) for name, text in vars(trouble).items()}
        trouble = type(trouble)(**told)
    changed = {
        "operation": redactor.text(check.operation),
        "came": redactor.text(check.came),
        "trouble": trouble,
    }
    return Check(**{**vars(check), **changed})
