//! Accounts in memory, with a journal: what was done is there after a start, each thing once, and sums are zero.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use accounts::{
    AccountEntry, AccountNotice, AccountSession, Accounts as _, AccountsError, Desk, Embedded,
    Figures, Folded, Lapsed, Task,
};
use journal::{Folders, Journal, Schema};
use ledger::{
    Account, AccountId, Action, Begin, BucketId, Charge, Cost, Credit, CreditTo, Currency, Effects,
    EndCause, Fee, Key, LifeCycle, MAIN_BUCKET, NewAccount, NewBucket, Note, Outcome, Refusal,
    Services, Session, SessionKey, Standing, SystemAccount, SystemKind, Threshold, Transfer, Unit,
    Want,
};
use store::{Connection, Versions};
use tempfile::TempDir;

pub(crate) const NOW: i64 = 1_790_000_000_000;
const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 0 };
const REVENUE: SystemAccount = SystemAccount { kind: SystemKind::Revenue, number: 0 };

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[
        journal::TABLES,
        accounts::TABLES,
        "CREATE TABLE own (key INTEGER) STRICT;",
    ]),
    newest_ms: |_| Ok(None),
};

pub(crate) fn open(folder: &Path) -> Embedded {
    let folders = Folders { state: folder, base: folder };
    let journal = Journal::open(folders, &SCHEMA, SystemTime::now).expect("a journal");
    Embedded::open(Arc::new(journal)).expect("accounts")
}

/// A number that looks random (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A part of a call, or an account to open.
struct Work {
    account: AccountId,
    step: Step,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy)]
enum Step {
    Open,
    Refill(u64),
    /// A minute of being active, and one of each stage that follows.
    Age,
    /// Notices below 900 and 500.
    Watch,
    /// A bucket of money for half a minute.
    Bundle,
    Call {
        session: u64,
        number: u32,
        used: i64,
    },
    Hang {
        session: u64,
    },
    Look,
}

impl Work {
    fn new(account: u64, step: Step) -> Self {
        Work { account: AccountId(account), step, outcome: None }
    }
}

impl Task for Work {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let at = NOW;
        self.outcome = Some(match self.step {
            Step::Open => desk.perform(
                at,
                Action::Open(NewAccount {
                    currency: Currency(978),
                    standing: Standing::Active,
                    credit_limit: 0,
                }),
            ),
            Step::Refill(key) => desk.perform(
                at,
                Action::Credit(Credit {
                    key: Key(key.into()),
                    to: CreditTo::Bucket(MAIN_BUCKET),
                    amount: 1_000,
                    from: REFILL,
                    days: 0,
                    remark: b"by Eva",
                }),
            ),
            Step::Age => {
                let [active_until, grace_until, suspended_until] =
                    [1, 2, 3].map(|minutes| at + minutes * 60_000);
                let dates = LifeCycle { active_until, grace_until, suspended_until };
                desk.perform(at, Action::SetLifeCycle(dates))
            }
            Step::Watch => {
                let below = |level| Threshold { unit: Unit::Money, level, hysteresis: 0 };
                desk.perform(at, Action::SetThresholds(&[below(900), below(500)]))
            }
            Step::Bundle => {
                let to = CreditTo::New(NewBucket {
                    unit: Unit::Money,
                    priority: 1,
                    services: Services::ALL,
                    from: 0,
                    until: at + 30_000,
                });
                let (key, amount, from) = (Key(99), 200, REFILL);
                desk.perform(
                    at,
                    Action::Credit(Credit { key, to, amount, from, days: 0, remark: b"" }),
                )
            }
            Step::Call { session, number, used } => {
                let cost = [Cost { unit: Unit::Money, amount: used.max(1) }];
                desk.perform(
                    at,
                    Action::Charge(Charge {
                        session: SessionKey(session.into()),
                        number,
                        leg: 0,
                        digest: 0,
                        begin: Begin::IfMissing,
                        services: Services::ALL,
                        used: if used > 0 { &cost } else { &[] },
                        wanted: &[Want { unit: Unit::Money, most: 50, least: 0 }],
                        until: at + 60_000,
                        memo: Some(b"plan"),
                        counters: Some(b"counted"),
                        note: Note::default(),
                        to: REVENUE,
                        remark: b"",
                    }),
                )
            }
            Step::Hang { session } => {
                let session = SessionKey(session.into());
                desk.perform(at, Action::End { session, until: at })
            }
            Step::Look => {
                let account = desk.account().expect("it was opened");
                assert!(account.buckets().iter().all(|bucket| bucket.reserved >= 0));
                return;
            }
        });
    }
}

