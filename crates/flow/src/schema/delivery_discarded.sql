-- The entry of the trail by which a file that was given up, which is 'dead', was discarded: nobody wants it any more.
ALTER TABLE delivery ADD COLUMN discarded INTEGER REFERENCES trail (id);
DROP INDEX delivery_dead;
CREATE INDEX delivery_dead ON delivery (post_processing_system, id) WHERE state = 'dead' AND discarded IS NULL;
CREATE INDEX delivery_discarded ON delivery (post_processing_system, id) WHERE discarded IS NOT NULL;
