-- Sums of what the flow audits, of a file. `at`: a post-processing system, of whose records `given` is the sum before the
-- flow's nodes and `written` the one in its file; or, empty, the network element, of whose records the sums are by what
-- became of them. `records`: how many had the value.
CREATE TABLE amount (
    file    INTEGER NOT NULL REFERENCES file (id),
    at      TEXT    NOT NULL,
    side    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    -- The sum is high * 2^32 + low: no number of any record is too large for it.
    high    INTEGER NOT NULL,
    low     INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (file, at, side, name)
) STRICT, WITHOUT ROWID;
