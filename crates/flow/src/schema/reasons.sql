-- Why files are refused and deliveries failed: a code and values, as records in suspense have them. Rows of earlier versions
-- have only the text.
ALTER TABLE delivery ADD COLUMN reason_id INTEGER;
ALTER TABLE delivery ADD COLUMN reason_values TEXT;
-- When it was noted, or last found to be the reason of a row.
ALTER TABLE reason ADD COLUMN checked_ms INTEGER NOT NULL DEFAULT 0;
-- Files that were set aside as a whole, and those of remote places that are not fetched, or not removed there.
CREATE TABLE refused_file (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    kind            TEXT    NOT NULL CHECK (kind IN ('set-aside', 'not-fetched', 'not-removed')),
    -- Empty for files that earlier versions set aside.
    network_element TEXT    NOT NULL,
    -- Where it lies, or its name in the remote place.
    path            TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    reason          TEXT    NOT NULL,
    reason_id       INTEGER,
    reason_values   TEXT,
    UNIQUE (kind, path, network_element)
) STRICT;
INSERT INTO refused_file (kind, network_element, path, at_ms, reason)
    SELECT 'set-aside', '', path, at_ms, reason FROM poison ORDER BY at_ms;
DROP TABLE poison;
