-- Records that are set aside: `why` is 'suspended' (they could not be processed) or 'duplicate'. `node`: where; nothing
-- where the record could not be read. Without a file they belong to a job in hand, which may yet be repeated.
CREATE TABLE suspense (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    file     INTEGER REFERENCES file (id),
    job      INTEGER,
    why      TEXT    NOT NULL,
    record   INTEGER NOT NULL,
    offset   INTEGER NOT NULL,
    node     TEXT    NOT NULL,
    reason   TEXT    NOT NULL,
    octets   BLOB    NOT NULL,
    CHECK (file IS NOT NULL OR job IS NOT NULL)
) STRICT;
CREATE INDEX suspense_by_file ON suspense (file);
CREATE INDEX suspense_by_job ON suspense (job) WHERE file IS NULL;
