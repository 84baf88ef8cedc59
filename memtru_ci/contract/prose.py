"""The sentences of the contract page that no model can say."""

INTRODUCTION = """\
A memory service in any language can be tested by the gate once it answers the calls on this page.
Two of them are required; every other call belongs to a capability, and a service implements the
capabilities that it has. The same contract is published as OpenAPI 3.1 in
[`schemas/openapi.json`](../schemas/openapi.json). Python code needs no HTTP of its own: a class
that inherits from `memtru_ci.adapters.MemoryAdapter` is put behind this contract by
`memtru-ci serve --adapter package.module:Class`.
"""

GROUND_RULES = """\
- **JSON.** Bodies are UTF-8 JSON objects with the type `application/json`.
- **Strict, yet open.** Values are checked as they are: a string is no number, `"yes"` is no
  boolean. Fields that a side does not know are ignored. A `null` in an optional field is the same
  as leaving it out; `next_cursor` is required, also where it is `null`.
- **What breaks the contract.** A required field that is missing, a value of another type, a key
  that is given twice in one object, NaN or an infinity, and anything that is not JSON. The gate
  then says which endpoint, which field and what came, and the verdict is ERROR.
- **Namespaces.** Each call names one isolated user or tenant, and a service shows nothing of one to
  another. Namespaces and threads need not be created: one that holds nothing reads as an empty
  list, with `200`.
- **Threads.** `thread_id` is a conversation inside a namespace. A service without conversations
  ignores it.
- **Ids** are opaque strings of 1 to {id_length} characters. In a path they are percent-encoded,
  slashes too; a service decodes a path only after splitting it.
- **Success** is any 2xx status. **Errors** are 4xx and 5xx, best as `application/problem+json`
  (RFC 9457): `title` and `detail` are shown to the user. `404` on a memory says that it does not
  exist, `410` that it does not exist any more, `501` that the service does not do this.
- **Bounds.** A redirect is not followed. A body is read up to {body_mib} MiB, and taken apart
  up to {values} commas and opening brackets, those in texts included.
- **Headers of the gate:** `Memtru-Contract: {version}`, `User-Agent: memtru-ci/<version>`, and
  `Authorization: Bearer <token>` where a token is configured.
- **Nothing but reads is sent twice.** A service never sees the same write, delete, release or
  restart again because an answer was slow.
"""

CAPABILITIES = """\
`consistency_window_ms` is the service's own promise: a write is readable, and a delete effective,
within that time. The gate watches for the longer of it and its own setting. More than
{window} is a contract violation. A capability that the gate does not know is reported
and ignored.

```json
{{
  "contract": "{version}",
  "service": {{"name": "acme-memory", "version": "2.3.1"}},
  "capabilities": ["MEMORY_WRITE", "MEMORY_SEARCH", "MEMORY_DELETE"],
  "consistency_window_ms": 2000
}}
```
"""

MEMORY = """\
`search` is a retrieval surface of every service; `list` is one where `MEMORY_LIST` is advertised.
The gate follows `next_cursor` until it is `null`, also after a short or an empty page. A delete may
be answered before it is done (`202`): in each case the memory is gone within the consistency window
and stays gone.

Deleting a **memory** and deleting a **thread** are two promises. A deleted memory stays deleted. A
deleted thread takes its conversation and checkpoint state with it, and what was written in it; a
long-term memory that was derived from what was said there may stay.
"""

RECEIPTS = """\
Every lifecycle call, and the deletion of a thread or a namespace, answers `200` with a receipt:

```json
{
  "executed": true,
  "detail": "1 held write applied",
  "created": [{"kind": "memory", "id": "mem_7"}],
  "processed": 1
}
```

- `executed` (required): the real mechanism ran. Where it is `false` the scenario is INCONCLUSIVE,
  and `detail` says why.
- `detail`: what was done, for a reader.
- `created`: each record that the call made, as `kind` (`memory`, `conversation`, `thread`,
  `session` or `pending_write`) and `id`. At the end the gate deletes memories and threads by id,
  and the rest with the namespace; what it cannot delete is reported.
- `processed`: how many held writes, messages or records were dealt with. It is required in the
  answer to a release that was executed. A held write that the service refuses by its own rules was
  dealt with; one that is still held was not, and makes the scenario INCONCLUSIVE.
- `backup_id`: only in the receipt of a backup, and required there where `executed` is true.

An endpoint that claims `executed` without driving the real mechanism cannot be told from an honest
one by its receipt alone. Advertise a capability only if the call does what the system would do by
itself.
"""

LIFECYCLE = """\
- **Held writes.** The first call starts a real update (`target_id` names the memory) and answers
  while it is held; the second lets every held write of the namespace go on by the ordinary path.
- **Restart** is for services that the gate cannot restart itself. Where the gate runs the container
  it restarts that, whatever is advertised here, and this endpoint is never called.
- **Backups.** Who advertises them promises that what was deleted after a backup was made stays
  deleted when that backup comes back.
- **Surfaces** are further places where an agent reads memory, such as a profile summary.
"""

POLICY = """\
For services that keep facts with validity, corrections and deletions. Neither call names a
namespace: a **session** is what isolates here, and ids are unique in the whole service. What is
accepted is kept for good: the answers are the same after a restart.

### Events of the policy

An event is an object. One that breaks a rule changes nothing and is answered in `rejected`, with
its index and the reason; the others of the call are taken all the same.

| Field | In | Meaning |
| --- | --- | --- |
| `id` | all | unique in the service; the same event again is a no-op, another one is rejected |
| `kind` | all | `assertion`, `correction` or `tombstone` |
| `session` | all | nothing reaches into another session |
| `source` | all | where it came from |
| `recorded_at` | all | RFC 3339 with an offset; one without is rejected |
| `key`, `value` | facts | what it is about, and what it says; a correction may leave out `key` |
| `valid_from` | facts | the first instant at which it holds; default `recorded_at` |
| `valid_to` | facts | the first instant at which it does not hold any more; default none |
| `target` | correction, tombstone | the id that it corrects or deletes |
| `scope` | tombstone | `record` (that id), `chain` (and every later correction of it) or `key` |
| `permanent` | tombstone of a key | whether later facts of the key are deleted too |

A query resolves first and ranks afterwards: what is deleted, corrected, expired, not yet valid or
not yet known is never ranked, and each key has one winner. With `query` the answer holds the best
`limit` winners that share a word with it, without `query` all of them.

`results` (with provenance), `conflicts` and `exclusions` are optional; the gate keeps them as
evidence, and judges by `ids` alone. Ids of other sessions never appear.
"""

DROPPING = """\
Advertised and missing is not an error at first sight. A capability is **dropped** for the run, with
a warning that names it, when the first answer of one of its endpoints is

- `405` or `501`, or
- `404` on a path that holds no id,

and no other endpoint of that capability has worked before. Scenarios that need it are then SKIPPED.
The same answers later in the run are errors of the provider, and the verdict is ERROR
(`provider_error`). `404` on a path with an id says that there is no such record, and drops nothing.
"""

MARKERS = """\
What the gate writes is made up for the run, and has two halves. The **topic key** may be used in a
query. The **secret** is only in the stored text; once the delete was sent, neither the secret nor
the text is ever sent again. So a secret that shows up later can come from nowhere but the service.

- A surface shows the marker when the secret is in the `content` of one of its results. Both are
  compared after Unicode NFKC and case folding, by their letters and numbers alone (categories L and
  N): hyphens, spaces and quotes that a service adds or drops make no difference.
- Other fields do not count: an echoed query or a request log is not a retrieval.
- A read that fails says nothing. It is not an absence.
"""
