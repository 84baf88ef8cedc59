"""OpenAI's own client understands every answer of the stand-in, whole and streamed."""

import json
from itertools import pairwise

import openai
import pytest
from openai.types.responses import ResponseCompletedEvent

from memtru_ci.domain.vectors import cosine, vector_of
from tests.unit.standin_clients import raw_client_of, standin

pytestmark = pytest.mark.anyio

SAID = "Ann's locker code is 4711-kestrel."
USER = {"role": "user", "content": SAID}
REMEMBER = {
    "type": "function",
    "function": {
        "name": "save_memory",
        "description": "Save a memory.",
        "parameters": {
            "type": "object",
            "properties": {"content": {"type": "string"}},
            "required": ["content"],
        },
    },
}
FACTS_SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}


async def test_a_chat_echoes_what_the_user_said() -> None:
    async with standin() as (_, client):
        answer = await client.chat.completions.create(model="any", messages=[USER])
    assert answer.choices[0].message.content == SAID
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == "any"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_a_streamed_chat_is_the_same_as_a_whole_one() -> None:
    async with standin() as (_, client):
        stream = await client.chat.completions.create(
            model="any", messages=[USER], stream=True, stream_options={"include_usage": True}
        )
        chunks = [one async for one in stream]
        whole = await client.chat.completions.create(model="any", messages=[USER])
    said = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert said == SAID
    assert len(chunks) > 4
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage == whole.usage
    assert not any(one.usage for one in chunks[:-1])


async def test_a_stream_has_no_usage_that_nobody_asked_for() -> None:
    async with standin() as (_, client):
        stream = await client.chat.completions.create(model="any", messages=[USER], stream=True)
        assert not any([one.usage async for one in stream])


async def test_a_tool_that_must_be_called_gets_the_statement() -> None:
    async with standin() as (_, client):
        answer = await client.chat.completions.create(
            model="any", messages=[USER], tools=[REMEMBER], tool_choice="required"
        )
    (call,) = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert call.function.name == "save_memory"
    assert json.loads(call.function.arguments) == {"content": SAID}
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.choices[0].message.content is None


async def test_a_streamed_tool_call_comes_in_pieces_that_fit() -> None:
    async with (
        standin() as (_, client),
        client.chat.completions.stream(
            model="any", messages=[USER], tools=[REMEMBER], tool_choice="required"
        ) as stream,
    ):
        final = await stream.get_final_completion()
    (call,) = final.choices[0].message.tool_calls or []
    assert json.loads(call.function.arguments) == {"content": SAID}
    assert call.function.name == "save_memory"


async def test_a_chat_with_a_schema_is_answered_in_its_form() -> None:
    form = {
        "type": "json_schema",
        "json_schema": {"name": "facts", "schema": FACTS_SCHEMA, "strict": True},
    }
    async with standin() as (_, client):
        answer = await client.chat.completions.create(
            model="any", messages=[USER], response_format=form
        )
    assert json.loads(answer.choices[0].message.content or "") == {"facts": [SAID]}


async def test_a_response_echoes_its_input_whichever_form_it_has() -> None:
    async with standin() as (_, client):
        plain = await client.responses.create(model="any", input=SAID, instructions="Be kind.")
        items = await client.responses.create(
            model="any",
            input=[{"role": "user", "content": [{"type": "input_text", "text": SAID}]}],
        )
    assert plain.output_text == items.output_text == SAID
    assert plain.status == "completed"
    assert plain.instructions == "Be kind."


async def test_a_response_with_a_schema_is_answered_in_its_form() -> None:
    form = {"format": {"type": "json_schema", "name": "facts", "schema": FACTS_SCHEMA}}
    async with standin() as (_, client):
        answer = await client.responses.create(model="any", input=SAID, text=form)
    assert json.loads(answer.output_text) == {"facts": [SAID]}


async def test_a_response_calls_the_tool_and_then_takes_its_result() -> None:
    tool = {"type": "function", **REMEMBER["function"], "strict": None}
    async with standin() as (_, client):
        first = await client.responses.create(model="any", input=SAID, tools=[tool])
        (call,) = first.output
        assert call.type == "function_call"
        assert json.loads(call.arguments) == {"content": SAID}
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "saved"}
        items = [USER, call.model_dump(exclude_none=True), result]
        second = await client.responses.create(model="any", input=items, tools=[tool])
    assert second.output_text == SAID


