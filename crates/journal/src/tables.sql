-- When the service was last seen alive, by a clock that was believed; and since when its clock says something else, with how
-- long the machine was up then, since which start of it: a clock that is doubted does not say itself how long it has said the
-- same.
CREATE TABLE alive (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    seen_ms       INTEGER NOT NULL,
    doubted_ms    INTEGER,
    doubted_up_ms INTEGER,
    doubted_boot  INTEGER
) STRICT;

-- The audit trail: what people did, who, when, to what, and why. `before` and `after`: what it changed, where that is one
-- thing. Only ever added to.
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
