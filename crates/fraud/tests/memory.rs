//! Memory: keys that do not come again go.

use fraud::{Judgement, Note, Notes};
use node::{InMemory, Judge};

use crate::judgement::{job, rules, rules_with_ends};

#[test]
fn keys_that_come_once_leave_memory_flat() {
    let by = Judgement::new(rules(60), u64::MAX);
    let mut most = 0;
    for file in 0..200 {
        judge_new_keys(&by, file, 10_000 + 10 * file);
        if file == 40 {
            most = by.keys();
        }
    }
    // What counts is of the last 160 seconds: 16,000 keys; twice as many are there at most, before they are looked for.
    assert!(most <= 40_000 && by.keys() <= 40_000, "{most} {}", by.keys());
}

#[test]
fn the_texts_of_keys_go_with_them() {
    // There is room for the few keys that are in memory, before they are looked for, and not for the texts of all.
    let by = Judgement::new(rules_with_ends(0), 6_000_000);
    for file in 0..200 {
        judge_new_keys(&by, file, 10_000 + 20_000 * file);
        assert_eq!(by.refuses(), None, "after {file} files");
    }
}

/// Judges a file of 1,000 keys that are in no other one.
fn judge_new_keys(by: &Judgement, file: u32, time: u32) {
    let subject = &by.rules().subjects()[0];
    let places = 0..subject.layout.measures().len();
    let inputs: Vec<(usize, i64)> = places.map(|place| (place, 1)).collect();
    let mut notes = Notes::default();
    notes.begin(by.rules(), "switch", 0);
    for record in 0..1_000_u32 {
        let key = (file * 1_000 + record).to_string();
        let note = Note {
            record: u64::from(record) + 1,
            time,
            subject: 0,
            key: key.as_bytes(),
            filters: &[1],
            inputs: &inputs,
            of_record: &[Some(1)],
        };
        notes.add(subject, note);
    }
    notes.end_record(true);
    by.judge(job(i64::from(file) + 1, u32::MAX / 2), &notes.take().unwrap()).unwrap();
    by.settle(true);
}
