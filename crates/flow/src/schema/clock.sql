-- When the gateway was last seen alive, by a clock that was believed; and since when its clock says something else.
CREATE TABLE alive (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    seen_ms    INTEGER NOT NULL,
    doubted_ms INTEGER
) STRICT;
