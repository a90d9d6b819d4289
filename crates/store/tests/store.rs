//! Committed changes are there, failed ones are undone alone, and a migration is complete or not
//! there at all.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use store::{Connection, Store, StoreError, params};

const FIRST: &str = "CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL) STRICT";
const SECOND: &str = "ALTER TABLE account ADD COLUMN owner TEXT";

fn balance(connection: &Connection, name: &str) -> i64 {
    connection
        .query_row("SELECT balance FROM account WHERE name = ?", [name], |row| row.get(0))
        .unwrap()
}

#[test]
fn changes_of_many_threads_are_all_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Arc::new(Store::open(&path, &[FIRST]).unwrap());
    store.commit(|db| db.execute("INSERT INTO account VALUES ('a', 0)", [])).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                for _ in 0..100 {
                    let add = "UPDATE account SET balance = balance + 1";
                    store.commit(move |db| db.execute(add, [])).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(balance(&store.reader().unwrap(), "a"), 800);
    drop(store);
    let store = Store::open(&path, &[FIRST, SECOND]).unwrap();
    assert_eq!(balance(&store.reader().unwrap(), "a"), 800);
}

#[test]
fn a_change_that_fails_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&folder.path().join("store.db"), &[FIRST]).unwrap());
    let threads: Vec<_> = (0..200)
        .map(|number| {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                store.commit(move |db| {
                    db.execute("INSERT INTO account VALUES (?, 1)", [number.to_string()])?;
                    // Every fourth change fails after its first step.
                    let again = if number % 4 == 0 { number } else { 1_000 + number };
                    db.execute("INSERT INTO account VALUES (?, 1)", params![again.to_string()])
                })
            })
        })
        .collect();
    let failed = threads.into_iter().map(|thread| thread.join().unwrap());
    assert_eq!(failed.filter(Result::is_err).count(), 50);
    let count: i64 = store
        .reader()
        .unwrap()
        .query_row("SELECT count(*) FROM account", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 300);
}

#[test]
fn a_change_without_a_waiting_caller_is_committed_before_later_ones_and_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Store::open(&path, &[FIRST]).unwrap();
    let later = |name: &'static str| {
        store.later(move |db| db.execute("INSERT INTO account VALUES (?, 1)", [name]).map(drop));
    };
    later("a");
    let add = "UPDATE account SET balance = balance + 1 WHERE name = 'a'";
    assert_eq!(store.commit(move |db| db.execute(add, [])).unwrap(), 1);
    // A failed change affects no other.
    later("a");
    later("b");
    drop(store);
    let reader = Store::open(&path, &[FIRST]).unwrap().reader().unwrap();
    assert_eq!((balance(&reader, "a"), balance(&reader, "b")), (2, 1));
}

#[test]
fn an_action_after_changes_reads_only_committed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.db"), &[FIRST]).unwrap();
    let (seen, what_was_seen) = channel();
    let look = || {
        let seen = seen.clone();
        store.after_commit(move |db| {
            let count = db.query_row("SELECT count(*) FROM account", [], |row| row.get(0))?;
            seen.send((db.is_autocommit(), count)).unwrap();
            Ok(())
        });
    };
    let insert = |name: &'static str| {
        store.later(move |db| db.execute("INSERT INTO account VALUES (?, 1)", [name]).map(drop));
    };
    // Changes without a waiting caller are gathered for a while, so each three share a transaction.
    insert("a");
    look();
    insert("b");
    assert_eq!(what_was_seen.recv().unwrap(), (true, 2_i64));
    insert("c");
    look();
    // A full disk does the same.
    store.later(|db| db.execute_batch("ROLLBACK; SELECT nothing FROM nowhere"));
    assert_eq!(what_was_seen.recv().unwrap(), (true, 2));
    look();
    assert_eq!(what_was_seen.recv().unwrap(), (true, 2));
}

#[test]
fn a_migration_that_fails_leaves_the_version_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path, &[FIRST]).unwrap());
    let broken = "ALTER TABLE account ADD COLUMN owner TEXT; SELECT nothing FROM nowhere";
    let refused = Store::open(&path, &[FIRST, broken]).unwrap_err();
    assert!(refused.to_string().contains("nowhere"), "{refused}");
    // The failed migration left no column; otherwise this could not add it.
    drop(Store::open(&path, &[FIRST, SECOND]).unwrap());
}

#[test]
fn a_database_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path, &[FIRST, SECOND]).unwrap());
    let refused = Store::open(&path, &[FIRST]).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found: 2, known: 1, .. }), "{refused}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::fs::write(&path, "money".repeat(1_000)).unwrap();
    let refused = Store::open(&path, &[FIRST]).unwrap_err();
    assert!(refused.to_string().contains("not a database"), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "money".repeat(1_000));
}

