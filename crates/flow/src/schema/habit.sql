-- When files usually come from network elements ('element'), and go to post-processing systems ('system').
CREATE TABLE habit (
    of      TEXT NOT NULL CHECK (of IN ('element', 'system')),
    name    TEXT NOT NULL,
    learned TEXT NOT NULL,
    PRIMARY KEY (of, name)
) STRICT, WITHOUT ROWID;
