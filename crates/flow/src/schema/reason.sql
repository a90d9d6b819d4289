-- Why records are in suspense: a code, and a text with the names of values. Many rows have the same. Rows of earlier
-- versions have only the text.
CREATE TABLE reason (
    id       INTEGER PRIMARY KEY,
    code     TEXT    NOT NULL,
    template TEXT    NOT NULL,
    UNIQUE (code, template)
) STRICT;
ALTER TABLE suspense ADD COLUMN reason_id INTEGER;
-- The values, in the order of the template: a list in JSON.
ALTER TABLE suspense ADD COLUMN reason_values TEXT;
DROP VIEW set_aside;
CREATE VIEW set_aside AS
    SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
        part_of, found_by, waited_in, layout, of_group, octets_digest, reason_id, reason_values
    FROM suspense JOIN file
        ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);
