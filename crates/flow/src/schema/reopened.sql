-- The entry of the trail by which a record that was discarded was opened again; the last, where it was more than once.
ALTER TABLE suspense ADD COLUMN reopened INTEGER REFERENCES trail (id);
