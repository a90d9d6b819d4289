-- How many files are forgotten, and when the last of them was done: of that time nothing can be proven any more.
CREATE TABLE forgotten (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    files    INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
