"""`POST /responses`: a reply as a response, whole or as a stream of events."""

from collections.abc import Iterator

from pydantic import JsonValue

from memtru_ci.standin.asked import Asked, asked_of_responses
from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.extraction import Reply, reply_to
from memtru_ci.standin.rendering import CREATED, Ticket, event, model_of, pieces_of, tokens_in

_SHOWN_AGAIN = ("instructions", "metadata", "previous_response_id", "temperature", "top_p")


def respond(body: JsonObject, ticket: Ticket) -> JsonObject | list[bytes]:
    """The response, or the events of its stream. Raises `ApiFault`."""
    asked = asked_of_responses(body)
    reply = reply_to(asked)
    if body.get("stream") is not True:
        return _whole(body, ticket, asked, reply)
    events = enumerate(_events(body, ticket, asked, reply))
    return [
        event({**data, "type": name, "sequence_number": index}, name)
        for index, (name, data) in events
    ]


def _events(
    body: JsonObject, ticket: Ticket, asked: Asked, reply: Reply
) -> Iterator[tuple[str, JsonObject]]:
    whole = _whole(body, ticket, asked, reply)
    begun: JsonObject = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(_items(reply, ticket)):
        place: JsonObject = {"output_index": index, "item_id": item["id"]}
        calls = item["type"] == "function_call"
        empty: JsonObject = {"arguments": ""} if calls else {"content": []}
        opening: JsonValue = {**item, **empty, "status": "in_progress"}
        yield "response.output_item.added", {"output_index": index, "item": opening}
        if calls:
            yield from _arguments(place, reply.calls[index].name, reply.calls[index].arguments)
        else:
            yield from _text(place, reply.text)
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield "response.completed", {"response": whole}


def _text(place: JsonObject, text: str) -> Iterator[tuple[str, JsonObject]]:
    place = {**place, "content_index": 0}
    yield "response.content_part.added", {**place, "part": _part("")}
    for piece in pieces_of(text):
        yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**place, "text": text, "logprobs": []}
    yield "response.content_part.done", {**place, "part": _part(text)}


def _arguments(place: JsonObject, name: str, arguments: str) -> Iterator[tuple[str, JsonObject]]:
    for piece in pieces_of(arguments):
        yield "response.function_call_arguments.delta", {**place, "delta": piece}
    done: JsonObject = {**place, "name": name, "arguments": arguments}
    yield "response.function_call_arguments.done", done


def _whole(body: JsonObject, ticket: Ticket, asked: Asked, reply: Reply) -> JsonObject:
    text = body.get("text")
    tools = body.get("tools")
    return {
        **{key: body.get(key) for key in _SHOWN_AGAIN},
        "id": ticket.name("resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": model_of(body),
        "output": [*_items(reply, ticket)],
        "parallel_tool_calls": not asked.is_one_call,
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": tools if isinstance(tools, list) else [],
        "text": text if isinstance(text, dict) else {"format": {"type": "text"}},
        "truncation": "disabled",
        "usage": _usage(asked, reply),
    }


def _items(reply: Reply, ticket: Ticket) -> list[JsonObject]:
    if reply.calls:
        return [
            {
                "id": ticket.name("fc_", index),
                "type": "function_call",
                "status": "completed",
                "call_id": ticket.name("call_", index),
                "name": one.name,
                "arguments": one.arguments,
            }
            for index, one in enumerate(reply.calls)
        ]
    message: JsonObject = {
        "id": ticket.name("msg_"),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [_part(reply.text)],
    }
    return [message]


def _part(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(asked: Asked, reply: Reply) -> dict[str, JsonValue]:
    shown = tokens_in(asked.text)
    said = tokens_in(reply.text + "".join(one.arguments for one in reply.calls))
    return {
        "input_tokens": shown,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": shown + said,
    }
