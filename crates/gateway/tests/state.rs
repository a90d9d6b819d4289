//! Tests nodes with keyed state: the state changes with the file whose records change it.

use std::fs;
use std::path::Path;

use crate::run::{folder, run};

const FLOW: &str = r#"
[network-element.a]
collect = { dir = "in", pattern = "*.x" }
decode = { type = "Test.Call" }
[tumbling.windows]
from = "a"
[odd.isOdd]
from = "a"
[post-processing-system.counts]
from = "windows"
encode = {}
deliver = { dir = "out" }
"#;

#[test]
fn what_records_change_of_a_key_is_there_for_the_next_file_unless_they_were_refused_or_the_key_was_deleted()
 {
    // One file for each run: its records, and the counts that it makes.
    let files: [(&[u8], &[u8]); 5] = [
        // "isOdd" refuses 13 after it was counted.
        (&[12, 12, 15, 13, 12], b""),
        // Two windows of key 2, and 21 begins a key. 15 is late by then.
        (&[22, 25, 15, 21, 32], b"<\x03\x01\x01>"),
        // Key 3 has no state yet: it begins here.
        (&[13, 23, 33], b"<\x01>"),
        // Key 2 is deleted, and begins again with an earlier window.
        (&[92], b"<\x01>"),
        (&[12, 12, 22], b"<\x02>"),
    ];
    for (place, text) in
        [("disk", FLOW), ("memory", &FLOW.replace("[odd", "state = \"memory\"\n[odd"))]
    {
        let dir = folder(&format!("state-{place}"), text, &[]);
        check(&dir, files);
    }
}

/// Processes files, one a run.
fn check(dir: &Path, files: [(&[u8], &[u8]); 5]) {
    for (number, (records, counts)) in files.into_iter().enumerate() {
        fs::write(dir.join(format!("in/{number}.x")), records).unwrap();
        run(dir, 2, false);
        let made = fs::read(dir.join(format!("out/a-{number}.x.out"))).unwrap_or_default();
        assert_eq!(made, counts, "{number}");
    }
}
