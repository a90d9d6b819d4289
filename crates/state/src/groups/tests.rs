//! Groups in the journal: found by key among many, with all their entries, until they are forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use flow::schema::MIGRATIONS;
use node::groups::LinkedEntry;
use node::groups::entry::{EntryRecord, Released};
use node::groups::page::{EntryPages, entries};
use node::{
    EntryNumber, GroupChanges, GroupEntry, GroupId, GroupReader as _, ReleaseKind, StateError, Sum,
    Summed, Times,
};
use store::{Connection, QueryResult, Reader, Store, params};

use super::key_index::{KeyIndex, SPAN_BITS, digest};
use super::page_state;
use super::prune::{Remembered, forget};
use super::reader::JournalReader;
use super::request::{GroupDeed, request_end};
use super::stored::{StoredGroup, StoredGroups, numbers_open, waits};
use super::{Census, note};
use journal::JobId;

/// A period that has every time.
const ALWAYS: Range<i64> = i64::MIN..i64::MAX;

/// A journal, with a folder that is removed at the end.
struct Journal {
    store: Store,
    jobs: i64,
    _folder: tempfile::TempDir,
}

impl Journal {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("journal.db"), MIGRATIONS).unwrap();
        Journal { store, jobs: 0, _folder: folder }
    }

    fn reader(&self) -> Reader {
        self.store.reader().unwrap()
    }

    /// Commits a job in the node "calls" at a time, and returns its number.
    fn job(&mut self, changes: GroupChanges, at_ms: i64) -> i64 {
        self.jobs += 1;
        let job = self.jobs;
        let commit = move |db: &Connection| {
            let file =
                "INSERT INTO file (id, network_element, path, size, modified_ns, done_ms, records,
                            delivered, filtered, held, suspended, duplicate)
                        VALUES (?1, 'boston', ?1 || '.ber', 0, 0, ?2, 0, 0, 0, 0, 0, 0)";
            db.execute(file, params![job, at_ms])?;
            note(db, JobId(job), "calls", &changes, at_ms)
        };
        self.store.commit(commit).unwrap();
        job
    }
}

fn entry(group: Option<GroupId>, key: &str, at_ms: i64) -> GroupEntry {
    let record = EntryRecord {
        job: None,
        record: 1,
        offset: at_ms as u64,
        time_ms: Some(at_ms),
        is_held: true,
        digest: Some([at_ms as u8; 16]),
        octets: Some(at_ms.to_le_bytes().to_vec()),
    };
    GroupEntry {
        group,
        key: key.to_owned(),
        times: Some(Times::of(at_ms)),
        began_late: false,
        records: vec![record],
        sums: vec![Summed { sum: i128::from(at_ms), records: 1 }.into()],
        released: None,
    }
}

fn ended(group: GroupId, key: &str, at_ms: i64) -> GroupEntry {
    let released = Some(Released { kind: ReleaseKind::Complete, by: None });
    GroupEntry { released, sums: Vec::new(), ..entry(Some(group), key, at_ms) }
}

/// Returns the changes that write these entries and close others.
fn changes(entries: &[GroupEntry], closed: &[EntryNumber]) -> GroupChanges {
    let mut pages = EntryPages::default();
    let mut changes = GroupChanges { closed: closed.to_vec(), ..GroupChanges::default() };
    changes.sums = vec![Sum { name: "seconds".into(), text: "record.seconds".into() }];
    for entry in entries {
        let place = pages.push(entry);
        let first_ms = entry.times.map(|times| times.first_ms);
        match entry.group {
            Some(group) => changes.linked.push(LinkedEntry { group, entry: place, first_ms }),
            None => changes.opened += 1,
        }
        if entry.released.is_some() {
            changes.opened -= 1;
            let last_ms = entry.times.map(|times| times.last_ms);
            changes.ended_last_ms = changes.ended_last_ms.max(last_ms);
        }
    }
    changes.pages = pages.finish();
    changes
}

fn group(db: &Connection, id: GroupId) -> Option<StoredGroup> {
    StoredGroups::default().group(db, id).unwrap()
}

