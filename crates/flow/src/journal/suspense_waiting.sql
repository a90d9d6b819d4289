-- What could not be processed and nobody has seen to, the oldest first.
CREATE INDEX suspense_waiting ON suspense (file, job) WHERE state = 'open' AND why = 'suspended';
