-- Collected files that are to be archived, or are: `source` is where each lay, `path` where in the archive it is, of so
-- many octets. `removal`: whether the source is to be removed, or was. They outlive the journal's own row of a file.
CREATE TABLE archive (
    file            INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    modified_ns     INTEGER NOT NULL,
    digest          BLOB    NOT NULL,
    done_ms         INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('due', 'archived', 'gone')),
    path            TEXT,
    octets          INTEGER,
    removal         TEXT CHECK (removal IN ('due', 'done')),
    CHECK (state <> 'archived' OR (path IS NOT NULL AND octets IS NOT NULL))
) STRICT;
CREATE INDEX archive_due ON archive (file) WHERE state = 'due' OR removal = 'due';
CREATE INDEX archive_by_time ON archive (done_ms) WHERE state = 'archived';
