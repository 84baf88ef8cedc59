"""No service that keeps its promise is blamed for how it looks."""

import anyio
import pytest

from tests.hostile.honest import HONEST
from tests.hostile.performing import Case, Performed, judged_again, perform_all


@pytest.fixture(scope="module")
def performed() -> dict[str, Performed]:
    """Every case, performed side by side."""
    return anyio.run(perform_all, HONEST)


@pytest.mark.parametrize("case", HONEST, ids=str)
def test_a_service_is_not_blamed_for_how_it_looks(
    performed: dict[str, Performed], case: Case
) -> None:
    done = performed[case.name]
    assert done.verdict == (case.verdict, case.cause), done.result.reason
    assert done.result.cleanup.left == []


@pytest.mark.parametrize("case", HONEST, ids=str)
def test_the_written_report_gives_the_same_verdict_again(
    performed: dict[str, Performed], case: Case
) -> None:
    assert judged_again(performed[case.name]) == []
