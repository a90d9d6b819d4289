-- Whether an entry is of a view of subscriber data: its subject may have the number of a subscriber.
ALTER TABLE trail ADD COLUMN is_view INTEGER NOT NULL DEFAULT 0 CHECK (is_view IN (0, 1));
CREATE INDEX trail_view ON trail (at_ms) WHERE is_view = 1 AND subject <> '';
