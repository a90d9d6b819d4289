-- How long a delivery was put off when it was last tried, in milliseconds: `due_ms` is that much later. What is still further
-- away was noted by a clock that was wrong.
ALTER TABLE delivery ADD COLUMN put_off_ms INTEGER NOT NULL DEFAULT 0;
