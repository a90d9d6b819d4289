-- When the service was last alive, by a trusted clock; and since when the clock has shown a doubted time, with the
-- uptime and the boot of the machine at that moment. A doubted clock cannot tell by itself how long it has been
-- doubted.
CREATE TABLE alive (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    seen_ms       INTEGER NOT NULL,
    doubted_ms    INTEGER,
    doubted_up_ms INTEGER,
    doubted_boot  INTEGER
) STRICT;

-- The audit trail: who did what, when, to what, and why. `before` and `after` are the values before and after a change
-- of a single thing. `is_view`: it is a view of subscriber data, whose subject may have the number of a subscriber. Rows
-- are never deleted; values and the subjects of views are forgotten.
CREATE TABLE trail (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    who     TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    before  TEXT,
    after   TEXT,
    is_view INTEGER NOT NULL DEFAULT 0 CHECK (is_view IN (0, 1))
) STRICT;
CREATE INDEX trail_by_subject ON trail (subject);
CREATE INDEX trail_by_time ON trail (at_ms);
CREATE INDEX trail_view ON trail (at_ms) WHERE is_view = 1 AND subject <> '';
