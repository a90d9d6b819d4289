-- What people did to what a gateway keeps: who, when, to what, and why. `before` and `after`: what it changed, where
-- that is one thing. Only ever added to.
CREATE TABLE trail (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    who     TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    before  TEXT,
    after   TEXT
) STRICT;
CREATE INDEX trail_by_subject ON trail (subject);