/// Returns all accounts in their stored form.
fn stored(accounts: &Embedded, ids: u64) -> Vec<Vec<u8>> {
    let stored = |account: Option<&Account>| {
        let (mut effects, mut octets) = (Effects::default(), Vec::new());
        if let Some(account) = account {
            effects.add_account(account);
            effects.encode(&mut octets);
        }
        octets
    };
    (0..ids).map(|id| accounts.look(AccountId(id), stored)).collect()
}

pub(crate) fn opened(folder: &Path, ids: u64) -> Embedded {
    let accounts = open(folder);
    let mut tasks: Vec<Work> = (0..ids).map(|id| Work::new(id, Step::Open)).collect();
    tasks.extend((0..ids).map(|id| Work::new(id, Step::Refill(1))));
    accounts.run(&mut tasks).expect("it is stored");
    accounts
}

pub(crate) fn check_sums(accounts: &Embedded) {
    for (of, sum) in accounts.totalled() {
        assert_eq!(sum.buckets + sum.systems, 0, "{of:?}");
    }
}

#[test]
fn what_was_done_is_there_after_a_start_and_is_not_done_again() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 3);
    let call = Work::new(1, Step::Call { session: 7, number: 0, used: 0 });
    let more = Work::new(1, Step::Call { session: 7, number: 1, used: 30 });
    accounts.run(&mut [call, more]).unwrap();
    let before = stored(&accounts, 3);
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(stored(&accounts, 3), before);
    let mut again = [
        Work::new(1, Step::Call { session: 7, number: 1, used: 30 }),
        Work::new(1, Step::Refill(1)),
        Work::new(9, Step::Refill(1)),
    ];
    accounts.run(&mut again).unwrap();
    assert!(again[..2].iter().all(|work| work.outcome.is_some_and(|outcome| outcome.is_repeated)));
    let unknown = again[2].outcome.and_then(|outcome| outcome.receipt.refusal);
    assert_eq!(unknown, Some(Refusal::AccountUnknown));
    assert_eq!(stored(&accounts, 3), before);
    check_sums(&accounts);
}

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
        self.work.account
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
            let transfer = Transfer { key, from, to, amount, fee: None, remark: b"", at: 0 };
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

#[test]
fn rows_of_the_caller_are_stored_with_the_change_or_neither_is() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 1);
    let refill = |accounts: &Embedded, key: u64, sql: &'static str| {
        let mut work = Work::new(0, Step::Refill(key));
        accounts.run_with(&mut work, move |db| db.execute(sql, []).map(drop))
    };
    let rows = |accounts: &Embedded| -> u32 {
        let reader = accounts.journal().reader().unwrap();
        reader.query_row("SELECT count(*) FROM own", [], |row| row.get(0)).unwrap()
    };
    for _ in 0..2 {
        refill(&accounts, 2, "INSERT INTO own VALUES (2)").unwrap();
        assert_eq!(rows(&accounts), 1, "a retry changes nothing");
    }
    let before = stored(&accounts, 1);
    assert!(refill(&accounts, 3, "INSERT INTO missing VALUES (3)").is_err());
    let failed = refill(&accounts, 4, "INSERT INTO own VALUES (4)");
    assert!(matches!(failed, Err(AccountsError::Failed { .. })), "the memory is ahead");
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!((stored(&accounts, 1), rows(&accounts)), (before, 1));
    refill(&accounts, 3, "INSERT INTO own VALUES (3)").unwrap();
    assert_eq!(rows(&accounts), 2);
}

