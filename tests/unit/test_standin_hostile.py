"""Requests that mean harm: each gets an error in its form, soon, and the next is answered."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx
import pytest

from memtru_ci.standin import body as body_of
from memtru_ci.standin.app import StandIn
from memtru_ci.standin.asked import asked_of_chat
from memtru_ci.standin.body import MAX_BODY_BYTES
from memtru_ci.standin.existing import existing_in
from memtru_ci.standin.extraction import reply_to
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.shapes import Filling
from memtru_ci.standin.statements import MOST_STATEMENTS, statements_in
from tests.unit.standin_clients import raw_client_of, standin, until

pytestmark = pytest.mark.anyio

CHAT = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"
SOON_S = 10
"""Far more than anything linear takes here, far less than anything quadratic."""


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(StandIn(dimensions=8))
    async with httpx.AsyncClient(transport=transport, base_url="http://standin") as client:
        yield client


def _error(answer: httpx.Response) -> str:
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return str(error["message"])


NOT_BODIES = {
    "nothing": b"",
    "no JSON": b"hello <script>",
    "half": b'{"messages": [',
    "no UTF-8": b'{"input": "\xff\xfe"}',
    "a list": b"[1]",
    "a text": b'"x"',
    "no number": b'{"input": NaN}',
    "a number without end": b'{"input": [' + b"9" * 6000 + b"]}",
    "deep lists": b'{"input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
}


@pytest.mark.parametrize("path", [CHAT, "/v1/responses", EMBEDDINGS])
@pytest.mark.parametrize("name", NOT_BODIES)
async def test_what_is_no_body_is_refused(client: httpx.AsyncClient, name: str, path: str) -> None:
    answer = await client.post(path, content=NOT_BODIES[name])
    assert answer.status_code == 400
    assert "script" not in _error(answer)
    assert (await client.post(EMBEDDINGS, json={"input": "x"})).status_code == 200


@pytest.mark.parametrize(
    ("path", "given"),
    [
        (CHAT, {}),
        (CHAT, {"messages": "x"}),
        (CHAT, {"messages": [1]}),
        (CHAT, {"messages": [{"content": "x"}]}),
        (CHAT, {"messages": [{"role": "user", "content": "x"}], "tools": 1}),
        (CHAT, {"messages": [{"role": "user"}], "tools": [{"type": "function"}]}),
        ("/v1/responses", {}),
        ("/v1/responses", {"input": []}),
        ("/v1/responses", {"input": [None]}),
        (EMBEDDINGS, {}),
        (EMBEDDINGS, {"input": []}),
        (EMBEDDINGS, {"input": {"a": 1}}),
        (EMBEDDINGS, {"input": [[]]}),
        (EMBEDDINGS, {"input": [["x"]]}),
        (EMBEDDINGS, {"input": [-1]}),
        (EMBEDDINGS, {"input": [True]}),
        (EMBEDDINGS, {"input": "x", "dimensions": True}),
        (EMBEDDINGS, {"input": "x", "dimensions": 0}),
        (EMBEDDINGS, {"input": "x", "encoding_format": "hex"}),
        (EMBEDDINGS, {"input": "x", "encoding_format": []}),
        (EMBEDDINGS, {"input": ["x"] * 2049}),
        (EMBEDDINGS, {"input": ["x"] * 2048, "dimensions": 8192}),
        (EMBEDDINGS, {"input": "x" * 1_200_001}),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused(
    client: httpx.AsyncClient, path: str, given: Any
) -> None:
    answer = await client.post(path, json=given)
    assert answer.status_code == 400
    assert _error(answer)


@pytest.mark.parametrize(
    "extra",
    [
        {"tools": [1, {"type": "other"}], "tool_choice": "required"},
        {"tools": [], "tool_choice": {"type": "auto"}},
        {"response_format": "x", "stream_options": 3, "model": 7, "stream": "yes"},
        {"response_format": {"type": "json_schema"}},
        {"response_format": {"type": "json_schema", "json_schema": {"schema": [1]}}},
    ],
)
async def test_fields_of_the_wrong_kind_do_not_stop_an_answer(
    client: httpx.AsyncClient, extra: Any
) -> None:
    answer = await client.post(CHAT, json={"messages": [{"role": "user", "content": "x"}], **extra})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1", 404),
        ("GET", CHAT, 405),
        ("DELETE", "/v1/models/x", 405),
        ("POST", "/v1/v1/embeddings", 404),
        ("GET", "/v1/modelsx", 404),
        ("GET", "/" + "x" * 5000, 404),
        ("GET", "/%00%1b[31m", 404),
        ("BREW", "/v1/models", 405),
    ],
)
async def test_other_paths_and_methods_are_refused(
    client: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert _error(answer)


async def test_a_body_that_is_too_large_is_refused_over_a_real_connection() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(MAX_BODY_BYTES // 65_536 + 2):
                yield b"x" * 65_536

        try:
            answer = await client.post(CHAT, content=endless())
            assert answer.status_code == 413
            assert str(MAX_BODY_BYTES) in _error(answer)
        except httpx.WriteError:
            # The connection was closed while the client was still writing.
            pass
        assert (await client.get("/v1/models")).status_code == 200
        assert server.control.log.since(0)[0].status == 413


async def test_a_body_of_the_largest_size_is_read() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        frame = json.dumps({"messages": [{"role": "user", "content": ""}]})
        body = frame.replace('""', f'"{"ü" * ((MAX_BODY_BYTES - len(frame)) // 2)}"')
        held = server.control.hold("nowhere")
        answer = await client.post(CHAT, content=body.encode(), timeout=30)
        assert answer.status_code == 200
        assert held.requests == 0


async def test_a_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_of, "BODY_DEADLINE_S", 0.05)
    async with standin() as (server, _):
        port = int(server.url.rsplit(":", 1)[1])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            head = b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"
            await stream.send(head)
            with anyio.fail_after(5):
                answer = await stream.receive()
    assert b" 408 " in answer


async def test_a_client_that_leaves_in_the_middle_of_a_body_leaves_nothing_behind() -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        port = int(server.url.rsplit(":", 1)[1])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(
                b"POST /v1/embeddings HTTP/1.1\r\nHost: [\r\nContent-Length: 9\r\n\r\n{"
            )
        await until(lambda: server.control.log.count == 1)
        (logged,) = server.control.log.since(0)
        assert (logged.body_hash, logged.is_retry) == ("", False)
        assert (await client.get("/v1/models")).status_code == 200


async def test_lone_surrogates_are_answered_as_they_came(client: httpx.AsyncClient) -> None:
    body = b'{"messages": [{"role": "user", "content": "a\\ud800b"}], "input": "\\udfff"}'
    answer = await client.post(CHAT, content=body)
    assert b"a\\ud800b" in answer.content
    assert (await client.post(EMBEDDINGS, content=body)).status_code == 200


SELF: dict[str, Any] = {"$ref": "#"}
BOMBS: dict[str, dict[str, Any]] = {
    "refers to itself": {"properties": {"a": SELF}, "required": ["a"]},
    "only a reference": SELF,
    "twice itself": {"properties": {"a": SELF, "b": SELF}, "required": ["a", "b"]},
    "lists of itself": {"type": "array", "items": SELF, "minItems": 10_000},
    "all of itself": {"allOf": [SELF] * 1000, "required": ["a"] * 1000},
    "many items": {"type": "array", "items": {"type": "string"}, "minItems": 10_000},
    "reference to nowhere": {"$ref": "#/$defs/x"},
    "reference to the web": {"$ref": "https://example.org/schema"},
    "large constant": {"type": "array", "items": {"properties": {"a": {"const": "x" * 10**6}}}},
}

ANSWERED = frozenset({"only a reference"})


@pytest.mark.parametrize("name", BOMBS)
def test_a_schema_that_would_explode_is_refused_or_answered_small(name: str) -> None:
    statements = [f"{index}" * 10_000 for index in range(50)]
    began = time.monotonic()
    if name in ANSWERED:
        assert len(json.dumps(Filling().fill(BOMBS[name], statements))) < 2 * MAX_BODY_BYTES
    else:
        with pytest.raises(ApiFault, match=r"too large|too deeply|nowhere"):
            Filling().fill(BOMBS[name], statements)
    assert time.monotonic() - began < SOON_S


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 3, "enum": 3, "anyOf": 3, "allOf": 3, "required": 3, "properties": 3},
        {"type": [], "enum": [], "anyOf": [], "allOf": [], "items": 1},
        {"type": "object", "properties": {"a": 1, "b": None}, "required": [[], {}, "a"]},
        {"type": "array", "items": [1], "minItems": -1, "maxItems": "x"},
        {"anyOf": [1, "x"], "allOf": [None]},
        {"type": "string", "maxLength": -4, "format": []},
        {"type": [{}], "minimum": "x"},
    ],
)
def test_a_schema_that_is_none_is_answered_anyhow(schema: Any) -> None:
    json.dumps(Filling().fill(schema, ["x"]))


PROMPTS = {
    "equal signs": "=" * 500_000,
    "braces": "{" * 250_000,
    "nested examples": '{"a":' * 50_000,
    "closings": "</session>" * 50_000,
    "openings": "<conversation>" * 50_000,
    "labels": "user: x\n" * 50_000,
    "blanks": " " * 500_000 + "x",
    "instances": '<instance id=a schema_type="x">\n' * 50_000,
    "backticks": "```\n" * 80_000,
    "sections": "## New Messages\n" * 100_000,
    "brackets": "[" * 250_000,
}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_hostile_prompt_is_read_in_little_time(name: str) -> None:
    prompt = PROMPTS[name] + ' "memory" "event" retrieved facts'
    tool = {"name": "P", "parameters": {"properties": {"json_doc_id": {}, "patches": {}}}}
    began = time.monotonic()
    for extra in (
        {"response_format": {"type": "json_object"}},
        {"tools": [{"type": "function", "function": tool}], "tool_choice": "required"},
    ):
        for end in ("", "## New Messages"):
            messages: Any = [{"role": "user", "content": prompt + end}]
            reply_to(asked_of_chat({"messages": messages, **extra}))
    assert time.monotonic() - began < SOON_S


@pytest.mark.parametrize(
    "text", ["[" + "'\\\"" * 150_000, "['" + '\\"' * 50_000 + "\\", "['a' " * 90_000]
)
def test_a_hostile_list_is_read_in_little_time(text: str) -> None:
    began = time.monotonic()
    existing_in(text)
    assert time.monotonic() - began < SOON_S


def test_a_transcript_has_a_bounded_number_of_statements() -> None:
    text = "".join(f"user: {index}\n" for index in range(1000))
    assert len(statements_in(text)) == MOST_STATEMENTS


async def test_large_bodies_at_once_are_refused_before_they_fill_the_memory(
    client: httpx.AsyncClient,
) -> None:
    going_on = anyio.Event()
    large = b'{"input": "' + b"a" * (MAX_BODY_BYTES - 100)
    ended: list[int] = []

    async def parts() -> AsyncIterator[bytes]:
        yield large
        await going_on.wait()
        yield b'"}'

    async def post() -> None:
        ended.append((await client.post(EMBEDDINGS, content=parts())).status_code)

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(post)
        await until(lambda: len(ended) == 2)
        assert ended == [503, 503]
        going_on.set()

    assert len(ended) == 6
    assert 503 not in ended[2:]
    assert (await client.post(EMBEDDINGS, json={"input": "b"})).status_code == 200