#[test]
fn a_group_is_all_of_its_entries_and_waits_until_one_ends_it() {
    let mut journal = Journal::new();
    let many: Vec<_> = (0..100).map(|call| entry(None, &format!("call {call}"), 5)).collect();
    let first = journal.job(changes(&many, &[]), 1_000);
    let id = 43;
    assert_eq!(journal.job(changes(&[entry(Some(id), "call 42", 3)], &[]), 2_000), first + 1);
    let reader = journal.reader();
    let waiting = group(&reader, id).unwrap();
    assert_eq!((waiting.key.as_str(), waiting.came_ms), ("call 42", 1_000));
    let jobs: Vec<i64> = waiting.records.iter().map(|record| record.job).collect();
    assert_eq!(jobs, [first, first + 1]);
    assert_eq!(waiting.sums[0].value, Summed { sum: 8, records: 2 });
    assert!(waiting.release.is_none() && waits(&reader, id).unwrap());
    assert_eq!(group(&reader, 101).map(|group| group.id), None, "it is an entry of 43");
    // The entries of both jobs are closed when the group ends.
    let third = journal.job(changes(&[ended(id, "call 42", 9)], &[43, 101]), 3_000);
    let over = group(&reader, id).unwrap();
    let release = over.release.unwrap();
    assert_eq!((release.kind, release.at_ms), (ReleaseKind::Complete, 3_000));
    assert_eq!(release.by, Some(third));
    assert!(over.records.iter().all(|record| record.octets.is_none()));
    assert!(!waits(&reader, id).unwrap());
    let open = numbers_open(&reader, Some("calls"), &ALWAYS, 0, 1_000).unwrap();
    assert_eq!(open, (1..=100).filter(|number| *number != id).collect::<Vec<_>>());
    assert_eq!(numbers_open(&reader, None, &ALWAYS, 40, 3).unwrap(), [41, 42, 44]);
    // Its first job came at 1,000.
    assert_eq!(numbers_open(&reader, None, &(1_000..1_001), 0, 1).unwrap(), [1]);
    assert_eq!(numbers_open(&reader, None, &(1_001..9_000), 0, 9).unwrap(), [0; 0]);
    assert_eq!(numbers_open(&reader, None, &(0..1_000), 0, 9).unwrap(), [0; 0]);
    let census = Census::of_all(&reader).unwrap();
    assert_eq!(census.groups, BTreeMap::from([("calls".to_owned(), 99)]));
    assert_eq!(census.records.values().sum::<i64>(), 99);
    let seconds = ("calls".to_owned(), "seconds".to_owned());
    assert_eq!(census.sums[&seconds], Summed { sum: 495, records: 99 });
}

#[test]
fn a_group_that_does_not_wait_does_not_end_again() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5)], &[]), 1_000);
    journal.job(changes(&[ended(1, "7", 9)], &[1]), 2_000);
    let link = LinkedEntry { group: 1, entry: 0, first_ms: None };
    for (links, closed) in
        [(vec![], vec![1]), (vec![link], vec![]), (vec![link], vec![1]), (vec![], vec![2])]
    {
        let again = move |db: &Connection| page_state::change(db, 3, (&links, &closed));
        let error = journal.store.commit(again).unwrap_err().to_string();
        assert!(error.contains("belongs to no group that waits"), "{error}");
    }
}

#[test]
fn the_groups_of_a_key_are_found_in_all_spans_and_while_others_begin() {
    const KEYS: i64 = 5_000;
    let mut journal = Journal::new();
    let (index, stale) = (KeyIndex::default(), KeyIndex::default());
    let mut ids: BTreeMap<String, BTreeSet<EntryNumber>> = BTreeMap::new();
    let (mut number, mut batch) = (1, 0);
    // Four times sixteen spans are merged, and some more are not.
    while number < 70 << SPAN_BITS {
        let many: Vec<_> =
            (0..9_000).map(|call| entry(None, &format!("{}", (call * 7) % KEYS), 5)).collect();
        for entry in &many {
            ids.entry(entry.key.clone()).or_default().insert(number);
            number += 1;
        }
        journal.job(changes(&many, &[]), 1_000);
        let reader = journal.reader();
        for key in (0..KEYS).step_by(1_613) {
            let key = key.to_string();
            let found = |index: &KeyIndex, octets_max| -> BTreeSet<EntryNumber> {
                let digest = digest("calls", &key);
                index.numbers(&reader, digest, (octets_max, number)).unwrap().into_iter().collect()
            };
            let others = found(&index, 1 << 30).difference(&ids[&key]).count();
            assert!(others < 10 && found(&index, 1 << 30).is_superset(&ids[&key]), "{key}");
        }
        let key = digest("calls", "613");
        let limits = if batch % 10 == 0 { &[0, 1, 100_000, 400_000][..] } else { &[] };
        for octets_max in limits {
            let fresh = KeyIndex::default().numbers(&reader, key, (*octets_max, number)).unwrap();
            assert!(ids["613"].iter().all(|id| fresh.contains(id)), "{octets_max}");
        }
        batch += 1;
        let others = index.numbers(&reader, digest("others", "613"), (1 << 30, number)).unwrap();
        assert!(others.len() < 10);
    }
    let reader = journal.reader();
    let found = stale.numbers(&reader, digest("calls", "613"), (1 << 30, number)).unwrap();
    assert!(found.iter().copied().collect::<BTreeSet<_>>().is_superset(&ids["613"]));
}

