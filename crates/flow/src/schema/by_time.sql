-- The entries of the audit trail and the deliveries of a period, without reading all that came after it.
CREATE INDEX trail_by_time ON trail (at_ms);
CREATE INDEX delivery_by_time ON delivery (at_ms);
