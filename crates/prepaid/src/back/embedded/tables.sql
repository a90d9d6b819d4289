-- Numbers of subscribers: each leads to the account that pays.
CREATE TABLE subscriber_number (
    number  TEXT PRIMARY KEY,
    account INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriber_number_account ON subscriber_number (account);

-- The places of services and tariff classes in the sets of buckets. Each has its place for ever.
CREATE TABLE service_place (
    place INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;

-- The numbers of bundles, fees and bonuses in entries of accounts. A name has its number for ever.
CREATE TABLE offer_place (
    place INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;

-- Calls that wait for a second person: the words of its command, and what it is about; `request` is the call as JSON.
CREATE TABLE approval_request (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    who     TEXT NOT NULL,
    call    TEXT NOT NULL,
    subject TEXT NOT NULL,
    because TEXT NOT NULL,
    request TEXT NOT NULL,
    UNIQUE (call, request)
) STRICT;

-- Versions of the definition: when each came into use; `files` has the names and digests of its files as JSON.
CREATE TABLE definition_version (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms  INTEGER NOT NULL,
    files  TEXT NOT NULL
) STRICT;

-- Texts of files of versions, by their digests.
CREATE TABLE definition_text (
    digest TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) STRICT;

-- How far ended sessions are recorded: the last one that is in a file; and the file that has it, while it may be without
-- its name: the first session in it, and its folder.
CREATE TABLE session_record (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    last   INTEGER NOT NULL,
    first  INTEGER,
    folder BLOB
) STRICT;
INSERT INTO session_record VALUES (1, 0, NULL, NULL);

-- The last notice that is sent, or left out.
CREATE TABLE notice_sent (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    last INTEGER NOT NULL
) STRICT;
INSERT INTO notice_sent VALUES (1, 0);

-- Records that were rated elsewhere, by their keys: the account of each, which is decided when the record first comes.
CREATE TABLE rated_record (
    key     BLOB PRIMARY KEY,
    account INTEGER NOT NULL,
    at_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rated_record_at ON rated_record (at_ms);