#[test]
fn a_damaged_database_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let indexed = "CREATE TABLE name (name TEXT UNIQUE); INSERT INTO name VALUES ('Ericsson');";
    drop(Store::open(&path, &[indexed]).unwrap());
    let octets = std::fs::read(&path).unwrap();
    let damages = [("a row or its index", &b"Ericsson"[..]), ("a table", b"name TEXT UNIQUE")];
    for (what, text) in damages {
        let at = octets.windows(text.len()).position(|octets| octets == text).unwrap();
        let mut damaged = octets.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let refused = Store::open(&path, &[indexed]).unwrap_err();
        assert!(matches!(refused, StoreError::Damaged { .. }), "{what}: {refused}");
        assert!(std::fs::read(&path).unwrap() == damaged, "{what}: it is left as it was");
    }
}

#[test]
fn the_writer_and_another_process_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let add = "UPDATE account SET balance = balance + 1";
    assert!(store::change(&path, &[FIRST], |_| Ok(())).is_err(), "it makes no database");
    let store = Store::open(&path, &[FIRST]).unwrap();
    store.commit(|db| db.execute("INSERT INTO account VALUES ('a', 0)", [])).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    store::change(&path, &[FIRST], |db| db.execute(add, [])).unwrap();
                    store.commit(move |db| db.execute(add, [])).unwrap();
                }
            });
        }
    });
    assert_eq!(balance(&store.reader().unwrap(), "a"), 200);
    let half = store::change(&path, &[FIRST], |db| {
        db.execute(add, [])?;
        db.execute("INSERT INTO account VALUES ('a', 0)", [])
    });
    assert!(half.is_err());
    assert_eq!(balance(&store.reader().unwrap(), "a"), 200, "all of it or nothing");
    let older = store::change(&path, &[FIRST, SECOND], |_| Ok(()));
    assert!(matches!(older, Err(StoreError::Older { found: 1, known: 2, .. })), "{older:?}");
}

#[test]
fn a_reader_may_have_temporary_tables_and_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path, &[FIRST]).unwrap());
    let ask = |sql: &str| store::read(&path, &[FIRST], |db| db.execute_batch(sql));
    ask("CREATE TEMP TABLE chosen (id INTEGER); INSERT INTO chosen VALUES (1)").unwrap();
    let refused = ask("CREATE TABLE chosen (id INTEGER)").unwrap_err();
    assert!(refused.to_string().contains("readonly"), "{refused}");
}

#[test]
fn a_reused_connection_reads_later_commits() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.db"), &[FIRST]).unwrap();
    store.commit(|db| db.execute("INSERT INTO account VALUES ('a', 1)", [])).unwrap();
    let within = store.reader().unwrap();
    within.execute_batch("BEGIN").unwrap();
    assert_eq!(balance(&within, "a"), 1);
    store.commit(|db| db.execute("UPDATE account SET balance = 2", [])).unwrap();
    assert_eq!(balance(&within, "a"), 1, "it is of one moment");
    // A connection that is given back within a transaction is not lent again.
    drop(within);
    for balance_now in 2..5 {
        let (one, other) = (store.reader().unwrap(), store.reader().unwrap());
        assert_eq!([balance(&one, "a"), balance(&other, "a")], [balance_now; 2]);
        drop((one, other));
        store.commit(|db| db.execute("UPDATE account SET balance = balance + 1", [])).unwrap();
    }
}

#[test]
fn idle_connections_leave_nothing_in_the_log_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.db"), &[FIRST]).unwrap();
    store.commit(|db| db.execute("INSERT INTO account VALUES ('a', 1)", [])).unwrap();
    let readers = store.readers().clone();
    let lent = readers.lend().unwrap();
    assert_eq!(balance(&lent, "a"), 1);
    drop(lent);
    assert!(folder.path().join("store.db-wal").exists());
    drop(store);
    assert!(!folder.path().join("store.db-wal").exists());
    // A later reader opens a new connection.
    assert_eq!(balance(&readers.lend().unwrap(), "a"), 1);
}

#[test]
fn a_change_that_found_no_room_says_so_though_there_is_room_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path, &[FIRST]).unwrap());
    let changed = store::change(&path, &[FIRST], |db| {
        // No more pages than there are: SQLite's error is that of a full disk.
        db.pragma_update(None, "max_page_count", 1)?;
        db.execute("INSERT INTO account VALUES (printf('%.*c', 100000, 'a'), 0)", [])
    });
    assert!(matches!(changed, Err(StoreError::Full { .. })), "{changed:?}");
    let why = changed.unwrap_err().to_string();
    assert!(why.contains("had no room on its disk"), "{why}");
}
