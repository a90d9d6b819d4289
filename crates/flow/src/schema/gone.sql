-- `marked` is 2 where an input was not marked when it was seen that it no longer lies where it lay: who was killed had
-- marked it and not noted that, or somebody has taken it away. Should it come back, it is known for what it is.
DROP INDEX file_unmarked;
CREATE INDEX file_unmarked ON file (path, size, modified_ns) WHERE marked <> 1;
