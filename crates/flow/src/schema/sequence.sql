-- What was found in files that are done, until the ledgers have it: in the order in which the files were written,
-- whatever the order in which workers are through with them.
CREATE TABLE pending (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    written_ns      INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    done_ms         INTEGER NOT NULL,
    gathered        TEXT    NOT NULL
) STRICT;
CREATE INDEX pending_order ON pending (written_ns, file, id);

-- Counters of network elements. All positions from `began` to before `next` came but those in gaps; a position is how
-- many numbers it is from `first`, going round counted.
CREATE TABLE counter (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    of              TEXT    NOT NULL CHECK (of IN ('file', 'record')),
    series          TEXT    NOT NULL,
    first           INTEGER NOT NULL,
    last            INTEGER NOT NULL,
    began           INTEGER NOT NULL,
    next            INTEGER NOT NULL,
    UNIQUE (network_element, of, series, first, last)
) STRICT;

-- Positions `start` to before `end` that did not come, or did later. What somebody has accepted to be lost may still
-- come.
CREATE TABLE gap (
    counter   INTEGER NOT NULL REFERENCES counter (id),
    start     INTEGER NOT NULL,
    end       INTEGER NOT NULL,
    opened_ms INTEGER NOT NULL,
    opened_by TEXT    NOT NULL,
    closed_ms INTEGER,
    closed_by TEXT,
    accepted_ms  INTEGER,
    accepted_by  TEXT,
    accepted_for TEXT,
    CHECK (start < end)
) STRICT;
CREATE INDEX gap_open ON gap (counter, start) WHERE closed_ms IS NULL;
CREATE INDEX gap_opened ON gap (counter, opened_ms);

-- What came: new, late or repeated positions, or one where the counter began anew.
CREATE TABLE arrival (
    counter INTEGER NOT NULL REFERENCES counter (id),
    at_ms   INTEGER NOT NULL,
    file    TEXT    NOT NULL,
    what    TEXT    NOT NULL CHECK (what IN ('new', 'late', 'repeated', 'restarted')),
    start   INTEGER NOT NULL,
    end     INTEGER NOT NULL,
    CHECK (start < end)
) STRICT;
CREATE INDEX arrival_by_time ON arrival (counter, at_ms);

-- Files and records of a file that have no number, or were not looked at.
CREATE TABLE unnumbered (
    network_element TEXT    NOT NULL,
    of              TEXT    NOT NULL CHECK (of IN ('file', 'record')),
    at_ms           INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    count           INTEGER NOT NULL
) STRICT;
CREATE INDEX unnumbered_by_time ON unnumbered (network_element, at_ms);

-- What files say that is in them, and what was found.
CREATE TABLE total (
    network_element TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    said            INTEGER,
    found           INTEGER,
    agrees          INTEGER NOT NULL
) STRICT;
CREATE INDEX total_by_time ON total (network_element, at_ms);

-- When network elements whose silence is an alarm were heard of last.
CREATE TABLE heard (
    network_element TEXT    PRIMARY KEY,
    at_ms           INTEGER NOT NULL
) STRICT;
