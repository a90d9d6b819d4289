//! Tests outputs that are split and merged on the way to receivers: all records arrive once, in files of the requested
//! size, and the trace finds each record in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use serde_json::Value;
use tempfile::TempDir;

/// Writes into each record its number in the file it came in.
const MARK: &str = "NULL mark(call CallDataRecord, context CONST RecordContext)
{
  call.sequenceNumber := context.recordNumber;
}";

const FORMATTER: &str = "
[formatter.mark]
from = \"msc-boston\"
script = \"mark.dup\"
";

const PLAIN: &str = "dir = \"out/CODEC\", name = \"{stem}\"";

/// Returns a receiver of all records, in some encoding, with these settings in its `deliver` table.
fn receiver(codec: &str, deliver: &str) -> String {
    let columns = match codec {
        "csv" => ", columns = [\"sequenceNumber\", \"callDuration\"]",
        _ => "",
    };
    let codec_key = if codec == "ber" { String::new() } else { format!(", codec = \"{codec}\"") };
    format!(
        "[post-processing-system.to-{codec}]\nfrom = \"mark\"\n\
         encode = {{ type = \"MSC.CallDataRecord\"{codec_key}{columns} }}\n\
         deliver = {{ {} }}\n",
        deliver.replace("CODEC", codec)
    )
}

const CODECS: [&str; 4] = ["json", "csv", "xml", "ber"];

/// Creates the example with files of one centre, and receivers of all codecs. `counts` has the numbers of records.
fn example(counts: &[usize], deliver: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    assert_eq!(tollgate(here, "init .").0, 0);
    for centre in ["new-york", "boston"] {
        fs::remove_dir_all(here.join("in").join(centre)).unwrap();
        fs::create_dir(here.join("in").join(centre)).unwrap();
    }
    fs::write(here.join("mark.dup"), MARK).unwrap();
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    fs::write(here.join("plain.toml"), flow).unwrap();
    let deliver = |_: &str| deliver.to_owned();
    write_flow(here, deliver);
    for (number, count) in counts.iter().enumerate() {
        add(here, number, *count);
    }
    folder
}

fn write_flow(here: &Path, deliver: impl Fn(&str) -> String) {
    let mut flow = fs::read_to_string(here.join("plain.toml")).unwrap() + FORMATTER;
    CODECS.iter().for_each(|codec| flow += &receiver(codec, &deliver(codec)));
    fs::write(here.join("flow.toml"), flow).unwrap();
}

/// Adds a file that was not written to for a long time.
fn add(here: &Path, number: usize, count: usize) {
    let simulated = format!("--seed {number} --count {count} --files 1 --centre boston:8 made");
    assert_eq!(tollgate(here, &format!("simulate cdr {simulated}")).0, 0);
    let made = here.join("made/boston/boston-00001.ber");
    fs::File::options().write(true).open(&made).unwrap().set_modified(UNIX_EPOCH).unwrap();
    fs::rename(made, here.join(format!("in/boston/f{number}.ber"))).unwrap();
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = paths.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    named
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// Returns the octets around the records of a file.
fn around(codec: &str) -> (&'static str, &'static str) {
    match codec {
        "csv" => ("sequenceNumber,callDuration\r\n", ""),
        "xml" => ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n", "</records>\n"),
        _ => ("", ""),
    }
}

/// Returns the records of a file, which must have the octets around them once.
fn body<'f>(codec: &str, file: &'f [u8]) -> &'f [u8] {
    let (head, tail) = around(codec);
    let body =
        file.strip_prefix(head.as_bytes()).and_then(|rest| rest.strip_suffix(tail.as_bytes()));
    let body = body.unwrap_or_else(|| panic!("{codec}: {}", String::from_utf8_lossy(file)));
    assert!(!body.is_empty());
    for part in [head, tail].into_iter().filter(|part| !part.is_empty()) {
        assert!(!body.windows(part.len()).any(|octets| octets == part.as_bytes()), "once");
    }
    body
}

fn lines(octets: &[u8]) -> usize {
    octets.iter().filter(|octet| **octet == b'\n').count()
}

/// Returns the outputs of the same files when they are delivered unchanged: by codec, the records by the name of the
/// file.
fn plain(counts: &[usize]) -> BTreeMap<&'static str, BTreeMap<String, Vec<u8>>> {
    let plain = example(counts, PLAIN);
    let (status, said) = tollgate(plain.path(), "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    let of = |codec: &'static str| {
        let files = files(&plain.path().join("out").join(codec));
        assert_eq!(files.len(), counts.len());
        let bodies = files.into_iter().map(|(name, file)| (name, body(codec, &file).to_vec()));
        (codec, bodies.collect())
    };
    CODECS.map(of).into_iter().collect()
}

