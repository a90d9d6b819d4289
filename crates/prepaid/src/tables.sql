-- Numbers of subscribers: each leads to the account that pays.
CREATE TABLE subscriber_number (
    number  TEXT PRIMARY KEY,
    account INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriber_number_account ON subscriber_number (account);

-- The places of services in the sets of buckets. A service has its place for ever.
CREATE TABLE service_place (
    place INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;
