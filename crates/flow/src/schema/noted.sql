-- What nodes that remember noted of a file's records, for as long as their windows are. `form` tells what the node was
-- made of then.
CREATE TABLE noted (
    file   INTEGER NOT NULL REFERENCES file (id),
    node   TEXT    NOT NULL,
    form   TEXT    NOT NULL,
    octets BLOB    NOT NULL
) STRICT;
CREATE INDEX noted_by_node ON noted (node, file);