#[test]
fn groups_are_forgotten_by_their_times_and_deleted_when_all_of_a_job_are() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5), entry(None, "8", 6)], &[]), 1_000);
    journal.job(changes(&[ended(1, "7", 9)], &[1]), 2_000);
    let prune = |journal: &Journal, released_ms: i64| {
        let remembered = [Remembered { node: "calls".into(), made_ms: None, released_ms }];
        journal.store.commit(move |db| forget(db, &remembered)).unwrap();
        let pages = "SELECT count(*) FROM group_page";
        journal.reader().query_row(pages, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(prune(&journal, 2_000), 2, "nothing was released before");
    assert!(group(&journal.reader(), 1).is_some());
    // Group 8 waits, so the entries of its job stay; and the last job stays.
    assert_eq!(prune(&journal, 2_001), 2);
    assert!(group(&journal.reader(), 1).is_none(), "it is forgotten");
    assert!(group(&journal.reader(), 2).is_some());
    journal.job(changes(&[ended(2, "8", 9)], &[2]), 3_000);
    assert_eq!(prune(&journal, 3_000), 2, "the job that ended 7 is gone");
    assert!(group(&journal.reader(), 1).is_none(), "it does not wait again");
    let of_key = StoredGroups::default().of_key(&journal.reader(), "calls", "7").unwrap();
    assert!(of_key.is_empty(), "{of_key:?}");
    assert_eq!(prune(&journal, 3_001), 1);
    journal.job(changes(&[entry(None, "9", 1)], &[]), 4_000);
    assert_eq!(
        numbers_open(&journal.reader(), None, &ALWAYS, 0, 9).unwrap(),
        [5],
        "no number comes twice"
    );
}

#[test]
fn a_request_ends_with_its_group() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5), entry(None, "8", 5)], &[]), 1_000);
    let request = |db: &Connection| {
        let trail = "INSERT INTO trail (id, at_ms, who, action, subject, reason) VALUES (1, 0, 'ada', '', '', 'why')";
        db.execute(trail, [])?;
        request_end(db, &[1, 2], 1, GroupDeed::Drop)
    };
    journal.store.commit(request).unwrap();
    journal.job(changes(&[ended(1, "7", 9)], &[1]), 2_000);
    let open = "SELECT group_concat(id) FROM group_request WHERE is_open";
    let open: String = journal.reader().query_row(open, [], |row| row.get(0)).unwrap();
    assert_eq!(open, "2");
}

