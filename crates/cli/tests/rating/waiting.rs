//! Tests that records that waited in a matching node are counted in their order.

use std::fs;

use super::site::{change, counting, prices, put, run};

/// Calls of 5,000 seconds wait three hours for a part that never comes; then they are rated as they are.
const JOINED: &str = "[matching.calls]
from    = \"switch\"
script  = \"calls.dup\"
wait    = { record-time = \"3 hours\" }

[rating.price]
from     = \"calls\"";

const CALLS: &str = "INTEGER key(part CONST Usage.Record) { return toInteger(part.other); }
INTEGER time(part CONST Usage.Record) { return parseTime(part.start, \"%Y%m%d%H%M%SZ\", \"UTC\"); }
BOOLEAN complete(parts CONST SEQUENCE OF Usage.Record) { return parts[0].duration != 5000; }
NULL combine(parts CONST SEQUENCE OF Usage.Record, call Usage.Record) { call := parts[0]; }
";

#[test]
fn what_waited_is_counted_before_what_came_when_it_was_over_however_many_files_are_there() {
    let call = |served: &str, other: &str, hour: u32, seconds: u32| {
        format!("telephony,{served},{other},,20261005{hour}0000Z,{seconds},\n")
    };
    let files = [
        // The call waits until 12 o'clock is over.
        call("0701234567", "0721234567", 10, 5_000),
        // It is over by this time.
        call("0707654321", "0721234568", 14, 60),
        // The bundle has 1,000 seconds left.
        call("0701234567", "0721234569", 15, 2_000),
        call("0701234567", "0721234570", 16, 2_000),
    ];
    let priced = |at_once: bool| {
        let folder = counting("");
        let here = folder.path();
        fs::remove_file(here.join("in/calls.csv")).unwrap();
        change(&here.join("flow.toml"), "[rating.price]\nfrom     = \"switch\"", JOINED);
        fs::write(here.join("calls.dup"), CALLS).unwrap();
        for (number, records) in files.iter().enumerate() {
            put(here, &format!("{number}.csv"), records);
            if !at_once {
                let (status, said) = run(here, "run flow.toml --once");
                assert_eq!(status, 0, "{said}");
            }
        }
        let (status, said) = run(here, "run flow.toml --once --workers 2");
        assert_eq!(status, 0, "{said}");
        let mut lines: Vec<String> = fs::read_dir(here.join("out"))
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        lines.sort();
        lines
    };
    let one_by_one = priced(false);
    assert_eq!(one_by_one.len(), files.len());
    assert!(one_by_one[0].starts_with("0721234567,5000,mobile,0,"), "{one_by_one:?}");
    assert_eq!(priced(true), one_by_one);
}

#[test]
fn a_file_that_waits_is_not_overtaken_where_what_waited_is_counted_before() {
    let folder = counting("");
    let here = folder.path();
    fs::remove_file(here.join("in/calls.csv")).unwrap();
    change(&here.join("flow.toml"), "[rating.price]\nfrom     = \"switch\"", JOINED);
    fs::write(here.join("calls.dup"), CALLS).unwrap();
    fs::create_dir(here.join("out")).unwrap();
    fs::write(here.join("out/1.csv"), "of another program\n").unwrap();
    put(here, "1.csv", "telephony,0701234567,0721234569,,20261005150000Z,6000,\n");
    put(here, "2.csv", "telephony,0701234567,0721234570,,20261005160000Z,6000,\n");
    let (status, said) = run(here, "run flow.toml --once");
    assert!(
        status == 1 && said.contains("the files of \"switch\" wait for \"in/1.csv\""),
        "{said}"
    );
    assert!(here.join("in/2.csv").exists() && !here.join("out/2.csv").exists());
    fs::remove_file(here.join("out/1.csv")).unwrap();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert_eq!(prices(here, "1"), ["0"], "the first has the bundle");
    assert_ne!(prices(here, "2"), ["0"]);
}
