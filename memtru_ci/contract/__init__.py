"""The HTTP contract between the gate and a memory service, version 1.0.

`messages` are what is sent, `operations` say where, `decode` reads bytes strictly; the OpenAPI
document and the contract page are generated from these.
"""

VERSION = "1.0"
"""The version sent in the `Memtru-Contract` header and answered at `GET /capabilities`."""

MAX_BODY_BYTES = 8 * 1024 * 1024
"""A longer body is not read to its end, on either side."""

MAX_VALUES = 200_000
"""A body of more JSON values than about this is not taken apart; see `decode.is_too_rich`."""

MAX_ID_LENGTH = 512
"""The longest id, namespace or thread id, in characters."""

MAX_CONSISTENCY_WINDOW_MS = 60_000
"""A service that promises a longer window breaks the contract."""
