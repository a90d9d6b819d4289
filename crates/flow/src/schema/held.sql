-- Groups of records that wait in a node for others, and for some time those that were released. `first_ms`, `last_ms`: when
-- their records were made, where the node knows that. `came_ms`: when the first of them came, of `network_element`.
-- `released_by`: the entry of the job that released it. A number is never given twice: outputs are named by it.
CREATE TABLE held_group (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    node            TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    first_ms        INTEGER,
    last_ms         INTEGER,
    came_ms         INTEGER NOT NULL,
    release         TEXT CHECK (release IN ('complete', 'expired', 'dropped', 'suspended')),
    released_ms     INTEGER,
    released_by     INTEGER
) STRICT;
CREATE INDEX held_group_by_key ON held_group (node, key);
CREATE INDEX held_group_by_time ON held_group (node, first_ms) WHERE released_ms IS NULL AND first_ms IS NOT NULL;
CREATE INDEX held_group_by_arrival ON held_group (node, came_ms) WHERE released_ms IS NULL;
CREATE INDEX held_group_released ON held_group (node, released_ms) WHERE released_ms IS NOT NULL;

-- Their records, in the order in which they came: by which job, and where it found them. `is_held`: it had to wait. The
-- octets are here as long as they are waited with; `as_it_came` are those of the input where they are others.
CREATE TABLE held_part (
    in_group   INTEGER NOT NULL REFERENCES held_group (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,
    file       INTEGER NOT NULL,
    record     INTEGER NOT NULL,
    offset     INTEGER NOT NULL,
    time_ms    INTEGER,
    is_held    INTEGER NOT NULL,
    octets     BLOB,
    as_it_came BLOB,
    PRIMARY KEY (in_group, place)
) STRICT, WITHOUT ROWID;

-- Of a job's records that had to wait in a node: how many still do, and what became of the others.
CREATE TABLE held (
    file      INTEGER NOT NULL REFERENCES file (id),
    node      TEXT    NOT NULL,
    waiting   INTEGER NOT NULL CHECK (waiting >= 0),
    released  INTEGER NOT NULL DEFAULT 0,
    dropped   INTEGER NOT NULL DEFAULT 0,
    suspended INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (file, node)
) STRICT, WITHOUT ROWID;

-- How many groups of a node are open.
CREATE TABLE held_node (
    node TEXT    PRIMARY KEY,
    open INTEGER NOT NULL CHECK (open >= 0)
) STRICT, WITHOUT ROWID;

-- The latest time that a record of a network element had in a node.
CREATE TABLE watermark (
    node            TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    time_ms         INTEGER NOT NULL,
    PRIMARY KEY (node, network_element)
) STRICT, WITHOUT ROWID;

-- The node whose groups a job released since their time was over; such a job has no input.
ALTER TABLE file ADD COLUMN expired_in TEXT;

-- A record that is put through again may have to wait too.
CREATE TABLE retry_now (
    record  INTEGER NOT NULL REFERENCES suspense (id) ON DELETE CASCADE,
    asked   INTEGER NOT NULL REFERENCES trail (id),
    job     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    outcome TEXT    NOT NULL CHECK (outcome IN ('delivered', 'filtered', 'held', 'suspended', 'duplicate', 'divided')),
    node    TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    PRIMARY KEY (record, asked)
) STRICT, WITHOUT ROWID;
INSERT INTO retry_now SELECT * FROM retry;
DROP TABLE retry;
ALTER TABLE retry_now RENAME TO retry;
CREATE INDEX retry_by_asked ON retry (asked);
CREATE INDEX retry_by_job ON retry (job);
