-- What could not be processed and waits for somebody, the oldest first. What comes from groups, or was discarded before, came
-- into suspense later than its file was done.
CREATE INDEX suspense_waiting ON suspense (file, job)
    WHERE state = 'open' AND why = 'suspended' AND asked IS NULL AND of_group IS NULL AND reopened IS NULL;
