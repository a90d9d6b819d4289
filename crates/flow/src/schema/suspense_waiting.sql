-- Records that could not be processed and are not being retried, the oldest first. Records of groups and reopened records
-- are left out: they came into suspense later than their file was done.
CREATE INDEX suspense_waiting ON suspense (file, job)
    WHERE state = 'open' AND why = 'suspended' AND asked IS NULL AND of_group IS NULL AND reopened IS NULL;
