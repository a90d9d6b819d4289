-- Input files that are done. `finished`: their outputs have their names.
CREATE TABLE file (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    path            TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    modified_ns     INTEGER NOT NULL,
    done_ms         INTEGER NOT NULL,
    records         INTEGER NOT NULL,
    delivered       INTEGER NOT NULL,
    filtered        INTEGER NOT NULL,
    held            INTEGER NOT NULL,
    suspended       INTEGER NOT NULL,
    duplicate       INTEGER NOT NULL,
    finished        INTEGER NOT NULL DEFAULT 0,
    CHECK (records = delivered + filtered + held + suspended + duplicate)
) STRICT;
CREATE INDEX file_by_path ON file (path, size, modified_ns);
CREATE INDEX file_unfinished ON file (id) WHERE finished = 0;

-- What was made of an input file; without a system: the records in suspense.
CREATE TABLE output (
    file                   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT,
    path                   TEXT    NOT NULL,
    records                INTEGER NOT NULL
) STRICT;
CREATE INDEX output_by_file ON output (file);