fn buffer(here: &Path, codec: &str) -> Vec<String> {
    files(&here.join(format!("flow.state/out/to-{codec}"))).into_keys().collect()
}

/// Asserts that nothing waits, nothing is left, and all is accounted for.
fn is_all_done(here: &Path) {
    wait_for("all deliveries", || {
        tollgate(here, "deliveries list flow.toml") == (0, String::new())
    });
    for codec in CODECS {
        let buffer = || buffer(here, codec);
        wait_for("the out buffer", || buffer().is_empty());
    }
    let (status, audit) = tollgate(here, "audit flow.toml");
    assert!(status == 0 && audit.contains("All records are accounted for"), "{audit}");
}

const COUNTS: [usize; 4] = [100, 7, 33, 1];

#[test]
fn an_output_that_is_too_large_is_split_into_parts_each_of_which_is_a_file() {
    let deliver =
        "dir = \"out/CODEC\", name = \"{stem}-{part}of{parts}\", split = { records-max = 30 }";
    let folder = example(&COUNTS, deliver);
    let here = folder.path();
    for run in ["run flow.toml --once", "run flow.toml --once --processes 2"] {
        let (status, said) = tollgate(here, run);
        assert_eq!(status, 0, "{said}");
        for (codec, plain) in plain(&COUNTS) {
            let received = files(&here.join("out").join(codec));
            let expected: Vec<String> = ["f0-1of4", "f0-2of4", "f0-3of4", "f0-4of4", "f1-1of1"]
                .into_iter()
                .chain(["f2-1of2", "f2-2of2", "f3-1of1"])
                .map(str::to_owned)
                .collect();
            assert_eq!(received.keys().cloned().collect::<Vec<_>>(), expected, "{codec}");
            for (name, whole) in &plain {
                let parts = received.iter().filter(|(part, _)| part.starts_with(&**name));
                let bodies: Vec<&[u8]> = parts.map(|(_, part)| body(codec, part)).collect();
                assert!(bodies.concat() == *whole, "{codec}: {name}");
                if codec != "ber" {
                    assert!(bodies.iter().all(|body| lines(body) <= 30), "{codec}: {name}");
                }
            }
        }
        is_all_done(here);
        // The same files once more, in processes.
        fs::remove_dir_all(here.join("out")).unwrap();
        fs::remove_dir_all(here.join("flow.state")).unwrap();
        for file in 0..COUNTS.len() {
            let path = here.join(format!("in/boston/f{file}.ber"));
            fs::rename(path.with_extension("ber.done"), path).unwrap();
        }
    }
}

#[test]
fn an_output_is_split_by_size_with_what_belongs_around_its_records() {
    let deliver = "dir = \"out/CODEC\", split = { size-max = \"2 kB\" }";
    let folder = example(&COUNTS, deliver);
    let here = folder.path();
    let (status, said) = tollgate(here, "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    for (codec, plain) in plain(&COUNTS) {
        let received = files(&here.join("out").join(codec));
        for (name, whole) in &plain {
            let part =
                |number: usize| received.get(&format!("msc-boston-{name}.ber-{number}.{codec}"));
            let parts: Vec<&Vec<u8>> = (1..).map_while(part).collect();
            assert!(parts.iter().all(|part| part.len() <= 2_000), "{codec}: {name}");
            let bodies: Vec<&[u8]> = parts.iter().map(|part| body(codec, part)).collect();
            assert!(bodies.concat() == *whole, "{codec}: {name}: {:?}", received.keys());
            // No part has room for the next record.
            for next in 1..if codec == "ber" { 0 } else { parts.len() } {
                let first = bodies[next].split_inclusive(|octet| *octet == b'\n').next().unwrap();
                assert!(parts[next - 1].len() + first.len() > 2_000, "{codec}: {name}: {next}");
            }
        }
    }
    is_all_done(here);
}

