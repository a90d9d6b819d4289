-- What somebody has asked to become of the counters of a node: whoever runs the flow does it between two files. `deed` and
-- `answer`, what became of it, are JSON. `is_over`: it is done or refused, and the alarms are those of afterwards.
CREATE TABLE kept_asked (
    id      INTEGER PRIMARY KEY,
    who     TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    deed    TEXT    NOT NULL,
    answer  TEXT,
    is_over INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX kept_asked_open ON kept_asked (id) WHERE is_over = 0;
