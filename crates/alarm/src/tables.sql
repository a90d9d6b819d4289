-- The alarms, each with the time in which it was raised. Of a kind and subject, at most one is raised; an alarm that is
-- raised again after it was cleared is a new row. `raised_ms` and `cleared_ms` are times of the machine's clock;
-- `since_ms` is the trusted time when the alarm was raised. `acknowledged` is the entry of the audit trail with the
-- acknowledgement.
CREATE TABLE alarm (
    id           INTEGER PRIMARY KEY,
    kind         TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    raised_ms    INTEGER NOT NULL,
    cleared_ms   INTEGER,
    -- The value of `change` when it was raised.
    raised       INTEGER NOT NULL,
    -- Grows with every change of any alarm, so that a reader of the list finds what changed since its last look.
    change       INTEGER NOT NULL,
    acknowledged INTEGER REFERENCES trail (id),
    since_ms     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX alarm_raised ON alarm (kind, subject) WHERE cleared_ms IS NULL;
CREATE INDEX alarm_change ON alarm (change);
CREATE INDEX alarm_over ON alarm (cleared_ms) WHERE cleared_ms IS NOT NULL;

-- The events of alarms, in the order in which they happened: the outbox of notification. `who` and `remark` come from
-- the user who acknowledged the alarm or took that back.
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

-- How far each channel of notification has read the events: up to and including the event `told`. `began` is the newest
-- event at the time when the channel was new; of the events up to it, the channel gets those whose alarm is still
-- raised. `sending` is the last event of a message that may be on its way, which is repeated unchanged. `failing_ms` is
-- the time since when the channel cannot be reached.
CREATE TABLE notified (
    channel    TEXT    PRIMARY KEY,
    began      INTEGER NOT NULL,
    told       INTEGER NOT NULL,
    sending    INTEGER,
    failing_ms INTEGER
) STRICT;

-- The identity of this journal, which is part of the identifiers of events.
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id  TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(8))));
