-- Whether a file that was put (`state` 'put') lies under its hidden name for sure: the far place has answered that it was not
-- given its own.
ALTER TABLE delivery ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0;
