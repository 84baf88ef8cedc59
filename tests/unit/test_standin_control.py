"""Answers are held while the gate wants them held, and everything about it is counted."""

from functools import partial
from typing import Any

import anyio
import httpx
import openai
import pytest
from openai import AsyncOpenAI

from memtru_ci.standin.control import Control
from memtru_ci.standin.held import Held
from tests.unit.standin_clients import client_of, raw_client_of, standin, until

pytestmark = pytest.mark.anyio

SECRET = "abcdefghjkmnpqrstuvw"
SHOWING = f"Please remember: my access phrase is {SECRET}."


async def _ask(client: AsyncOpenAI, text: str) -> str:
    messages: Any = [{"role": "user", "content": text}]
    answer = await client.chat.completions.create(model="any", messages=messages)
    return answer.choices[0].message.content or ""


async def _until_parked(held: Held, count: int) -> None:
    await until(lambda: held.parked == count)


async def test_only_the_answer_that_shows_the_secret_waits_until_it_is_released() -> None:
    answers: list[str] = []

    async def ask(client: AsyncOpenAI, text: str) -> None:
        answers.append(await _ask(client, text))

    async with standin() as (server, client):
        held = server.control.hold(SECRET)
        async with anyio.create_task_group() as tasks:
            before = server.control.now()
            tasks.start_soon(ask, client, SHOWING)
            sighting = await held.seen(5)
            assert sighting is not None
            assert before <= sighting.at <= server.control.now()
            await _until_parked(held, 1)
            assert await _ask(client, "something else") == "something else"
            assert answers == []
            held.release()
        assert answers == [SHOWING]
        assert (held.requests, held.retries, held.parked, held.lapsed) == (1, 0, 0, 0)
        assert await _ask(client, SHOWING) == SHOWING
        assert held.requests == 2


async def test_a_sighting_tells_which_request_it_was_and_nothing_of_its_text() -> None:
    async with standin() as (server, client):
        with server.control.hold(SECRET) as held:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_ask, client, SHOWING)
                sighting = await held.seen(5)
                held.release()
        (logged,) = server.control.log.since(0)
        assert sighting is not None
        assert (sighting.number, sighting.path) == (logged.number, "/v1/chat/completions")
        assert sighting.body_hash == logged.body_hash
        assert len(sighting.body_hash) == 64
        assert SECRET not in repr(sighting) + repr(held)


@pytest.mark.parametrize(
    "text", [SECRET.upper(), "-".join(SECRET), "\uff41\uff42\uff43" + SECRET[3:], f"x{SECRET}x"]
)
async def test_the_secret_is_found_however_it_is_written(text: str) -> None:
    async with standin() as (server, client):
        held = server.control.hold(SECRET)
        held.release()
        await client.embeddings.create(model="any", input=["other", text])
        assert held.requests == 1


async def test_the_secret_is_found_where_json_escapes_it_and_in_every_place() -> None:
    escaped = "".join(f"\\u{ord(one):04x}" for one in SECRET)
    bodies = [
        f'{{"input": "{escaped}"}}',
        f'{{"input": "x", "user": "{SECRET}"}}',
        f'{{"input": "x", "metadata": {{"{SECRET}": 1}}}}',
    ]
    async with standin() as (server, _), raw_client_of(server) as client:
        held = server.control.hold(SECRET)
        held.release()
        for body in bodies:
            assert (await client.post("/v1/embeddings", content=body)).status_code == 200
        assert held.requests == len(bodies)


async def test_a_secret_that_is_never_shown_is_not_seen() -> None:
    async with standin() as (server, client):
        held = server.control.hold(SECRET)
        await _ask(client, "something else")
        assert await held.seen(0.01) is None
        assert held.requests == 0


async def test_a_secret_without_a_letter_cannot_be_held() -> None:
    with pytest.raises(ValueError, match="letter"):
        Control().hold(" .-")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, openai.InternalServerError),
        (429, openai.RateLimitError),
        (401, openai.AuthenticationError),
    ],
)
async def test_a_held_answer_can_be_an_error_and_the_next_is_given(
    status: int, error: type[openai.APIStatusError]
) -> None:
    async def refused(client: AsyncOpenAI) -> None:
        with pytest.raises(error, match="told to fail"):
            await _ask(client, SHOWING)

    async with standin() as (server, client):
        held = server.control.hold(SECRET)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(refused, client)
            await _until_parked(held, 1)
            held.fail(status)
        assert await _ask(client, SHOWING) == SHOWING
        assert (held.requests, held.retries) == (2, 1)


