-- Outputs in an out buffer that are not carried as they are: the slices they may be cut into, in the order in which they were
-- made. `first_record`, `first_octet`: what lies before it in its output; `head`: the octets before the first record there;
-- `tail_at`, `tail`: where the octets behind the last record are, and how many; `form`: what these and the head are.
-- `delivery`: the file for the receiver that it belongs to, of which there are so many records and octets before it.
CREATE TABLE slice (
    id                     INTEGER PRIMARY KEY,
    file                   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT    NOT NULL,
    path                   TEXT    NOT NULL,
    part                   INTEGER NOT NULL,
    parts                  INTEGER NOT NULL,
    first_record           INTEGER NOT NULL,
    records                INTEGER NOT NULL,
    head                   INTEGER NOT NULL,
    first_octet            INTEGER NOT NULL,
    octets                 INTEGER NOT NULL,
    tail_at                INTEGER NOT NULL,
    tail                   INTEGER NOT NULL,
    form                   BLOB    NOT NULL,
    at_ms                  INTEGER NOT NULL,
    delivery               INTEGER,
    records_before         INTEGER,
    octets_before          INTEGER
) STRICT;
CREATE INDEX slice_open ON slice (post_processing_system, id) WHERE delivery IS NULL;
CREATE INDEX slice_by_file ON slice (file);
CREATE INDEX slice_by_path ON slice (path);
CREATE INDEX slice_by_delivery ON slice (delivery) WHERE delivery IS NOT NULL;

-- How many files were merged for a receiver.
CREATE TABLE merged (
    post_processing_system TEXT PRIMARY KEY,
    files                  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