#[test]
fn a_transfer_is_stored_whole_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    // Enough accounts for all pairs of shards, and for two in one.
    let accounts = opened(folder.path(), 20);
    let transfer = |from, to| Transfer {
        key: Key(7),
        from: AccountId(from),
        to: AccountId(to),
        amount: 10,
        fee: Some(Fee { amount: 1, to: REVENUE }),
        remark: b"",
        at: 0,
    };
    let note = |db: &Connection| db.execute("INSERT INTO own VALUES (1)", []).map(drop);
    for number in 0..20 {
        let outcome = accounts.transfer(&transfer(number, (number + 1) % 20), note).unwrap();
        assert_eq!((outcome.receipt.refusal, outcome.is_repeated), (None, false));
        let outcome = accounts.transfer(&transfer(number, (number + 1) % 20), note).unwrap();
        assert!(outcome.is_repeated);
    }
    let before = stored(&accounts, 20);
    let lost = accounts.transfer(&transfer(3, 9), |_| Ok(())).unwrap();
    assert_eq!(lost.receipt.refusal, Some(Refusal::KeyReused));
    // It is one batch: if that is not stored, it is as if the program had ended before.
    let unstored = Transfer { key: Key(8), ..transfer(3, 9) };
    assert!(accounts.transfer(&unstored, |_| Err(store::undone(std::fmt::Error))).is_err());
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(stored(&accounts, 20), before);
    assert_eq!(accounts.system_balance(Currency(978), Unit::Money, REVENUE), 20);
    let reader = accounts.journal().reader().unwrap();
    let notes: u32 = reader.query_row("SELECT count(*) FROM own", [], |row| row.get(0)).unwrap();
    assert_eq!(notes, 20);
    check_sums(&accounts);
    drop(reader);
    // After a fold, neither account does it another time.
    let pair = [(3, 9), (9, 3), (3, 4), (4, 3)];
    let accounts = pair.into_iter().zip(9..).fold(accounts, |accounts, ((from, to), key)| {
        let transfer = Transfer { key: Key(key), ..transfer(from, to) };
        accounts.transfer(&transfer, |_| Ok(())).unwrap();
        accounts.fold().unwrap();
        let before = stored(&accounts, 20);
        drop(accounts);
        let accounts = open(folder.path());
        assert_eq!(stored(&accounts, 20), before, "{from} {to}");
        accounts
    });
    check_sums(&accounts);
}

#[test]
fn notices_have_numbers_that_go_on_after_a_start_and_after_they_were_deleted() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 2);
    let call = |id, number, used| Work::new(id, Step::Call { session: 7, number, used });
    accounts.run(&mut [Work::new(0, Step::Watch), Work::new(1, Step::Watch)]).unwrap();
    accounts.run(&mut [call(0, 0, 150)]).unwrap();
    accounts.run(&mut [call(1, 0, 600)]).unwrap();
    let read = |accounts: &Embedded, after, count| {
        let notices = accounts.notices(after, count).unwrap().into_iter();
        let of = |of: AccountNotice| (of.number, of.account.0, of.notice.level, of.notice.amount);
        notices.map(of).collect::<Vec<_>>()
    };
    let all = [(1, 0, 900, 850), (2, 1, 900, 400), (3, 1, 500, 400)];
    assert_eq!(read(&accounts, 0, 10), all);
    assert_eq!(read(&accounts, 1, 1), all[1..2]);
    accounts.forget_notices(3).unwrap();
    accounts.fold().unwrap();
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(read(&accounts, 0, 10), []);
    accounts.run(&mut [call(0, 1, 400)]).unwrap();
    assert_eq!(read(&accounts, 3, 10), [(4, 0, 500, 450)]);
}

