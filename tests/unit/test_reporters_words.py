"""Every cause and finding has words for a reader."""

import pytest

from memtru_ci.domain.verdict import Cause, Verdict
from memtru_ci.reporters.words import (
    CAUSES,
    FINDINGS,
    SIGNS,
    VERDICTS,
    finding_of,
    next_step_of,
)


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_is_explained_once_and_has_a_next_step(cause: Cause) -> None:
    assert (cause in FINDINGS) != (cause in CAUSES)
    assert next_step_of(cause).endswith(".")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_sign_and_a_headline(verdict: Verdict) -> None:
    assert SIGNS[verdict]
    assert VERDICTS[verdict]


def test_a_finding_is_found_by_its_scenario() -> None:
    found = finding_of("MT-AF-002")
    assert found is FINDINGS[Cause.HISTORY_REINGESTION_RESURRECTED]
    assert finding_of("MT-XX-001") is None


def test_no_words_end_in_the_middle_of_a_sentence() -> None:
    for finding in FINDINGS.values():
        for text in (finding.meaning, finding.why, finding.avoid, finding.next_step):
            assert text.endswith(".")
    for explanation in CAUSES.values():
        assert explanation.meaning.endswith(".")
