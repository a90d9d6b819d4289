-- The ledgers of a network element are brought up to date when its files are done, those of others are not then.
DROP INDEX pending_order;
CREATE INDEX pending_of_element ON pending (network_element, written_ns, file, id);
