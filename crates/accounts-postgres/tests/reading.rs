//! What is read of accounts in a database.

use accounts::{AccountNotice, Accounts as _, AccountsError, Figures};
use ledger::{Account, AccountId, Currency, Notice, Session, SessionKey, Unit};

use crate::random::{Kind, NOW, REFILL, Step, Work};
use crate::server::Server;

fn step(account: u64, kind: Kind) -> Work {
    Work::from(Step { account: AccountId(account), at: NOW, kind })
}

fn call(account: u64, session: u64) -> Work {
    step(account, Kind::Call { session, number: 0, used: 0, wanted: 50 })
}

#[test]
fn accounts_and_open_sessions_are_listed_in_order() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    assert_eq!(front.last_account().unwrap(), None);
    let mut works: Vec<Work> = (0..40).map(|id| step(id, Kind::Open)).collect();
    works.extend((0..40).map(|id| step(id, Kind::Refill { key: 1, amount: 1_000 })));
    front.run(&mut works).unwrap();
    front.run(&mut [call(30, 2), call(4, 1), call(30, 1), call(5, 1)]).unwrap();
    front.run(&mut [step(5, Kind::Hang { session: 1 })]).unwrap();
    let ids = |after, count| front.accounts(after, count).unwrap().into_iter().map(|id| id.0);
    assert!(ids(None, 1_000).eq(0..40));
    assert!(ids(Some(AccountId(7)), 3).eq(8..11));
    assert_eq!(front.last_account().unwrap(), Some(AccountId(39)));
    assert!(front.currencies().unwrap().into_iter().eq([Currency(978)]));
    let sessions = |after, count| {
        let of = |id: AccountId, account: &Account, session: &Session| {
            let reserved = account.reserved_for(session.key, 0, Unit::Money);
            Some((id.0, session.key.0, reserved))
        };
        front.open_sessions(after, count, of).unwrap()
    };
    let all = [(4, 1, 50), (30, 1, 50), (30, 2, 50)];
    assert_eq!(sessions(None, 10), all);
    assert_eq!(sessions(None, 2), all[..2]);
    assert_eq!(sessions(Some((AccountId(30), SessionKey(1))), 10), all[2..]);
    front.project().unwrap();
    let (accounts, reserved) = (40, 150);
    let figures = Figures { accounts, open_sessions: 3, closed_sessions: 1, reserved, batches: 0 };
    assert_eq!(front.figures().unwrap(), figures);
    let refilled = front.system_balances().unwrap()[&(Currency(978), Unit::Money, REFILL)];
    assert_eq!(refilled, -40_000);
}

#[test]
fn numbers_of_notices_and_ended_sessions_go_on_after_they_were_deleted() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    let pay = |id, key, amount| step(id, Kind::Pay { key, amount });
    let watch = |id| step(id, Kind::Watch);
    let mut works: Vec<Work> = (0..2).map(|id| step(id, Kind::Open)).collect();
    works.extend((0..2).map(|id| step(id, Kind::Refill { key: 1, amount: 1_000 })));
    works.extend([watch(0), watch(1), pay(0, 2, 150), pay(1, 2, 600)]);
    front.run(&mut works).unwrap();
    let read = |after, count| {
        let notices = front.notices(after, count).unwrap().into_iter();
        let of = |of: AccountNotice| match of.notice {
            Notice::Low { level, .. } => (of.number, of.account.0, level),
            notice => panic!("{notice:?}"),
        };
        notices.map(of).collect::<Vec<_>>()
    };
    let all = [(1, 0, 900), (2, 1, 900), (3, 1, 500)];
    assert_eq!(read(0, 10), all);
    assert_eq!(read(1, 1), all[1..2]);
    let of_second = front.notices_of(AccountId(1), 1).unwrap();
    assert_eq!((of_second.len(), of_second[0].number), (1, 3), "the newest");
    assert_eq!((front.count_notices(0).unwrap(), front.count_notices(2).unwrap()), (3, 1));
    let made = of_second[0].at;
    front.forget_notices(made).unwrap();
    assert_eq!(read(0, 10), all, "those that were made before");
    front.forget_notices(made + 1).unwrap();
    assert_eq!(read(0, 10), []);
    front.run(&mut [pay(0, 4, 400)]).unwrap();
    assert_eq!(read(3, 10), [(4, 0, 500)]);
    front.run(&mut [call(0, 1), call(1, 1), step(0, Kind::Hang { session: 1 })]).unwrap();
    front.forget_ended_sessions(u64::MAX).unwrap();
    front.run(&mut [step(1, Kind::Hang { session: 1 })]).unwrap();
    let ended = front.ended_sessions(0, 10).unwrap();
    let ended: Vec<_> = ended.into_iter().map(|of| (of.number, of.account.0, of.memo)).collect();
    assert_eq!(ended, [(2, 1, b"plan".to_vec())], "what had ended before is forgotten");
}

#[test]
fn a_damaged_row_is_named() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    let refill = step(1, Kind::Refill { key: 1, amount: 5 });
    front.run(&mut [step(1, Kind::Open), refill, step(2, Kind::Open)]).unwrap();
    let said = |error: AccountsError| match error {
        AccountsError::Damaged { row } => row,
        other => panic!("{other:?}"),
    };
    server.sql("UPDATE account_entry SET body = '\\x0199'");
    assert_eq!(said(front.entries(AccountId(1), None, 9).unwrap_err()), "entry 1 of account 1");
    server.sql("UPDATE account SET body = '\\x01ff' WHERE id = 2");
    let row = "the row of account 2 (stored effects are damaged at octet 1)";
    assert_eq!(said(front.look(AccountId(2), |_| ()).unwrap_err()), row);
    assert_eq!(said(front.check_books().unwrap_err()), "entry 1 of account 1");
    server.sql("DELETE FROM account_entry");
    assert_eq!(said(front.totalled().unwrap_err()), row);
}

#[test]
fn a_damaged_book_is_found() {
    let Some(server) = Server::start() else { return };
    let front = server.front();
    let refill = |key| step(1, Kind::Refill { key, amount: 5 });
    front.run(&mut [step(1, Kind::Open), refill(1), refill(3)]).unwrap();
    let sound = front.check_books().unwrap();
    assert_eq!((sound.accounts, sound.entries, sound.fault_count), (1, 2, 0));
    server.sql("DELETE FROM account_entry WHERE number = 1");
    let damaged = front.check_books().unwrap();
    assert_eq!(damaged.fault_count, 2, "{damaged:?}");
    assert!(damaged.faults[0].contains("entry 2 follows entry 0"), "{damaged:?}");
    server.sql("UPDATE account_batch SET amounts = '{7}'");
    let damaged = front.check_books().unwrap();
    assert_eq!(damaged.fault_count, 3, "{damaged:?}");
}

#[test]
fn tables_of_another_version_are_not_used() {
    let Some(server) = Server::start() else { return };
    drop(server.front());
    server.sql("UPDATE account_schema SET version = 9");
    let error = accounts_postgres::Front::open(server.config("postgres"), "").unwrap_err();
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(why.contains("version 9"), "{why}");
}
