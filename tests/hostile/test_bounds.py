"""Answers made to cost the gate its memory or its time: each stays bounded."""

import json
import time
import tracemalloc
import unicodedata
from collections.abc import AsyncIterator

import anyio
import anyio.lowlevel
import httpx
import pytest
from pydantic import JsonValue

from memtru_ci.contract import MAX_BODY_BYTES, MAX_VALUES
from memtru_ci.contract.decode import ContractFault, decode
from memtru_ci.contract.messages import SearchAnswer
from memtru_ci.domain.marker import folded
from memtru_ci.domain.reduction import reduce_answer
from memtru_ci.errors import ContractViolation
from memtru_ci.services.contract import connect
from memtru_ci.services.exchanges import LONGEST_PATH
from memtru_ci.services.http import MOST_LARGE_BODIES, SMALL_BODY_BYTES
from memtru_ci.services.pages import MAX_MEMORIES
from tests.unit.raw_service import KeptExchanges, RawService, answers

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024
MARKS = "\u0301\u0316"


def _defined(text: str) -> str:
    """The rule to the letter, at whatever cost."""
    normal = unicodedata.normalize("NFKC", text).casefold()
    normal = unicodedata.normalize("NFKC", normal)
    return "".join(char for char in normal if unicodedata.category(char)[0] in "LN")


def test_a_long_run_of_combining_marks_takes_no_ages() -> None:
    # Put in order as Unicode asks, it takes the square of its length: hours.
    began = time.process_time()
    assert folded(f"q{MARKS * 500_000}b") == "qb"
    assert time.process_time() - began < 5


def test_signs_that_stand_for_phrases_do_not_fill_the_memory() -> None:
    content = "\ufdfa" * (MAX_BODY_BYTES // 12)
    tracemalloc.start()
    shown = folded(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert shown
    assert peak < 100 * MIB


@pytest.mark.parametrize(
    "text",
    [
        "\uff21\uff22 \uff11",
        "e\u0301 q\u0301 \u00e9",
        "\u1e9e\u0301 \u0130\u0316 \uff41\u0301",
        "\uff76\uff9e \ufb01 \u2460 \u33a2",
        "a\u200db\u00adc\u2060d",
        f"x{MARKS * 10}y",
        "漢字 Straße ΣΑΣ",
    ],
)
def test_what_is_folded_for_less_is_folded_the_same(text: str) -> None:
    assert folded(text) == _defined(text)


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "x", "content": ""}] * (MAX_VALUES // 3 + 1),
        [{"id": "x", "content": "", "metadata": {str(n): 0 for n in range(MAX_VALUES)}}],
        [{"id": "x", "content": "", "metadata": {"deep": [[]] * (MAX_VALUES // 2)}}],
    ],
    ids=["results", "metadata", "lists"],
)
def test_an_answer_of_too_many_values_is_refused_before_it_is_taken_apart(value: object) -> None:
    body = json.dumps({"results": value}).encode()
    assert len(body) <= MAX_BODY_BYTES
    with pytest.raises(ContractFault, match=f"more than {MAX_VALUES} values"):
        decode(SearchAnswer, body)


def test_one_long_text_is_no_answer_of_too_many_values() -> None:
    body = json.dumps({"results": [{"id": "x", "content": "word " * 1_000_000}]}).encode()
    assert len(decode(SearchAnswer, body).results[0].content) == 5_000_000


async def test_a_list_of_too_many_memories_breaks_the_contract() -> None:
    page = [{"id": "x", "content": ""}] * (MAX_MEMORIES // 2 + 1)
    pages = [answers({"results": page, "next_cursor": f"c{n}"}) for n in range(3)]
    async with RawService(*pages) as service:
        with pytest.raises(ContractViolation, match=f"goes on after {MAX_MEMORIES} memories"):
            await connect(service.url).service(KeptExchanges()).list("n")
        assert len(service.requests) == 2


async def test_a_long_cursor_does_not_fill_the_evidence() -> None:
    first = answers({"results": [], "next_cursor": "\u6f22" * 4_000})
    last = answers({"results": [], "next_cursor": None})
    log = KeptExchanges()
    async with RawService(first, last) as service:
        await connect(service.url).service(log).list("n")
        assert len(service.requests[1]) > 36_000
    assert all(len(one.path) <= LONGEST_PATH for one in log.kept)


class Slowly(httpx.AsyncByteStream):
    """A large body that counts how many of its kind are read at once."""

    at_once = 0
    most = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"results": [], "more": "' + b"x" * SMALL_BODY_BYTES
        Slowly.at_once += 1
        Slowly.most = max(Slowly.most, Slowly.at_once)
        await anyio.lowlevel.checkpoint()
        Slowly.at_once -= 1
        yield b'"}'


async def test_large_bodies_are_read_a_few_at_a_time() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Slowly()))
    service = connect("http://service", transport=transport).service(KeptExchanges())
    async with anyio.create_task_group() as group:
        for number in range(30):
            group.start_soon(service.inspect_surface, "n", f"s{number}", "query")
    assert Slowly.most == MOST_LARGE_BODIES


def test_evidence_over_its_budget_is_one_result_for_each_secret() -> None:
    results: list[JsonValue] = [
        {"id": f"m{n}", "content": "my secret is abcdefgh23"} for n in range(50)
    ]
    kept, reduced = reduce_answer({"results": results}, ["abcdefgh23"], 0)
    assert reduced
    assert isinstance(kept, dict)
    assert kept["results"] == [results[0]]
