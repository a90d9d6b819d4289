-- Groups are found by a digest of their node and key, within spans of their numbers: what begins now writes a small part of
-- the index, however many groups there are. `key_digest`: none of groups that were begun before; they are found by the key.
ALTER TABLE held_group ADD COLUMN key_digest INTEGER;
DROP INDEX held_group_by_key;
CREATE INDEX held_group_by_key ON held_group (node, key) WHERE key_digest IS NULL;
CREATE INDEX held_group_by_digest ON held_group (id >> 17, key_digest) WHERE key_digest IS NOT NULL;
