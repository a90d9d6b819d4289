//! Folds: what is folded and what is not is there after a start, whatever happens meanwhile.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use accounts::{Accounts as _, Desk, Embedded, Folded, Task};
use ledger::{AccountId, Currency, Key, SystemAccount, SystemKind, Transfer, Unit};
use tempfile::TempDir;

use crate::set_up::{REFILL, Step, Work, check_sums, open, opened, random, stored};

#[test]
fn folding_changes_nothing_but_where_things_are() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 100);
    let folded = accounts.fold().unwrap();
    assert_eq!((folded.accounts, folded.entries), (100, 100));
    let nothing = accounts.fold().unwrap();
    assert_eq!((nothing.accounts, nothing.entries), (0, 0));
    // One account goes on.
    accounts.run(&mut [Work::new(5, Step::Refill(2))]).unwrap();
    let before = stored(&accounts, 100);
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(stored(&accounts, 100), before);
    check_sums(&accounts);
    // What was not folded before the start is folded after it.
    assert_eq!(accounts.fold().unwrap(), Folded { accounts: 1, entries: 1, batches: 1 });
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(stored(&accounts, 100), before);
    check_sums(&accounts);
}

#[test]
fn what_could_not_be_folded_is_folded_another_time() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 50);
    for table in ["account", "account_entry", "account_total"] {
        let journal = accounts.journal();
        let fail = format!(
            "CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT raise(ABORT, 'full'); END"
        );
        journal.commit(move |db| db.execute_batch(&fail)).unwrap();
        assert!(accounts.fold().is_err(), "{table}");
        journal.commit(|db| db.execute_batch("DROP TRIGGER full")).unwrap();
    }
    let before = stored(&accounts, 50);
    accounts.fold().unwrap();
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(stored(&accounts, 50), before);
    check_sums(&accounts);
    assert_eq!(accounts.system_balance(Currency(978), Unit::Money, REFILL), -50_000);
}

/// Work that holds its shard until the other end of `wait` is dropped.
struct Held {
    work: Work,
    wait: mpsc::Receiver<()>,
}

impl Task for Held {
    fn account(&self) -> AccountId {
        self.work.account()
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let _ = self.wait.recv();
        self.work.work(desk);
    }
}

/// Holds the disk until what is returned is dropped.
fn hold_disk(accounts: &Embedded) -> mpsc::Sender<()> {
    let (busy, wait) = mpsc::channel();
    accounts.journal().later(move |_| {
        let _ = wait.recv();
        Ok(())
    });
    busy
}

/// Does something in another thread, and waits until it is probably blocked there. If it is not, the tests of folds find
/// nothing, and do not fail.
fn beside<'s, T: Send + 's>(
    scope: &'s thread::Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) {
    scope.spawn(work);
    thread::sleep(Duration::from_millis(20));
}

fn started_again(accounts: Embedded, folder: &TempDir, count: u64) -> Embedded {
    let before = stored(&accounts, count);
    drop(accounts);
    let accounts = open(folder.path());
    assert!(stored(&accounts, count) == before, "accounts differ after a start");
    check_sums(&accounts);
    accounts
}

#[test]
fn what_is_decided_after_a_fold_has_copied_an_account_is_not_taken_for_folded() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 1);
    let refill = |key| accounts.run(&mut [Work::new(0, Step::Refill(key))]).unwrap();
    thread::scope(|scope| {
        let accounts = &accounts;
        let (hold, wait) = mpsc::channel();
        let mut held = [Held { work: Work::new(0, Step::Refill(2)), wait }];
        beside(scope, move || accounts.run(&mut held).unwrap());
        beside(scope, || accounts.fold().unwrap());
        let busy = hold_disk(accounts);
        // The refill is decided, and then copied by the fold, which waits until it is stored.
        beside(scope, || drop(hold));
        beside(scope, || refill(3));
        drop(busy);
    });
    started_again(accounts, &folder, 1);
}

#[test]
fn what_is_decided_after_a_fold_has_begun_is_not_deleted_with_what_it_folds() {
    let folder = TempDir::new().unwrap();
    let count = 64;
    let mut accounts = opened(folder.path(), count);
    for own in (0..count).step_by(16) {
        accounts.fold().unwrap();
        let refill = |id, key| accounts.run(&mut [Work::new(id, Step::Refill(key))]).unwrap();
        thread::scope(|scope| {
            let (accounts, refill) = (&accounts, &refill);
            let busy = hold_disk(accounts);
            beside(scope, || refill(own, 1_000 + own));
            let (hold, wait) = mpsc::channel();
            let mut held = [Held { work: Work::new(own, Step::Look), wait }];
            beside(scope, move || accounts.run(&mut held).unwrap());
            // It goes by the shards where nothing has changed, up to the one that is held.
            beside(scope, || accounts.fold().unwrap());
            for other in (0..count).step_by(16).filter(|other| *other != own) {
                beside(scope, move || refill(other, 2_000 + own));
            }
            beside(scope, || drop(hold));
            beside(scope, || refill(own, 3_000 + own));
            drop(busy);
        });
        accounts = started_again(accounts, &folder, count);
    }
}

