-- Records that came to a group of a key and were refused on their way: while they are open in suspense, no group of the key
-- is over. `record`: of `file`; or `of_group`: those of another node's group, where they would have come as one.
CREATE TABLE held_missing (
    node     TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    file     INTEGER NOT NULL,
    record   INTEGER NOT NULL,
    of_group INTEGER,
    PRIMARY KEY (node, key, file, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_missing_by_file ON held_missing (file);

-- Found by their numbers too.
DROP INDEX suspense_by_file;
DROP INDEX suspense_by_job;
CREATE INDEX suspense_by_file ON suspense (file, record);
CREATE INDEX suspense_by_job ON suspense (job, record) WHERE file IS NULL;
