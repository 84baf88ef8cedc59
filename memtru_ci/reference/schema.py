"""The tables of the reference service, in one SQLite file."""

TABLES = """
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    thread_id TEXT,
    content TEXT NOT NULL,
    metadata TEXT,
    source TEXT
);
CREATE INDEX IF NOT EXISTS records_by_namespace ON records (namespace, seq);
CREATE TABLE IF NOT EXISTS tombstones (
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    moment INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, key)
);
CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_by_namespace ON messages (namespace, seq);
CREATE TABLE IF NOT EXISTS cursors (namespace TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    thread_id TEXT,
    target_id TEXT,
    content TEXT NOT NULL,
    began INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS profiles (namespace TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS backups (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    records TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS due (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    memory_id TEXT NOT NULL UNIQUE,
    at REAL NOT NULL,
    record TEXT
);
CREATE TABLE IF NOT EXISTS policy_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, held TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS stale_profile (namespace TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS flags (
    namespace TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (namespace, name)
);
"""
"""`due`: a memory that goes (no `record`) or comes back (its `record`) at a time of the clock.
`journal`, `stale_profile` and `flags` are written by defects only."""

SCOPED = (
    "records",
    "messages",
    "cursors",
    "pending",
    "sessions",
    "profiles",
    "backups",
    "due",
    "stale_profile",
    "flags",
)
"""The tables that a deleted namespace leaves nothing in. Tombstones stay: they hold no content."""
