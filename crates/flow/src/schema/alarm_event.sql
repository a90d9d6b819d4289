-- Who has seen an alarm that is raised: an entry of the trail. One that is raised anew is another, which nobody has seen.
ALTER TABLE alarm ADD COLUMN acknowledged INTEGER REFERENCES trail (id);

-- What became of alarms, in the order in which it did: what is beyond the one that somebody was told last is news to
-- him. `who` and `remark` are those of people.
CREATE TABLE alarm_event (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    alarm   INTEGER NOT NULL,
    what    TEXT    NOT NULL CHECK (what IN ('raised', 'changed', 'cleared', 'acknowledged', 'unacknowledged')),
    at_ms   INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    who     TEXT,
    remark  TEXT
) STRICT;
CREATE INDEX alarm_event_time ON alarm_event (at_ms);
INSERT INTO alarm_event (alarm, what, at_ms, kind, subject, text)
    SELECT id, 'raised', raised_ms, kind, subject, text FROM alarm WHERE cleared_ms IS NULL ORDER BY raised_ms, id;

-- Which journal this is, in all that is told of it.
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id  TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(8))));
