CREATE TABLE person (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    password TEXT,
    last_login_ms INTEGER
) STRICT;

-- Whoever has a link sets a password by it, once. Secrets are here as their digests alone.
CREATE TABLE link (
    secret BLOB PRIMARY KEY,
    name TEXT,
    role TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
    secret BLOB PRIMARY KEY,
    name TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE,
    csrf TEXT NOT NULL,
    begun_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    secret BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    used_ms INTEGER
) STRICT;
