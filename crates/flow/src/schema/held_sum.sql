-- Sums of the records of groups, as far as they came before the job in hand: of what the flow audits, `name`, as it was
-- written, `text`; `records` have it. The sum is high * 2^32 + low. A group has those that its first record was summed for.
CREATE TABLE held_sum (
    in_group INTEGER NOT NULL REFERENCES held_group (id) ON DELETE CASCADE,
    name     TEXT    NOT NULL,
    text     TEXT    NOT NULL,
    high     INTEGER NOT NULL,
    low      INTEGER NOT NULL,
    records  INTEGER NOT NULL,
    PRIMARY KEY (in_group, name)
) STRICT, WITHOUT ROWID;