#[test]
fn outputs_are_merged_into_files_that_are_numbered_and_have_what_belongs_around_records_once() {
    let counts = [40, 35, 30, 25, 20, 90];
    let merge = "order = true, merge = { within = \"1 hour\", records-max = 80 }";
    let folder = example(&counts, &format!("dir = \"out/CODEC\", {merge}"));
    let here = folder.path();
    let (status, said) = tollgate(here, "run flow.toml --once --workers 1");
    assert_eq!(status, 0, "{said}");
    for (codec, plain) in plain(&counts) {
        let received = files(&here.join("out").join(codec));
        assert_eq!(received.len(), 3, "{:?}", received.keys());
        let expected = [&["f0", "f1"][..], &["f2", "f3", "f4"], &["f5"]];
        for (((name, file), number), of) in received.iter().zip(1..).zip(expected) {
            assert!(name.starts_with(&format!("to-{codec}-20")), "{name}");
            assert!(name.ends_with(&format!("Z-{number:06}.{codec}")), "{name}");
            let whole: Vec<u8> = of.iter().flat_map(|file| plain[*file].clone()).collect();
            assert!(body(codec, file) == whole, "{codec}: {name}");
        }
    }
    is_all_done(here);
}

#[test]
fn outputs_are_merged_into_files_that_are_no_larger_than_they_may_be() {
    const SIZE_MAX: usize = 9_000;
    let counts = [40, 35, 30, 25, 20, 90, 1, 1];
    let merge = "order = true, merge = { within = \"1 hour\", size-max = \"9 kB\" }";
    let folder = example(&counts, &format!("dir = \"out/CODEC\", {merge}"));
    let here = folder.path();
    let (status, said) = tollgate(here, "run flow.toml --once --workers 1");
    assert_eq!(status, 0, "{said}");
    for (codec, plain) in plain(&counts) {
        let (head, tail) = around(codec);
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for output in plain.into_values() {
            let has_room = |last: &&mut Vec<u8>| {
                head.len() + last.len() + output.len() + tail.len() <= SIZE_MAX
            };
            match expected.last_mut().filter(has_room) {
                Some(last) => last.extend(output),
                None => expected.push(output),
            }
        }
        let received = files(&here.join("out").join(codec));
        let bodies: Vec<&[u8]> = received.values().map(|file| body(codec, file)).collect();
        assert!(bodies == expected, "{codec}: {:?}", received.keys());
        assert!(codec == "csv" || (2..counts.len()).contains(&expected.len()), "{codec}");
    }
    is_all_done(here);
}

/// Returns the merged files of a codec as one, with the records in the order of the files.
fn merged(here: &Path, codec: &str) -> Vec<u8> {
    let files = files(&here.join("out").join(codec));
    files.values().flat_map(|file| body(codec, file).to_vec()).collect()
}

#[test]
fn what_waits_to_be_merged_is_counted_survives_a_kill_and_goes_out_when_it_is_enough() {
    let merge = "merge = { within = \"1 hour\", files-max = 3 }, name = \"M{number}.dat\"";
    let folder = example(&[5, 6], &format!("dir = \"out/CODEC\", {merge}"));
    let here = folder.path();
    let waits = "2 outputs with 11 records wait to be merged for to-json";
    for _ in 0..2 {
        let mut gateway = Gateway::start(here);
        let listed = || tollgate(here, "deliveries list flow.toml --receiver to-json");
        wait_for("two outputs that wait", || {
            let (status, listed) = listed();
            status == 0 && listed.contains("\tgathering\t") && listed.contains(waits)
        });
        let listed = tollgate(here, "deliveries list flow.toml --receiver to-json --json").1;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["state"], "gathering");
        assert_eq!((&listed["outputs"], &listed["records"]), (&2.into(), &11.into()));
        let lie = files(&here.join("flow.state/out/to-json"));
        let octets: usize = lie.values().map(Vec::len).sum();
        assert_eq!(listed["octets"], octets, "{:?}", lie.keys());
        let moment = |text: &Value| runtime::time::moment(text.as_str().unwrap()).unwrap();
        let merged = &listed["closes"];
        assert_eq!(moment(&merged["at"]) - moment(&listed["since"]), 3_600_000, "{listed}");
        assert_eq!((&merged["outputs_max"], &merged["records_max"]), (&3.into(), &Value::Null));
        gateway.kill();
        assert!(!here.join("out/json").exists(), "nothing goes out before its time");
    }
    let (status, audit) = tollgate(here, "audit flow.toml");
    assert!(status == 0 && audit.contains(waits) && audit.contains("All records are"), "{audit}");

    add(here, 2, 7);
    let gateway = Gateway::start(here);
    wait_for("the merged file", || files(&here.join("out/json")).len() == 1);
    is_all_done(here);
    drop(gateway);
    assert_eq!(files(&here.join("out/json")).keys().collect::<Vec<_>>(), ["M000001.dat"]);
    assert_eq!(lines(&merged(here, "json")), 18);
}

