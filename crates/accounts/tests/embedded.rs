//! Accounts in memory, with a journal: what was done is there after a start, each thing once, and sums are zero.

use std::sync::Arc;
use std::time::SystemTime;

use accounts::{
    AccountEntry, AccountNotice, AccountSession, Accounts as _, AccountsError, Embedded, Figures,
    Lapsed,
};
use journal::{Folders, Journal};
use ledger::{
    Account, AccountId, BucketId, Currency, EndCause, Fee, Key, MAIN_BUCKET, Notice, Refusal,
    Session, SessionKey, Standing, SystemAccount, SystemKind, Transfer, Unit,
};
use store::Connection;
use tempfile::TempDir;

use crate::set_up::{NOW, REVENUE, SCHEMA, Step, Work, check_sums, open, opened, stored};

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
        limit: None,
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
        accounts.fold().unwrap();
        let notices = accounts.notices(after, count).unwrap().into_iter();
        let of = |of: AccountNotice| match of.notice {
            Notice::Low { level, amount, .. } => (of.number, of.account.0, level, amount),
            notice => panic!("{notice:?}"),
        };
        notices.map(of).collect::<Vec<_>>()
    };
    let all = [(1, 0, 900, 850), (2, 1, 900, 400), (3, 1, 500, 400)];
    assert_eq!(read(&accounts, 0, 10), all);
    assert_eq!(read(&accounts, 1, 1), all[1..2]);
    let of_second = accounts.notices_of(AccountId(1), 1).unwrap();
    assert_eq!((of_second.len(), of_second[0].number), (1, 3), "the newest");
    assert_eq!((accounts.count_notices(0).unwrap(), accounts.count_notices(2).unwrap()), (3, 1));
    let made = of_second[0].at;
    accounts.forget_notices(made).unwrap();
    assert_eq!(read(&accounts, 0, 10), all, "those that were made before");
    accounts.forget_notices(made + 1).unwrap();
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
    let expected = "a row of entries of accounts 0 to 15";
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
