-- Whether a file that comes again is a duplicate of this one: somebody may have said that it is to be processed again.
ALTER TABLE file ADD COLUMN is_known INTEGER NOT NULL DEFAULT 1;
