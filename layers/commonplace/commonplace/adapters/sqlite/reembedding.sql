-- On the way from one embedding model to the next: which model the searches of a user compare by, and the vectors of the
-- next one that wait. Made at the first write of this version, too, in a file of an older one.
CREATE TABLE IF NOT EXISTS embedding_models (owner INTEGER PRIMARY KEY REFERENCES users (number), model TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS waiting_vectors (row INTEGER PRIMARY KEY, model TEXT NOT NULL, embedding BLOB);
CREATE TRIGGER IF NOT EXISTS waiting_vectors_of_changed AFTER UPDATE OF fingerprint ON memories
    WHEN old.fingerprint IS NOT new.fingerprint BEGIN DELETE FROM waiting_vectors WHERE row = old.row; END;
CREATE TRIGGER IF NOT EXISTS waiting_vectors_of_deleted AFTER DELETE ON memories
    BEGIN DELETE FROM waiting_vectors WHERE row = old.row; END;
CREATE INDEX IF NOT EXISTS memories_by_embedding ON memories (owner, embedding_model) WHERE status = 'active';
