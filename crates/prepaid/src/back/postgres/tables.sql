-- What a charging system has beside its accounts, as `embedded/tables.sql` says it.

-- Numbers of accounts that were opened.
CREATE SEQUENCE subscriber_account;

-- Numbers of subscribers: each leads to the account that pays. Comparisons are by octets, as in the embedded back.
CREATE TABLE subscriber_number (
    number  text COLLATE "C" PRIMARY KEY,
    account bigint NOT NULL
);
CREATE INDEX subscriber_number_account ON subscriber_number (account);

-- The audit trail.
CREATE TABLE audit_entry (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms   bigint NOT NULL,
    who     text NOT NULL,
    action  text NOT NULL,
    subject text NOT NULL,
    reason  text NOT NULL
);

-- The places of services and tariff classes in the sets of buckets, and the numbers of offers in entries. A name has its place for ever.
CREATE TABLE service_place (
    place bigint PRIMARY KEY,
    name  text NOT NULL UNIQUE
);
CREATE TABLE offer_place (
    place bigint PRIMARY KEY,
    name  text NOT NULL UNIQUE
);

-- Calls that wait for a second person.
CREATE TABLE approval_request (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms   bigint NOT NULL,
    who     text NOT NULL,
    call    text NOT NULL,
    subject text NOT NULL,
    because text NOT NULL,
    request text NOT NULL
);
-- A request may be longer than an index takes.
CREATE UNIQUE INDEX approval_request_same ON approval_request (call, md5(request));

-- Versions of the definition, and texts of their files.
CREATE TABLE definition_version (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms  bigint NOT NULL,
    files  text NOT NULL
);
CREATE TABLE definition_text (
    digest text PRIMARY KEY,
    text   text NOT NULL
);

-- How far ended sessions are recorded, and the process that writes records until a time.
CREATE TABLE session_record (
    last   bigint NOT NULL,
    first  bigint,
    folder bytea,
    writer bytea,
    until  timestamptz
);
INSERT INTO session_record VALUES (0, NULL, NULL, NULL, NULL);

-- The last notice that is sent, or left out, and the process that sends notices until a time.
CREATE TABLE notice_sent (
    last   bigint NOT NULL,
    sender bytea,
    until  timestamptz
);
INSERT INTO notice_sent VALUES (0, NULL, NULL);

-- Records that were rated elsewhere, by their keys.
CREATE TABLE rated_record (
    key     bytea PRIMARY KEY,
    account bigint NOT NULL,
    at_ms   bigint NOT NULL
);
CREATE INDEX rated_record_at ON rated_record (at_ms);