#[test]
fn ended_sessions_have_numbers_that_go_on_after_a_start_and_after_they_were_deleted() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 3);
    let call = |id, number, used| Work::new(id, Step::Call { session: 7, number, used });
    let hang = |id| Work::new(id, Step::Hang { session: 7 });
    accounts.run(&mut [call(0, 0, 30), call(1, 0, 0), call(2, 0, 5)]).unwrap();
    // What a session paid is in the account as it was folded.
    accounts.fold().unwrap();
    drop(accounts);
    let accounts = open(folder.path());
    accounts.run(&mut [call(0, 1, 20)]).unwrap();
    accounts.run(&mut [hang(0)]).unwrap();
    accounts.run(&mut [hang(1)]).unwrap();
    accounts.lapse(NOW + 60_000, NOW + 120_000).unwrap();
    let read = |accounts: &Embedded, after, count| {
        let ended = accounts.ended_sessions(after, count).unwrap().into_iter();
        let of = |AccountSession { number, account, ended, memo }| {
            assert_eq!(memo, b"plan");
            (number, account.0, ended.cause, ended.paid)
        };
        ended.map(of).collect::<Vec<_>>()
    };
    let (ended, lapsed) = (EndCause::Ended, EndCause::Lapsed);
    let all = [(1, 0, ended, 50), (2, 1, ended, 0), (3, 2, lapsed, 5)];
    assert_eq!(read(&accounts, 0, 10), all);
    assert_eq!(read(&accounts, 1, 1), all[1..2]);
    accounts.forget_ended_sessions(2).unwrap();
    accounts.fold().unwrap();
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(read(&accounts, 0, 10), all[2..]);
    accounts.forget_ended_sessions(u64::MAX).unwrap();
    accounts.run(&mut [call(2, 1, 8)]).unwrap();
    let late = EndCause::LateUsage { leg: 0 };
    assert_eq!(read(&accounts, 3, 10), [(4, 2, late, 8)]);
    let change = "UPDATE account_ended_session SET body = x'0199'";
    accounts.journal().commit(move |db| db.execute(change, [])).unwrap();
    let error = accounts.ended_sessions(0, 10).unwrap_err();
    assert!(matches!(error, AccountsError::Damaged { row } if row == "ended session 4"));
}

#[test]
fn more_ended_sessions_than_a_row_has_are_read_and_forgotten_from_any_of_them() {
    const COUNT: u64 = 600;
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), COUNT);
    let calls = |id| Work::new(id, Step::Call { session: 7, number: 0, used: 0 });
    let hangs = |id| Work::new(id, Step::Hang { session: 7 });
    accounts.run(&mut (0..COUNT).map(calls).collect::<Vec<_>>()).unwrap();
    accounts.run(&mut (0..COUNT).map(hangs).collect::<Vec<_>>()).unwrap();
    let read = |after, count| {
        let ended = accounts.ended_sessions(after, count).unwrap();
        let mut ids: Vec<u64> = ended.iter().map(|ended| ended.account.0).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ended.len(), "each is there once");
        ended.into_iter().map(|ended| ended.number).collect::<Vec<_>>()
    };
    assert_eq!(read(0, 1_000), Vec::from_iter(1..=COUNT));
    assert_eq!(read(250, 10), Vec::from_iter(251..=260));
    accounts.forget_ended_sessions(300).unwrap();
    assert_eq!(read(0, 2), [301, 302]);
    accounts.forget_ended_sessions(100).unwrap();
    assert_eq!(read(0, 2), [301, 302], "what is forgotten stays so");
    accounts.forget_ended_sessions(u64::MAX).unwrap();
    assert!(read(0, 2).is_empty());
}

#[test]
fn the_history_of_an_account_goes_through_the_rows_of_its_neighbours() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 200);
    for key in 2..20 {
        let refills = [0, 63, 64, 199].into_iter().filter(|id| key % (id % 3 + 1) == 0);
        let mut work: Vec<_> = refills.map(|id| Work::new(id, Step::Refill(key))).collect();
        accounts.run(&mut work).unwrap();
        accounts.fold().unwrap();
    }
    for id in [0, 1, 63, 64, 199] {
        let last = accounts.look(AccountId(id), |account| account.unwrap().entries);
        let entries = accounts.entries(AccountId(id), None, 100).unwrap();
        assert!(entries.iter().map(|of| of.entry.number).eq((1..=last).rev()), "{id}");
        let some = accounts.entries(AccountId(id), Some(last), 3).unwrap();
        assert_eq!(some, entries[1..entries.len().min(4)]);
    }
    let all = accounts.all_entries((AccountId(0), 0), 1_000).unwrap();
    let (mut after, mut paged) = ((AccountId(0), 0), Vec::new());
    loop {
        let page = accounts.all_entries(after, 7).unwrap();
        let Some(last) = page.last() else { break };
        after = (last.account, last.entry.number);
        paged.extend(page);
    }
    assert_eq!(paged, all);
    assert!(all.is_sorted_by_key(|of| (of.account, of.entry.number)));
    assert_eq!(accounts.check_books().unwrap().fault_count, 0);
}

