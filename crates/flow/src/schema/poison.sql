-- Files that were set aside where they lie, under which name, and why.
CREATE TABLE poison (
    path   TEXT    PRIMARY KEY,
    reason TEXT    NOT NULL,
    at_ms  INTEGER NOT NULL
) STRICT;