#[test]
fn an_output_waits_no_longer_for_others_than_it_may() {
    let deliver = "dir = \"out/CODEC\", merge = { within = \"1 second\" }";
    let folder = example(&[5], deliver);
    let here = folder.path();
    let _gateway = Gateway::start(here);
    wait_for("the first", || files(&here.join("out/json")).len() == 1);
    add(here, 1, 6);
    wait_for("the second", || files(&here.join("out/json")).len() == 2);
    is_all_done(here);
}

#[test]
fn what_waits_to_be_merged_goes_out_as_it_is_when_the_flow_merges_no_more() {
    let merge = "dir = \"out/CODEC\", merge = { within = \"1 hour\" }";
    let folder = example(&[5, 6], merge);
    let here = folder.path();
    let gateway = Gateway::start(here);
    let waits = || tollgate(here, "deliveries list flow.toml").1.matches("2 outputs with").count();
    wait_for("what waits", || waits() == CODECS.len());
    // Receivers that still need delivery, and receivers that do not.
    write_flow(here, |codec| match codec {
        "json" => "dir = \"out/json\", order = true".into(),
        codec => format!("dir = \"out/{codec}\", split = {{ records-max = 2 }}"),
    });
    for codec in CODECS {
        wait_for("the outputs", || files(&here.join("out").join(codec)).len() == 2);
    }
    let json = files(&here.join("out/json"));
    let names: Vec<&String> = json.keys().collect();
    assert_eq!(names, ["msc-boston-f0.ber.json", "msc-boston-f1.ber.json"]);
    assert_eq!(json.values().map(|file| lines(file)).collect::<Vec<_>>(), [5, 6]);
    is_all_done(here);
    drop(gateway);
}

#[test]
fn what_is_merged_and_split_too_has_no_more_records_than_it_may() {
    let deliver = "dir = \"out/CODEC\", split = { records-max = 10 }, \
                   merge = { within = \"1 hour\", records-max = 10 }";
    let counts = [25, 5, 3, 12];
    let folder = example(&counts, deliver);
    let here = folder.path();
    assert_eq!(tollgate(here, "run flow.toml --once --workers 1").0, 0);
    for codec in ["json", "csv", "xml"] {
        let received = files(&here.join("out").join(codec));
        let records: Vec<usize> = received.values().map(|file| lines(body(codec, file))).collect();
        assert_eq!(records, [10, 10, 10, 3, 10, 2], "{codec}");
        let plain = plain(&counts);
        assert!(
            merged(here, codec) == plain[codec].values().flatten().copied().collect::<Vec<_>>()
        );
    }
    is_all_done(here);
}

#[test]
fn what_is_given_up_or_kept_lies_there_as_the_receiver_would_have_it() {
    let merge = "merge = { within = \"1 hour\" }, name = \"M{number}.dat\", keep = \"1 day\"";
    let folder = example(&[5, 6], &format!("dir = \"out/CODEC\", {merge}"));
    let here = folder.path();
    // A file of the name already exists.
    fs::create_dir_all(here.join("out/csv")).unwrap();
    fs::write(here.join("out/csv/M000001.dat"), "of another program").unwrap();
    assert_eq!(tollgate(here, "run flow.toml --once --workers 1").0, 1);
    let kept = files(&here.join("flow.state/sent/to-json"));
    let sent = files(&here.join("out/json"));
    assert_eq!(kept.values().collect::<Vec<_>>(), sent.values().collect::<Vec<_>>());
    assert_eq!(sent.len(), 1);
    let dead = files(&here.join("flow.state/dead/to-csv"));
    assert_eq!(dead.len(), 1);
    let plain = plain(&[5, 6]);
    let whole: Vec<u8> = plain["csv"].values().flatten().copied().collect();
    assert!(dead.values().all(|file| body("csv", file) == whole));
    assert!(buffer(here, "csv").is_empty(), "it lies there once");

    fs::remove_file(here.join("out/csv/M000001.dat")).unwrap();
    assert_eq!(tollgate(here, "deliveries retry flow.toml --receiver to-csv").0, 0);
    assert_eq!(tollgate(here, "run flow.toml --once").0, 0);
    assert!(merged(here, "csv") == whole);
    is_all_done(here);
}

/// Returns the numbers of records in a file of JSON lines, and where each begins.
fn numbers(file: &[u8]) -> Vec<(u64, usize)> {
    let mut at = 0;
    let lines = file.split_inclusive(|octet| *octet == b'\n');
    let number = |line: &[u8]| {
        let record: Value = serde_json::from_slice(line).unwrap();
        let begins = at;
        at += line.len();
        (record["sequenceNumber"].as_u64().unwrap(), begins)
    };
    lines.map(number).collect()
}