#[test]
fn rows_of_an_earlier_version_are_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let before = MIGRATIONS.iter().position(|sql| sql.contains("group_batch")).unwrap();
    let store = Store::open(&path, &MIGRATIONS[..before]).unwrap();
    let rows = "
        INSERT INTO trail (id, at_ms, who, action, subject, reason) VALUES (1, 0, 'ada', '', '', 'why');
        INSERT INTO held_group (id, node, key, network_element, first_ms, last_ms, came_ms, began_late, asked, asked_end)
            VALUES (17, 'calls', 'say \"7\"', 'boston', -5, 20, 1000, 1, 1, 'drop'),
                (400000, 'calls', '8', 'chicago', NULL, NULL, 1001, 0, NULL, NULL);
        INSERT INTO held_group (id, node, key, network_element, first_ms, last_ms, came_ms, release, released_ms,
            released_by) VALUES (18, 'calls', '9', 'boston', 1, 2, 1000, 'expired', 5000, 77);
        INSERT INTO held_group (id, node, key, network_element, came_ms) VALUES (500000, 'calls', 'gone', 'boston', 0);
        DELETE FROM held_group WHERE id = 500000;
        INSERT INTO held_part (in_group, place, file, record, offset, time_ms, is_held, octets, digest)
            VALUES (17, 1, 3, 4, 50, -5, 1, x'00ff22', NULL), (17, 2, 5, 1, 0, 20, 1, x'', NULL),
                (18, 1, 3, 9, 70, 1, 1, NULL, x'000102030405060708090a0b0c0d0e0f'),
                (400000, 1, 6, 1, 0, NULL, 1, x'01', NULL);
        INSERT INTO held_node (node, open) VALUES ('calls', 2);
        INSERT INTO held_sum (in_group, name, text, high, low, records)
            VALUES (17, 'seconds', 'record.seconds', -1, 4294967290, 2), (17, 'parts', '', 0, 7, 1);";
    store.commit(move |db| db.execute_batch(rows)).unwrap();
    drop(store);
    let store = Store::open(&path, MIGRATIONS).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(numbers_open(&reader, None, &ALWAYS, 0, 9).unwrap(), [17, 400_000]);
    let found = group(&reader, 17).unwrap();
    assert_eq!((found.key.as_str(), found.network_element()), ("say \"7\"", "boston"));
    assert_eq!((found.came_ms, found.began_late), (1_000, true));
    assert_eq!(found.times, Some(Times { first_ms: -5, last_ms: 20 }));
    let records: Vec<_> = found
        .records
        .iter()
        .map(|record| (record.job, record.record, record.offset, record.octets.clone()))
        .collect();
    let octets = vec![0, 0xff, 0x22];
    assert_eq!(records, [(3, 4, 50, Some(octets)), (5, 1, 0, Some(Vec::new()))]);
    let seconds = found.sums.iter().find(|sum| sum.sum.name == "seconds").unwrap();
    assert_eq!(seconds.value, Summed { sum: -6, records: 2 });
    let over = group(&reader, 18).unwrap();
    let release = over.release.unwrap();
    assert_eq!((release.kind, release.at_ms), (ReleaseKind::Expired, 5_000));
    assert_eq!(release.by, Some(77));
    let requested = "SELECT id FROM group_request WHERE is_open AND deed = 'drop'";
    assert_eq!(reader.query_row(requested, [], |row| row.get::<_, i64>(0)).unwrap(), 17);
    let census = Census::of_jobs(&reader, &[3]).unwrap();
    assert_eq!(census.records[&(3, "calls".to_owned())], 1);
    // What begins now has a greater number than any before, and is found beside them.
    let next = super::entries::next_number(&reader).unwrap();
    assert_eq!(next, 500_001);
    let mut journal = Journal { store, jobs: 100, _folder: folder };
    let long_wait = journal.job(changes(&[entry(Some(17), "say \"7\"", 30)], &[]), 9_000);
    let found = group(&journal.reader(), 17).unwrap();
    assert_eq!(found.records.last().unwrap().job, long_wait);
    journal.job(changes(&[ended(17, "say \"7\"", 31)], &[17, next]), 9_500);
    assert_eq!(numbers_open(&journal.reader(), None, &ALWAYS, 0, 9).unwrap(), [400_000]);
    assert!(group(&journal.reader(), 400_000).is_some());
}

#[test]
fn a_page_that_was_cut_is_damage_and_no_end() -> QueryResult<()> {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5), entry(None, "8", 5)], &[]), 1_000);
    let pages = "SELECT octets FROM group_page";
    let octets: Vec<u8> = journal.reader().query_row(pages, [], |row| row.get(0))?;
    assert_eq!(entries(&octets).count(), 2);
    let cut = octets[..octets.len() - 1].to_vec();
    let update = move |db: &Connection| db.execute("UPDATE group_page SET octets = ?", [cut]);
    journal.store.commit(update).unwrap();
    let damaged = StoredGroups::default().of_key(&journal.reader(), "calls", "8");
    assert!(damaged.unwrap_err().to_string().contains("damaged in the journal: entry 2"));
    Ok(())
}

