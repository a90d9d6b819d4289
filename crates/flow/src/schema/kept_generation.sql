-- By what the keys of a node were made whose counters are kept: `generation` is a number for each, several may say the same.
-- `begun_by`, `last_by`: by which a key was counted first, and last.
CREATE TABLE kept_by_now (
    node       TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    keyed_by   BLOB    NOT NULL,
    PRIMARY KEY (node, generation)
) STRICT, WITHOUT ROWID;
INSERT INTO kept_by_now SELECT node, 0, keyed_by FROM kept_by;
DROP TABLE kept_by;
ALTER TABLE kept_by_now RENAME TO kept_by;
ALTER TABLE kept ADD COLUMN begun_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE kept ADD COLUMN last_by INTEGER NOT NULL DEFAULT 0;
