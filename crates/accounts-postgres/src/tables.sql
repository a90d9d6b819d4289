-- The version of these tables.
CREATE TABLE account_schema (version integer NOT NULL);
INSERT INTO account_schema VALUES (1);

-- Accounts, each as it is. `version` counts its changes. `due_ms` is the time of its next deadline, or one before it: it
-- moves forward only when it is over. So most changes of an account leave the index alone, and stay in its page.
CREATE TABLE account (
    id              bigint PRIMARY KEY,
    version         bigint NOT NULL,
    due_ms          bigint,
    currency        integer NOT NULL,
    open_sessions   integer NOT NULL,
    closed_sessions integer NOT NULL,
    body            bytea NOT NULL
) WITH (fillfactor = 60, toast_tuple_target = 8160);
-- A body consists of keys and digests, which cannot be compressed.
ALTER TABLE account ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX account_due ON account (due_ms) WHERE due_ms IS NOT NULL;

-- Amounts that were moved, by account. `body` is the stored form of an entry, and of its remark if it has one.
CREATE TABLE account_entry (
    account bigint NOT NULL,
    number  bigint NOT NULL,
    at_ms   bigint NOT NULL,
    body    bytea NOT NULL,
    PRIMARY KEY (account, number)
);

-- What each call adds to what all accounts share: to the balances of system accounts, and to the notices and ended
-- sessions, which get their numbers later. So calls do not wait for each other. Rows are deleted when that is done.
CREATE TABLE account_batch (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    systems         bigint[],
    amounts         numeric[],
    notice_accounts bigint[],
    notice_times    bigint[],
    notice_bodies   bytea[],
    ended_accounts  bigint[],
    ended_bodies    bytea[]
);

-- Balances of system accounts. `system` has the currency, the unit, the kind and the number.
CREATE TABLE account_total (
    system bigint PRIMARY KEY,
    sum    numeric NOT NULL
);

-- Notices, in order. `body` is the stored form of the effect.
CREATE TABLE account_notice (
    number  bigint PRIMARY KEY,
    account bigint NOT NULL,
    at_ms   bigint NOT NULL,
    body    bytea NOT NULL
);
CREATE INDEX account_notice_account ON account_notice (account, number);

-- Sessions that ended, in order. `body` is the stored form of the effect.
CREATE TABLE account_ended_session (
    number  bigint PRIMARY KEY,
    account bigint NOT NULL,
    body    bytea NOT NULL
);

-- The numbers of the last notice and the last ended session.
CREATE TABLE account_projection (
    notices        bigint NOT NULL,
    ended_sessions bigint NOT NULL
);
INSERT INTO account_projection VALUES (0, 0);