fn trace(here: &Path, line: &str) -> Vec<Value> {
    let (status, said) = tollgate(here, &format!("trace flow.toml --json {line}"));
    assert_eq!(status, 0, "{line}: {said}");
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_trace_finds_each_record_in_the_files_that_were_split_and_merged_and_back() {
    for deliver in [
        "dir = \"out/CODEC\", name = \"{stem}-{part}.CODEC\", split = { records-max = 30 }",
        "dir = \"out/CODEC\", name = \"M{number}.CODEC\", split = { records-max = 30 }, \
         merge = { within = \"1 hour\", records-max = 50 }",
    ] {
        let folder = example(&COUNTS, deliver);
        let here = folder.path();
        assert_eq!(tollgate(here, "run flow.toml --once --workers 1").0, 0);
        let mut seen = 0;
        for (name, file) in files(&here.join("out/json")) {
            let numbers = numbers(&file);
            let all: Vec<String> = (1..=numbers.len()).map(|record| record.to_string()).collect();
            let back = trace(here, &format!("--output {name} --record {}", all.join(",")));
            assert_eq!(back.len(), numbers.len());
            for ((place, (number, begins)), traced) in numbers.iter().enumerate().zip(&back) {
                assert_eq!(traced["record"], *number, "{name}");
                let source = traced["file"].as_str().unwrap();
                let on = trace(here, &format!("--file {source} --record {number}"));
                let of_json = |traced: &Value| {
                    let outputs = traced["outputs"].as_array().unwrap().iter();
                    let mut of_json =
                        outputs.filter(|made| made["post_processing_system"] == "to-json");
                    of_json.next().unwrap().clone()
                };
                for made in [of_json(traced), of_json(&on[0])] {
                    let path = made["file"].as_str().unwrap();
                    assert!(path.ends_with(&format!("/{name}")), "{path}");
                    assert_eq!(made["record"], place + 1, "{name}");
                    assert_eq!(made["offset"], *begins, "{name}");
                }
                seen += 1;
            }
            // By an octet, and beyond the last record.
            let (number, begins) = numbers[numbers.len() / 2];
            let back = trace(here, &format!("--output {name} --offset {}", begins + 3));
            assert_eq!((back.len(), &back[0]["record"]), (1, &number.into()));
            let behind = numbers.len() + 1;
            let line = format!("trace flow.toml --output {name} --record {behind}");
            let (status, said) = tollgate(here, &line);
            assert!(status != 0 && said.contains("it has "), "{said}");
        }
        assert_eq!(seen, COUNTS.iter().sum::<usize>());
        // A file with a line before the records.
        let (name, file) = files(&here.join("out/csv")).pop_last().unwrap();
        let traced = trace(here, &format!("--output {name} --record 1"));
        let csv = traced.iter().flat_map(|traced| traced["outputs"].as_array().unwrap());
        let csv = csv.filter(|made| made["post_processing_system"] == "to-csv");
        let offsets: Vec<&Value> = csv.map(|made| &made["offset"]).collect();
        assert_eq!(offsets, [around("csv").0.len()], "{}", String::from_utf8_lossy(&file));
    }
}

#[test]
fn what_cannot_be_meant_is_a_mistake() {
    for (deliver, mistake) in [
        ("split = { records-max = 0 }", "is a number from 1"),
        ("split = { size-max = \"5\" }", "is no number of octets"),
        (
            "name = \"{stem}\", split = { records-max = 5 }",
            "the name does not tell the parts of an output apart",
        ),
        (
            "name = \"{stem}{part}\", split = { records-max = 5 }",
            "the name does not tell the parts of an output apart",
        ),
        ("name = \"{stem}-{part}\"", "unknown placeholder \"{part}\""),
        (
            "merge = { records-max = 5 }",
            "\"merge\" needs \"within\": how long an output may wait for others",
        ),
        ("merge = { within = \"1 hour\", files-max = 10001 }", "at most 10000 outputs are merged"),
        (
            "name = \"{stem}-{number}\", merge = { within = \"1 hour\" }",
            "unknown placeholder \"{stem}\" in the name of a merged file",
        ),
        (
            "name = \"{time}\", merge = { within = \"1 hour\" }",
            "the name is the same for several merged files",
        ),
        (
            "name = \"a/{number}\", merge = { within = \"1 hour\" }",
            "a file name cannot contain folders",
        ),
    ] {
        let folder = example(&[], &format!("dir = \"out/CODEC\", {deliver}"));
        let (status, said) = tollgate(folder.path(), "check flow.toml");
        assert!(status != 0 && said.contains(mistake), "{deliver}: {said}");
    }
}
