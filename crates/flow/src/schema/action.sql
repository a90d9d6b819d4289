-- What rules and people want done: an outbox, which is written in the transaction that it is about. `message`: what the other side is
-- sent, as JSON. `rule_waits`: people must approve the version of the rule first. `passes_limit`: a person has let it go on. `due_ms`: when
-- it was allowed to be sent, for the limit. `next_ms`: when it is sent next.
CREATE TABLE action (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    action           TEXT    NOT NULL,
    node             TEXT    NOT NULL,
    subject          TEXT    NOT NULL,
    key              TEXT    NOT NULL,
    rule             TEXT,
    rule_version     TEXT,
    rule_waits       INTEGER NOT NULL,
    message          TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    requested_ms     INTEGER NOT NULL,
    requested_by     TEXT,
    because          TEXT    NOT NULL,
    approved_by      TEXT,
    also_approved_by TEXT,
    passes_limit     INTEGER NOT NULL DEFAULT 0,
    tries            INTEGER NOT NULL DEFAULT 0,
    due_ms           INTEGER,
    next_ms          INTEGER NOT NULL DEFAULT 0,
    done_ms          INTEGER,
    problem          TEXT
) STRICT;
CREATE INDEX action_open ON action (action, state, next_ms)
    WHERE state IN ('new', 'waiting', 'held', 'due', 'sending', 'undo', 'undoing');
CREATE INDEX action_by_key ON action (key, action);
CREATE INDEX action_due ON action (action, due_ms) WHERE due_ms IS NOT NULL;
-- That no action is sent, and why. It has one row at most.
CREATE TABLE action_stop (
    id       INTEGER PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    who      TEXT    NOT NULL,
    because  TEXT    NOT NULL
) STRICT;
-- The rules of nodes, as they run. `actions`: their names, with commas between.
CREATE TABLE fraud_rule (
    node       TEXT    NOT NULL,
    rule       TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    fraud_type TEXT,
    shadow     INTEGER NOT NULL,
    actions    TEXT    NOT NULL,
    approvals  INTEGER NOT NULL,
    title      TEXT,
    because    TEXT,
    owner      TEXT,
    until      TEXT,
    PRIMARY KEY (node, rule)
) STRICT, WITHOUT ROWID;
-- Who has approved which version of a rule, so that it may act.
CREATE TABLE fraud_rule_approval (
    node    TEXT    NOT NULL,
    rule    TEXT    NOT NULL,
    version TEXT    NOT NULL,
    who     TEXT    NOT NULL,
    at_ms   INTEGER NOT NULL,
    because TEXT    NOT NULL,
    PRIMARY KEY (node, rule, version, who)
) STRICT, WITHOUT ROWID;
