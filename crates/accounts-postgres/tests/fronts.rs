//! Several fronts on one database: what each of them does is what one ledger does, each thing once.

use std::thread;

use accounts::{Accounts as _, stored};
use accounts_postgres::Front;
use ledger::{Account, AccountId, Currency, Outcome, SystemAccount, SystemKind, Unit};

use crate::deadlines::no_renewal;
use crate::random::{Expected, Kind, NOW, REFILL, Random, Step, Work, transfer};
use crate::server::Server;

const ACCOUNTS: u64 = 12;

/// Returns the number of batches: `BATCHES` for more.
pub(crate) fn batches(few: u64) -> u64 {
    std::env::var("BATCHES").map_or(few, |count| count.parse().expect("a number"))
}

/// Checks that the database has what is expected, and that its books are right.
pub(crate) fn check(front: &Front, expected: &Expected) {
    let stored_form = |account: Option<&Account>| account.map(stored::account);
    for id in (0..ACCOUNTS).map(AccountId) {
        let ours = front.look(id, stored_form).unwrap();
        assert_eq!(ours, stored_form(expected.book.account(id)), "{id:?}");
        let mut entries: Vec<_> = front
            .entries(id, None, usize::MAX)
            .unwrap()
            .into_iter()
            .map(|of| ledger::Effects::of_entry(of.entry, &of.remark))
            .map(|effects| {
                let mut body = Vec::new();
                effects.encode(&mut body);
                body
            })
            .collect();
        entries.reverse();
        assert_eq!(entries, expected.entries.get(&id).cloned().unwrap_or_default(), "{id:?}");
    }
    let (mut notices, mut ended) = (Expected::default().notices, Expected::default().ended);
    for (place, of) in (1..).zip(front.notices(0, usize::MAX).unwrap()) {
        assert_eq!(of.number, place, "numbers have no gaps");
        let mut body = Vec::new();
        let list = vec![ledger::Effect::Notice(of.notice)];
        ledger::Effects { list, bytes: Vec::new() }.encode(&mut body);
        notices.entry(of.account).or_default().push(body);
    }
    for (place, of) in (1..).zip(front.ended_sessions(0, usize::MAX).unwrap()) {
        assert_eq!(of.number, place, "numbers have no gaps");
        let mut body = Vec::new();
        ledger::Effects::of_ended_session(of.ended, &of.memo).encode(&mut body);
        ended.entry(of.account).or_default().push(body);
    }
    let some = |all: &std::collections::BTreeMap<AccountId, Vec<Vec<u8>>>| {
        let mut all = all.clone();
        all.retain(|_, of| !of.is_empty());
        all
    };
    assert_eq!(some(&notices), some(&expected.notices));
    assert_eq!(some(&ended), some(&expected.ended));
    let ours = front.system_balances().unwrap();
    assert!(ours.into_iter().eq(expected.book.totals().balances()));
    check_books(front);
}

/// Checks that the books of a database are right.
pub(crate) fn check_books(front: &Front) {
    let checked = front.check_books().unwrap();
    assert_eq!(checked.fault_count, 0, "{checked:?}");
    assert!(front.totalled().unwrap().values().all(|sum| sum.buckets + sum.systems == 0));
}

/// Does random batches and transfers over fronts in turn, with retries. All outcomes are as expected.
pub(crate) fn play(fronts: &[Front], expected: &mut Expected, (seed, batches): (u64, u64)) {
    let mut random = Random(seed);
    let mut before: Vec<Step> = Vec::new();
    let mut at = NOW;
    for batch in 0..batches {
        at += random.below(3_000) as i64;
        let front = &fronts[random.below(fronts.len() as u64) as usize];
        if random.below(5) == 0 {
            let transfer = transfer(&mut random, ACCOUNTS, at);
            let done = front.transfer(&transfer, |_| Ok(())).unwrap();
            assert_eq!(done, expected.transfer(&transfer), "{batch}: {transfer:?}");
            continue;
        }
        let count = 1 + random.below(40);
        let steps: Vec<Step> = (0..count)
            .map(|_| match before.len() as u64 {
                known @ 1.. if random.below(10) == 0 => before[random.below(known) as usize],
                _ => Step::random(&mut random, ACCOUNTS, at),
            })
            .collect();
        before.extend(&steps);
        let mut works: Vec<Work> = steps.into_iter().map(Work::from).collect();
        if random.below(8) == 0 {
            works.truncate(1);
            front.run_with(&mut works[0], |_| Ok(())).unwrap();
        } else {
            front.run(&mut works).unwrap();
        }
        for work in works {
            let done = (work.outcome, work.entries);
            assert_eq!(done, expected.perform(&work.step), "{batch}: {:?}", work.step);
        }
    }
}

#[test]
fn fronts_in_turn_do_what_one_ledger_does() {
    let Some(server) = Server::start() else { return };
    let fronts = [server.front(), server.front(), server.front()];
    let mut expected = Expected::default();
    play(&fronts, &mut expected, (7, batches(300)));
    check(&fronts[0], &expected);
    // A front that is new knows all.
    check(&server.front(), &expected);
}