#[test]
fn a_worker_reads_as_of_one_moment_until_another_file_is_settled() {
    let mut journal = Journal::new();
    let connection = journal.store.readers().open().unwrap();
    let mut reader = JournalReader::new(connection, "calls", Arc::default());
    let open = |reader: &mut JournalReader, settled: u64| {
        reader.advance(settled).unwrap();
        reader.groups("7").unwrap().open.len()
    };
    assert_eq!(open(&mut reader, 0), 0);
    journal.job(changes(&[entry(None, "7", 5)], &[]), 1_000);
    assert_eq!(open(&mut reader, 0), 0, "the file that wrote it is not settled");
    assert_eq!(open(&mut reader, 1), 1);
    journal.job(changes(&[entry(None, "7", 6)], &[]), 1_000);
    reader.release();
    assert_eq!(open(&mut reader, 1), 2, "a file that begins reads what is there");
}

#[test]
fn a_reader_as_of_a_moment_before_a_span_was_sealed_finds_its_entries() {
    let mut journal = Journal::new();
    let begin = |calls: std::ops::Range<i64>| -> Vec<GroupEntry> {
        calls.map(|call| entry(None, &call.to_string(), 5)).collect()
    };
    let span = 1 << SPAN_BITS;
    journal.job(changes(&begin(1..span - 10), &[]), 1_000);
    let before = journal.store.readers().open().unwrap();
    before.execute_batch("BEGIN").unwrap();
    assert_eq!(numbers_open(&before, None, &ALWAYS, 0, 1).unwrap(), [1]);
    journal.job(changes(&begin(span - 10..span + 10), &[]), 2_000);
    let key = digest("calls", "77");
    for octets_max in [0, 1, 100_000_000] {
        // A newer reader has moved the entries of the span to where the older one cannot see them.
        let index = KeyIndex::default();
        let now = journal.reader();
        assert_eq!(index.numbers(&now, key, (octets_max, span + 10)).unwrap(), [77]);
        assert_eq!(index.numbers(&before, key, (octets_max, span - 10)).unwrap(), [77]);
    }
}

#[test]
fn a_job_with_a_group_that_waits_on_a_later_page_is_not_forgotten() {
    let mut journal = Journal::new();
    let many: Vec<_> = (0..500).map(|call| entry(None, &format!("call {call}"), 5)).collect();
    journal.job(changes(&many, &[]), 1_000);
    let on_first = "SELECT entries FROM group_state ORDER BY page";
    let on_first: i64 = journal.reader().query_row(on_first, [], |row| row.get(0)).unwrap();
    assert!(on_first < 250, "there are several pages");
    let over: Vec<_> = (1..=on_first).map(|id| ended(id, &format!("call {}", id - 1), 5)).collect();
    journal.job(changes(&over, &(1..=on_first).collect::<Vec<_>>()), 2_000);
    let prune = |journal: &Journal| {
        let remembered = [Remembered { node: "calls".into(), made_ms: None, released_ms: 9_000 }];
        journal.store.commit(move |db| forget(db, &remembered)).unwrap();
    };
    prune(&journal);
    let open = numbers_open(&journal.reader(), None, &ALWAYS, 0, 1_000).unwrap();
    assert_eq!(open, (on_first + 1..=500).collect::<Vec<_>>());
    assert!(group(&journal.reader(), 500).is_some());
    let over: Vec<_> = open.iter().map(|id| ended(*id, &format!("call {}", id - 1), 5)).collect();
    journal.job(changes(&over, &open), 2_000);
    journal.job(changes(&[entry(None, "last", 5)], &[]), 3_000);
    prune(&journal);
    let left = "SELECT (SELECT count(*) FROM group_page), (SELECT count(*) FROM group_state)";
    let left = journal.reader().query_row(left, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(left, (1, 1), "what ended is deleted, and its states too");
}

#[test]
fn workers_as_of_several_moments_index_each_entry_once() {
    let mut journal = Journal::new();
    for job in 0..4 {
        let many: Vec<_> = (0..50).map(|call| entry(None, &format!("{job}.{call}"), 5)).collect();
        journal.job(changes(&many, &[]), 1_000);
    }
    let (index, reader) = (KeyIndex::default(), journal.reader());
    // Each of these workers found the index behind its moment, and had to wait for the one before.
    for next in [151, 51, 101, 201] {
        index.catch_up(&reader, (1 << 30, next)).unwrap();
    }
    for (key, number) in [("0.1", 2), ("1.1", 52), ("2.1", 102), ("3.1", 152)] {
        let found = index.numbers(&reader, digest("calls", key), (1 << 30, 201)).unwrap();
        assert_eq!(found, [number]);
    }
}

/// Changes an octet of a page, and returns the page as it was.
fn damage(journal: &Journal, page: EntryNumber, place: usize) -> Vec<u8> {
    let octets = "SELECT octets FROM group_page WHERE first = ?";
    let octets: Vec<u8> = journal.reader().query_row(octets, [page], |row| row.get(0)).unwrap();
    let mut damaged = octets.clone();
    damaged[place] ^= 1;
    write_page(journal, page, damaged);
    octets
}

fn write_page(journal: &Journal, page: EntryNumber, octets: Vec<u8>) {
    let update = "UPDATE group_page SET octets = ? WHERE first = ?";
    journal.store.commit(move |db| db.execute(update, params![octets, page])).unwrap();
}

fn open_groups(
    journal: &Journal,
    index: &Arc<KeyIndex>,
    key: &str,
) -> Result<Vec<GroupId>, StateError> {
    let connection = journal.store.readers().open().unwrap();
    let groups = JournalReader::new(connection, "calls", Arc::clone(index)).groups(key)?;
    Ok(groups.open.iter().map(|group| group.id).collect())
}

/// Returns why the groups of a key cannot be read.
fn refusal(journal: &Journal, index: &Arc<KeyIndex>, key: &str) -> String {
    open_groups(journal, index, key).unwrap_err().to_string()
}

#[test]
fn an_index_that_could_not_read_a_page_has_each_entry_once_later() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5)], &[]), 1_000);
    journal.job(changes(&[entry(None, "8", 5)], &[]), 1_000);
    // The head of an entry follows the three numbers before it.
    let whole = damage(&journal, 2, 13);
    let index = Arc::default();
    for _ in 0..5 {
        assert!(refusal(&journal, &index, "7").contains("entry 2"));
    }
    write_page(&journal, 2, whole);
    assert_eq!(open_groups(&journal, &index, "7").unwrap(), [1]);
}

