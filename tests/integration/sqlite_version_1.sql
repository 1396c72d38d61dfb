-- The schema as version 1 made it; memory files of that version are still opened.
CREATE TABLE IF NOT EXISTS users (
    number INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id TEXT NOT NULL UNIQUE,
    owner INTEGER NOT NULL REFERENCES users (number),
    change INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    version INTEGER NOT NULL,
    record TEXT NOT NULL,
    status TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    collection TEXT NOT NULL,
    memory_type TEXT NOT NULL,
    category TEXT NOT NULL,
    section TEXT NOT NULL,
    content_type TEXT NOT NULL,
    importance REAL NOT NULL,
    emotion TEXT,
    subject TEXT,
    happened_at REAL NOT NULL,
    happened_day INTEGER NOT NULL,
    created_at REAL NOT NULL,
    valid_from REAL,
    valid_to REAL,
    expires_at REAL,
    session_id TEXT,
    position INTEGER,
    speaker TEXT,
    length INTEGER NOT NULL,
    question INTEGER NOT NULL,
    instruction INTEGER NOT NULL,
    preference INTEGER NOT NULL,
    embedding BLOB,
    embedding_model TEXT
);
CREATE INDEX IF NOT EXISTS memories_by_change ON memories (owner, change);
CREATE UNIQUE INDEX IF NOT EXISTS memories_once ON memories (owner, fingerprint) WHERE status = 'active';
CREATE TABLE IF NOT EXISTS changes (last INTEGER NOT NULL);
INSERT INTO changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM changes);
CREATE TABLE IF NOT EXISTS audits (
    number INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    at TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS audits_by_memory ON audits (memory_id, number);
CREATE TABLE IF NOT EXISTS tags (
    owner INTEGER NOT NULL REFERENCES users (number),
    tag TEXT NOT NULL,
    memories INTEGER NOT NULL,
    PRIMARY KEY (owner, tag)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tags_by_use ON tags (owner, memories DESC, tag);
CREATE TABLE IF NOT EXISTS usage (
    memory_id TEXT PRIMARY KEY,
    found INTEGER NOT NULL,
    last_found TEXT NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    content, labels, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS word_places USING fts5vocab ('words', 'instance');
CREATE VIRTUAL TABLE IF NOT EXISTS word_counts USING fts5vocab ('words', 'row');
PRAGMA user_version = 1;
