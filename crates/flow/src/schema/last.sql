CREATE TABLE file (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    path            TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    modified_ns     INTEGER NOT NULL,
    done_ms         INTEGER NOT NULL,
    records         INTEGER NOT NULL,
    delivered       INTEGER NOT NULL,
    filtered        INTEGER NOT NULL,
    held            INTEGER NOT NULL,
    suspended       INTEGER NOT NULL,
    duplicate       INTEGER NOT NULL,
    finished        INTEGER NOT NULL DEFAULT 0,
    marked          INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL DEFAULT '', digest BLOB, duplicate_of INTEGER REFERENCES file (id), context BLOB, retry_of INTEGER REFERENCES file (id), is_known INTEGER NOT NULL DEFAULT 1, expired_in TEXT, job INTEGER, contents INTEGER,
    CHECK (records = delivered + filtered + held + suspended + duplicate)
) STRICT;
CREATE INDEX file_unfinished ON file (id) WHERE finished = 0;
CREATE TABLE output (
    file                   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT,
    path                   TEXT    NOT NULL,
    records                INTEGER NOT NULL
) STRICT;
CREATE INDEX output_by_file ON output (file);
CREATE INDEX file_by_name ON file (network_element, name) WHERE duplicate_of IS NULL;
CREATE TABLE alarm (
    id         INTEGER PRIMARY KEY,
    kind       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    raised_ms  INTEGER NOT NULL,
    cleared_ms INTEGER,
    -- What `change` was when it was raised.
    raised     INTEGER NOT NULL,
    -- Grows with every change of any alarm: what is beyond the one that somebody was told last is news to him.
    change     INTEGER NOT NULL
, acknowledged INTEGER REFERENCES trail (id), since_ms INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX alarm_raised ON alarm (kind, subject) WHERE cleared_ms IS NULL;
CREATE INDEX alarm_change ON alarm (change);
CREATE TABLE suspense (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    file     INTEGER REFERENCES file (id),
    job      INTEGER,
    why      TEXT    NOT NULL,
    record   INTEGER NOT NULL,
    offset   INTEGER NOT NULL,
    node     TEXT    NOT NULL,
    reason   TEXT    NOT NULL,
    octets   BLOB    NOT NULL, state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'retried', 'discarded')), came BLOB, was TEXT, asked INTEGER REFERENCES trail (id), discarded INTEGER REFERENCES trail (id), part_of INTEGER REFERENCES suspense (id) ON DELETE SET NULL, found_by INTEGER REFERENCES file (id) ON DELETE SET NULL, waited_in TEXT, layout INTEGER REFERENCES kept_layout (id), of_group INTEGER, octets_digest BLOB, reopened INTEGER REFERENCES trail (id), reason_id INTEGER, reason_values TEXT,
    CHECK (file IS NOT NULL OR job IS NOT NULL)
) STRICT;
CREATE TABLE pending (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    written_ns      INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    done_ms         INTEGER NOT NULL,
    gathered        TEXT    NOT NULL
) STRICT;
CREATE TABLE counter (
    id              INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    of              TEXT    NOT NULL CHECK (of IN ('file', 'record')),
    series          TEXT    NOT NULL,
    first           INTEGER NOT NULL,
    last            INTEGER NOT NULL,
    began           INTEGER NOT NULL,
    next            INTEGER NOT NULL,
    UNIQUE (network_element, of, series, first, last)
) STRICT;
CREATE TABLE gap (
    counter   INTEGER NOT NULL REFERENCES counter (id),
    start     INTEGER NOT NULL,
    end       INTEGER NOT NULL,
    opened_ms INTEGER NOT NULL,
    opened_by TEXT    NOT NULL,
    closed_ms INTEGER,
    closed_by TEXT,
    accepted_ms  INTEGER,
    accepted_by  TEXT,
    accepted_for TEXT,
    CHECK (start < end)
) STRICT;
CREATE INDEX gap_open ON gap (counter, start) WHERE closed_ms IS NULL;
CREATE INDEX gap_opened ON gap (counter, opened_ms);
CREATE TABLE arrival (
    counter INTEGER NOT NULL REFERENCES counter (id),
    at_ms   INTEGER NOT NULL,
    file    TEXT    NOT NULL,
    what    TEXT    NOT NULL CHECK (what IN ('new', 'late', 'repeated', 'restarted')),
    start   INTEGER NOT NULL,
    end     INTEGER NOT NULL,
    CHECK (start < end)
) STRICT;
CREATE INDEX arrival_by_time ON arrival (counter, at_ms);
CREATE TABLE unnumbered (
    network_element TEXT    NOT NULL,
    of              TEXT    NOT NULL CHECK (of IN ('file', 'record')),
    at_ms           INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    count           INTEGER NOT NULL
) STRICT;
CREATE INDEX unnumbered_by_time ON unnumbered (network_element, at_ms);
CREATE TABLE total (
    network_element TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    file            TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    said            INTEGER,
    found           INTEGER,
    agrees          INTEGER NOT NULL
) STRICT;
CREATE INDEX total_by_time ON total (network_element, at_ms);
CREATE TABLE heard (
    network_element TEXT    PRIMARY KEY,
    at_ms           INTEGER NOT NULL
) STRICT;
CREATE TABLE noted (
    file   INTEGER NOT NULL REFERENCES file (id),
    node   TEXT    NOT NULL,
    form   TEXT    NOT NULL,
    octets BLOB    NOT NULL
) STRICT;
CREATE INDEX noted_by_node ON noted (node, file);
CREATE TABLE passage (
    file      INTEGER NOT NULL REFERENCES file (id),
    node      TEXT    NOT NULL,
    is_system INTEGER NOT NULL,
    records   INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    filtered  INTEGER NOT NULL,
    held      INTEGER NOT NULL,
    suspended INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    made      INTEGER NOT NULL, refused_later INTEGER NOT NULL DEFAULT 0, sources TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (file, node),
    CHECK (records = delivered + filtered + held + suspended + duplicate)
) STRICT, WITHOUT ROWID;
CREATE TABLE amount (
    file    INTEGER NOT NULL REFERENCES file (id),
    at      TEXT    NOT NULL,
    side    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    -- The sum is high * 2^32 + low: no number of any record is too large for it.
    high    INTEGER NOT NULL,
    low     INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (file, at, side, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE trail (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    who     TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    before  TEXT,
    after   TEXT
, is_view INTEGER NOT NULL DEFAULT 0 CHECK (is_view IN (0, 1))) STRICT;
CREATE INDEX trail_by_subject ON trail (subject);
CREATE INDEX suspense_asked ON suspense (asked, file, id) WHERE asked IS NOT NULL;
CREATE INDEX suspense_parts ON suspense (part_of) WHERE part_of IS NOT NULL;
CREATE INDEX suspense_found ON suspense (found_by) WHERE found_by IS NOT NULL;
CREATE INDEX file_by_retry ON file (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX file_by_time ON file (done_ms);
CREATE INDEX file_by_original ON file (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX noted_by_file ON noted (file);
CREATE INDEX alarm_over ON alarm (cleared_ms) WHERE cleared_ms IS NOT NULL;
CREATE TABLE held (
    file      INTEGER NOT NULL REFERENCES file (id),
    node      TEXT    NOT NULL,
    waiting   INTEGER NOT NULL CHECK (waiting >= 0),
    released  INTEGER NOT NULL DEFAULT 0,
    dropped   INTEGER NOT NULL DEFAULT 0,
    suspended INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (file, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE held_node (
    node TEXT    PRIMARY KEY,
    open INTEGER NOT NULL CHECK (open >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE watermark (
    node            TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    time_ms         INTEGER NOT NULL,
    PRIMARY KEY (node, network_element)
) STRICT, WITHOUT ROWID;
CREATE TABLE "retry" (
    record  INTEGER NOT NULL REFERENCES suspense (id) ON DELETE CASCADE,
    asked   INTEGER NOT NULL REFERENCES trail (id),
    job     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    outcome TEXT    NOT NULL CHECK (outcome IN ('delivered', 'filtered', 'held', 'suspended', 'duplicate', 'divided')),
    node    TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    PRIMARY KEY (record, asked)
) STRICT, WITHOUT ROWID;
CREATE INDEX retry_by_asked ON retry (asked);
CREATE INDEX retry_by_job ON retry (job);
CREATE UNIQUE INDEX file_by_job ON file (job) WHERE job IS NOT NULL;
CREATE TABLE forgotten (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    files    INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE held_form (
    node   TEXT PRIMARY KEY,
    layout TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_layout (
    id     INTEGER PRIMARY KEY,
    layout TEXT    NOT NULL UNIQUE
) STRICT;
CREATE INDEX suspense_by_group ON suspense (of_group) WHERE of_group IS NOT NULL;
CREATE TABLE kept (
    node       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    octets     BLOB    NOT NULL,
    changed_by INTEGER NOT NULL, begun_by INTEGER NOT NULL DEFAULT 0, last_by INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (node, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE alive (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    seen_ms    INTEGER NOT NULL,
    doubted_ms INTEGER
, doubted_up_ms INTEGER, doubted_boot INTEGER) STRICT;
CREATE TABLE held_key (
    node        TEXT    NOT NULL,
    first_group INTEGER NOT NULL,
    put_by      BLOB    NOT NULL,
    PRIMARY KEY (node, first_group)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_unmarked ON file (path, size, modified_ns) WHERE marked <> 1;
CREATE TABLE held_balance (
    node    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    high    INTEGER NOT NULL,
    low     INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (node, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE "held_missing" (
    node     TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    file     INTEGER NOT NULL,
    record   INTEGER NOT NULL,
    offset   INTEGER NOT NULL,
    of_group INTEGER,
    first_ms INTEGER,
    last_ms  INTEGER,
    is_open  INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (node, key, file, record, offset)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_missing_by_record ON held_missing (file, record, offset);
CREATE INDEX held_missing_by_group ON held_missing (of_group) WHERE of_group IS NOT NULL;
CREATE INDEX suspense_by_file ON suspense (file, record, offset);
CREATE INDEX suspense_by_job ON suspense (job, record, offset) WHERE file IS NULL;
CREATE TRIGGER held_missing_is_given_up AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state = 'discarded'
BEGIN
    UPDATE held_missing SET is_open = 0 WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open'
                AND other.offset >= held_missing.offset
                AND other.offset <= iif(held_missing.offset < 0, 9223372036854775807, held_missing.offset));
    UPDATE held_missing SET is_open = 0 WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
CREATE TRIGGER held_missing_is_wanted_again AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'discarded' AND NEW.state = 'open'
BEGIN
    UPDATE held_missing SET is_open = 1 WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job));
    UPDATE held_missing SET is_open = 1 WHERE of_group = NEW.of_group;
END;
CREATE TRIGGER held_missing_is_seen_to AFTER UPDATE OF state ON suspense
WHEN OLD.state = 'open' AND NEW.state NOT IN ('open', 'discarded')
BEGIN
    DELETE FROM held_missing WHERE of_group IS NULL AND record = NEW.record AND offset IN (NEW.offset, -1)
        AND file = ifnull(NEW.file, (SELECT id FROM file WHERE file.job = NEW.job))
        AND NOT EXISTS (SELECT 1 FROM set_aside AS other
            WHERE other.file = held_missing.file AND other.record = held_missing.record AND other.state = 'open'
                AND other.offset >= held_missing.offset
                AND other.offset <= iif(held_missing.offset < 0, 9223372036854775807, held_missing.offset));
    DELETE FROM held_missing WHERE of_group = NEW.of_group
        AND NOT EXISTS (SELECT 1 FROM suspense AS other
            WHERE other.of_group = held_missing.of_group AND other.state = 'open');
END;
CREATE INDEX held_missing_open ON held_missing (node, key, first_ms, last_ms) WHERE is_open;
CREATE TABLE "kept_by" (
    node       TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    keyed_by   BLOB    NOT NULL,
    PRIMARY KEY (node, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_of_element ON pending (network_element, written_ns, file, id);
CREATE TABLE alarm_event (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    alarm   INTEGER NOT NULL,
    what    TEXT    NOT NULL CHECK (what IN ('raised', 'changed', 'cleared', 'acknowledged', 'unacknowledged')),
    at_ms   INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    who     TEXT,
    remark  TEXT
) STRICT;
CREATE INDEX alarm_event_time ON alarm_event (at_ms);
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id  TEXT NOT NULL
) STRICT;
CREATE TABLE notified (
    channel    TEXT    PRIMARY KEY,
    began      INTEGER NOT NULL,
    told       INTEGER NOT NULL,
    sending    INTEGER,
    failing_ms INTEGER
) STRICT;
CREATE TABLE drift (
    network_element TEXT    PRIMARY KEY,
    closes_ms       INTEGER NOT NULL,
    learned         TEXT    NOT NULL
) STRICT;
CREATE TABLE delivery (
    id                     INTEGER PRIMARY KEY,
    file                   INTEGER REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT    NOT NULL,
    path                   TEXT    NOT NULL,
    records                INTEGER NOT NULL,
    state                  TEXT    NOT NULL DEFAULT 'waiting'
                           CHECK (state IN ('waiting', 'put', 'sent', 'delivered', 'dead')),
    at_ms                  INTEGER NOT NULL,
    lies                   TEXT,
    place                  TEXT,
    name                   TEXT,
    octets                 INTEGER,
    failures               INTEGER NOT NULL DEFAULT 0,
    failed_ms              INTEGER,
    due_ms                 INTEGER NOT NULL DEFAULT 0,
    problem                TEXT
, put_off_ms INTEGER NOT NULL DEFAULT 0, unnamed INTEGER NOT NULL DEFAULT 0, discarded INTEGER REFERENCES trail (id), reason_id INTEGER, reason_values TEXT) STRICT;
CREATE INDEX delivery_open ON delivery (post_processing_system, id) WHERE state IN ('waiting', 'put');
CREATE INDEX delivery_sent ON delivery (post_processing_system, id) WHERE state = 'sent';
CREATE INDEX delivery_kept ON delivery (post_processing_system, at_ms) WHERE state = 'delivered' AND lies IS NOT NULL;
CREATE INDEX delivery_by_file ON delivery (file);
CREATE INDEX delivery_by_path ON delivery (path);
CREATE TABLE trace (
    file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    row  BLOB    NOT NULL
) STRICT;
CREATE TABLE archive (
    file            INTEGER PRIMARY KEY,
    network_element TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    modified_ns     INTEGER NOT NULL,
    digest          BLOB    NOT NULL,
    done_ms         INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('due', 'archived', 'gone')),
    path            TEXT,
    octets          INTEGER,
    removal         TEXT CHECK (removal IN ('due', 'done')),
    CHECK (state <> 'archived' OR (path IS NOT NULL AND octets IS NOT NULL))
) STRICT;
CREATE INDEX archive_due ON archive (file) WHERE state = 'due' OR removal = 'due';
CREATE INDEX archive_by_time ON archive (done_ms) WHERE state = 'archived';
CREATE TABLE fetched (
    network_element TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    octets          INTEGER NOT NULL,
    modified_ms     INTEGER,
    step            TEXT    NOT NULL CHECK (step IN ('fetched', 'committed', 'done')),
    at_ms           INTEGER NOT NULL,
    PRIMARY KEY (network_element, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE slice (
    id                     INTEGER PRIMARY KEY,
    file                   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    post_processing_system TEXT    NOT NULL,
    path                   TEXT    NOT NULL,
    part                   INTEGER NOT NULL,
    parts                  INTEGER NOT NULL,
    first_record           INTEGER NOT NULL,
    records                INTEGER NOT NULL,
    head                   INTEGER NOT NULL,
    first_octet            INTEGER NOT NULL,
    octets                 INTEGER NOT NULL,
    tail_at                INTEGER NOT NULL,
    tail                   INTEGER NOT NULL,
    form                   BLOB    NOT NULL,
    at_ms                  INTEGER NOT NULL,
    delivery               INTEGER,
    records_before         INTEGER,
    octets_before          INTEGER
) STRICT;
CREATE INDEX slice_open ON slice (post_processing_system, id) WHERE delivery IS NULL;
CREATE INDEX slice_by_file ON slice (file);
CREATE INDEX slice_by_path ON slice (path);
CREATE INDEX slice_by_delivery ON slice (delivery) WHERE delivery IS NOT NULL;
CREATE TABLE merged (
    post_processing_system TEXT PRIMARY KEY,
    files                  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_asked (
    id      INTEGER PRIMARY KEY,
    who     TEXT    NOT NULL,
    reason  TEXT    NOT NULL,
    deed    TEXT    NOT NULL,
    answer  TEXT,
    is_over INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX kept_asked_open ON kept_asked (id) WHERE is_over = 0;
CREATE INDEX delivery_dead ON delivery (post_processing_system, id) WHERE state = 'dead' AND discarded IS NULL;
CREATE INDEX delivery_discarded ON delivery (post_processing_system, id) WHERE discarded IS NOT NULL;
CREATE INDEX delivery_delivered ON delivery (post_processing_system, id) WHERE state = 'delivered';
CREATE INDEX suspense_open ON suspense (file, job, node, why) WHERE state = 'open';
CREATE TABLE marked_input (
    file        INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    path        TEXT    NOT NULL,
    marked_ms   INTEGER NOT NULL,
    due_ms      INTEGER NOT NULL,
    grown_ms    INTEGER
) STRICT;
CREATE INDEX marked_input_due ON marked_input (due_ms);
CREATE INDEX marked_input_grown ON marked_input (grown_ms) WHERE grown_ms IS NOT NULL;
CREATE INDEX file_by_duplicate_name ON file (network_element, name) WHERE duplicate_of IS NOT NULL;
CREATE INDEX file_by_contents ON file (network_element, ifnull(contents, size), digest) WHERE duplicate_of IS NULL;
CREATE INDEX suspense_waiting ON suspense (file, job)
    WHERE state = 'open' AND why = 'suspended' AND asked IS NULL AND of_group IS NULL AND reopened IS NULL;
CREATE TABLE habit (
    of      TEXT NOT NULL CHECK (of IN ('element', 'system')),
    name    TEXT NOT NULL,
    learned TEXT NOT NULL,
    PRIMARY KEY (of, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE state_delta (
    node    TEXT    NOT NULL,
    job     INTEGER NOT NULL,
    form    TEXT    NOT NULL,
    done_ms INTEGER NOT NULL,
    octets  BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX state_delta_by_job ON state_delta (node, job);
CREATE TABLE state_snapshot (
    node    TEXT    NOT NULL,
    form    TEXT    NOT NULL,
    part    INTEGER NOT NULL,
    through INTEGER NOT NULL,
    done_ms INTEGER NOT NULL,
    octets  BLOB    NOT NULL,
    PRIMARY KEY (node, form, part)
) STRICT;
CREATE TABLE state_timer (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    node            TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    waits_for       TEXT    NOT NULL CHECK (waits_for IN ('event', 'arrival')),
    set_ms          INTEGER NOT NULL,
    UNIQUE (node, key)
) STRICT;
CREATE INDEX state_timer_by_time ON state_timer (node, waits_for, at_ms);
CREATE TABLE group_batch (
    first           INTEGER PRIMARY KEY,
    entries         INTEGER NOT NULL,
    node            TEXT    NOT NULL,
    network_element TEXT    NOT NULL,
    job             INTEGER,
    at_ms           INTEGER NOT NULL,
    sums            TEXT    NOT NULL,
    released_ms     INTEGER,
    last_ms         INTEGER
) STRICT;
CREATE INDEX group_batch_by_job ON group_batch (job);
CREATE INDEX group_batch_by_time ON group_batch (node, at_ms);
CREATE TABLE group_page (
    first  INTEGER PRIMARY KEY,
    octets ANY     NOT NULL
) STRICT;
CREATE TABLE group_state (
    page      INTEGER PRIMARY KEY,
    entries   INTEGER NOT NULL,
    node      TEXT    NOT NULL,
    came_ms   INTEGER NOT NULL,
    first_ms  INTEGER,
    is_open   INTEGER NOT NULL,
    open      BLOB    NOT NULL,
    link_rows INTEGER NOT NULL,
    links     BLOB    NOT NULL
) STRICT;
CREATE TABLE group_link (
    page  INTEGER NOT NULL,
    place INTEGER NOT NULL,
    links BLOB    NOT NULL,
    PRIMARY KEY (page, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_state_open ON group_state (node, page) WHERE is_open;
CREATE INDEX group_state_by_arrival ON group_state (node, came_ms) WHERE is_open;
CREATE INDEX group_state_by_time ON group_state (node, first_ms) WHERE is_open AND first_ms IS NOT NULL;
CREATE TABLE group_index (
    bucket INTEGER PRIMARY KEY,
    octets BLOB    NOT NULL
) STRICT;
CREATE TABLE group_request (
    id      INTEGER PRIMARY KEY,
    entry   INTEGER NOT NULL REFERENCES trail (id),
    deed    TEXT    NOT NULL CHECK (deed IN ('release', 'suspend', 'drop')),
    is_open INTEGER NOT NULL
) STRICT;
CREATE INDEX group_request_open ON group_request (id) WHERE is_open;
CREATE INDEX group_request_by_entry ON group_request (entry);
CREATE TABLE group_forgotten (
    node        TEXT    PRIMARY KEY,
    made_ms     INTEGER,
    released_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE reason (
    id       INTEGER PRIMARY KEY,
    code     TEXT    NOT NULL,
    template TEXT    NOT NULL, checked_ms INTEGER NOT NULL DEFAULT 0,
    UNIQUE (code, template)
) STRICT;
CREATE VIEW set_aside AS
    SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
        part_of, found_by, waited_in, layout, of_group, octets_digest, reason_id, reason_values
    FROM suspense JOIN file
        ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);
CREATE TABLE refused_file (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    kind            TEXT    NOT NULL CHECK (kind IN ('set-aside', 'not-fetched', 'not-removed')),
    -- Empty for files that earlier versions set aside.
    network_element TEXT    NOT NULL,
    -- Where it lies, or its name in the remote place.
    path            TEXT    NOT NULL,
    at_ms           INTEGER NOT NULL,
    reason          TEXT    NOT NULL,
    reason_id       INTEGER,
    reason_values   TEXT,
    UNIQUE (kind, path, network_element)
) STRICT;
CREATE INDEX trail_by_time ON trail (at_ms);
CREATE INDEX delivery_by_time ON delivery (at_ms);
CREATE INDEX trail_view ON trail (at_ms) WHERE is_view = 1 AND subject <> '';
CREATE TABLE alert_found (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    digest       BLOB    NOT NULL,
    node         TEXT    NOT NULL,
    rule         TEXT    NOT NULL,
    rule_version TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    at_ms        INTEGER NOT NULL,
    file         INTEGER NOT NULL,
    record       INTEGER NOT NULL,
    score        INTEGER NOT NULL,
    condition    TEXT    NOT NULL
, severity TEXT NOT NULL DEFAULT 'warning', fraud_type TEXT, shadow INTEGER NOT NULL DEFAULT 0, fraud_case INTEGER) STRICT;
CREATE INDEX alert_found_by_time ON alert_found (at_ms);
CREATE INDEX alert_found_by_key ON alert_found (key);
CREATE INDEX alert_found_by_file ON alert_found (file);
CREATE TABLE alert_record (
    alert  INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    file   INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (alert, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_found_by_case ON alert_found (fraud_case) WHERE fraud_case IS NOT NULL;
CREATE TABLE fraud_case (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    node       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    opened_ms  INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    first_ms   INTEGER NOT NULL,
    last_ms    INTEGER NOT NULL,
    score      INTEGER NOT NULL,
    severity   TEXT    NOT NULL,
    alerts     INTEGER NOT NULL,
    assigned   TEXT,
    decision   TEXT,
    reason     TEXT,
    decided_ms INTEGER,
    decided_by TEXT
) STRICT;
CREATE UNIQUE INDEX fraud_case_open ON fraud_case (node, subject, key) WHERE decision IS NULL;
CREATE INDEX fraud_case_by_key ON fraud_case (key);
CREATE INDEX fraud_case_decided ON fraud_case (decided_ms) WHERE decision IS NOT NULL;
CREATE TABLE fraud_case_step (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    fraud_case INTEGER NOT NULL,
    at_ms      INTEGER NOT NULL,
    who        TEXT    NOT NULL,
    step       TEXT    NOT NULL,
    remark     TEXT    NOT NULL
) STRICT;
CREATE INDEX fraud_case_step_by_case ON fraud_case_step (fraud_case);
CREATE TABLE list_hit (
    list    TEXT    NOT NULL,
    entry   TEXT    NOT NULL,
    hits    INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (list, entry)
) STRICT, WITHOUT ROWID;
CREATE TABLE action (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    action           TEXT    NOT NULL,
    node             TEXT    NOT NULL,
    subject          TEXT    NOT NULL,
    key              TEXT    NOT NULL,
    rule             TEXT,
    rule_version     TEXT,
    rule_waits       INTEGER NOT NULL,
    message          TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    requested_ms     INTEGER NOT NULL,
    requested_by     TEXT,
    because          TEXT    NOT NULL,
    approved_by      TEXT,
    also_approved_by TEXT,
    passes_limit     INTEGER NOT NULL DEFAULT 0,
    tries            INTEGER NOT NULL DEFAULT 0,
    due_ms           INTEGER,
    next_ms          INTEGER NOT NULL DEFAULT 0,
    done_ms          INTEGER,
    problem          TEXT
) STRICT;
CREATE INDEX action_open ON action (action, state, next_ms)
    WHERE state IN ('new', 'waiting', 'held', 'due', 'sending', 'undo', 'undoing');
CREATE INDEX action_by_key ON action (key, action);
CREATE INDEX action_due ON action (action, due_ms) WHERE due_ms IS NOT NULL;
CREATE TABLE action_stop (
    id       INTEGER PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    who      TEXT    NOT NULL,
    because  TEXT    NOT NULL
) STRICT;
CREATE TABLE fraud_rule (
    node       TEXT    NOT NULL,
    rule       TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    fraud_type TEXT,
    shadow     INTEGER NOT NULL,
    actions    TEXT    NOT NULL,
    approvals  INTEGER NOT NULL,
    title      TEXT,
    because    TEXT,
    owner      TEXT,
    until      TEXT,
    PRIMARY KEY (node, rule)
) STRICT, WITHOUT ROWID;
CREATE TABLE fraud_rule_approval (
    node    TEXT    NOT NULL,
    rule    TEXT    NOT NULL,
    version TEXT    NOT NULL,
    who     TEXT    NOT NULL,
    at_ms   INTEGER NOT NULL,
    because TEXT    NOT NULL,
    PRIMARY KEY (node, rule, version, who)
) STRICT, WITHOUT ROWID;
CREATE TABLE key_index (
    node        TEXT    NOT NULL PRIMARY KEY,
    through     INTEGER,
    retention_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE key_index_erasure (
    node   TEXT    NOT NULL,
    digest INTEGER NOT NULL,
    job    INTEGER NOT NULL,
    PRIMARY KEY (node, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE key_secret (secret BLOB NOT NULL);
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
CREATE TABLE state_form (
    node        TEXT NOT NULL,
    form        TEXT NOT NULL,
    description BLOB NOT NULL,
    PRIMARY KEY (node, form)
) STRICT;
CREATE TABLE threshold_alarm (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    node            TEXT    NOT NULL,
    threshold       TEXT    NOT NULL,
    kpi             TEXT    NOT NULL,
    object          TEXT    NOT NULL,
    severity        TEXT    NOT NULL,
    raised_ms       INTEGER NOT NULL,
    cleared_ms      INTEGER,
    found_ms        INTEGER NOT NULL,
    observed        REAL    NOT NULL,
    limit_value     REAL    NOT NULL,
    above           INTEGER NOT NULL,
    unit            TEXT    NOT NULL,
    formula         TEXT    NOT NULL,
    file            INTEGER NOT NULL,
    record          INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX threshold_alarm_raised ON threshold_alarm (node, threshold, object) WHERE cleared_ms IS NULL;
CREATE INDEX threshold_alarm_by_time ON threshold_alarm (raised_ms);
CREATE INDEX threshold_alarm_by_object ON threshold_alarm (object);
CREATE TABLE threshold_event (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    alarm    INTEGER NOT NULL,
    raised   INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    found_ms INTEGER NOT NULL,
    observed REAL    NOT NULL
) STRICT;
CREATE INDEX threshold_event_by_alarm ON threshold_event (alarm);