#[test]
fn accounts_go_through_the_stages_of_their_life_by_themselves() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 3);
    let aging = |account| Work::new(account, Step::Age);
    accounts.run(&mut [aging(0), aging(1)]).unwrap();
    let standing =
        |accounts: &Embedded, id| accounts.look(AccountId(id), |account| account.unwrap().standing);
    let minute = 60_000;
    assert_eq!(accounts.age(NOW + minute - 1).unwrap(), 0);
    assert_eq!(accounts.age(NOW + minute).unwrap(), 2);
    assert_eq!(standing(&accounts, 0), Standing::Grace);
    accounts.fold().unwrap();
    drop(accounts);
    let accounts = open(folder.path());
    // After a pause, all stages that are over follow one another.
    assert_eq!(accounts.age(NOW + 9 * minute).unwrap(), 4);
    assert_eq!(standing(&accounts, 1), Standing::Closed);
    assert_eq!(standing(&accounts, 2), Standing::Active);
    let expired = SystemAccount { kind: SystemKind::Expired, number: 0 };
    assert_eq!(accounts.system_balance(Currency(978), Unit::Money, expired), 2_000);
    check_sums(&accounts);
    assert_eq!(accounts.age(NOW + 99 * minute).unwrap(), 0);
}

#[test]
fn buckets_expire_by_themselves_when_nothing_is_reserved_from_them() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 2);
    let call = Work::new(1, Step::Call { session: 7, number: 0, used: 0 });
    accounts.run(&mut [Work::new(0, Step::Bundle), Work::new(1, Step::Bundle), call]).unwrap();
    let check = |accounts: &Embedded, expired, bucket| {
        let found = |account: Option<&Account>| {
            let bucket = *account.unwrap().bucket(BucketId(1))?;
            Some((bucket.amount, bucket.reserved))
        };
        let system = SystemAccount { kind: SystemKind::Expired, number: 0 };
        assert_eq!(accounts.system_balance(Currency(978), Unit::Money, system), expired);
        assert_eq!(accounts.look(AccountId(1), found), bucket);
        check_sums(accounts);
    };
    let minute = 60_000;
    assert_eq!(accounts.expire(NOW + minute / 2 - 1).unwrap(), 0);
    check(&accounts, 0, Some((200, 50)));
    assert_eq!(accounts.expire(NOW + minute / 2).unwrap(), 1);
    check(&accounts, 350, Some((50, 50)));
    drop(accounts);
    let accounts = open(folder.path());
    assert_eq!(accounts.expire(NOW + minute / 2).unwrap(), 0, "it is reserved");
    let lapsed = accounts.lapse(NOW + minute, NOW + 2 * minute).unwrap();
    assert_eq!(lapsed, Lapsed { ended: 1, forgotten: 0 });
    check(&accounts, 350, Some((50, 0)));
    assert_eq!(accounts.expire(NOW + 2 * minute).unwrap(), 1);
    check(&accounts, 400, None);
    assert_eq!(accounts.expire(NOW + 9 * minute).unwrap(), 0);
}

#[test]
fn entries_are_read_with_their_remarks_the_newest_first() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 3);
    let call = |number, used| Work::new(1, Step::Call { session: 7, number, used });
    accounts.run(&mut [call(0, 30), call(1, 20)]).unwrap();
    let read = |accounts: &Embedded, before, count| {
        let entries = accounts.entries(AccountId(1), before, count).unwrap().into_iter();
        let said = |AccountEntry { entry, remark, .. }: AccountEntry| {
            (entry.number, entry.amount, String::from_utf8(remark).unwrap())
        };
        entries.map(said).collect::<Vec<_>>()
    };
    let (refill, first) = ((1, 1_000, "by Eva".to_owned()), (2, -30, String::new()));
    let all = [(3, -20, String::new()), first.clone(), refill.clone()];
    assert_eq!(read(&accounts, None, 10), all, "also before they are folded");
    assert_eq!(accounts.fold().unwrap().entries, 0, "they were made");
    assert_eq!(read(&accounts, None, 10), all);
    assert_eq!(read(&accounts, Some(3), 1), [first]);
    assert_eq!(read(&accounts, Some(2), 10), [refill]);
    assert_eq!(accounts.entries(AccountId(9), None, 10).unwrap(), []);
    drop(accounts);
    let accounts = open(folder.path());
    let cut = "UPDATE account_entry SET body = substr(body, 1, length(body) - 1)";
    accounts.journal().commit(move |db| db.execute(cut, [])).unwrap();
    let error = accounts.entries(AccountId(1), None, 10).unwrap_err();
    let expected = "a row of entries of account 1";
    assert!(matches!(error, AccountsError::Damaged { row } if row == expected));
}

