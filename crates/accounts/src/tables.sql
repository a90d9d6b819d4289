-- Batches of effects, in order: what happened. A batch has, for each of its operations that changed something, the
-- account and its effects (`accounts::batch`). They are deleted when accounts and entries have them; the last one stays.
CREATE TABLE account_batch (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- Accounts as they were after a batch. Those whose numbers divided by 16 are `row` are in one row, in the form of a batch.
-- Later batches have what happened since.
CREATE TABLE account (
    row  INTEGER PRIMARY KEY,
    seq  INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Amounts that were moved. The entries from some batches, until `seq`, of the accounts that are in one row, are in one row, too:
-- by account and number, each with its remark if it has one; in the form of a batch.
CREATE TABLE account_entry (
    row  INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (row, seq)
) STRICT, WITHOUT ROWID;

-- Balances of system accounts. They exceed 64 bits, so they are texts.
CREATE TABLE account_total (
    currency INTEGER NOT NULL,
    unit     INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    sum      TEXT NOT NULL,
    PRIMARY KEY (currency, unit, kind, number)
) STRICT, WITHOUT ROWID;

-- Notices, in order. `body` is the stored form of the effect.
CREATE TABLE account_notice (
    number  INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    at_ms   INTEGER NOT NULL,
    body    BLOB NOT NULL
) STRICT;
CREATE INDEX account_notice_account ON account_notice (account, number);

-- Sessions that ended, in order, some in a row: their number, that of the last of them, and the sessions in the form of a
-- batch.
CREATE TABLE account_ended_session (
    last  INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    body  BLOB NOT NULL
) STRICT;

-- The last batch whose entries, notices, ended sessions and sums are in these tables, the numbers of the last notice and
-- the last ended session, and the last ended session that is forgotten.
CREATE TABLE account_projection (
    one                INTEGER PRIMARY KEY CHECK (one = 1),
    seq                INTEGER NOT NULL,
    notices            INTEGER NOT NULL,
    ended_sessions     INTEGER NOT NULL,
    forgotten_sessions INTEGER NOT NULL
) STRICT;
INSERT INTO account_projection VALUES (1, 0, 0, 0, 0);

-- Batches of vouchers: what each is worth, and until when it can be used.
CREATE TABLE voucher_batch (
    number   INTEGER PRIMARY KEY,
    currency INTEGER NOT NULL,
    amount   INTEGER NOT NULL,
    days     INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;

-- Vouchers. `pin` is a keyed hash of the PIN, which is stored nowhere. `state`: 0 generated, 1 active, 2 used, 3 blocked.
CREATE TABLE voucher (
    serial     INTEGER PRIMARY KEY,
    batch      INTEGER NOT NULL,
    pin        BLOB NOT NULL UNIQUE,
    state      INTEGER NOT NULL,
    account    INTEGER,
    used_at_ms INTEGER
) STRICT;

-- Wrong PINs of an account, which are forgotten at a time.
CREATE TABLE voucher_wrong_pin (
    account  INTEGER PRIMARY KEY,
    count    INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
