"""Every seeded change of a rule turns a case red; the engine as it is turns none."""

import pytest

from memtru_ci.policy import cases
from memtru_ci.policy.cases import Case
from tests.policy.judging import faults
from tests.policy.mutations import MUTATIONS

CASES = cases.load()


@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_the_engine_answers_each_case(case: Case) -> None:
    assert list(faults(case)) == []


def _killers(name: str) -> dict[str, list[str]]:
    """The cases that a mutation turns red, each with what went wrong."""
    with pytest.MonkeyPatch.context() as patch:
        MUTATIONS[name](patch)
        found = {case.name: list(faults(case)) for case in CASES}
    return {case: wrong for case, wrong in found.items() if wrong}


def test_every_mutation_is_killed(capsys: pytest.CaptureFixture[str]) -> None:
    table = {name: _killers(name) for name in MUTATIONS}
    with capsys.disabled():
        print("\n| Mutation | Red | By ids alone | First red case |\n| --- | --- | --- | --- |")
        for name, killers in table.items():
            by_ids = sum(any(one.startswith("ids") for one in held) for held in killers.values())
            print(f"| {name} | {len(killers)} | {by_ids} | {next(iter(killers), 'SURVIVES')} |")
    assert [name for name, killers in table.items() if not killers] == []


def test_at_least_two_dozen_mutations_show_in_the_ids_that_a_service_answers() -> None:
    shown = [
        name
        for name in MUTATIONS
        if any(one.startswith("ids") for held in _killers(name).values() for one in held)
    ]
    assert len(shown) >= 24


def test_each_rule_that_a_query_can_show_has_a_case() -> None:
    assert {rule for case in CASES for rule in case.rule} == set(range(1, 13))
