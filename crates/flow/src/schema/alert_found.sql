-- What the rules of fraud nodes have found: an alert about a key of a subject, at the time of a record, for which the rule fired.
-- `digest`: of all that, the same if the same files come in the same order. `file` and `record`: where that record is.
-- `condition`: with the values of then.
CREATE TABLE alert_found (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    digest       BLOB    NOT NULL,
    node         TEXT    NOT NULL,
    rule         TEXT    NOT NULL,
    rule_version TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    at_ms        INTEGER NOT NULL,
    file         INTEGER NOT NULL,
    record       INTEGER NOT NULL,
    score        INTEGER NOT NULL,
    condition    TEXT    NOT NULL
) STRICT;
CREATE INDEX alert_found_by_time ON alert_found (at_ms);
CREATE INDEX alert_found_by_key ON alert_found (key);
CREATE INDEX alert_found_by_file ON alert_found (file);
-- The recent records that an alert is about, in the order of their times.
CREATE TABLE alert_record (
    alert  INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    file   INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (alert, place)
) STRICT, WITHOUT ROWID;
