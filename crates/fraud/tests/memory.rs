//! Memory: keys that do not come again go.

use fraud::{Judgement, Note, Notes};
use node::{InMemory, Judge};

use crate::judgement::{job, rules};

#[test]
fn keys_that_come_once_leave_memory_flat() {
    let by = Judgement::new(rules(60), u64::MAX);
    let mut most = 0;
    for file in 0..200_u32 {
        let mut notes = Notes::default();
        notes.begin(by.rules(), "switch");
        for record in 0..1_000_u32 {
            let key = (file * 1_000 + record).to_string();
            let note = Note {
                record: u64::from(record) + 1,
                time: 10_000 + 10 * file,
                subject: 0,
                key: key.as_bytes(),
                filters: &[1],
                inputs: &[(0, 1), (1, 1), (2, 1), (3, 1)],
                of_record: &[Some(1)],
            };
            notes.add(&by.rules().subjects()[0], note);
        }
        notes.end_record(true);
        by.judge(job(i64::from(file) + 1, 100_000), &notes.take().unwrap()).unwrap();
        by.settle(true);
        if file == 40 {
            most = by.keys();
        }
    }
    // What counts is of the last 160 seconds: 16,000 keys; twice as many are there at most, before they are looked for.
    assert!(most <= 40_000 && by.keys() <= 40_000, "{most} {}", by.keys());
}
