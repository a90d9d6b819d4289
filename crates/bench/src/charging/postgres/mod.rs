//! Accounts in PostgreSQL, beside a ledger in SQL that is tuned by hand. What counts is the processor time of the database
//! server: fronts can be added, a database cannot.

mod hand;

use std::time::Duration;

use ::charging::Workspace;
use accounts_postgres::{Config, Front};
use ledger::{SystemAccount, SystemKind, Unit};
use postgres_server::Server;

use super::Ratios;
use super::calls::{CURRENCY, Calls, open_all};
use crate::error::BenchError;
use crate::measure::Row;
use hand::Hand;

/// The settings that differ from the defaults: memory for the accounts, and no checkpoints that fall into one round and
/// not into another.
const SETTINGS: [&str; 4] =
    ["shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=30min", "autovacuum=off"];

/// The rounds of each measurement.
const ROUNDS: u32 = 4;

/// Of so many requests, one is also made in a transaction of its own.
const SINGLE_ONE_OF: u64 = 16;

/// Measures requests in PostgreSQL. Without PostgreSQL, says so and measures nothing.
pub(super) fn measure(calls: &mut Calls<'_>, count: u64) -> Result<(Vec<Row>, Ratios), BenchError> {
    let Some(server) = Server::start(&SETTINGS)? else {
        eprintln!("Accounts in PostgreSQL are left out: PostgreSQL is not installed.");
        return Ok((Vec::new(), Vec::new()));
    };
    let mut config = Config::new();
    config.host_path(server.host()).user(server.user()).dbname("postgres");
    let front = Front::open(config.clone(), "")?;
    open_all(&front, calls.accounts)?;
    let mut hand = Hand::open(&config, calls.accounts)?;
    let (requests, singles) = (2 * count, (2 * count).div_ceil(SINGLE_ONE_OF));
    let mut rows = [
        Row::new("requests, PostgreSQL, before the answer", requests, 0),
        Row::new("requests, PostgreSQL, all in", requests, 0),
        Row::new("requests, SQL by hand", requests, 0),
        Row::new("requests, SQL by hand, one a transaction", singles, 0),
    ];
    let mut optimised = Row::new("requests, PostgreSQL, optimised", requests, 0);
    let took = |work: &mut dyn FnMut() -> Result<(), BenchError>| {
        let begun = server.processor_time()?;
        work()?;
        Ok::<Duration, BenchError>(server.processor_time()? - begun)
    };
    let workspace = Workspace::default();
    let (mut paid, mut next, end) = (0, 0, calls.end());
    for round in 0..ROUNDS {
        hand.vacuum()?;
        for place in [0, 1, 2] {
            // Every other round goes the other way.
            match if round % 2 == 0 { place } else { 2 - place } {
                0 => {
                    let of = next..next + count;
                    next = of.end;
                    let before = took(&mut || {
                        paid += calls.charge((&front, &workspace), of.clone())?;
                        Ok(())
                    })?;
                    let after = took(&mut || {
                        front.project()?;
                        front.settle_due(end, end, |_, _, _| false)?;
                        front.forget_ended_sessions(u64::MAX)?;
                        Ok(())
                    })?;
                    rows[0].took(before);
                    rows[1].took(before + after);
                }
                1 => rows[2].took(took(&mut || hand.many(requests, calls.batch))?),
                _ => rows[3].took(took(&mut || hand.single(singles))?),
            }
        }
    }
    calls.optimise(true);
    for _ in 0..ROUNDS {
        let of = next..next + count;
        next = of.end;
        let took = took(&mut || {
            paid += calls.charge((&front, &workspace), of.clone())?;
            Ok(())
        })?;
        optimised.took(took);
        front.project()?;
    }
    calls.optimise(false);
    let revenue = SystemAccount { kind: SystemKind::Revenue, number: 0 };
    let found = front.system_balances()?.get(&(CURRENCY, Unit::Money, revenue)).copied();
    if found != Some(paid) {
        return Err(BenchError::Sum { paid, found: found.unwrap_or_default() });
    }
    let [answered, all_in, many, single] = &rows;
    let ratios = vec![
        ("postgres_over_hand_sql".to_owned(), answered.over(many)),
        ("postgres_all_in_over_hand_sql".to_owned(), all_in.over(many)),
        ("postgres_over_single_sql".to_owned(), answered.over(single)),
        ("postgres_optimised_over_not".to_owned(), optimised.over(answered)),
    ];
    let mut rows = Vec::from(rows);
    rows.push(optimised);
    Ok((rows, ratios))
}