async def test_a_lasting_failure_meets_later_requests_until_the_release() -> None:
    async with standin() as (server, client):
        held = server.control.hold(SECRET)
        held.fail(503, lasting=True)
        for _ in range(2):
            with pytest.raises(openai.InternalServerError):
                await _ask(client, SHOWING)
        held.release()
        assert await _ask(client, SHOWING) == SHOWING


async def test_a_client_that_times_out_and_comes_back_is_counted_and_answered() -> None:
    async with standin(retries=1) as (server, client):
        held = server.control.hold(SECRET)
        asking = client.with_options(timeout=0.15)
        answers: list[str] = []

        async def ask() -> None:
            answers.append(await _ask(asking, SHOWING))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await _until_parked(held, 1)
            held.time_out()
        assert answers == [SHOWING]
        assert (held.requests, held.retries, held.parked) == (2, 1, 0)
        first, second = server.control.log.since(0)
        assert (first.status, second.status) == (None, 200)
        assert (first.is_retry, second.is_retry) == (False, True)


async def test_an_answer_that_never_comes_ends_with_504_after_the_longest_hold() -> None:
    async with standin(Control(longest_hold_s=0.05)) as (server, client):
        held = server.control.hold(SECRET)
        held.time_out()
        assert await _ask(client, SHOWING) == SHOWING
        held = server.control.hold("zyxwvutsrq")

        async def ask() -> None:
            with pytest.raises(openai.InternalServerError) as caught:
                await _ask(client, "zyxwvutsrq")
            assert caught.value.status_code == 504

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await _until_parked(held, 1)
            held.time_out()
        assert held.lapsed == 0


async def test_a_held_answer_is_given_by_itself_after_the_longest_hold() -> None:
    async with standin(Control(longest_hold_s=0.05)) as (server, client):
        held = server.control.hold(SECRET)
        assert await _ask(client, SHOWING) == SHOWING
        assert (held.lapsed, held.parked) == (1, 0)


async def test_a_client_that_leaves_while_it_waits_leaves_nothing_behind() -> None:
    async with standin() as (server, _):
        held = server.control.hold(SECRET)
        async with client_of(server) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(_ask, client, SHOWING)
            await _until_parked(held, 1)
            tasks.cancel_scope.cancel()
        await _until_parked(held, 0)
        (logged,) = server.control.log.since(0)
        assert server.control.log.lacks_answer(logged.path, logged.body_hash)
        assert logged.status is None


async def test_two_holds_wait_for_their_own_secrets() -> None:
    async with standin() as (server, client):
        one, other = server.control.hold(SECRET), server.control.hold("zyxwvutsrq")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_ask, client, SHOWING)
            tasks.start_soon(_ask, client, "zyxwvutsrq")
            tasks.start_soon(_ask, client, f"{SECRET} zyxwvutsrq")
            await until(lambda: (one.requests, other.requests) == (2, 2))
            one.release()
            await _until_parked(other, 2)
            other.release()
        assert one.parked == other.parked == 0


async def test_leaving_a_hold_releases_it_also_when_the_trial_ends_early() -> None:
    async with standin() as (server, client):
        answers: list[str] = []

        async def ask() -> None:
            answers.append(await _ask(client, SHOWING))

        async with anyio.create_task_group() as tasks:

            async def end_early() -> None:
                with server.control.hold(SECRET) as held:
                    tasks.start_soon(ask)
                    await _until_parked(held, 1)
                    raise ZeroDivisionError

            with pytest.raises(ZeroDivisionError):
                await end_early()
        assert answers == [SHOWING]


async def test_while_the_model_is_down_every_request_fails_and_is_counted() -> None:
    async with standin() as (server, client):
        with server.control.fail_all(503) as outage:
            with pytest.raises(openai.InternalServerError):
                await _ask(client, "x")
            with pytest.raises(openai.InternalServerError):
                await client.embeddings.create(model="any", input="x")
            with pytest.raises(openai.InternalServerError):
                await client.models.retrieve("any")
        assert outage.requests == 3
        assert await _ask(client, "x") == "x"
        assert outage.requests == 3