#[test]
fn an_entry_behind_a_damaged_one_is_damaged_and_not_absent() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5), entry(None, "8", 5)], &[]), 1_000);
    journal.job(changes(&[entry(None, "9", 5), entry(Some(1), "7", 6)], &[]), 1_000);
    let index = Arc::default();
    assert_eq!(open_groups(&journal, &index, "8").unwrap(), [2]);
    // The third octet is of the length of the first entry.
    let whole = damage(&journal, 1, 2);
    for key in ["7", "8"] {
        assert!(refusal(&journal, &index, key).contains("damaged"), "{key}");
    }
    write_page(&journal, 1, whole);
    assert_eq!(open_groups(&journal, &index, "7").unwrap(), [1]);
    damage(&journal, 3, 2);
    assert!(refusal(&journal, &index, "7").contains("entry 4"), "a later entry");
}

#[test]
fn the_state_of_a_page_is_not_believed() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "7", 5), entry(None, "8", 5)], &[]), 1_000);
    journal.job(changes(&[entry(Some(1), "7", 6), entry(Some(2), "8", 77)], &[]), 1_000);
    for wrong in [
        "links = x'00000000000000000004'",
        "links = x'00000000000000000009'",
        "links = x'0000000000000000'",
        "open = x''",
    ] {
        let whole = "SELECT links, open FROM group_state WHERE page = 1";
        let (links, open): (Vec<u8>, Vec<u8>) =
            journal.reader().query_row(whole, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let update = format!("UPDATE group_state SET {wrong} WHERE page = 1");
        journal.store.commit(move |db| db.execute(&update, [])).unwrap();
        let found = StoredGroups::default().group(&journal.reader(), 1);
        // A number that no entry has yet is no entry of a group that waits.
        assert!(found.is_err(), "{wrong}: {found:?}");
        let update = "UPDATE group_state SET links = ?, open = ? WHERE page = 1";
        journal.store.commit(move |db| db.execute(update, params![links, open])).unwrap();
    }
    assert_eq!(group(&journal.reader(), 1).unwrap().records.len(), 2);
}

