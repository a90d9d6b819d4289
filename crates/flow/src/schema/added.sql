-- Inputs that are marked, where they lie, and when it is looked next whether they are as they were. `grown_ms`: since when
-- they are not: somebody wrote to them behind their mark.
CREATE TABLE marked_input (
    file        INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    path        TEXT    NOT NULL,
    marked_ms   INTEGER NOT NULL,
    due_ms      INTEGER NOT NULL,
    grown_ms    INTEGER
) STRICT;
CREATE INDEX marked_input_due ON marked_input (due_ms);
CREATE INDEX marked_input_grown ON marked_input (grown_ms) WHERE grown_ms IS NOT NULL;
-- By which a name that says "duplicate" is known to be one of ours.
CREATE INDEX file_by_duplicate_name ON file (network_element, name) WHERE duplicate_of IS NOT NULL;