#[test]
fn many_threads_work_on_accounts_that_are_folded_meanwhile_and_lose_nothing() {
    const IDS: u64 = 200;
    let folder = TempDir::new().unwrap();
    let mut accounts = opened(folder.path(), IDS);
    let mut refills = IDS;
    for round in 0..4_u64 {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..4_u64)
                .map(|worker| {
                    let accounts = &accounts;
                    scope.spawn(move || work(accounts, (round * 4 + worker) << 32, IDS))
                })
                .collect();
            while !workers.iter().all(|worker| worker.is_finished()) {
                accounts.fold().unwrap();
            }
            refills += workers.into_iter().map(|worker| worker.join().unwrap()).sum::<u64>();
        });
        let before = stored(&accounts, IDS);
        check_sums(&accounts);
        drop(accounts);
        accounts = open(folder.path());
        assert!(stored(&accounts, IDS) == before, "accounts differ after a start, round {round}");
        check_sums(&accounts);
    }
    let refilled = accounts.system_balance(Currency(978), Unit::Money, REFILL);
    assert_eq!(refilled, -i128::from(refills) * 1_000);
    let transfer = SystemAccount { kind: SystemKind::Transfer, number: 0 };
    assert_eq!(accounts.system_balance(Currency(978), Unit::Money, transfer), 0);
}

/// Works on random accounts, and returns the number of refills.
fn work(accounts: &Embedded, seed: u64, ids: u64) -> u64 {
    let (mut seed, mut refills) = (seed, 0);
    for run in 0..100 {
        let count = 1 + random(&mut seed) % 30;
        let mut tasks: Vec<Work> = (0..count)
            .map(|place| {
                let account = random(&mut seed) % ids;
                let session = seed % 3;
                Work::new(
                    account,
                    match random(&mut seed) % 10 {
                        0 => Step::Refill(seed | 1 << 63),
                        1..=2 => Step::Look,
                        3 => Step::Hang { session },
                        _ => Step::Call {
                            session,
                            number: (run * 100 + place) as u32,
                            used: (random(&mut seed) % 60) as i64,
                        },
                    },
                )
            })
            .collect();
        accounts.run(&mut tasks).unwrap();
        if run % 4 == 0 {
            let [from, to] = [0; 2].map(|_| AccountId(random(&mut seed) % ids));
            let (key, amount) = (Key(seed.into()), 1 + (seed % 200) as i64);
            let transfer =
                Transfer { key, from, to, amount, fee: None, limit: None, remark: b"", at: 0 };
            accounts.transfer(&transfer, |_| Ok(())).unwrap();
        }
        let is_refilled = |work: &&Work| {
            let is_new = work.outcome.is_some_and(|outcome| !outcome.is_repeated);
            matches!(work.step, Step::Refill(_)) && is_new
        };
        refills += tasks.iter().filter(is_refilled).count() as u64;
    }
    refills
}

/// As on a disk that is nearly full.
#[test]
fn a_fold_that_cannot_write_rows_is_made_again_and_requests_go_on() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 50);
    let store = |sql: &'static str| accounts.journal().commit(move |db| db.execute_batch(sql));
    store("CREATE TRIGGER full BEFORE INSERT ON account BEGIN SELECT RAISE(ABORT, 'full'); END")
        .unwrap();
    let failed = thread::scope(|scope| {
        let refill = |thread: u64| {
            let keys = (thread * 1_000 + 2..).take(300);
            keys.for_each(|key| {
                accounts.run(&mut [Work::new(key % 50, Step::Refill(key))]).expect("it is stored");
            });
        };
        let working: Vec<_> = (0..4).map(|thread| scope.spawn(move || refill(thread))).collect();
        let mut failed = 0;
        while working.iter().any(|of| !of.is_finished()) {
            failed += u32::from(accounts.fold().is_err());
        }
        failed
    });
    assert!(failed > 0, "rows are refused");
    assert_eq!(accounts.failure(), None);
    store("DROP TRIGGER full").unwrap();
    assert_eq!(accounts.fold().unwrap().accounts, 50);
    check_sums(&accounts);
    drop(accounts);
    check_sums(&open(folder.path()));
}
