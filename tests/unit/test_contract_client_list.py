"""A list is read to its end, and one that has no end is a violation."""

import asyncio
import json

import pytest

from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import ContractViolation, NoAnswer, ProviderError, ServiceError
from memtru_ci.ports import Memory
from memtru_ci.services.contract import connect
from memtru_ci.services.pages import MAX_PAGES
from tests.unit.raw_service import Behaviour, KeptExchanges, RawService, answers

pytestmark = pytest.mark.anyio


def _page(*ids: str, after: str | None) -> Behaviour:
    results = [{"id": one, "content": f"about {one}"} for one in ids]
    return answers({"results": results, "next_cursor": after})


def _counting(pause_s: float = 0) -> Behaviour:
    """Always another page, with a cursor of its own."""
    count = 0

    async def behave(writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        await asyncio.sleep(pause_s)
        body = json.dumps({"results": [], "next_cursor": str(count)})
        await answers(body.encode())(writer)

    return behave


async def _fault(
    log: KeptExchanges, *behaviours: Behaviour, deadline_s: float = 20
) -> ServiceError:
    async with RawService(*behaviours) as service:
        with pytest.raises(ServiceError) as caught:
            await connect(service.url, deadline_s=deadline_s).service(log).list("ns")
    return caught.value


async def test_a_list_is_all_pages_also_short_and_empty_ones() -> None:
    pages = (_page("a", after="c 1/&"), _page(after="c2"), _page("b", "a", after=None))
    log = KeptExchanges()
    async with RawService(*pages) as service:
        answer = await connect(service.url, deadline_s=5).service(log).list("n&s")

        assert service.lines == [
            "GET /memories?namespace=n%26s&limit=100",
            "GET /memories?namespace=n%26s&limit=100&cursor=c%201%2F%26",
            "GET /memories?namespace=n%26s&limit=100&cursor=c2",
        ]
    assert answer.value == (Memory("about a", "a"), Memory("about b", "b"), Memory("about a", "a"))
    assert answer.steps == (1, 2, 3)
    assert [(one.surface, one.outcome) for one in log.kept] == [("list", Outcome.DONE)] * 3


@pytest.mark.parametrize("cursor", ["again", ""])
async def test_a_cursor_that_comes_again_breaks_the_contract(cursor: str) -> None:
    error = await _fault(KeptExchanges(), _page("a", after=cursor))

    assert isinstance(error, ContractViolation)
    assert error.field == "next_cursor"
    assert error.steps == (1, 2)


async def test_a_cursor_that_comes_again_later_breaks_the_contract_too() -> None:
    pages = [_page(after=cursor) for cursor in ("x", "y", "x")]

    error = await _fault(KeptExchanges(), *pages)

    assert isinstance(error, ContractViolation)
    assert error.steps == (1, 2, 3)


async def test_a_list_that_goes_on_and_on_breaks_the_contract() -> None:
    error = await _fault(KeptExchanges(), _counting())

    assert isinstance(error, ContractViolation)
    assert len(error.steps) == MAX_PAGES


async def test_a_list_of_great_size_breaks_the_contract() -> None:
    content = "x" * 7_000_000
    pages = [
        answers({"results": [{"id": "a", "content": content}], "next_cursor": str(number)})
        for number in range(9)
    ]

    error = await _fault(KeptExchanges(), *pages)

    assert isinstance(error, ContractViolation)
    assert error.steps == (1, 2, 3, 4, 5)


async def test_a_cursor_that_no_address_can_hold_breaks_the_contract() -> None:
    error = await _fault(KeptExchanges(), _page(after="x" * 100_000))

    assert isinstance(error, ContractViolation)
    assert error.steps == (1,)


async def test_the_longest_cursor_is_followed() -> None:
    async with RawService(_page(after="😀" * 4096), _page("a", after=None)) as service:
        answer = await connect(service.url, deadline_s=5).service(KeptExchanges()).list("ns")

    assert answer.value == (Memory("about a", "a"),)


async def test_pages_that_drip_share_one_deadline() -> None:
    error = await _fault(KeptExchanges(), _counting(pause_s=0.1), deadline_s=0.3)

    assert isinstance(error, NoAnswer)
    assert 2 <= len(error.steps) <= 4


async def test_a_page_that_fails_fails_the_list_with_the_steps_of_all_pages() -> None:
    log = KeptExchanges()
    error = await _fault(log, _page("a", after="c1"), answers({"title": "No"}, 500))

    assert isinstance(error, ProviderError)
    assert error.steps == (1, 2)
    assert [one.outcome for one in log.kept] == [Outcome.DONE, Outcome.PROVIDER_ERROR]
