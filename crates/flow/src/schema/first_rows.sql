-- The rows that a new journal has. Each journal has an identity of its own.
INSERT INTO identity VALUES (1, lower(hex(randomblob(8))));
INSERT INTO sqlite_sequence (name, seq) VALUES ('state_timer', 1 << 40);
INSERT INTO key_secret VALUES (randomblob(32));
