-- Files of far places, by their names there, and how far each of their versions has come. What was fetched is on the disk
-- under its hidden name; what is committed lies in the in buffer, or was processed; of what is done, the far place was told.
CREATE TABLE fetched (
    network_element TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    octets          INTEGER NOT NULL,
    modified_ms     INTEGER,
    step            TEXT    NOT NULL CHECK (step IN ('fetched', 'committed', 'done')),
    at_ms           INTEGER NOT NULL,
    PRIMARY KEY (network_element, name)
) STRICT, WITHOUT ROWID;
