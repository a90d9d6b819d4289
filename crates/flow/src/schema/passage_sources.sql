-- Records that a node passed on and that were refused behind it. They are in no other column.
ALTER TABLE passage ADD COLUMN refused_later INTEGER NOT NULL DEFAULT 0;
-- All records that came to the node or system, by edge: a list in JSON of the giver, its stream and the records.
ALTER TABLE passage ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
