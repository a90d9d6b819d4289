-- Of a node with records that wait: by which layout they were written, a line each place of their octets.
CREATE TABLE held_form (
    node   TEXT PRIMARY KEY,
    layout TEXT NOT NULL
) STRICT, WITHOUT ROWID;
