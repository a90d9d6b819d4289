-- Timers of nodes with keyed state, at most one a key. `network_element`: that of the file that set it. `waits_for`: event
-- time or arrival time, which must reach `at_ms`. `set_ms`: when it was set, by the guarded clock. A timer that is set again
-- has another number; none is given twice, since outputs are named by it.
CREATE TABLE state_timer (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    node            TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    waits_for       TEXT    NOT NULL CHECK (waits_for IN ('event', 'arrival')),
    set_ms          INTEGER NOT NULL,
    UNIQUE (node, key)
) STRICT;
CREATE INDEX state_timer_by_time ON state_timer (node, waits_for, at_ms);
-- No timer has the number of a group: records in suspense have either.
INSERT INTO sqlite_sequence (name, seq) VALUES ('state_timer', 1 << 40);
