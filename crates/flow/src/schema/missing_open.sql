-- Every look asks for what groups wait for. What was given up is kept as long as its file is, and costs none of them.
CREATE INDEX held_missing_open ON held_missing (node, key, first_ms, last_ms) WHERE is_open;
