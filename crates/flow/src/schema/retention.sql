-- What is old is found and forgotten without looking at all there is.
CREATE INDEX file_by_time ON file (done_ms);
CREATE INDEX file_by_original ON file (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX noted_by_file ON noted (file);
CREATE INDEX alarm_over ON alarm (cleared_ms) WHERE cleared_ms IS NOT NULL;