#[test]
fn accounts_and_open_sessions_are_listed_in_order() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 40);
    let of = |account, session| Work::new(account, Step::Call { session, number: 0, used: 0 });
    accounts.run(&mut [of(30, 2), of(4, 1), of(30, 1), of(5, 1)]).unwrap();
    accounts.run(&mut [Work::new(5, Step::Hang { session: 1 })]).unwrap();
    let ids = |after, count| accounts.accounts(after, count).into_iter().map(|id| id.0);
    assert!(ids(None, 1_000).eq(0..40));
    assert!(ids(Some(AccountId(7)), 3).eq(8..11));
    let sessions = |after, count| {
        accounts.open_sessions(after, count, |id, _, session| {
            Some((id.0, session.key.0, session.reserved_from(MAIN_BUCKET)))
        })
    };
    let all = [(4, 1, 50), (30, 1, 50), (30, 2, 50)];
    assert_eq!(sessions(None, 10), all);
    assert_eq!(sessions(None, 2), all[..2]);
    assert_eq!(sessions(Some((AccountId(30), SessionKey(1))), 10), all[2..]);
    let odd = |id: AccountId, _: &Account, session: &Session| {
        (session.key.0 % 2 == 1).then_some((id.0, session.key.0))
    };
    assert_eq!(accounts.open_sessions(None, 2, odd), [(4, 1), (30, 1)]);
    accounts.fold().unwrap();
    let figures =
        Figures { accounts: 40, open_sessions: 3, closed_sessions: 1, reserved: 150, batches: 1 };
    assert_eq!(accounts.figures().unwrap(), figures);
}

#[test]
fn a_damaged_row_is_named_and_nothing_is_used() {
    let folder = TempDir::new().unwrap();
    let accounts = opened(folder.path(), 3);
    accounts.fold().unwrap();
    drop(accounts);
    let change = |sql: &'static str| {
        let folders = Folders { state: folder.path(), base: folder.path() };
        let journal = Journal::open(folders, &SCHEMA, SystemTime::now).unwrap();
        journal.commit(move |db| db.execute(sql, []).map(drop)).unwrap();
        match Embedded::open(Arc::new(journal)) {
            Err(AccountsError::Damaged { row }) => row,
            other => panic!("{other:?}"),
        }
    };
    let said = change("UPDATE account SET body = x'01ff' WHERE row = 0");
    assert_eq!(said, "row 0 of the accounts (stored effects are damaged at octet 0)");
}

#[test]
fn a_damaged_book_is_found() {
    let folder = TempDir::new().unwrap();
    let accounts = open(folder.path());
    accounts.run(&mut [Step::Open, Step::Refill(1)].map(|step| Work::new(1, step))).unwrap();
    accounts.fold().unwrap();
    accounts.run(&mut [Work::new(1, Step::Refill(2))]).unwrap();
    let sound = accounts.check_books().unwrap();
    assert_eq!((sound.accounts, sound.entries, sound.fault_count), (1, 2, 0));
    let remove = |db: &Connection| db.execute("DELETE FROM account_entry WHERE seq = 1", []);
    accounts.journal().commit(remove).unwrap();
    let damaged = accounts.check_books().unwrap();
    assert_eq!(damaged.fault_count, 2, "{damaged:?}");
    assert!(damaged.faults[0].contains("entry 2 follows entry 0"), "{damaged:?}");
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
