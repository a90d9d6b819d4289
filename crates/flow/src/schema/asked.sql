-- Groups that somebody has asked to be ended: `asked` is the entry of the trail. It stays when that is done.
ALTER TABLE held_group ADD COLUMN asked INTEGER REFERENCES trail (id);
ALTER TABLE held_group ADD COLUMN asked_end TEXT CHECK (asked_end IN ('release', 'suspend', 'drop'));
CREATE INDEX held_group_asked ON held_group (asked) WHERE asked IS NOT NULL;
