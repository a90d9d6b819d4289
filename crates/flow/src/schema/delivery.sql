-- Outputs that are carried on from an out buffer, in the order in which they were made. `state`: 'waiting'; 'put', it lies
-- in the far place whole, under a name that nobody looks at, or is called what it is to be called already; 'sent', it is there
-- and not acknowledged; 'delivered'; 'dead', it was given up. `lies`: the file, where it is not where it was made.
-- `place`, `name`, `octets`: where it was put, what it is to be called there, and how long it is. `failed_ms`: since when
-- it could not be delivered. `due_ms`: when that is tried again. `at_ms`: when its state became what it is.
CREATE TABLE delivery (
    id                     INTEGER PRIMARY KEY,
    file                   INTEGER REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT    NOT NULL,
    path                   TEXT    NOT NULL,
    records                INTEGER NOT NULL,
    state                  TEXT    NOT NULL DEFAULT 'waiting'
                           CHECK (state IN ('waiting', 'put', 'sent', 'delivered', 'dead')),
    at_ms                  INTEGER NOT NULL,
    lies                   TEXT,
    place                  TEXT,
    name                   TEXT,
    octets                 INTEGER,
    failures               INTEGER NOT NULL DEFAULT 0,
    failed_ms              INTEGER,
    due_ms                 INTEGER NOT NULL DEFAULT 0,
    problem                TEXT
) STRICT;
CREATE INDEX delivery_open ON delivery (post_processing_system, id) WHERE state IN ('waiting', 'put');
CREATE INDEX delivery_sent ON delivery (post_processing_system, id) WHERE state = 'sent';
CREATE INDEX delivery_dead ON delivery (post_processing_system, id) WHERE state = 'dead';
CREATE INDEX delivery_kept ON delivery (post_processing_system, at_ms) WHERE state = 'delivered' AND lies IS NOT NULL;
CREATE INDEX delivery_by_file ON delivery (file);
CREATE INDEX delivery_by_path ON delivery (path);
