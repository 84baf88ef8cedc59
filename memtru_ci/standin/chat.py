"""`POST /chat/completions`: a reply as a completion, whole or as a stream of chunks."""

from collections.abc import Iterator

from pydantic import JsonValue

from memtru_ci.standin.asked import Asked, asked_of_chat
from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.extraction import Reply, reply_to
from memtru_ci.standin.rendering import CREATED, Ticket, event, model_of, pieces_of, tokens_in


def complete(body: JsonObject, ticket: Ticket) -> JsonObject | list[bytes]:
    """The completion, or the events of its stream. Raises `ApiFault`."""
    asked = asked_of_chat(body)
    reply = reply_to(asked)
    if body.get("stream") is True:
        return list(_stream(body, ticket, asked, reply))
    message: JsonObject = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [*_calls(reply, ticket)]
    else:
        message["content"] = reply.text
    choice: JsonObject = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _reason(reply),
    }
    return {
        **_head(body, ticket, "chat.completion"),
        "choices": [choice],
        "usage": _usage(asked, reply),
    }


def _stream(body: JsonObject, ticket: Ticket, asked: Asked, reply: Reply) -> Iterator[bytes]:
    options = body.get("stream_options")
    has_usage = isinstance(options, dict) and options.get("include_usage") is True
    head = _head(body, ticket, "chat.completion.chunk")
    if has_usage:
        head["usage"] = None
    yield _chunk(head, {"role": "assistant", "content": None if reply.calls else ""})
    for piece in pieces_of(reply.text):
        yield _chunk(head, {"content": piece})
    for index, call in enumerate(_calls(reply, ticket)):
        arguments = reply.calls[index].arguments
        yield _chunk(
            head,
            {
                "tool_calls": [
                    {
                        **call,
                        "index": index,
                        "function": {"name": reply.calls[index].name, "arguments": ""},
                    }
                ]
            },
        )
        for piece in pieces_of(arguments):
            part: JsonObject = {"index": index, "function": {"arguments": piece}}
            yield _chunk(head, {"tool_calls": [part]})
    yield _chunk(head, {}, _reason(reply))
    if has_usage:
        yield event({**head, "choices": [], "usage": _usage(asked, reply)})
    yield b"data: [DONE]\n\n"


def _chunk(head: JsonObject, delta: JsonObject, reason: str | None = None) -> bytes:
    choice: JsonObject = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return event({**head, "choices": [choice]})


def _head(body: JsonObject, ticket: Ticket, kind: str) -> JsonObject:
    return {
        "id": ticket.name("chatcmpl-"),
        "object": kind,
        "created": CREATED,
        "model": model_of(body),
        "system_fingerprint": None,
    }


def _calls(reply: Reply, ticket: Ticket) -> list[JsonObject]:
    return [
        {
            "id": ticket.name("call_", index),
            "type": "function",
            "function": {"name": one.name, "arguments": one.arguments},
        }
        for index, one in enumerate(reply.calls)
    ]


def _reason(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _usage(asked: Asked, reply: Reply) -> dict[str, JsonValue]:
    shown = tokens_in(asked.text)
    said = tokens_in(reply.text + "".join(one.arguments for one in reply.calls))
    return {"prompt_tokens": shown, "completion_tokens": said, "total_tokens": shown + said}
