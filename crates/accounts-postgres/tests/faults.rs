//! Bad days: connections that are cut, a server that restarts, refuses to write, or has no connection left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use accounts::{Accounts as _, AccountsError};
use accounts_postgres::{Config, Front};
use ledger::{AccountId, Currency, Unit};

use crate::fronts::{batches, check, check_books, play};
use crate::proxy::Proxy;
use crate::random::{Expected, Kind, NOW, REFILL, Step, Work};
use crate::server::Server;

fn behind(proxy: &Proxy) -> Front {
    let mut config = Config::new();
    config.host("127.0.0.1").port(proxy.port).user("tollgate").dbname("postgres");
    Front::open(config, "").expect("the server answers")
}

#[test]
fn what_a_cut_connection_leaves_open_is_done_once() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.socket(), 11);
    let fronts = [behind(&proxy), behind(&proxy)];
    let mut expected = Expected::default();
    proxy.cut_one_of(15);
    play(&fronts, &mut expected, (5, batches(250)));
    proxy.cut_one_of(0);
    check(&fronts[0], &expected);
    let [requests, answers] = proxy.cut();
    assert!(requests > 20 && answers > 20, "{requests} {answers}");
}

fn refill(front: &Front, key: u64) -> Result<(), AccountsError> {
    let kind = Kind::Refill { key, amount: 1 };
    let mut works = [1, 2, 3].map(|id| Work::from(Step { account: AccountId(id), at: NOW, kind }));
    front.run(&mut works)?;
    for work in works {
        assert_eq!(work.outcome.unwrap().receipt.refusal, None);
    }
    Ok(())
}

fn open(front: &Front) {
    let open = |id| Work::from(Step { account: AccountId(id), at: NOW, kind: Kind::Open });
    front.run(&mut [1, 2, 3].map(open)).unwrap();
}

fn refilled(front: &Front) -> i128 {
    front.system_balances().unwrap()[&(Currency(978), Unit::Money, REFILL)]
}

#[test]
fn fronts_go_on_after_the_server_has_crashed() {
    let Some(mut server) = Server::start() else { return };
    let fronts = [server.front(), server.front()];
    open(&fronts[0]);
    let ends = AtomicBool::new(false);
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = fronts
            .iter()
            .zip(1_u64..)
            .map(|(front, worker)| {
                let ends = &ends;
                scope.spawn(move || {
                    let mut count = 0;
                    while !ends.load(Ordering::Relaxed) {
                        count += 1;
                        refill(front, worker << 32 | count).unwrap();
                    }
                    count
                })
            })
            .collect();
        for _ in 0..3 {
            thread::sleep(Duration::from_millis(300));
            server.crash().expect("it runs");
            server.run().expect("it starts again");
        }
        thread::sleep(Duration::from_millis(300));
        ends.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<u64>>()
    });
    assert!(counts.iter().all(|count| *count > 3), "{counts:?}");
    let all: u64 = counts.iter().sum();
    assert_eq!(refilled(&fronts[0]), -3 * i128::from(all));
    check_books(&fronts[1]);
}

#[test]
fn a_database_that_only_reads_refuses_changes_and_answers_what_is_looked_at() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    open(&front);
    refill(&front, 1).unwrap();
    let only_reads = |is: bool| {
        server.sql(match is {
            true => "ALTER SYSTEM SET default_transaction_read_only = on",
            false => "ALTER SYSTEM RESET default_transaction_read_only",
        });
        server.sql("SELECT pg_reload_conf()");
        // A session reads the configuration before its next statement, but not at once.
        thread::sleep(Duration::from_millis(300));
    };
    only_reads(true);
    let error = refill(&front, 2).unwrap_err();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(why) = cause {
        text = format!("{text}: {why}");
        cause = why.source();
    }
    assert!(text.contains("read-only transaction"), "{text}");
    let look = Step { account: AccountId(1), at: NOW, kind: Kind::Look };
    let mut works = [Work::from(look)];
    front.run(&mut works).unwrap();
    assert_eq!(works[0].entries, Some(1));
    assert_eq!(server.front().look(AccountId(1), |of| of.unwrap().entries).unwrap(), 1);
    only_reads(false);
    refill(&front, 2).unwrap();
    assert_eq!(refilled(&front), -6);
    check_books(&front);
}

#[test]
fn a_front_waits_for_a_connection_while_there_is_none() {
    let Some(server) =
        Server::start_with(&["max_connections=4", "superuser_reserved_connections=0"])
    else {
        return;
    };
    let front = server.front();
    open(&front);
    drop(front);
    // Each of these has a connection.
    let others: Vec<Front> =
        (0..4).map_while(|_| Front::open(server.config("postgres"), "").ok()).collect();
    assert_eq!(others.len(), 4);
    let late = thread::scope(|scope| {
        let refilled = scope.spawn(|| {
            let mut config = server.config("postgres");
            config.application_name("late");
            let front = Front::open(config, "").expect("another one ends");
            refill(&front, 1).unwrap();
            refilled(&front)
        });
        thread::sleep(Duration::from_millis(300));
        assert!(!refilled.is_finished());
        drop(others);
        refilled.join().unwrap()
    });
    assert_eq!(late, -3);
}
