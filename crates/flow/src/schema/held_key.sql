-- By what keys and times the groups of a node were put together: those from `first_group` on, until the next row's.
CREATE TABLE held_key (
    node        TEXT    NOT NULL,
    first_group INTEGER NOT NULL,
    put_by      BLOB    NOT NULL,
    PRIMARY KEY (node, first_group)
) STRICT, WITHOUT ROWID;
