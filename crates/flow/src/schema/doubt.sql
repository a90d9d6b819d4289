-- How long the machine was up when its clock was first doubted, and since which start of it: a clock that is doubted does not
-- say itself how long it has said the same.
ALTER TABLE alive ADD COLUMN doubted_up_ms INTEGER;
ALTER TABLE alive ADD COLUMN doubted_boot INTEGER;
