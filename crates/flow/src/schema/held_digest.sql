-- A digest of each record of a group, which stays when its octets go: so it is known when it comes again.
ALTER TABLE held_part ADD COLUMN digest BLOB;
