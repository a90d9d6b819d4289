-- A digest of the octets of a record that is set aside, by which whoever reads them knows that they are those which were
-- written. What was set aside before has none.
ALTER TABLE suspense ADD COLUMN octets_digest BLOB;
DROP VIEW set_aside;
CREATE VIEW set_aside AS
    SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
        part_of, found_by, waited_in, layout, of_group, octets_digest
    FROM suspense JOIN file
        ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);
