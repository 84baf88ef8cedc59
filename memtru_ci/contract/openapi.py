"""The contract as an OpenAPI 3.1 document, generated from its messages and operations."""

import re
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from memtru_ci.contract import MAX_ID_LENGTH, VERSION
from memtru_ci.contract.messages import Problem
from memtru_ci.contract.operations import OPERATIONS, Operation

_REF = "#/components/schemas/{model}"
_IDENTIFIER = {"type": "string", "minLength": 1, "maxLength": MAX_ID_LENGTH}


def document() -> dict[str, Any]:
    """The whole document; equal for equal models, so that drift shows in a diff."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memory service contract",
            "version": VERSION,
            "summary": "What a memory service implements so that memtru_ci can test it.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{}, {"token": []}],
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "responses": {"Problem": _problem()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _call(operation)
    return paths


def _call(operation: Operation) -> dict[str, Any]:
    call: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.capability or "required"],
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": _responses(operation),
    }
    if operation.request is not None:
        call["requestBody"] = {"required": True, "content": _content(operation.request)}
    return {key: value for key, value in call.items() if value != []}


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)\}", operation.path)
    return [{"name": one, "in": "path", "required": True, "schema": _IDENTIFIER} for one in names]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    schema = operation.query.model_json_schema()
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": facts}
        for name, facts in schema["properties"].items()
    ]


def _responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {str(one): _success(operation) for one in operation.success}
    for status in operation.missing:
        responses[str(status)] = {"$ref": "#/components/responses/Problem"}
    if operation.capability is not None:
        responses["501"] = {"$ref": "#/components/responses/Problem"}
    responses["default"] = {"$ref": "#/components/responses/Problem"}
    return responses


def _success(operation: Operation) -> dict[str, Any]:
    if operation.answer is None:
        return {"description": "Done; the body is not read."}
    description = (operation.answer.__doc__ or "").strip().splitlines()[0]
    return {"description": description, "content": _content(operation.answer)}


def _content(model: type[BaseModel]) -> dict[str, Any]:
    reference = _REF.format(model=model.__name__)
    return {"application/json": {"schema": {"$ref": reference}}}


def _problem() -> dict[str, Any]:
    schema = {"$ref": _REF.format(model="Problem")}
    return {
        "description": "An error.",
        "content": {"application/problem+json": {"schema": schema}},
    }


def _schemas() -> dict[str, Any]:
    models = {one for op in OPERATIONS for one in (op.request, op.answer) if one} | {Problem}
    ordered = sorted(models, key=lambda one: one.__name__)
    _, top = models_json_schema(
        [(one, "validation") for one in ordered], ref_template=_REF.format(model="{model}")
    )
    schemas: dict[str, Any] = top["$defs"]
    return {name: _with_nulls(schemas[name]) for name in sorted(schemas)}


def _with_nulls(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, with `null` allowed in every optional field: there it means absent."""
    required = schema.get("required", [])
    properties = {
        name: facts if name in required else _or_null(facts)
        for name, facts in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties} if properties else schema


def _or_null(facts: dict[str, Any]) -> dict[str, Any]:
    choices = facts.get("anyOf")
    if choices is not None:
        return facts if {"type": "null"} in choices else {**facts, "anyOf": [*choices, _NULL]}
    about: dict[str, Any] = {
        key: facts[key] for key in ("title", "description", "default") if key in facts
    }
    value = {key: one for key, one in facts.items() if key not in about}
    return {**about, "anyOf": [value, _NULL]}


_NULL = {"type": "null"}
