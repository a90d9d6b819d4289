-- What was done in a step: of so many seconds, from a time on, in seconds since 1970. `seconds`: so many of it the gateway ran.
CREATE TABLE step (
    step_seconds INTEGER NOT NULL,
    at INTEGER NOT NULL,
    seconds REAL NOT NULL,
    records REAL NOT NULL,
    octets REAL NOT NULL,
    suspended REAL NOT NULL,
    delay_seconds REAL,
    PRIMARY KEY (step_seconds, at)
) STRICT, WITHOUT ROWID;
