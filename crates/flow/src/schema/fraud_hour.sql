-- What happened in an hour, for reports: `hour` is in hours since 1970, when the files were done. A row without a rule has the records that were
-- judged, and those that came too late; one with a rule, its alerts (`shadow`: of those, the ones that were only tried out) and the points of
-- the others.
CREATE TABLE fraud_hour (
    hour            INTEGER NOT NULL,
    node            TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    rule            TEXT    NOT NULL,
    fraud_type      TEXT    NOT NULL,
    records         INTEGER NOT NULL,
    late            INTEGER NOT NULL,
    alerts          INTEGER NOT NULL,
    shadow          INTEGER NOT NULL,
    points          INTEGER NOT NULL,
    PRIMARY KEY (hour, node, network_element, rule, fraud_type)
) STRICT, WITHOUT ROWID;
CREATE INDEX fraud_case_opened ON fraud_case (opened_ms);
CREATE INDEX action_done ON action (done_ms) WHERE done_ms IS NOT NULL;
