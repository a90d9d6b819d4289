-- How many octets are in a file that came compressed: by that and its digest it is known when it comes again, however it is
-- compressed then. Of others it is their size, and of those that came before this was noted it is not known.
ALTER TABLE file ADD COLUMN contents INTEGER;
DROP INDEX file_by_contents;
CREATE INDEX file_by_contents ON file (network_element, ifnull(contents, size), digest) WHERE duplicate_of IS NULL;
