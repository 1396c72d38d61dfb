-- One file: the record (JSON, the truth), columns to filter by, the word index, audit rows, tags and usage; and of the
-- night: operations, what was recorded, the runs that read it, and the tokens they spent. `purging.py` adds the index by
-- which memories are purged.
CREATE TABLE users (
    number INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE
);
CREATE TABLE memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: readers keep memories by it
    memory_id TEXT NOT NULL UNIQUE,
    owner INTEGER NOT NULL REFERENCES users (number),
    change INTEGER NOT NULL,          -- rises with each write of the file: readers fetch what is newer than they know
    fingerprint BLOB NOT NULL,        -- when two memories are the same
    version INTEGER NOT NULL,
    record TEXT NOT NULL,
    status TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    collection TEXT NOT NULL,
    key TEXT,
    memory_type TEXT NOT NULL,
    category TEXT NOT NULL,
    section TEXT NOT NULL,
    content_type TEXT NOT NULL,
    importance REAL NOT NULL,
    emotion TEXT,
    subject TEXT,
    happened_at REAL NOT NULL,
    happened_day INTEGER NOT NULL,    -- ordinal of its date where it happened
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
CREATE INDEX memories_by_change ON memories (owner, change);
CREATE UNIQUE INDEX memories_once ON memories (owner, fingerprint) WHERE status = 'active';
CREATE UNIQUE INDEX memories_by_key ON memories (owner, collection, key)
    WHERE status = 'active' AND key IS NOT NULL;
CREATE INDEX memories_by_embedding ON memories (owner, embedding_model) WHERE status = 'active';
CREATE TABLE changes (last INTEGER NOT NULL);
INSERT INTO changes VALUES (0);
CREATE TABLE audits (
    number INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    at TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audits_by_memory ON audits (memory_id, number);
CREATE TABLE tags (
    owner INTEGER NOT NULL REFERENCES users (number),
    tag TEXT NOT NULL,
    memories INTEGER NOT NULL,
    PRIMARY KEY (owner, tag)
) WITHOUT ROWID;
CREATE TABLE tag_rows (  -- those that go on under another name, or were put aside
    owner INTEGER PRIMARY KEY REFERENCES users (number),
    body TEXT NOT NULL                -- JSON
);
CREATE INDEX tags_by_use ON tags (owner, memories DESC, tag);
CREATE TABLE usage (
    memory_id TEXT PRIMARY KEY,
    found INTEGER NOT NULL,
    last_found TEXT NOT NULL
) WITHOUT ROWID;
-- Tokens come ready-made, each with its owner's number before it: a term's list is one user's own.
CREATE VIRTUAL TABLE words USING fts5 (
    content, labels, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE word_places USING fts5vocab ('words', 'instance');
CREATE VIRTUAL TABLE word_counts USING fts5vocab ('words', 'row');
CREATE TABLE operations (
    owner INTEGER NOT NULL REFERENCES users (number),
    operation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    run_id TEXT,
    made TEXT NOT NULL,               -- JSON: what each change made and replaced
    PRIMARY KEY (owner, operation_id)
) WITHOUT ROWID;
CREATE TABLE interactions (
    number INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL REFERENCES users (number),
    interaction_id TEXT NOT NULL,
    time TEXT NOT NULL,
    seconds REAL NOT NULL,            -- the same, to sort by
    state TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    interaction TEXT,                 -- JSON; NULL once its text was dropped
    run_id TEXT,
    read_at TEXT,
    read_seconds REAL,
    failures INTEGER NOT NULL DEFAULT 0,
    messages INTEGER NOT NULL,        -- of a discussion, else 0; stays when the text is dropped
    UNIQUE (owner, interaction_id)
);
CREATE INDEX interactions_pending ON interactions (owner, seconds, number) WHERE state = 'pending';
CREATE INDEX interactions_by_reading ON interactions (owner, read_seconds) WHERE interaction IS NOT NULL;
CREATE TABLE runs (
    owner INTEGER NOT NULL REFERENCES users (number),
    run_id TEXT NOT NULL,
    status TEXT NOT NULL,
    run TEXT NOT NULL,                -- JSON
    PRIMARY KEY (owner, run_id)
);
CREATE INDEX runs_by_status ON runs (owner, status, run_id);
CREATE TABLE run_parts (
    owner INTEGER NOT NULL REFERENCES users (number),
    run_id TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (owner, run_id, name)
);
CREATE TABLE leases (
    owner INTEGER PRIMARY KEY REFERENCES users (number),
    number INTEGER NOT NULL,          -- rises with each lease
    until REAL NOT NULL
);
CREATE TABLE searches (
    number INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL REFERENCES users (number),
    query TEXT NOT NULL,
    found INTEGER NOT NULL,
    at TEXT NOT NULL,
    purge_at REAL NOT NULL            -- seconds by the machine's clock
);
CREATE TABLE searches_forgotten (
    owner INTEGER PRIMARY KEY REFERENCES users (number),
    seconds REAL NOT NULL             -- what was asked until then, and waits in a process, is not written any more
);
CREATE INDEX searches_by_owner ON searches (owner, number);
CREATE INDEX searches_by_purge ON searches (purge_at);
CREATE TABLE token_budget (
    day TEXT NOT NULL,
    owner INTEGER NOT NULL REFERENCES users (number),
    tokens INTEGER NOT NULL,
    PRIMARY KEY (day, owner)
) WITHOUT ROWID;
CREATE TABLE aliases (                -- ids that memories had elsewhere
    owner INTEGER NOT NULL REFERENCES users (number),
    name TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    run_id TEXT,
    withdrawn INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) WITHOUT ROWID;
CREATE INDEX aliases_by_memory ON aliases (memory_id);
CREATE TABLE feedback (
    owner INTEGER NOT NULL REFERENCES users (number),
    memory_id TEXT NOT NULL,
    asked TEXT NOT NULL,
    query TEXT NOT NULL,
    useful INTEGER NOT NULL,
    at TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (owner, memory_id, asked)
);
CREATE TABLE documents (
    owner INTEGER NOT NULL REFERENCES users (number),
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    head TEXT NOT NULL,
    body TEXT NOT NULL,
    purge_at REAL,
    PRIMARY KEY (owner, path, version)
);
CREATE INDEX documents_by_purge ON documents (owner, purge_at) WHERE purge_at IS NOT NULL;
CREATE TABLE kept_files (
    owner INTEGER NOT NULL REFERENCES users (number),
    kind TEXT NOT NULL,
    file_id TEXT NOT NULL,
    expires_at REAL NOT NULL,
    file TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (owner, kind, file_id)
);
CREATE TABLE erased_ids (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE folding_due (row INTEGER PRIMARY KEY); -- a row while the log holds what was erased
