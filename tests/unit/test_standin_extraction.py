"""What the stand-in says: what the user said, in the form that is asked for, and nothing else."""

import json
from typing import Any

import pytest

from memtru_ci.standin.asked import asked_of_chat
from memtru_ci.standin.examples import last_example
from memtru_ci.standin.existing import Existing, existing_in, same_as
from memtru_ci.standin.extraction import Reply, reply_to
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.shapes import Filling
from memtru_ci.standin.statements import statements_in

ONE = "Please remember: my access phrase for locker kestrel1 is abc."
TWO = "I like green tea."


def _reply(*said: str, system: str = "", **body: Any) -> Reply:
    messages = [{"role": "system", "content": system}] if system else []
    messages += [{"role": "user", "content": one} for one in said]
    return reply_to(asked_of_chat({"messages": messages, **body}))


def _json_reply(*said: str, **body: Any) -> Any:
    return json.loads(_reply(*said, response_format={"type": "json_object"}, **body).text)


@pytest.mark.parametrize(
    "text",
    [
        f"user: {ONE}\nassistant: Noted.\nuser: {TWO}\n",
        f"Human: {ONE}\nAI: Noted.\nHuman: {TWO}",
        f"Extract facts.\n\nInput:\nuser: {ONE}\nassistant: Noted.\nuser: {TWO}\n\nAnswer in JSON.",
        f"[12:01] User: {ONE}\n[12:02] Assistant: Hm.\n[12:03] User: {TWO}",
        f"- **User**: {ONE}\n- **Assistant**: Hm.\n- **User**: {TWO}",
        json.dumps([{"role": "user", "content": one} for one in (ONE, TWO)]),
        f"Do it.\n<conversation>\nuser: {ONE}\nuser: {TWO}\n</conversation>\nuser: not this",
        f"==== Human Message ====\n\n{ONE}\n\n==== Ai Message ====\n\nHm.\n\n"
        f"==== Human Message ====\n\n{TWO}",
    ],
)
def test_a_transcript_gives_the_users_lines_and_no_others(text: str) -> None:
    assert statements_in(text) == [ONE, TWO]


def test_a_statement_of_several_lines_stays_whole() -> None:
    assert statements_in("user: first\nsecond\nassistant: no") == ["first\nsecond"]


def test_the_last_input_counts_where_others_are_examples() -> None:
    text = f"Input: Hi.\nOutput: {{}}\n\nInput: I am Ann.\nOutput: {{}}\n\nInput: {ONE}\nOutput:"
    assert statements_in(text) == [ONE]


def test_a_text_that_is_no_transcript_is_one_statement() -> None:
    assert statements_in(f"  {ONE} \n") == [ONE]
    assert statements_in("  ") == []


def test_only_the_last_user_message_counts() -> None:
    assert _reply(TWO, ONE).text == ONE


def test_a_question_without_a_user_is_answered_with_nothing() -> None:
    assert reply_to(asked_of_chat({"messages": [{"role": "system", "content": "Hm."}]})).text == ""


def test_the_parts_of_a_message_are_read_together() -> None:
    parts = [{"type": "text", "text": "user: a"}, {"type": "image_url"}, {"type": "text"}]
    asked = asked_of_chat({"messages": [{"role": "user", "content": parts}]})
    assert reply_to(asked).text == "a"


# Forms of answers


