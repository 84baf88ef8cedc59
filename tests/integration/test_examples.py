"""Every example in real containers, through the command line: the verdicts that it expects."""

from pathlib import Path

import pytest

from memtru_ci.domain.rejudge import rejudge
from memtru_ci.scenarios import PROMISES
from tests.examples_of_services import Example, by_scenario, examples, outcome

pytestmark = [pytest.mark.integration, pytest.mark.timeout(1200)]

EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_an_example_gets_the_verdicts_it_expects(example: Example, tmp_path: Path) -> None:
    if example.why_not_now:
        pytest.skip(example.why_not_now)
    code, report = outcome(example.folder, tmp_path)
    found = {name: one.model_dump(mode="json") for name, one in by_scenario(report).items()}
    for scenario, wanted in example.expect.items():
        got = {key: found[scenario][key] for key in wanted}
        assert got == wanted, found[scenario]["reason"]
    assert set(found) == set(example.expect)
    assert code == example.exit_code
    assert rejudge(report, PROMISES).differences == ()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 16
