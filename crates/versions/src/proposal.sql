-- Versions that a second person has to activate. `contents` are those of the files on the disk at that time: a proposal
-- is void once they have changed.
CREATE TABLE proposal (
    version INTEGER PRIMARY KEY REFERENCES version (id),
    at_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    because TEXT NOT NULL,
    contents TEXT NOT NULL
) STRICT;
