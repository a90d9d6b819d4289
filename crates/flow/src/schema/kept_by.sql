-- By what the keys were made that a node keeps something of: where that is another, they may be others' keys.
CREATE TABLE kept_by (
    node     TEXT PRIMARY KEY,
    keyed_by BLOB NOT NULL
) STRICT, WITHOUT ROWID;