SCHEMAS: list[tuple[dict[str, Any], Any]] = [
    ({"type": "array", "items": {"type": "string"}}, [ONE, TWO]),
    (
        {"properties": {"summary": {"type": "string"}, "id": {"type": "string"}}},
        {"summary": f"{ONE}\n{TWO}"},
    ),
    (
        {
            "properties": {
                "memories": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/Memory"},
                }
            },
            "required": ["memories"],
            "$defs": {
                "Memory": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "text": {"type": "string"},
                        "event": {"enum": ["NONE", "DELETE", "ADD"]},
                        "score": {"type": "number", "maximum": 0.5},
                        "is_old": {"type": "boolean"},
                        "rank": {"type": "integer"},
                    },
                    "required": ["id", "text", "event", "score", "is_old", "rank"],
                }
            },
        },
        {
            "memories": [
                {
                    "id": str(index),
                    "text": text,
                    "event": "ADD",
                    "score": 0.5,
                    "is_old": False,
                    "rank": 1,
                }
                for index, text in enumerate((ONE, TWO))
            ]
        },
    ),
    (
        {
            "properties": {
                "content": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "action": {"enum": ["delete", "create"], "type": "string"},
                "id": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]},
            },
            "required": ["action"],
        },
        {"content": f"{ONE}\n{TWO}", "action": "create"},
    ),
    ({"enum": ["low", "high"]}, "low"),
    ({"const": 3}, 3),
    ({"type": ["null", "string"], "maxLength": 6}, ONE[:6]),
    ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, [ONE]),
    ({"type": "array", "items": {"type": "number"}, "minItems": 2}, [1, 1]),
    ({"allOf": [{"type": "object"}, {"properties": {"text": {}}}]}, {"text": f"{ONE}\n{TWO}"}),
    ({"type": "object"}, {}),
    ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
    ({"type": "null"}, None),
]


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS)
def test_a_schema_is_filled_with_the_statements(schema: dict[str, Any], expected: Any) -> None:
    assert Filling().fill(schema, [ONE, TWO]) == expected


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS)
def test_what_fills_a_schema_is_valid_by_it(schema: dict[str, Any], expected: Any) -> None:
    import jsonschema

    jsonschema.validate(Filling().fill(schema, [ONE, TWO]), schema)
    jsonschema.validate(expected, schema)


def test_a_prompt_that_shows_an_example_is_answered_in_its_shape() -> None:
    system = 'Answer as {"notes": [{"note": "…", "tags": ["…"]}], "language": "en", "count": 2}.'
    assert _json_reply(ONE, system=system) == {
        "notes": [{"note": ONE, "tags": [ONE]}],
        "language": ONE,
        "count": 1,
    }


def test_the_last_outermost_example_counts() -> None:
    assert last_example('{"a": 1} then {"b": {"c": 2}} and {} and {broken') == {"b": {"c": 2}}
    assert last_example("no example") is None


def test_json_without_any_shape_holds_the_statements() -> None:
    assert _json_reply(ONE) == {"statements": [ONE]}


# Tools


def _tool(name: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties or {}, "required": list(properties or {})}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TEXT = {"content": {"type": "string"}}
SAVE, SEARCH, DONE = (
    _tool("save_memory", TEXT),
    _tool("search_memory", {"query": {"type": "string"}}),
    _tool("Done"),
)
TALK = f"user: {ONE}\nuser: {TWO}"


def _called(reply: Reply) -> list[tuple[str, Any]]:
    return [(one.name, json.loads(one.arguments)) for one in reply.calls]


def test_a_tool_is_called_once_for_each_statement() -> None:
    assert _called(_reply(TALK, tools=[SAVE], tool_choice="required")) == [
        ("save_memory", {"content": ONE}),
        ("save_memory", {"content": TWO}),
    ]


def test_a_tool_that_takes_a_list_is_called_once() -> None:
    many = _tool("add_observations", {"contents": {"type": "array", "items": {"type": "string"}}})
    assert _called(_reply(TALK, tools=[many])) == [("add_observations", {"contents": [ONE, TWO]})]


def test_only_one_call_where_calls_must_not_be_parallel() -> None:
    reply = _reply(TALK, tools=[SAVE], tool_choice="required", parallel_tool_calls=False)
    assert _called(reply) == [("save_memory", {"content": f"{ONE}\n{TWO}"})]


def test_the_tool_that_is_named_is_called() -> None:
    choice = {"type": "function", "function": {"name": "search_memory"}}
    reply = _reply(ONE, tools=[SAVE, SEARCH], tool_choice=choice)
    assert _called(reply) == [("search_memory", {"query": ONE})]


def test_where_the_choice_is_free_only_a_tool_that_writes_memory_is_called() -> None:
    assert _called(_reply(ONE, tools=[SEARCH, SAVE])) == [("save_memory", {"content": ONE})]
    assert _reply(ONE, tools=[SEARCH]) == Reply(ONE)
    assert _reply(ONE, tools=[SAVE], tool_choice="none") == Reply(ONE)


def test_after_the_result_of_a_tool_no_further_one_is_called_unless_it_must_be() -> None:
    messages = [{"role": "user", "content": ONE}, {"role": "tool", "content": "saved"}]
    body: dict[str, Any] = {"messages": messages, "tools": [SAVE, DONE]}
    assert reply_to(asked_of_chat(body)) == Reply(ONE)
    must = reply_to(asked_of_chat({**body, "tool_choice": "required"}))
    assert _called(must) == [("Done", {})]


