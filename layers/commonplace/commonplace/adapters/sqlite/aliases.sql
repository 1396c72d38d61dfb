-- Ids that memories had elsewhere. Made with the first of them, too, in a file of an older version.
CREATE TABLE IF NOT EXISTS aliases (
    owner INTEGER NOT NULL REFERENCES users (number),
    name TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    run_id TEXT,
    withdrawn INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS aliases_by_memory ON aliases (memory_id);
