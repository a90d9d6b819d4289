-- What a receiver has, the last first: more than a year of it lies here.
CREATE INDEX delivery_delivered ON delivery (post_processing_system, id) WHERE state = 'delivered';
