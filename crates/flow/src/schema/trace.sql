-- From where the records of a job came, on which way, and to where: blocks, or where those lie (flow::trace).
CREATE TABLE trace (
    file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    row  BLOB    NOT NULL
) STRICT;
