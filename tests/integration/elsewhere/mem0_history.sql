CREATE TABLE history (
    id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME,
    updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT
);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME
);
INSERT INTO history VALUES
    ('h1', 'm1', NULL, 'User lives in Berlin.', 'ADD', '2024-01-05T10:00:00+00:00', NULL, 0, NULL, 'user'),
    ('h2', 'm1', 'User lives in Berlin.', 'User lives in Lisbon.', 'UPDATE', '2024-01-05T10:00:00+00:00',
     '2025-03-01T10:00:00+00:00', 0, NULL, 'user'),
    ('h3', 'm2', NULL, 'User drinks oat milk.', 'ADD', '2024-02-01T10:00:00+00:00', NULL, 0, NULL, NULL),
    ('h4', 'm2', 'User drinks oat milk.', NULL, 'DELETE', '2024-02-01T10:00:00+00:00', '2024-06-01T10:00:00+00:00', 1,
     NULL, NULL);
