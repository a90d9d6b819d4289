-- How bad an alert is, the type of fraud that its rule finds, whether the rule is only tried out, and the case that it belongs to.
ALTER TABLE alert_found ADD COLUMN severity TEXT NOT NULL DEFAULT 'warning';
ALTER TABLE alert_found ADD COLUMN fraud_type TEXT;
ALTER TABLE alert_found ADD COLUMN shadow INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alert_found ADD COLUMN fraud_case INTEGER;
CREATE INDEX alert_found_by_case ON alert_found (fraud_case) WHERE fraud_case IS NOT NULL;
-- What people look into: the alerts about a key of a subject, until it is decided what they are. `opened_ms` and `changed_ms`: when the
-- files of the first and the last alert were done; `first_ms` and `last_ms`: when these happened. `score`: the sum of the highest of
-- each rule. `decision`: fraud, not-fraud or unsure; it has a reason.
CREATE TABLE fraud_case (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    node       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    opened_ms  INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    first_ms   INTEGER NOT NULL,
    last_ms    INTEGER NOT NULL,
    score      INTEGER NOT NULL,
    severity   TEXT    NOT NULL,
    alerts     INTEGER NOT NULL,
    assigned   TEXT,
    decision   TEXT,
    reason     TEXT,
    decided_ms INTEGER,
    decided_by TEXT
) STRICT;
CREATE UNIQUE INDEX fraud_case_open ON fraud_case (node, subject, key) WHERE decision IS NULL;
CREATE INDEX fraud_case_by_key ON fraud_case (key);
CREATE INDEX fraud_case_decided ON fraud_case (decided_ms) WHERE decision IS NOT NULL;
-- What was done with a case, and by whom.
CREATE TABLE fraud_case_step (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    fraud_case INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL,
    who        TEXT    NOT NULL,
    step       TEXT    NOT NULL,
    remark     TEXT    NOT NULL
) STRICT;
CREATE INDEX fraud_case_step_by_case ON fraud_case_step (fraud_case);
-- How often an entry of a list mattered to a rule, and when last.
CREATE TABLE list_hit (
    list    TEXT    NOT NULL,
    entry   TEXT    NOT NULL,
    hits    INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (list, entry)
) STRICT, WITHOUT ROWID;