/// Works on random accounts, and returns how many refills were made, and their sum.
fn work(front: &Front, seed: u64, batches: u64) -> (u64, i64) {
    let (mut random, mut count, mut sum) = (Random(seed), 0, 0);
    for batch in 0..batches {
        let at = NOW + batch as i64 * 1_000;
        let mut works: Vec<Work> = (0..1 + random.below(30))
            .map(|_| Step::random(&mut random, ACCOUNTS, at))
            // What closes accounts or expires would change what others may do.
            .filter(|step| !matches!(step.kind, Kind::Standing(_) | Kind::Life | Kind::Age))
            .map(Work::from)
            .collect();
        front.run(&mut works).unwrap();
        if batch % 5 == 0 {
            front.transfer(&transfer(&mut random, ACCOUNTS, at), |_| Ok(())).unwrap();
        }
        if batch % 7 == 0 {
            front.settle_due(at, at + 10_000, no_renewal).unwrap();
        }
        for work in works {
            let is_done = |of: Outcome| of.receipt.refusal.is_none() && !of.is_repeated;
            if let (Kind::Refill { amount, .. }, true) =
                (work.step.kind, work.outcome.is_some_and(is_done))
            {
                count += 1;
                sum += amount;
            }
        }
    }
    (count, sum)
}

#[test]
fn fronts_at_once_lose_nothing_and_do_nothing_twice() {
    let Some(server) = Server::start() else { return };
    let fronts = [server.front(), server.front()];
    let open = |id| Work::from(Step { account: AccountId(id), at: NOW, kind: Kind::Open });
    fronts[0].run(&mut (0..ACCOUNTS).map(open).collect::<Vec<_>>()).unwrap();
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let front = &fronts[worker as usize % 2];
                scope.spawn(move || work(front, worker << 32, batches(60)))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    check_books(&fronts[0]);
    let sum: i64 = done.iter().map(|(_, sum)| sum).sum();
    let balances = fronts[1].system_balances().unwrap();
    let bundles = i128::from(
        (0..ACCOUNTS)
            .flat_map(|id| fronts[0].entries(AccountId(id), None, usize::MAX).unwrap())
            .filter(|of| of.entry.system == REFILL && of.remark.is_empty())
            .filter(|of| of.entry.unit == Unit::Money)
            .map(|of| of.entry.amount)
            .sum::<i64>(),
    );
    assert_eq!(balances[&(Currency(978), Unit::Money, REFILL)], -i128::from(sum) - bundles);
    assert!(done.iter().all(|(count, _)| *count > 10), "{done:?}");
    let on_its_way = SystemAccount { kind: SystemKind::Transfer, number: 0 };
    assert_eq!(balances[&(Currency(978), Unit::Money, on_its_way)], 0);
}

#[test]
fn what_a_front_looks_at_is_what_others_have_done() {
    let Some(server) = Server::start() else { return };
    let [one, other] = [server.front(), server.front()];
    let step = |kind| Step { account: AccountId(7), at: NOW, kind };
    let run = |front: &Front, kind| {
        let mut works = [Work::from(step(kind))];
        front.run(&mut works).unwrap();
        works[0]
    };
    assert_eq!(run(&one, Kind::Look).entries, None);
    run(&other, Kind::Open);
    assert_eq!(run(&one, Kind::Look).entries, Some(0));
    run(&other, Kind::Refill { key: 1, amount: 100 });
    assert_eq!(run(&one, Kind::Look).entries, Some(1), "its copy is behind");
    let pay = Kind::Pay { key: 2, amount: 60 };
    assert_eq!(run(&one, pay).outcome.unwrap().receipt.refusal, None);
    assert!(run(&other, pay).outcome.unwrap().is_repeated);
    let more = run(&other, Kind::Pay { key: 4, amount: 60 }).outcome.unwrap();
    assert_eq!(more.receipt.refusal, Some(ledger::Refusal::NotEnough));
    check_books(&one);
}

#[test]
fn rows_of_the_caller_are_stored_with_the_change_or_neither_is() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    server.sql("CREATE TABLE own (key bigint)");
    let refill = |key, sql| {
        let kind = Kind::Refill { key, amount: 10 };
        let mut work = Work::from(Step { account: AccountId(1), at: NOW, kind });
        front.run_with(&mut work, |of| of.query(sql, &[]).map(drop)).map(|()| work.outcome)
    };
    let open = Step { account: AccountId(1), at: NOW, kind: Kind::Open };
    front.run(&mut [Work::from(open)]).unwrap();
    for _ in 0..2 {
        refill(2, "INSERT INTO own VALUES (2)").unwrap();
        assert_eq!(server.sql("SELECT count(*) FROM own"), "1", "a retry changes nothing");
    }
    assert!(refill(3, "INSERT INTO missing VALUES (3)").is_err());
    assert_eq!(front.look(AccountId(1), |of| of.unwrap().entries).unwrap(), 1);
    refill(3, "INSERT INTO own VALUES (3)").unwrap();
    assert_eq!(server.sql("SELECT count(*) FROM own"), "2");
    assert_eq!(front.look(AccountId(1), |of| of.unwrap().entries).unwrap(), 2);
}
