-- Keyed state of nodes that is in memory. A job that changes it writes a delta: the changed keys with their values. `form`
-- says how the node makes keys and values. Deltas may outlive their jobs.
CREATE TABLE state_delta (
    node    TEXT    NOT NULL,
    job     INTEGER NOT NULL,
    form    TEXT    NOT NULL,
    done_ms INTEGER NOT NULL,
    octets  BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX state_delta_by_job ON state_delta (node, job);
-- The newest snapshot, in parts by key. `through` is the last job that is in the part. Deltas of jobs up to the least
-- `through` of all parts are not needed any more.
CREATE TABLE state_snapshot (
    node    TEXT    NOT NULL,
    form    TEXT    NOT NULL,
    part    INTEGER NOT NULL,
    through INTEGER NOT NULL,
    done_ms INTEGER NOT NULL,
    octets  BLOB    NOT NULL,
    PRIMARY KEY (node, form, part)
) STRICT;
