-- Since when an alarm is raised by the time that is believed, beside what the machine's clock said then.
ALTER TABLE alarm ADD COLUMN since_ms INTEGER NOT NULL DEFAULT 0;
UPDATE alarm SET since_ms = min(raised_ms, ifnull((SELECT seen_ms FROM alive), raised_ms));
