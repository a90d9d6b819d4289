-- What the flow named and a version has not: it was too large, or lay elsewhere.
CREATE TABLE version_left_out (
    version INTEGER NOT NULL REFERENCES version (id),
    name TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (version, name)
) STRICT, WITHOUT ROWID;
