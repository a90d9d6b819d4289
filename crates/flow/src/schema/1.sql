-- Input files that are done. `finished`: their outputs have their names. `marked`: the input is no longer found; what
-- comes under its name from then on is another file, even of the same size and time.
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
    marked          INTEGER NOT NULL DEFAULT 0,
    CHECK (records = delivered + filtered + held + suspended + duplicate)
) STRICT;
CREATE INDEX file_unmarked ON file (path, size, modified_ns) WHERE marked = 0;
CREATE INDEX file_unfinished ON file (id) WHERE finished = 0;

-- What was made of an input file; without a system: the records in suspense.
CREATE TABLE output (
    file                   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT,
    path                   TEXT    NOT NULL,
    records                INTEGER NOT NULL
) STRICT;
CREATE INDEX output_by_file ON output (file);
