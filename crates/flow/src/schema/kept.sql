-- What nodes keep of keys: counters of subscribers. `changed_by`: the entry of the job that changed it last.
CREATE TABLE kept (
    node       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    octets     BLOB    NOT NULL,
    changed_by INTEGER NOT NULL,
    PRIMARY KEY (node, key)
) STRICT, WITHOUT ROWID;
