-- How far channels were told of what became of alarms: up to and with the event `told`. What became of alarms before a
-- channel was there, `began` the last of it, it is told as far as it is still so. `sending`: the last event of a message
-- that may be on its way: it is repeated as it was. `failing_ms`: since when it cannot be told.
CREATE TABLE notified (
    channel    TEXT    PRIMARY KEY,
    began      INTEGER NOT NULL,
    told       INTEGER NOT NULL,
    sending    INTEGER,
    failing_ms INTEGER
) STRICT;
