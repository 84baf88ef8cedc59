"""No service that does wrong, or proves nothing, comes out as a PASS."""

import anyio
import pytest

from tests.hostile.lies import LIES
from tests.hostile.performing import Case, Performed, judged_again, perform_all


@pytest.fixture(scope="module")
def performed() -> dict[str, Performed]:
    """Every case, performed side by side."""
    return anyio.run(perform_all, LIES)


@pytest.mark.parametrize("case", LIES, ids=str)
def test_what_a_service_does_wrong_is_told(performed: dict[str, Performed], case: Case) -> None:
    done = performed[case.name]
    assert done.verdict == (case.verdict, case.cause), done.result.reason


@pytest.mark.parametrize("case", LIES, ids=str)
def test_the_written_report_gives_the_same_verdict_again(
    performed: dict[str, Performed], case: Case
) -> None:
    assert judged_again(performed[case.name]) == []