-- Connections of fronts, and the last call of each: which of its accounts were stored, NULL for all. A call that comes
-- again, since its answer was lost, is found here.
CREATE TABLE account_writer (
    id     bytea PRIMARY KEY,
    call   bigint NOT NULL,
    stored integer[],
    at     timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Batches of vouchers: what each is worth, and until when it can be used.
CREATE TABLE voucher_batch (
    number   bigint PRIMARY KEY,
    currency integer NOT NULL,
    amount   bigint NOT NULL,
    days     integer NOT NULL,
    until_ms bigint NOT NULL
);

-- Vouchers. `pin` is a keyed hash of the PIN, which is stored nowhere. `state`: 0 generated, 1 active, 2 used, 3 blocked.
CREATE TABLE voucher (
    serial     bigint PRIMARY KEY,
    batch      bigint NOT NULL,
    pin        bytea NOT NULL UNIQUE,
    state      integer NOT NULL,
    account    bigint,
    used_at_ms bigint
);

-- Wrong PINs of an account, which are forgotten at a time.
CREATE TABLE voucher_wrong_pin (
    account  bigint PRIMARY KEY,
    count    integer NOT NULL,
    until_ms bigint NOT NULL
);

-- Stores the accounts of a call that are still in the version that the front decided on. Accounts are in order, so no two
-- calls wait for each other in a circle. `bodies` is NULL for accounts that were only looked at, and version 0 is no
-- account. All that depends on an account names its place in the arrays, from 1.
--
-- Returns a row for each account that was not stored, as it is; after a call that came before, a row for each account.
CREATE FUNCTION account_store(
    of_writer bytea, of_call bigint,
    ids bigint[], versions bigint[], dues bigint[], currencies integer[], opens integer[], closeds integer[],
    bodies bytea[],
    entry_places integer[], entry_numbers bigint[], entry_times bigint[], entry_systems bigint[],
    entry_amounts bigint[], entry_bodies bytea[],
    notice_places integer[], notice_times bigint[], notice_bodies bytea[],
    ended_places integer[], ended_bodies bytea[]
) RETURNS TABLE (place integer, is_stored boolean, version bigint, due_ms bigint, body bytea)
LANGUAGE plpgsql
-- The rows are locked in the order of the array: only a nested loop does that.
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    places integer[];
    more integer[];
    is_all boolean;
    has boolean[];
BEGIN
    WITH changed AS (
        UPDATE account a
        SET version = a.version + 1, due_ms = u.due, open_sessions = u.opened, closed_sessions = u.closed, body = u.body
        FROM unnest(ids, versions, dues, opens, closeds, bodies)
            WITH ORDINALITY AS u(id, version, due, opened, closed, body, place)
        WHERE a.id = u.id AND a.version = u.version AND u.body IS NOT NULL
        RETURNING u.place
    )
    SELECT array_agg(place::integer) INTO places FROM changed;
    places := coalesce(places, '{}');

    IF 0 = ANY (versions) THEN
        WITH opened AS (
            INSERT INTO account
            SELECT u.id, 1, u.due, u.currency, u.opened, u.closed, u.body
            FROM unnest(ids, versions, dues, currencies, opens, closeds, bodies)
                AS u(id, version, due, currency, opened, closed, body)
            WHERE u.version = 0 AND u.body IS NOT NULL
            ON CONFLICT DO NOTHING
            RETURNING id
        )
        SELECT array_agg(array_position(ids, id)) INTO more FROM opened;
        places := places || coalesce(more, '{}');
    END IF;

    IF cardinality(places) < cardinality(ids) THEN
        SELECT array_agg(u.place::integer) INTO more
        FROM unnest(ids, versions, bodies) WITH ORDINALITY AS u(id, version, body, place)
        LEFT JOIN account a ON a.id = u.id
        WHERE u.body IS NULL AND coalesce(a.version, 0) = u.version;
        places := places || coalesce(more, '{}');
    END IF;
    is_all := cardinality(places) = cardinality(ids);

    INSERT INTO account_writer AS w
    VALUES (of_writer, of_call, CASE WHEN NOT is_all THEN places END, now())
    ON CONFLICT (id) DO UPDATE SET call = excluded.call, stored = excluded.stored, at = excluded.at
    WHERE w.call < excluded.call;
    IF NOT FOUND THEN
        -- It came before. What it changed is not in the version any more that it names, so now nothing was changed.
        SELECT coalesce(w.stored, ARRAY(SELECT generate_subscripts(ids, 1))) INTO places
        FROM account_writer w WHERE w.id = of_writer;
        RETURN QUERY
            SELECT u.place::integer, u.place = ANY (places), coalesce(a.version, 0), a.due_ms, a.body
            FROM unnest(ids) WITH ORDINALITY AS u(id, place) LEFT JOIN account a ON a.id = u.id;
        RETURN;
    END IF;

    IF NOT is_all THEN
        has := array_fill(false, ARRAY[cardinality(ids)]);
        FOREACH place IN ARRAY places LOOP
            has[place] := true;
        END LOOP;
        RETURN QUERY
            SELECT u.place::integer, false, coalesce(a.version, 0), a.due_ms, a.body
            FROM unnest(ids) WITH ORDINALITY AS u(id, place) LEFT JOIN account a ON a.id = u.id
            WHERE NOT has[u.place];
    END IF;

    IF cardinality(entry_places) > 0 THEN
        INSERT INTO account_entry
        SELECT ids[e.place], e.number, e.at_ms, e.body
        FROM unnest(entry_places, entry_numbers, entry_times, entry_bodies) AS e(place, number, at_ms, body)
        WHERE is_all OR has[e.place];
    END IF;

    IF cardinality(entry_places) + cardinality(notice_places) + cardinality(ended_places) > 0 THEN
        INSERT INTO account_batch (
            systems, amounts, notice_accounts, notice_times, notice_bodies, ended_accounts, ended_bodies
        )
        SELECT t.*, n.*, s.* FROM (
            SELECT array_agg(system), array_agg(sum) FROM (
                SELECT e.system, sum(e.amount)
                FROM unnest(entry_places, entry_systems, entry_amounts) AS e(place, system, amount)
                WHERE is_all OR has[e.place] GROUP BY e.system
            ) AS of_system(system, sum)
        ) AS t, (
            SELECT array_agg(ids[e.place]), array_agg(e.at_ms), array_agg(e.body)
            FROM unnest(notice_places, notice_times, notice_bodies) AS e(place, at_ms, body)
            WHERE is_all OR has[e.place]
        ) AS n, (
            SELECT array_agg(ids[e.place]), array_agg(e.body)
            FROM unnest(ended_places, ended_bodies) AS e(place, body)
            WHERE is_all OR has[e.place]
        ) AS s;
    END IF;
END
$$;

-- Adds what calls have left to the sums, notices and ended sessions. Returns the number of calls; there may be more.
CREATE FUNCTION account_project(calls_max integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    last_notice bigint;
    last_ended bigint;
    calls bigint;
    new_notices bigint;
    new_ended bigint;
BEGIN
    -- One at a time.
    SELECT notices, ended_sessions INTO last_notice, last_ended FROM account_projection FOR UPDATE;
    WITH gone AS (
        DELETE FROM account_batch
        WHERE id IN (SELECT id FROM account_batch ORDER BY id LIMIT calls_max)
        RETURNING *
    ), totals AS (
        INSERT INTO account_total AS t
        SELECT u.system, sum(u.amount) FROM gone, unnest(systems, amounts) AS u(system, amount) GROUP BY u.system
        ON CONFLICT (system) DO UPDATE SET sum = t.sum + excluded.sum
    ), notices AS (
        INSERT INTO account_notice
        SELECT last_notice + row_number() OVER (ORDER BY gone.id, u.place), u.account, u.at_ms, u.body
        FROM gone, unnest(notice_accounts, notice_times, notice_bodies)
            WITH ORDINALITY AS u(account, at_ms, body, place)
        RETURNING 1
    ), ended AS (
        INSERT INTO account_ended_session
        SELECT last_ended + row_number() OVER (ORDER BY gone.id, u.place), u.account, u.body
        FROM gone, unnest(ended_accounts, ended_bodies) WITH ORDINALITY AS u(account, body, place)
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM notices), (SELECT count(*) FROM ended)
    INTO calls, new_notices, new_ended;
    UPDATE account_projection
    SET notices = last_notice + new_notices, ended_sessions = last_ended + new_ended
    WHERE new_notices + new_ended > 0;
    RETURN calls;
END
$$;
