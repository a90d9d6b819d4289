-- What became of a file's records at the nodes and systems they came to: each is in one column, as in `file`. `made`: the
-- records that a node made of them.
CREATE TABLE passage (
    file      INTEGER NOT NULL REFERENCES file (id),
    node      TEXT    NOT NULL,
    is_system INTEGER NOT NULL,
    records   INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    filtered  INTEGER NOT NULL,
    held      INTEGER NOT NULL,
    suspended INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    made      INTEGER NOT NULL,
    PRIMARY KEY (file, node),
    CHECK (records = delivered + filtered + held + suspended + duplicate)
) STRICT, WITHOUT ROWID;
