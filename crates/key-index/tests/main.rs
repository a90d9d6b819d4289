//! The index against a plain list of entries.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use key_index::{Entry, IndexError, Order, Place, Search, View, Writer, day_of};
use proptest::prelude::*;

const DAY: u32 = 86_400;
const FIRST: u32 = 20_000;
const JOURNAL: &str = "journal";
const ALL: std::ops::Range<u32> = 0..u32::MAX;

fn entry(key: u64, at: u32, job: i64, record: u64) -> Entry {
    Entry { key, at: FIRST * DAY + at, job, record, subject: 0 }
}

fn open(folder: &Path, last: i64) -> Writer {
    Writer::open(folder, (JOURNAL, last), 0).unwrap()
}

fn find(folder: &Path, key: u64, order: Order) -> Vec<Entry> {
    let view = View::open(folder, &ALL).unwrap().unwrap();
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let search =
            Search { keys: &[key], between: ALL, order, after, limit: 7, is_listed: &|_| true };
        let found = view.find(&search).unwrap();
        all.extend(&found.entries);
        after = found.entries.last().map(Place::from);
        if !found.more {
            return all;
        }
    }
}

fn runs(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".run")).count()
}

/// What is done to an index.
#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(u64, u32, u64)>),
    Merge(u32),
    Forget(u32),
    Erase(u64, i64),
    /// It is opened again, after a run that no manifest names was left behind.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let entries = prop::collection::vec((0..12_u64, 0..4 * DAY, 1..50_u64), 0..400);
    prop_oneof![
        6 => entries.prop_map(Step::Add),
        4 => (0..5_u32).prop_map(Step::Merge),
        1 => (0..3_u32).prop_map(Step::Forget),
        1 => (0..12_u64, 0..20_i64).prop_map(|(key, job)| Step::Erase(key, job)),
        1 => Just(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_index_finds_what_a_plain_list_finds(steps in prop::collection::vec(step(), 1..30)) {
        let folder = tempfile::tempdir().unwrap();
        let mut index = open(folder.path(), 0);
        let (mut expected, mut job) = (BTreeSet::new(), 0);
        for step in steps {
            match step {
                Step::Add(entries) => {
                    job += 1;
                    let entries: Vec<Entry> =
                        entries.iter().map(|(key, at, record)| entry(*key << 60, *at, job, *record)).collect();
                    expected.extend(entries.iter().copied());
                    index.add(entries, job).unwrap();
                }
                Step::Merge(today) => while index.merge(FIRST + today, || false).unwrap() {},
                Step::Forget(before) => {
                    index.forget(FIRST + before).unwrap();
                    expected.retain(|entry| day_of(entry.at) >= FIRST + before);
                }
                Step::Erase(key, until) => {
                    index.erase(&[(key << 60, until)].into()).unwrap();
                    expected.retain(|entry| entry.key != key << 60 || entry.job > until);
                }
                Step::Restart => {
                    fs::write(folder.path().join("2024-10-04.9999.run"), "cut").unwrap();
                    index = open(folder.path(), job);
                    prop_assert_eq!(index.through(), job);
                }
            }
            for key in (0..12).map(|key| key << 60) {
                let of_key: Vec<Entry> = expected.iter().filter(|of| of.key == key).copied().collect();
                prop_assert_eq!(&find(folder.path(), key, Order::Oldest), &of_key);
                let newest: Vec<Entry> = of_key.into_iter().rev().collect();
                prop_assert_eq!(find(folder.path(), key, Order::Newest), newest);
            }
            let view = View::open(folder.path(), &ALL).unwrap().unwrap();
            let mut all = Vec::new();
            view.each(|entry| { all.push(*entry); Ok::<_, IndexError>(()) }).unwrap();
            all.sort_unstable();
            prop_assert!(all.iter().eq(&expected));
        }
    }
}

#[test]
fn runs_of_a_day_become_few_and_one_when_it_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = open(folder.path(), 0);
    for job in 1..=500 {
        let entries = (0..10).map(|key| entry(key, job as u32, job, 1)).collect();
        index.add(entries, job).unwrap();
        while index.merge(FIRST, || false).unwrap() {}
        assert!(runs(folder.path()) <= 32, "{job}: {}", runs(folder.path()));
    }
    while index.merge(FIRST + 1, || false).unwrap() {}
    assert_eq!(runs(folder.path()), 1);
    assert_eq!(find(folder.path(), 3, Order::Oldest).len(), 500);
}

#[test]
fn a_merge_that_is_stopped_leaves_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = open(folder.path(), 0);
    for job in 1..=2 {
        index.add((0..100_000).map(|key| entry(key, 0, job, 1)).collect(), job).unwrap();
    }
    assert!(!index.merge(FIRST + 1, || true).unwrap());
    assert_eq!((runs(folder.path()), find(folder.path(), 99_999, Order::Oldest).len()), (2, 2));
    assert!(index.merge(FIRST + 1, || false).unwrap());
    assert_eq!((runs(folder.path()), find(folder.path(), 99_999, Order::Oldest).len()), (1, 2));
}

#[test]
fn an_index_of_another_journal_or_of_jobs_to_come_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), 0).add(vec![entry(1, 1, 5, 1)], 5).unwrap();
    assert_eq!(find(folder.path(), 1, Order::Oldest).len(), 1);
    assert_eq!(open(folder.path(), 5).through(), 5);
    // The journal was replaced by an earlier copy: its next jobs get the same numbers.
    assert_eq!(Writer::open(folder.path(), (JOURNAL, 4), 3).unwrap().through(), 3);
    assert_eq!((find(folder.path(), 1, Order::Oldest).len(), runs(folder.path())), (0, 0));
    open(folder.path(), 9).add(vec![entry(1, 1, 5, 1)], 5).unwrap();
    assert_eq!(Writer::open(folder.path(), ("another", 9), 8).unwrap().through(), 8);
    assert_eq!(runs(folder.path()), 0);
}

#[test]
fn what_is_damaged_is_said_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = open(folder.path(), 0);
    index.add((0..1_000).map(|key| entry(key, 1, 1, 1)).collect(), 1).unwrap();
    let files: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    for path in files {
        let whole = fs::read(&path).unwrap();
        let mut octets = whole.clone();
        octets[40] ^= 1;
        fs::write(&path, octets).unwrap();
        let view = View::open(folder.path(), &ALL);
        let search = Search {
            keys: &[1],
            between: ALL,
            order: Order::Oldest,
            after: None,
            limit: 1,
            is_listed: &|_| true,
        };
        let found = view.and_then(|view| view.unwrap().find(&search));
        assert!(matches!(found, Err(IndexError::Damaged { .. })), "{path:?}: {found:?}");
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(find(folder.path(), 1, Order::Oldest).len(), 1);
}
