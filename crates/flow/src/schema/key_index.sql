-- The index of records by their keys, in files beside the journal. `through`: all jobs until this one are in the index of the node, and the
-- deltas of later ones are needed yet. NULL: nothing is added any more. `retention_s`: for how long entries stay, by the times of records.
CREATE TABLE key_index (
    node        TEXT    NOT NULL PRIMARY KEY,
    through     INTEGER,
    retention_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Keys, by their digests, whose entries of the jobs until one are not to be found, and are removed from the files.
CREATE TABLE key_index_erasure (
    node   TEXT    NOT NULL,
    digest INTEGER NOT NULL,
    job    INTEGER NOT NULL,
    PRIMARY KEY (node, digest)
) STRICT, WITHOUT ROWID;

-- By what digests of keys are made. It is sent and exported nowhere: numbers are few enough to try all.
CREATE TABLE key_secret (secret BLOB NOT NULL);
INSERT INTO key_secret VALUES (randomblob(32));
