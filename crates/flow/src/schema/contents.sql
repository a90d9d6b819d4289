-- By what an input file is known when it comes again: its name, and its size and the digest of its contents.
-- `duplicate_of`: the file it was found to be again; its records were counted and went nowhere.
ALTER TABLE file ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE file ADD COLUMN digest BLOB;
ALTER TABLE file ADD COLUMN duplicate_of INTEGER REFERENCES file (id);
CREATE INDEX file_by_name ON file (network_element, name) WHERE duplicate_of IS NULL;
CREATE INDEX file_by_contents ON file (network_element, size, digest) WHERE duplicate_of IS NULL;
