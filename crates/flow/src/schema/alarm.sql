-- What is wrong, from when until when. One of a kind and subject is raised once, until it is cleared.
CREATE TABLE alarm (
    id         INTEGER PRIMARY KEY,
    kind       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    raised_ms  INTEGER NOT NULL,
    cleared_ms INTEGER,
    -- What `change` was when it was raised.
    raised     INTEGER NOT NULL,
    -- Grows with every change of any alarm: what is beyond the one that somebody was told last is news to him.
    change     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX alarm_raised ON alarm (kind, subject) WHERE cleared_ms IS NULL;
CREATE INDEX alarm_change ON alarm (change);
