-- A token has an end. Those that had none are given a year from now: who uses one has that long to make another.
ALTER TABLE token ADD COLUMN until_ms INTEGER NOT NULL DEFAULT 0;
UPDATE token SET until_ms = (unixepoch() + 365 * 86400) * 1000;
