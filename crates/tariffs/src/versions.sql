-- Versions of a tariff plan. They are added to and never changed; one that is not valid yet can be withdrawn, and stays
-- to be seen.
CREATE TABLE version (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    valid_from       INTEGER NOT NULL, -- seconds since 1970
    name             TEXT    NOT NULL, -- the plan's own
    currency         TEXT    NOT NULL,
    loaded           INTEGER NOT NULL,
    loaded_by        TEXT    NOT NULL,
    reason           TEXT    NOT NULL,
    withdrawn        INTEGER,
    withdrawn_by     TEXT,
    withdrawn_reason TEXT
) STRICT;

-- Of two that are valid from one moment on, nobody knows which prices.
CREATE UNIQUE INDEX version_in_turn ON version (valid_from) WHERE withdrawn IS NULL;

-- The files of a version, as they were loaded.
CREATE TABLE plan_file (
    version INTEGER NOT NULL REFERENCES version,
    name    TEXT    NOT NULL,
    octets  BLOB    NOT NULL,
    PRIMARY KEY (version, name)
) STRICT;
