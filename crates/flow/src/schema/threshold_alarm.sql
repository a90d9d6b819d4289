-- Objects whose value is, or was, beyond a threshold. `raised_ms` and `cleared_ms`: the ends of the periods with which the alarm began and
-- was over; `found_ms`: when the file with which it began was done; `observed` and `limit_value`: those of the first period.
CREATE TABLE threshold_alarm (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    node            TEXT    NOT NULL,
    threshold       TEXT    NOT NULL,
    kpi             TEXT    NOT NULL,
    object          TEXT    NOT NULL,
    severity        TEXT    NOT NULL,
    raised_ms       INTEGER NOT NULL,
    cleared_ms      INTEGER,
    found_ms        INTEGER NOT NULL,
    observed        REAL    NOT NULL,
    limit_value     REAL    NOT NULL,
    above           INTEGER NOT NULL,
    unit            TEXT    NOT NULL,
    formula         TEXT    NOT NULL,
    file            INTEGER NOT NULL,
    record          INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX threshold_alarm_raised ON threshold_alarm (node, threshold, object) WHERE cleared_ms IS NULL;
CREATE INDEX threshold_alarm_by_time ON threshold_alarm (raised_ms);
CREATE INDEX threshold_alarm_by_object ON threshold_alarm (object);
-- Alarms that were raised and cleared, in the order in which that was found: a console that was away reads from its number on.
CREATE TABLE threshold_event (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    alarm    INTEGER NOT NULL,
    raised   INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    found_ms INTEGER NOT NULL,
    observed REAL    NOT NULL
) STRICT;
CREATE INDEX threshold_event_by_alarm ON threshold_event (alarm);
