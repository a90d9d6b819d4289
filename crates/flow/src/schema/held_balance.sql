-- Of files that are forgotten: the sums of what they left to wait in nodes, less those of what waited no more. With those of
-- the other files, it is what waits now: so it is at the beginning. The sum is high * 2^32 + low.
CREATE TABLE held_balance (
    node    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    high    INTEGER NOT NULL,
    low     INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (node, name)
) STRICT, WITHOUT ROWID;
INSERT INTO held_balance
    SELECT node, name, sum(high), sum(low), sum(records) FROM (
        SELECT node, name, high, low, records FROM held_sum JOIN held_group ON held_group.id = in_group
        WHERE released_ms IS NULL
        UNION ALL
        SELECT at, name, iif(side = 'kept', -high, high), iif(side = 'kept', -low, low),
            iif(side = 'kept', -records, records)
        FROM amount WHERE side IN ('kept', 'waited') AND at <> '')
    GROUP BY node, name HAVING sum(high) <> 0 OR sum(low) <> 0 OR sum(records) <> 0;
