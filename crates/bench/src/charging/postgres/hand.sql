-- A ledger as one writes it by hand for one purpose: an account, a reservation and an entry change with each request.
CREATE TABLE hand_account (
    id bigint PRIMARY KEY, posted bigint NOT NULL, pending bigint NOT NULL
) WITH (fillfactor = 60);
CREATE TABLE hand_entry (
    id bigint GENERATED ALWAYS AS IDENTITY, account bigint, kind integer, amount bigint, session bytea,
    at timestamptz DEFAULT now()
);
CREATE TABLE hand_reservation (
    session bigint PRIMARY KEY, account bigint, amount bigint, number integer, expires timestamptz
) WITH (fillfactor = 60);

-- One request, in a transaction of its own.
CREATE FUNCTION hand_single(of_session bigint, of_account bigint, of_number integer, used bigint, wanted bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    left_over bigint;
BEGIN
    INSERT INTO hand_reservation AS r
    VALUES (of_session, of_account, wanted, of_number, now() + interval '1 hour')
    ON CONFLICT (session) DO UPDATE SET amount = excluded.amount, number = excluded.number
    WHERE r.number < excluded.number;
    UPDATE hand_account SET posted = posted - used, pending = pending + wanted - used
    WHERE id = of_account AND posted - pending - wanted >= 0 RETURNING posted INTO left_over;
    INSERT INTO hand_entry (account, kind, amount, session) VALUES (of_account, 2, used, int8send(of_session));
    RETURN left_over;
END
$$;

-- Many requests.
CREATE FUNCTION hand_many(sessions bigint[], accounts bigint[], of_number integer, used bigint[], wanted bigint[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    count bigint;
BEGIN
    INSERT INTO hand_reservation
    SELECT u.session, u.account, u.wanted, of_number, now() + interval '1 hour'
    FROM unnest(sessions, accounts, wanted) AS u(session, account, wanted)
    ON CONFLICT (session) DO UPDATE SET amount = excluded.amount, number = excluded.number;
    UPDATE hand_account a SET posted = a.posted - s.used, pending = a.pending + s.wanted - s.used
    FROM (
        SELECT u.account, sum(u.used) AS used, sum(u.wanted) AS wanted
        FROM unnest(accounts, used, wanted) AS u(account, used, wanted) GROUP BY u.account
    ) AS s WHERE a.id = s.account;
    INSERT INTO hand_entry (account, kind, amount, session)
    SELECT u.account, 2, u.used, int8send(u.session)
    FROM unnest(sessions, accounts, used) AS u(session, account, used);
    GET DIAGNOSTICS count = ROW_COUNT;
    RETURN count;
END
$$;
