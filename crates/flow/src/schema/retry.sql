-- What became of records that were set aside. `came`: the octets as they came, where they were edited. `was`: why it was
-- set aside at first, where it is for something else now. `asked`: the
-- entry of the trail that asks for them to be put through again; they are left alone until they have been. `discarded`:
-- the entry that says why. `part_of`: the octets that could not be read and have it in
-- them; `found_by`: the retry that found it there.
ALTER TABLE suspense ADD COLUMN state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'retried', 'discarded'));
ALTER TABLE suspense ADD COLUMN came BLOB;
ALTER TABLE suspense ADD COLUMN was TEXT;
ALTER TABLE suspense ADD COLUMN asked INTEGER REFERENCES trail (id);
ALTER TABLE suspense ADD COLUMN discarded INTEGER REFERENCES trail (id);
ALTER TABLE suspense ADD COLUMN part_of INTEGER REFERENCES suspense (id) ON DELETE SET NULL;
ALTER TABLE suspense ADD COLUMN found_by INTEGER REFERENCES file (id) ON DELETE SET NULL;
CREATE INDEX suspense_asked ON suspense (asked, file, id) WHERE asked IS NOT NULL;
CREATE INDEX suspense_parts ON suspense (part_of) WHERE part_of IS NOT NULL;
CREATE INDEX suspense_found ON suspense (found_by) WHERE found_by IS NOT NULL;

-- `context`: what of a file is needed to read a record of it alone. `retry_of`: the file whose records were put through
-- again; the row is the account of those.
ALTER TABLE file ADD COLUMN context BLOB;
ALTER TABLE file ADD COLUMN retry_of INTEGER REFERENCES file (id);
CREATE INDEX file_by_retry ON file (retry_of) WHERE retry_of IS NOT NULL;

-- Each time a record was put through again: who asked (an entry of the trail), the job, and how it ended: 'delivered',
-- 'filtered', 'suspended' or 'duplicate' with the reason, or 'divided' where several records were found in its octets.
CREATE TABLE retry (
    record  INTEGER NOT NULL REFERENCES suspense (id) ON DELETE CASCADE,
    asked   INTEGER NOT NULL REFERENCES trail (id),
    job     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    outcome TEXT    NOT NULL CHECK (outcome IN ('delivered', 'filtered', 'suspended', 'duplicate', 'divided')),
    node    TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    PRIMARY KEY (record, asked)
) STRICT, WITHOUT ROWID;
CREATE INDEX retry_by_asked ON retry (asked);
CREATE INDEX retry_by_job ON retry (job);
