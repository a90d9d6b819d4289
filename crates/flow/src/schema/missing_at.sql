-- Where in its file a record begins for which groups wait: several that are found in octets which could not be read have
-- one number, and each may belong to other groups. -1: noted before that was known, then all of the number are meant.
DROP TRIGGER held_missing_is_given_up;
DROP TRIGGER held_missing_is_wanted_again;
DROP TRIGGER held_missing_is_seen_to;
CREATE TABLE held_missing_now (
    node     TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    file     INTEGER NOT NULL,
    record   INTEGER NOT NULL,
    offset   INTEGER NOT NULL,
    of_group INTEGER,
    first_ms INTEGER,
    last_ms  INTEGER,
    is_open  INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (node, key, file, record, offset)
) STRICT, WITHOUT ROWID;
INSERT INTO held_missing_now
    SELECT node, key, file, record, iif(of_group IS NULL, -1, 0), of_group, first_ms, last_ms, is_open FROM held_missing;
DROP TABLE held_missing;
ALTER TABLE held_missing_now RENAME TO held_missing;
CREATE INDEX held_missing_by_record ON held_missing (file, record, offset);
CREATE INDEX held_missing_by_group ON held_missing (of_group) WHERE of_group IS NOT NULL;

DROP INDEX suspense_by_file;
DROP INDEX suspense_by_job;
CREATE INDEX suspense_by_file ON suspense (file, record, offset);
CREATE INDEX suspense_by_job ON suspense (job, record, offset) WHERE file IS NULL;

-- As before, and of those alone that begin there.
CREATE TRIGGER held_missing_is_given_up AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state = 'discarded'
BEGIN
    UPDATE held_missing SET is_open = 0 WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open'
                AND other.offset >= held_missing.offset
                AND other.offset <= iif(held_missing.offset < 0, 9223372036854775807, held_missing.offset));
    UPDATE held_missing SET is_open = 0 WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
CREATE TRIGGER held_missing_is_wanted_again AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'discarded' AND NEW.state = 'open'
BEGIN
    UPDATE held_missing SET is_open = 1 WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job));
    UPDATE held_missing SET is_open = 1 WHERE of_group = NEW.of_group;
END;
CREATE TRIGGER held_missing_is_seen_to AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state NOT IN ('open', 'discarded')
BEGIN
    DELETE FROM held_missing WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open'
                AND other.offset >= held_missing.offset
                AND other.offset <= iif(held_missing.offset < 0, 9223372036854775807, held_missing.offset));
    DELETE FROM held_missing WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
