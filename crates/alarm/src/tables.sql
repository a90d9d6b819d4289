-- What is wrong, from when until when. One of a kind and subject is raised once, until it is cleared. `raised_ms` and
-- `cleared_ms` are what the machine's clock said, `since_ms` is the time that was believed when it was raised.
-- `acknowledged`: the entry of the audit trail by which somebody acknowledged it; one that is raised anew is another alarm.
CREATE TABLE alarm (
    id           INTEGER PRIMARY KEY,
    kind         TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    raised_ms    INTEGER NOT NULL,
    cleared_ms   INTEGER,
    -- What `change` was when it was raised.
    raised       INTEGER NOT NULL,
    -- Grows with every change of any alarm, so that a reader of the list finds what has changed since it last looked.
    change       INTEGER NOT NULL,
    acknowledged INTEGER REFERENCES trail (id),
    since_ms     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX alarm_raised ON alarm (kind, subject) WHERE cleared_ms IS NULL;
CREATE INDEX alarm_change ON alarm (change);
CREATE INDEX alarm_over ON alarm (cleared_ms) WHERE cleared_ms IS NOT NULL;

-- The events of alarms, in the order in which they happened: the outbox of notification. `who` and `remark` are those of
-- people.
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

-- How far each channel of notification has read the events: up to and with the event `told`. Of events up to `began`, the
-- newest when the channel was new, it gets those whose alarm is still raised. `sending`: the last event of a message that may
-- be on its way, which is repeated as it was. `failing_ms`: since when it cannot be reached.
CREATE TABLE notified (
    channel    TEXT    PRIMARY KEY,
    began      INTEGER NOT NULL,
    told       INTEGER NOT NULL,
    sending    INTEGER,
    failing_ms INTEGER
) STRICT;

-- Which journal this is, in the identifiers of events.
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id  TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(8))));
