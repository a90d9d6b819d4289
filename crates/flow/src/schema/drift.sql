-- What is usual of the files of a network element, as `drift` has learned it. `closes_ms`: when the hour is over that is
-- being counted.
CREATE TABLE drift (
    network_element TEXT    PRIMARY KEY,
    closes_ms       INTEGER NOT NULL,
    learned         TEXT    NOT NULL
) STRICT;
