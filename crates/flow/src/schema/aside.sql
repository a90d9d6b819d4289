-- Records of a file that were set aside while it was in hand stay as they were written then: `job` says which they are,
-- and the rows of `suspense` have that instead of the file. So nothing of them is written again when the file is done.
ALTER TABLE file ADD COLUMN job INTEGER;
CREATE UNIQUE INDEX file_by_job ON file (job) WHERE job IS NOT NULL;

-- The records of files that are done, each with its file.
CREATE VIEW set_aside AS
    SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
        part_of, found_by
    FROM suspense JOIN file
        ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);
