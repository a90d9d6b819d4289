-- Groups of records as entries that never change: what a job adds to a group is one entry. The job that begins a group
-- writes its first entry, and a group has the number of that. Entries are numbered in the order in which they are written.
--
-- The entries of a job in a node are a batch, with the numbers from `first`. `sums` says what the sums of the entries are.
-- `released_ms` is when a group with an entry here last ended, `last_ms` the latest record time of those groups. `job` is
-- NULL for entries that were made from the rows of an earlier version: their records name the jobs.
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
-- Pages of entries, by the number of the first: octets, or a single entry as JSON where an earlier version had rows.
CREATE TABLE group_page (
    first  INTEGER PRIMARY KEY,
    octets ANY     NOT NULL
) STRICT;
-- What became of the groups in a page. `open` has a bit for each entry: whether its group waits; `is_open` says whether
-- any does. `came_ms` and `first_ms` are the earliest arrival and record time of these groups. `links` has the later
-- entries of the groups that began here: ten octets each, two for the place in the page, eight for the number. When they
-- are many, the first of them are rows of `group_link`, so that a change writes few octets.
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
-- An index of first entries by a digest of node and key, for each full span of numbers. It is written when the span is
-- full.
CREATE TABLE group_index (
    bucket INTEGER PRIMARY KEY,
    octets BLOB    NOT NULL
) STRICT;
-- Requests of users to end groups. `entry` is that of the audit trail.
CREATE TABLE group_request (
    id      INTEGER PRIMARY KEY,
    entry   INTEGER NOT NULL REFERENCES trail (id),
    deed    TEXT    NOT NULL CHECK (deed IN ('release', 'suspend', 'drop')),
    is_open INTEGER NOT NULL
) STRICT;
CREATE INDEX group_request_open ON group_request (id) WHERE is_open;
CREATE INDEX group_request_by_entry ON group_request (entry);
-- By node: released groups whose last record was made before `made_ms`, or which were released before `released_ms`, are
-- forgotten.
CREATE TABLE group_forgotten (
    node        TEXT    PRIMARY KEY,
    made_ms     INTEGER,
    released_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO group_batch (first, entries, node, network_element, at_ms, sums, released_ms, last_ms)
    SELECT id, 1, node, network_element, came_ms,
        (SELECT json_group_array(json_object('name', name, 'text', text))
         FROM (SELECT name, text FROM held_sum WHERE in_group = held_group.id ORDER BY name)),
        released_ms, iif(released_ms IS NULL, NULL, ifnull(last_ms, 9223372036854775807))
    FROM held_group;
-- Numbers of groups that are gone are not given again.
INSERT OR IGNORE INTO group_batch (first, entries, node, network_element, at_ms, sums, released_ms)
    SELECT seq, 1, '', '', 0, '[]', 0 FROM sqlite_sequence WHERE name = 'held_group' AND seq > 0;
INSERT INTO group_page (first, octets)
    SELECT id, json_object(
        'group', NULL,
        'key', key,
        'times', iif(first_ms IS NULL, NULL, json_object('first_ms', first_ms, 'last_ms', last_ms)),
        'began_late', json(iif(began_late, 'true', 'false')),
        'records', json((SELECT json_group_array(json_object(
                'job', file, 'record', record, 'offset', offset, 'time_ms', time_ms,
                'is_held', json(iif(is_held, 'true', 'false')),
                'digest', iif(digest IS NULL, NULL, hex(digest)),
                'octets', iif(octets IS NULL, NULL, hex(octets))))
            FROM (SELECT * FROM held_part WHERE in_group = held_group.id ORDER BY place))),
        'sums', json((SELECT json_group_array(json_object('high', high, 'low', low, 'records', records))
            FROM (SELECT * FROM held_sum WHERE in_group = held_group.id ORDER BY name))),
        'released', iif(released_ms IS NULL, NULL,
            json_object('kind', release, 'by', json_array(released_by, released_ms))))
    FROM held_group;
INSERT INTO group_state (page, entries, node, came_ms, first_ms, is_open, open, link_rows, links)
    SELECT id, 1, node, came_ms, first_ms, 1, x'01', 0, x'' FROM held_group WHERE released_ms IS NULL;
INSERT INTO group_request (id, entry, deed, is_open)
    SELECT id, asked, asked_end, released_ms IS NULL FROM held_group WHERE asked IS NOT NULL;
DROP TABLE held_sum;
DROP TABLE held_part;
DROP TABLE held_group;
