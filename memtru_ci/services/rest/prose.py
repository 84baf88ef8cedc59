"""What the page of REST mappings says beside its tables."""

HEAD = """# Testing a service in its own REST API

A service need not implement the [contract](http-contract.md). A mapping in `memtru.yml` says where
its own endpoints are, what they are sent, and where ids and texts are in their answers. Nothing in
the service changes.

```yaml
target: image:acme/notes:2.1
service:
  kind: rest
  name: acme-notes
  version: {{path: /about, value: app.version}}
  health: /ready
  operations:
    write:
      method: POST
      path: /v1/users/{{namespace}}/notes
      body: {{text: "{{content}}"}}
      id: note.id
    update:
      method: PUT
      path: /v1/users/{{namespace}}/notes/{{id}}
      body: {{text: "{{content}}"}}
    search:
      method: POST
      path: /v1/users/{{namespace}}/notes/find
      body: {{about: "{{query}}", top: "{{limit}}"}}
      results: hits
      content: note.text
      result_id: note.id
    list:
      method: GET
      path: /v1/users/{{namespace}}/notes
      query: {{page: "{{page}}", size: "{{limit}}"}}
      results: notes
      content: text
      result_id: id
      next: {{page: 1, more: more}}
    delete:
      method: DELETE
      path: /v1/users/{{namespace}}/notes/{{id}}
  surfaces:
    profile:
      method: GET
      path: /v1/users/{{namespace}}/profile
      results: "[@]"
      content: summary
```

`memtru-ci doctor` tries each operation once. Where a mapping does not fit, it shows the request,
the answer, and the key to change.

Presets: {presets}. `preset: NAME` takes one; keys that are given beside it are laid over it, maps
key by key, lists and texts as a whole. `null` takes an operation or a surface away.

## Templates

Paths, queries, headers and bodies are templates. `{{name}}` stands for a value; braces themselves
are written twice. A text that is one placeholder and nothing else keeps the value's JSON type:
`"{{limit}}"` is sent as a number, `"{{messages}}"` as a list of `{{"role": "user", "content":
…}}`. A text with a placeholder that stands for nothing, such as `{{cursor}}` on the first page, is
left out together with its key. Values are encoded where they are put: none can leave its segment
of a path, its parameter, its text or its header.

`{{new_id}}` is a fresh UUID. `{{content_vector}}` and `{{query_vector}}` are vectors that the gate
makes without a model, so that texts with words in common are near. `{{token}}` is there in headers
only.
"""

ISOLATION = """
Every trial has a namespace of its own: a user, tenant, bank, store or collection of the service.
Where the write does not name it, say in `isolation` how trials are kept apart; memories of all
trials then show in every read, which does no harm, as their texts differ."""

IDS = """
## Ids

An id is a text of at most 512 characters, or a whole number. The id of an answer goes into
`{id}` of an update and a delete. Where they want another one, `resolve` finds it by a read before
the first delete, and it is remembered: nothing that was deleted is searched for."""

EXPRESSIONS = """
## Expressions

Where something is in an answer is said in [JMESPath](https://jmespath.org), at most 500 characters.
False, null, and empty texts, lists and objects are false; everything else is true. Mind that
`!a.b` is read as `(!a).b`; write `!(a.b)`.

`content` may select a list or an object: the texts in it are put together, and nulls among them do
not count. A result with no text, or with anything else than text, is a misfit: no result is ever
left out."""

TAIL = """
## What a misfit is

| What comes | What it is |
| --- | --- |
| 404 on a write or a read, 405, 501, a redirect | `contract_violation`: see `path` or `method` |
| a success with no id, list or text where the mapping looks | `contract_violation`: see that key |
| a status in `gone`, or `gone_when` | there is no such record |
| a success with `ok` false, every other error status | `provider_error`: the service has refused |

Reports keep each request and answer as they were, and beside them what the mapping made of the
answer. Only reads are ever sent twice.
"""
