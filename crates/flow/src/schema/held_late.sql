-- Whether the time of a group was over when its first record came, and the flow lets such records begin groups.
ALTER TABLE held_group ADD COLUMN began_late INTEGER NOT NULL DEFAULT 0;