async def test_a_model_that_does_not_answer_lets_its_clients_time_out() -> None:
    async with standin() as (server, client):
        with server.control.fail_all("timeout") as outage, pytest.raises(openai.APITimeoutError):
            await _ask(client.with_options(timeout=0.05), "x")
        assert outage.requests == 1
        assert await _ask(client, "x") == "x"


async def test_an_equal_question_after_a_whole_answer_is_no_retry() -> None:
    async with standin() as (server, client):
        for _ in range(2):
            await _ask(client, SHOWING)
        assert [one.is_retry for one in server.control.log.since(0)] == [False, False]


async def test_an_equal_body_after_a_failure_is_a_retry_whatever_the_client() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        for failing in (True, False, False):
            outage = server.control.fail_all(500)
            if not failing:
                outage.end()
            with outage:
                await client.post("/v1/embeddings", json={"input": "x"})
        assert [one.is_retry for one in server.control.log.since(0)] == [False, True, False]


async def test_prompts_are_what_a_model_is_shown() -> None:
    async with standin() as (server, client):
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": "save", "arguments": '{"x": "argued"}'},
        }
        messages: Any = [
            {"role": "system", "content": "instructed"},
            {"role": "user", "content": [{"type": "text", "text": "said"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "returned", "tool_call_id": "c1"},
        ]
        await client.chat.completions.create(model="any", messages=messages)
        await client.responses.create(model="any", input="asked", instructions="told")
        await client.embeddings.create(model="any", input="embedded")
        chat, response, embedding = server.control.log.since(0)
    for text in ("instructed", "said", "returned", '{"x": "argued"}'):
        assert text in chat.prompts
    assert response.prompts == ("told", "asked")
    assert embedding.prompts == ()


async def test_a_request_is_logged_with_when_it_began_and_how_it_ended() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        before = server.control.now()
        await client.post("/v1/embeddings", json={"input": "x"})
        await client.get("/v1/other")
        await client.post("/v1/embeddings", content="no json")
        log = server.control.log
        await until(lambda: all(one.status for one in log.since(0)))
    assert [(one.method, one.path, one.status) for one in log.since(0)] == [
        ("POST", "/v1/embeddings", 200),
        ("GET", "/v1/other", 404),
        ("POST", "/v1/embeddings", 400),
    ]
    assert all(before <= one.started_at <= server.control.now() for one in log.since(0))
    assert [one.number for one in log.since(1)] == [2, 3]


async def test_a_closed_stand_in_answers_503() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        server.control.close()
        answer: httpx.Response = await client.post("/v1/embeddings", json={"input": "x"})
    assert answer.status_code == 503


async def test_a_body_that_was_held_and_answered_counts_as_a_retry_when_it_comes_again() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        held = server.control.hold(SECRET)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(client.post, "/v1/embeddings", json={"input": SECRET}))
            await _until_parked(held, 1)
            held.release()
        await client.post("/v1/embeddings", json={"input": SECRET})
        await client.post("/v1/embeddings", json={"input": f"another {SECRET}"})
        assert [one.is_retry for one in held.sightings] == [False, True, False]


async def test_a_retry_that_the_client_counts_is_one_although_its_body_is_new() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        for count in ("0", "1", "00", "²", "x"):
            headers = {"x-stainless-retry-count": count.encode()}
            await client.post("/v1/embeddings", json={"input": count}, headers=headers)
        retries = [one.is_retry for one in server.control.log.since(0)]
    assert retries == [False, True, False, False, False]


async def test_an_answer_that_was_never_to_come_does_not_come_when_the_hold_is_left() -> None:
    statuses: list[int] = []

    async def ask(client: httpx.AsyncClient) -> None:
        statuses.append((await client.post("/v1/embeddings", json={"input": SECRET})).status_code)

    async with standin() as (server, _), raw_client_of(server) as client:
        async with anyio.create_task_group() as tasks:
            with server.control.hold(SECRET) as held:
                tasks.start_soon(ask, client)
                await _until_parked(held, 1)
                held.time_out()
        assert statuses == [504]