#[test]
fn a_group_has_any_number_of_later_entries() {
    const JOBS: i64 = 70;
    let mut journal = Journal::new();
    let begin: Vec<_> = (0..10).map(|call| entry(None, &call.to_string(), 0)).collect();
    journal.job(changes(&begin, &[]), 1_000);
    for job in 1..=JOBS {
        let more: Vec<_> =
            (0..10).map(|call| entry(Some(call + 1), &call.to_string(), job)).collect();
        journal.job(changes(&more, &[]), 1_000);
    }
    let count = |table: &str| -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        journal.reader().query_row(&count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count("group_link"), 3);
    let times: Vec<_> =
        group(&journal.reader(), 4).unwrap().records.iter().map(|record| record.time_ms).collect();
    assert_eq!(times, (0..=JOBS).map(Some).collect::<Vec<_>>());
    for damage in ["DELETE FROM group_link WHERE place = 1", "UPDATE group_link SET links = x'00'"]
    {
        // The change is undone, since it fails.
        let read = journal.store.commit(move |db| {
            db.execute(damage, [])?;
            StoredGroups::default().group(db, 4).map(drop)
        });
        assert!(read.unwrap_err().to_string().contains("was damaged"), "{damage}");
    }
    let all: Vec<i64> = (1..=10 * (JOBS + 1)).collect();
    let over: Vec<_> = (1..=10).map(|id| ended(id, &(id - 1).to_string(), 100)).collect();
    journal.job(changes(&over, &all), 2_000);
    journal.job(changes(&[entry(None, "last", 0)], &[]), 2_000);
    let remembered = || [Remembered { node: "calls".into(), made_ms: None, released_ms: 9_000 }];
    for _ in 0..20 {
        let remembered = remembered();
        journal.store.commit(move |db| forget(db, &remembered)).unwrap();
    }
    let left = "SELECT (SELECT count(*) FROM group_link) + (SELECT count(*) FROM group_page)";
    let left: i64 = journal.reader().query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1);
}

#[test]
fn the_index_of_deleted_groups_is_deleted_although_an_older_group_waits() {
    let mut journal = Journal::new();
    journal.job(changes(&[entry(None, "old", 5)], &[]), 1_000);
    let count = |journal: &Journal| -> i64 {
        let octets = "SELECT ifnull(sum(length(octets)), 0) FROM group_index";
        journal.reader().query_row(octets, [], |row| row.get(0)).unwrap()
    };
    let (mut number, span) = (2, 1 << SPAN_BITS);
    let index = Arc::default();
    for round in 0..12 {
        let key = |call: i64| format!("{round}.{call}");
        let many: Vec<_> = (0..span).map(|call| entry(None, &key(call), 5)).collect();
        journal.job(changes(&many, &[]), 1_000);
        assert_eq!(open_groups(&journal, &index, &key(7)).unwrap(), [number + 7]);
        assert_eq!(open_groups(&journal, &index, "old").unwrap(), [1]);
        let closed: Vec<i64> = (number..number + span).collect();
        let over: Vec<_> = closed.iter().map(|id| ended(*id, &key(id - number), 5)).collect();
        journal.job(changes(&over, &closed), 2_000);
        number += 2 * span;
        let remembered = [Remembered { node: "calls".into(), made_ms: None, released_ms: 9_000 }];
        journal.store.commit(move |db| forget(db, &remembered)).unwrap();
        // The first span and the last ones have entries still.
        assert!(count(&journal) <= 3 * 11 * span, "{round}: {}", count(&journal));
    }
}

#[test]
fn pages_in_which_groups_wait_are_found_by_their_indexes() {
    let journal = Journal::new();
    let reader = journal.reader();
    let plan = |select: &str| -> Vec<String> {
        let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
        let values = std::iter::repeat_n(7, plan.parameter_count());
        let steps = plan.query_map(store::params_from_iter(values), |row| row.get(3)).unwrap();
        steps.collect::<QueryResult<_>>().unwrap()
    };
    for select in [
        page_state::select_open_since(super::stored::CAME),
        page_state::select_open_since(super::expiry::DUE),
        super::expiry::DUE_PAGES.to_owned(),
        super::prune::OVER.to_owned(),
    ] {
        let steps = plan(&select);
        let of_state: Vec<_> = steps.iter().filter(|step| step.contains("state")).collect();
        assert!(!of_state.is_empty(), "{steps:#?}");
        assert!(of_state.iter().all(|step| step.starts_with("SEARCH")), "{steps:#?}");
    }
    let over = plan(super::prune::OVER);
    let both = |step: &String| step.contains("page>? AND page<?");
    assert!(over.iter().any(both), "{over:#?}");
}