@pytest.mark.parametrize("has_tool", [False, True])
async def test_a_streamed_response_ends_with_the_whole_one(has_tool: bool) -> None:
    tools = [{"type": "function", **REMEMBER["function"], "strict": None}] if has_tool else []
    async with standin() as (_, client):
        stream = await client.responses.create(model="any", input=SAID, tools=tools, stream=True)
        events = [one async for one in stream]
    assert [one.sequence_number for one in events] == list(range(len(events)))
    last = events[-1]
    assert isinstance(last, ResponseCompletedEvent)
    told = "".join(one.delta for one in events if one.type.endswith(".delta"))
    if has_tool:
        assert json.loads(told) == {"content": SAID}
        assert last.response.output[0].type == "function_call"
    else:
        assert told == last.response.output_text == SAID


async def test_the_clients_own_reader_puts_a_streamed_response_together() -> None:
    async with (
        standin() as (_, client),
        client.responses.stream(model="any", input=SAID) as stream,
    ):
        final = await stream.get_final_response()
    assert final.output_text == SAID


async def test_embeddings_are_those_of_the_vector_function() -> None:
    async with standin() as (_, client):
        one = await client.embeddings.create(model="any", input=SAID)
        several = await client.embeddings.create(
            model="any", input=[SAID, "tea"], dimensions=8, encoding_format="float"
        )
        packed = await client.embeddings.create(
            model="any", input=[SAID, "tea"], dimensions=8, encoding_format="base64"
        )
    assert one.data[0].embedding == pytest.approx(vector_of(SAID, 64), abs=1e-6)
    assert [each.embedding for each in several.data] == [vector_of(SAID, 8), vector_of("tea", 8)]
    assert [each.index for each in packed.data] == [0, 1]
    assert isinstance(packed.data[0].embedding, str)


async def test_arrays_of_tokens_have_vectors_that_are_near_when_they_share_tokens() -> None:
    tokens = [[11, 22, 33, 44], [11, 22, 33, 55], [77, 88, 99, 66]]
    async with standin() as (_, client):
        alone = await client.embeddings.create(model="any", input=tokens[0])
        all_three = await client.embeddings.create(model="any", input=tokens)
    first, second, third = (one.embedding for one in all_three.data)
    assert alone.data[0].embedding == first
    assert cosine(first, second) > cosine(first, third) + 0.2


async def test_any_model_exists_and_a_few_are_listed() -> None:
    async with standin() as (_, client):
        listed = [one.id async for one in client.models.list()]
        model = await client.models.retrieve("acme/any-model")
    assert "gpt-4o-mini" in listed
    assert model.id == "acme/any-model"


@pytest.mark.parametrize("path", ["/chat/completions", "/v1/chat/completions"])
async def test_the_paths_answer_with_and_without_the_version(path: str) -> None:
    async with standin() as (server, _), raw_client_of(server) as client:
        answer = await client.post(path, json={"messages": [USER]})
        assert answer.status_code == 200, answer.text
        for other in ("/models", "/v1/models", "/v1/models/"):
            assert (await client.get(other)).json()["object"] == "list"


async def test_equal_questions_have_equal_answers_under_ids_of_their_own() -> None:
    async with standin() as (_, client):
        one, other = [
            await client.chat.completions.create(model="any", messages=[USER]) for _ in range(2)
        ]
    assert one.id != other.id
    assert one.model_copy(update={"id": other.id}) == other


async def test_what_is_refused_is_an_error_of_the_client() -> None:
    async with standin() as (_, client):
        with pytest.raises(openai.BadRequestError) as caught:
            await client.chat.completions.create(model="any", messages=[])
        assert caught.value.param == "messages"
        with pytest.raises(openai.BadRequestError, match="dimensions"):
            await client.embeddings.create(model="any", input="x", dimensions=100_000)
        with pytest.raises(openai.NotFoundError):
            await client.images.generate(model="any", prompt="x")


def test_a_text_comes_in_pieces_that_are_together_the_text() -> None:
    from memtru_ci.standin.rendering import pieces_of

    for text in ("", "a", "a" * 9, SAID * 50):
        pieces = list(pieces_of(text))
        assert "".join(pieces) == text
        assert len(pieces) <= 8
        assert all(len(one) == len(two) for one, two in pairwise(pieces[:-1]))
