-- Records of a key that are open in suspense: meanwhile no group that they may belong to is over. `record`: one of `file`
-- that came to a group and was refused on its way; or those of `of_group` that were set aside together, of the node itself,
-- or of one before it, where they would have come as one. `first_ms`, `last_ms`: when they were made, where that is known.
CREATE TABLE held_missing (
    node     TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    file     INTEGER NOT NULL,
    record   INTEGER NOT NULL,
    of_group INTEGER,
    first_ms INTEGER,
    last_ms  INTEGER,
    -- Not while it is given up: who opens it again wants it waited for.
    is_open  INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (node, key, file, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_missing_by_record ON held_missing (file, record);
CREATE INDEX held_missing_by_group ON held_missing (of_group) WHERE of_group IS NOT NULL;

-- Found by their numbers too.
DROP INDEX suspense_by_file;
DROP INDEX suspense_by_job;
CREATE INDEX suspense_by_file ON suspense (file, record);
CREATE INDEX suspense_by_job ON suspense (job, record) WHERE file IS NULL;

-- Whoever sees to a record in suspense, and however: nothing waits for it any more, unless it is opened again.
CREATE TRIGGER held_missing_is_given_up AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state = 'discarded'
BEGIN
    UPDATE held_missing SET is_open = 0 WHERE of_group IS NULL AND record = NEW.record
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open');
    UPDATE held_missing SET is_open = 0 WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
CREATE TRIGGER held_missing_is_wanted_again AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'discarded' AND NEW.state = 'open'
BEGIN
    UPDATE held_missing SET is_open = 1 WHERE of_group IS NULL AND record = NEW.record
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job));
    UPDATE held_missing SET is_open = 1 WHERE of_group = NEW.of_group;
END;
CREATE TRIGGER held_missing_is_seen_to AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state NOT IN ('open', 'discarded')
BEGIN
    DELETE FROM held_missing WHERE of_group IS NULL AND record = NEW.record
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open');
    DELETE FROM held_missing WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
