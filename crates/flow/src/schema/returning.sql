-- A record that was set aside with the group in which it waited goes back to where that was: `waited_in` is the node. Its
-- octets are as it waited; `layout` is that by which they were written. `of_group`: the group. All three are of no others.
CREATE TABLE kept_layout (
    id     INTEGER PRIMARY KEY,
    layout TEXT    NOT NULL UNIQUE
) STRICT;
ALTER TABLE suspense ADD COLUMN waited_in TEXT;
ALTER TABLE suspense ADD COLUMN layout INTEGER REFERENCES kept_layout (id);
ALTER TABLE suspense ADD COLUMN of_group INTEGER;
CREATE INDEX suspense_by_group ON suspense (of_group) WHERE of_group IS NOT NULL;
DROP VIEW set_aside;
CREATE VIEW set_aside AS
    SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
        part_of, found_by, waited_in, layout, of_group
    FROM suspense JOIN file
        ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);

-- What records came as need not be kept where they wait.
ALTER TABLE held_part DROP COLUMN as_it_came;
