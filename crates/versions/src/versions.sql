CREATE TABLE content (
    digest TEXT PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- `contents` tells the files of a version from those of another.
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    remark TEXT NOT NULL,
    contents TEXT NOT NULL
) STRICT;
CREATE INDEX version_by_contents ON version (contents);

-- The flow file's name is empty; others are as the flow's folder sees them.
CREATE TABLE version_file (
    version INTEGER NOT NULL REFERENCES version (id),
    name TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES content (digest),
    PRIMARY KEY (version, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE activation (
    version INTEGER NOT NULL REFERENCES version (id),
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL
) STRICT;
CREATE INDEX activation_by_version ON activation (version);