def test_a_named_tool_that_is_not_there_is_refused() -> None:
    choice = {"type": "function", "function": {"name": "other"}}
    with pytest.raises(ApiFault, match="not there"):
        _reply(ONE, tools=[SAVE], tool_choice=choice)


# Known prompts


def test_new_messages_are_extracted_and_not_what_is_shown_beside_them() -> None:
    prompt = (
        "## Last k Messages\nuser: an old secret\n\n## Existing Memories\n"
        f'[{{"id": "0", "text": "{TWO}"}}]\n\n## New Messages\nuser: {ONE}\nassistant: Hm.\n\n\n'
        "## Observation Date\n2026-01-01\n\n# Output:"
    )
    answer = _json_reply(prompt, system='{"memory": [{"id": "0", "text": "First"}]}')
    assert answer == {"memory": [{"id": "0", "text": ONE, "attributed_to": "user"}]}


def test_new_messages_may_be_json() -> None:
    listed = json.dumps([{"role": "user", "content": ONE}, {"role": "assistant", "content": "x"}])
    answer = _json_reply(f'"memory"\n\n## New Messages\n{listed}\n\n## Observation Date\n2026')
    assert [one["text"] for one in answer["memory"]] == [ONE]


def test_a_prompt_for_facts_gets_the_users_lines() -> None:
    system = 'Input: Hi.\nOutput: {"facts" : []}\nReturn json with a key as "facts".'
    assert _json_reply(f"Input:\nuser: {ONE}\nassistant: Hm.\n", system=system) == {"facts": [ONE]}


@pytest.mark.parametrize("form", [repr, json.dumps])
def test_facts_are_added_to_memories_or_take_the_place_of_what_they_extend(form: Any) -> None:
    known = [{"id": "0", "text": "I like tea's taste"}, {"id": "1", "text": TWO}]
    facts = [TWO, "I like tea's taste a lot", 'Something "new"']
    prompt = (
        'Events are ADD and UPDATE: {"memory": [{"event": "…"}]}\n'
        f"Current memory:\n```\n{form(known)}\n```\n"
        f"The new retrieved facts:\n```\n{form(facts)}\n```\n"
    )
    assert _json_reply(prompt)["memory"] == [
        {"id": "1", "text": TWO, "event": "NONE"},
        {"id": "0", "text": facts[1], "event": "UPDATE", "old_memory": known[0]["text"]},
        {"id": "2", "text": facts[2], "event": "ADD"},
    ]


def test_facts_for_an_empty_memory_are_added() -> None:
    prompt = f'"memory" "event"\nCurrent memory is empty.\nnew retrieved facts\n```\n{[ONE]}\n```\n'
    assert _json_reply(prompt)["memory"] == [{"id": "0", "text": ONE, "event": "ADD"}]


def test_a_procedure_holds_what_was_said_before_the_order_to_write_it() -> None:
    assert _reply(ONE, "Create procedural memory of the above conversation.").text == ONE


PATCH = _tool("PatchDoc", {"json_doc_id": {"type": "string"}, "patches": {"type": "array"}})


@pytest.mark.parametrize("form", ["{{'content': {}}}", "content={}"])
def test_a_document_that_a_statement_extends_is_patched(form: str) -> None:
    shown = form.format(repr("My dog's name is Rex"))
    system = f'<existing>\n<instance id=d1 schema_type="Memory">\n{shown}\n</instance>\n</existing>'
    said = "My dog's name is Rex now"
    memory = _tool("Memory", TEXT)
    talk = f"user: {said}\nuser: {TWO}"
    reply = _reply(talk, system=system, tools=[PATCH, memory], tool_choice="required")
    patch = {"op": "replace", "path": "/content", "value": said}
    assert _called(reply) == [
        ("PatchDoc", {"json_doc_id": "d1", "planned_edits": "", "patches": [patch]}),
        ("Memory", {"content": TWO}),
    ]


def test_a_memory_of_another_owner_is_not_the_same() -> None:
    other = "Please remember: Bob's access phrase for locker kestrel1 is xyz."
    assert same_as(ONE, [Existing("1", other)]) is None
    assert same_as(f"{ONE} Really.", [Existing("1", other), Existing("2", ONE)]) == Existing(
        "2", ONE
    )


def test_printed_lists_are_read_with_their_escapes() -> None:
    texts = ["it's", 'a "word"', "new\nline", "back\\slash", "snow \u2603"]
    for printed in (repr(texts), json.dumps(texts), ascii(texts)):
        assert [one.text for one in existing_in(printed)] == texts
