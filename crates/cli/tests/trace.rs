//! Tests the trace of any record, from its origin to its outputs, against the contents of the files themselves.
#![cfg(unix)]

use crate::matching::flow;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;

use crate::common::elements::elements;
use serde_json::Value;
use tempfile::TempDir;

/// Additions to the example: its records also go out as JSON, each with its number in the file it came in, and as CSV
/// with a header.
const MORE: &str = r#"
[formatter.mark]
from = "msc-boston"
script = "mark.dup"
[post-processing-system.marked]
from = "mark"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/marked", name = "{stem}.json" }
"#;

const MARK: &str = "NULL mark(call CallDataRecord, context CONST RecordContext)
{
  call.sequenceNumber := context.recordNumber;
}";

fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn tollgate(folder: &Path, line: &str) -> String {
    let (status, out, said) = run(folder, line);
    assert!((0..2).contains(&status), "{line}: {said}");
    out
}

fn trace(folder: &Path, line: &str) -> Vec<Value> {
    let (status, out, said) = run(folder, &format!("trace flow.toml --json {line}"));
    assert_eq!(status, 0, "{line}: {said}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Creates the example with files of one centre. `counts` has their numbers of records.
fn example(counts: &[usize], faults: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    tollgate(here, "init .");
    for centre in ["new-york", "boston"] {
        fs::remove_dir_all(here.join("in").join(centre)).unwrap();
        fs::create_dir(here.join("in").join(centre)).unwrap();
    }
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap() + MORE;
    fs::write(here.join("flow.toml"), flow).unwrap();
    fs::write(here.join("mark.dup"), MARK).unwrap();
    for (number, count) in counts.iter().enumerate() {
        let simulated = format!("--seed {number} --count {count} --files 1 --centre boston:8 made");
        tollgate(here, &format!("simulate cdr{faults} {simulated}"));
        let path = here.join(format!("in/boston/{number}.ber"));
        fs::rename(here.join("made/boston/boston-00001.ber"), &path).unwrap();
        // An old file is taken at once, without waiting whether it is still written to.
        fs::File::options().write(true).open(path).unwrap().set_modified(UNIX_EPOCH).unwrap();
    }
    folder
}

/// Returns a generator of pseudorandom numbers with a seed.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    }
}

fn numbers(numbers: &[usize]) -> String {
    numbers.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn a_compressed_file_is_known_by_its_name_at_the_receiver() {
    for more in ["", ", name = \"marked-{number}\", merge = { within = \"1 hour\" }"] {
        let folder = example(&[20, 30], "");
        let here = folder.path();
        let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
        let deliver = format!("deliver = {{ dir = \"out/marked\", compress = \"gzip\"{more} }}");
        let said = "deliver = { dir = \"out/marked\", name = \"{stem}.json\" }";
        assert!(flow.contains(said));
        fs::write(here.join("flow.toml"), flow.replace(said, &deliver)).unwrap();
        tollgate(here, "run flow.toml --once");
        let made = fs::read_dir(here.join("out/marked")).unwrap();
        let mut names: Vec<String> =
            made.map(|made| made.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names.len(), if more.is_empty() { 2 } else { 1 });
        for name in &names {
            assert!(name.ends_with(".gz"), "{name}");
            let given = trace(here, &format!("--output {name} --record 1,2"));
            let made = trace(here, &format!("--output {} --record 1,2", &name[..name.len() - 3]));
            assert!(given.len() == 2 && given == made, "{name}");
        }
    }
}

/// Traces `records` random records of each file, backwards and forwards; the files show where all of them are.
fn holds_for_random_records(folder: &Path, files: usize, records: usize) {
    let mut random = random(7);
    for file in 0..files {
        let source = fs::read(folder.join(format!("in/boston/{file}.ber.done"))).unwrap();
        let sources = elements(&source);
        let marked = fs::read_to_string(folder.join(format!("out/marked/{file}.json"))).unwrap();
        let lines: Vec<&str> = marked.split_inclusive('\n').collect();
        assert_eq!(sources.len(), lines.len());
        let starts: Vec<usize> = lines
            .iter()
            .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
            .collect();

        // Backwards from lines of an output.
        let chosen: Vec<usize> = (0..records).map(|_| random(lines.len())).collect();
        let traced = trace(folder, &format!("--output {file}.json --record {}", numbers(&chosen)));
        assert_eq!(traced.len(), chosen.len());
        for (line, traced) in chosen.iter().zip(&traced) {
            let call: Value = serde_json::from_str(lines[*line]).unwrap();
            let number = call["sequenceNumber"].as_u64().unwrap();
            assert_eq!(traced["file"], format!("{file}.ber"));
            assert_eq!(traced["record"], number);
            assert_eq!(traced["offset"], sources[number as usize - 1].start);
            let made = of_system(traced, "marked");
            assert_eq!(made["record"], line + 1);
            assert_eq!(made["offset"], starts[*line]);
            assert_eq!(made["octets"], lines[*line].len());
        }

        // Forwards from records, by an octet within them.
        let offsets: Vec<String> = chosen
            .iter()
            .map(|record| {
                let Range { start, end } = sources[*record];
                (start + random(end - start)).to_string()
            })
            .collect();
        let again = trace(folder, &format!("--file {file}.ber --offset {}", offsets.join(",")));
        let by_number = trace(folder, &format!("--file {file}.ber --record {}", numbers(&chosen)));
        assert_eq!(again, by_number);
        for (record, traced) in chosen.iter().zip(&again) {
            assert_eq!(traced["record"], record + 1);
            let made = of_system(traced, "marked");
            let start = made["offset"].as_u64().unwrap() as usize;
            let end = start + made["octets"].as_u64().unwrap() as usize;
            let call: Value = serde_json::from_str(&marked[start..end]).unwrap();
            assert_eq!(call["sequenceNumber"], record + 1);
            has_what_the_way_says(folder, traced);
        }
    }
}

fn of_system<'t>(traced: &'t Value, system: &str) -> &'t Value {
    let outputs = traced["outputs"].as_array().unwrap().iter();
    let mut of_system = outputs.filter(|made| made["post_processing_system"] == system);
    of_system.next().unwrap_or_else(|| panic!("nothing for {system}: {traced}"))
}

/// Asserts that a record was billed, at home or abroad, or counted, and that there is an element or a line where the
/// trace places it.
fn has_what_the_way_says(folder: &Path, traced: &Value) {
    let passed = |node: &str, stream: &str| {
        let step = serde_json::json!({"passed": {"node": node, "stream": stream}});
        traced["way"].as_array().unwrap().contains(&step)
    };
    let system = match (passed("isBillable", "true"), passed("isRoaming", "true")) {
        (true, true) => "roaming-billing",
        (true, false) => "home-billing",
        (false, _) => "statistics",
    };
    assert_eq!(traced["outputs"].as_array().unwrap().len(), 2, "{traced}");
    let made = of_system(traced, system);
    let octets = fs::read(folder.join(made["file"].as_str().unwrap())).unwrap();
    let number = made["record"].as_u64().unwrap() as usize;
    let (start, length) = (made["offset"].as_u64().unwrap(), made["octets"].as_u64().unwrap());
    let found = start as usize..(start + length) as usize;
    if system == "statistics" {
        let text = String::from_utf8(octets[..found.end].to_vec()).unwrap();
        assert_eq!(text.split_inclusive("\r\n").count(), number + 1, "one is the header");
        assert_eq!(text.split_inclusive("\r\n").last().unwrap().len(), found.len());
    } else {
        assert_eq!(elements(&octets)[number - 1], found);
    }
}

/// Returns the numbers of the records in a file whose calls took so long, as their outputs state.
fn as_long_as(folder: &Path, file: &str, seconds: i64) -> Vec<u64> {
    let marked = fs::read_to_string(folder.join(format!("out/marked/{file}.json"))).unwrap();
    let calls = marked.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = calls.filter(|call| call["callDuration"] == seconds);
    calls.map(|call| call["sequenceNumber"].as_u64().unwrap()).collect()
}

#[test]
fn records_are_found_by_what_is_in_them_wherever_their_files_are() {
    for more in ["", "[archive]\nsource = \"remove\"\n"] {
        let folder = example(&[3_000, 200, 200], "");
        let (here, path) = (folder.path(), folder.path().join("flow.toml"));
        fs::write(&path, fs::read_to_string(&path).unwrap() + more).unwrap();
        tollgate(here, "run flow.toml --once");
        assert_eq!(here.join("in/boston/0.ber.done").exists(), more.is_empty());
        let marked = fs::read_to_string(here.join("out/marked/0.json")).unwrap();
        let call: Value = serde_json::from_str(marked.lines().nth(1_000).unwrap()).unwrap();
        let seconds = call["callDuration"].as_i64().unwrap();
        let fits = format!("--where record.callDuration=={seconds}");
        let traced = trace(here, &fits);
        let numbers = |file: &str| -> Vec<u64> {
            let of_file = traced.iter().filter(|traced| traced["file"] == format!("{file}.ber"));
            of_file.map(|traced| traced["record"].as_u64().unwrap()).collect()
        };
        assert!(!numbers("0").is_empty());
        for file in ["0", "1", "2"] {
            assert_eq!(numbers(file), as_long_as(here, file, seconds));
        }
        let known: Vec<String> = numbers("0").iter().map(u64::to_string).collect();
        let one_by_one = trace(here, &format!("--file 0.ber --record {}", known.join(",")));
        let of_first: Vec<_> = traced.iter().filter(|traced| traced["file"] == "0.ber").collect();
        assert_eq!(of_first, one_by_one.iter().collect::<Vec<_>>(), "as who knows the numbers");
        assert_eq!(trace(here, "--where TRUE --file 0.* --limit 7").len(), 7);
        assert_eq!(trace(here, "--where TRUE --file [12].ber").len(), 0);
        assert_eq!(trace(here, "--where TRUE --file ?.ber --limit 1000000").len(), 3_400);
        assert_eq!(trace(here, "--where TRUE --to 2020-01-01").len(), 0);
    }
}

#[test]
fn a_file_that_is_not_there_any_more_is_told() {
    let folder = example(&[20, 30], "");
    let here = folder.path();
    tollgate(here, "run flow.toml --once");
    fs::remove_file(here.join("in/boston/1.ber.done")).unwrap();
    let (status, out, said) = run(here, "trace flow.toml --json --where TRUE");
    assert_eq!((status, out.lines().count()), (1, 20));
    let told = "msc-boston: \"1.ber\" was collected, and is not there any more";
    assert!(said.contains(told) && said.contains("20 of 20 records of 1 file"), "{said}");
}

#[test]
fn mistakes_in_what_is_looked_for_are_told() {
    let folder = example(&[10], "");
    tollgate(folder.path(), "run flow.toml --once");
    for (line, told) in [
        ("--where record.callDurations==1", "did you mean \"callDuration\"?"),
        ("--where hex(record.callReference)", "it is a text, and neither TRUE nor FALSE"),
        ("--where record.callDuration== --limit 3", "where:1:"),
        ("--where TRUE --network-element msc-bostn", "no network element is named \"msc-bostn\""),
        ("--where TRUE --record 3", "cannot be used with"),
        ("--where TRUE --output 0.json", "cannot be used with"),
        ("--file 0.ber --record 1 --from 2020-01-01", "--from and --to go with --where"),
    ] {
        let (status, _, said) = run(folder.path(), &format!("trace flow.toml {line}"));
        assert!(status == 2 && said.contains(told), "{line}: {said}");
    }
}

#[test]
fn the_way_of_a_thousand_random_records_is_what_the_files_say() {
    let folder = example(&[12_000, 5_000, 300, 1], "");
    tollgate(folder.path(), "run flow.toml --once");
    holds_for_random_records(folder.path(), 4, 250);
}

#[test]
fn records_of_large_files_that_several_threads_read_are_traced() {
    let folder = example(&[40_000], "");
    tollgate(folder.path(), "run flow.toml --once --workers 3 --stretch-octets 40000");
    holds_for_random_records(folder.path(), 1, 500);
}

#[test]
fn records_that_processes_have_processed_are_traced() {
    let folder = example(&[30_000, 20_000, 10], "");
    tollgate(folder.path(), "run flow.toml --once --processes 2 --workers 1");
    holds_for_random_records(folder.path(), 3, 100);
    let segments = fs::read_dir(folder.path().join("flow.state/trace")).unwrap().count();
    assert!(segments > 0, "much of a file lies beside the journal");
}

#[test]
fn a_record_in_suspense_is_traced_and_on_from_there_when_it_is_retried() {
    let folder = example(&[2_000], " --flipped 0.01 --overrun 0.01");
    let here = folder.path();
    let strict = "NULL mark(call CallDataRecord, context CONST RecordContext)
        { assert context.recordNumber % 100 != 7; call.sequenceNumber := context.recordNumber; }";
    fs::write(here.join("mark.dup"), strict).unwrap();
    tollgate(here, "run flow.toml --once");
    let suspense = tollgate(here, "suspense list flow.toml --json");
    let suspense: Vec<Value> =
        suspense.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(suspense.len() > 20, "{}", suspense.len());
    for set_aside in &suspense {
        let offset = format!("--file 0.ber --offset {}", set_aside["offset"]);
        let traced = trace(here, &offset).remove(0);
        assert_eq!(traced["record"], set_aside["record"]);
        assert_eq!(traced["outputs"], serde_json::json!([]));
        assert_eq!(traced["suspense"][0]["id"], set_aside["id"]);
        assert_eq!(traced["suspense"][0]["reason"], set_aside["reason"]);
        let last = traced["way"].as_array().unwrap().last().unwrap();
        match set_aside["node"].as_str().unwrap() {
            "" => assert_eq!(last, "unreadable"),
            node => assert_eq!(last["suspended"]["at"], node),
        }
    }
    fs::write(here.join("mark.dup"), MARK).unwrap();
    tollgate(here, "suspense retry flow.toml --node mark");
    let traced = trace(here, "--file 0.ber --record 107").remove(0);
    assert_eq!(traced["suspense"][0]["state"], "retried");
    let later = &traced["later"][0];
    assert_eq!((&later["record"], &later["retried"]), (&107.into(), &true.into()));
    let made = of_system(later, "marked");
    let name = made["file"].as_str().unwrap().to_owned();
    let octets = fs::read_to_string(here.join(&name)).unwrap();
    let line = octets.lines().nth(made["record"].as_u64().unwrap() as usize - 1).unwrap();
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["sequenceNumber"], 107);
    // And backwards from there.
    let back = trace(here, &format!("--output {name} --record {}", made["record"])).remove(0);
    assert_eq!((&back["file"], &back["record"]), (&"0.ber".into(), &107.into()));
    assert_eq!(back["offset"], traced["offset"]);
}

#[test]
fn a_call_is_traced_to_all_the_records_it_was_made_of() {
    let flow = flow::Flow::new("wait = { arrival = \"1 day\" }");
    flow.put("boston", "a.json", "8 first 1 @0 +5; 7 first 1 @0 +60; 9 whole 1 @0 +1");
    flow.run();
    let waiting = trace(flow.path(), "--file a.json --record 2").remove(0);
    assert_eq!(waiting["way"], serde_json::json!([{"held": {"node": "calls"}}]));
    assert_eq!(waiting["group"][0]["key"], "7");
    flow.put("chicago", "b.json", "7 last 2 @60 +30");
    flow.run();
    let made = trace(flow.path(), "--output chicago-b.json.json --record 1").remove(0);
    assert_eq!((&made["file"], &made["record"]), (&"b.json".into(), &1.into()));
    let sources: Vec<(&Value, &Value)> = made["group"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (&part["file"], &part["record"]))
        .collect();
    assert_eq!(sources, [(&"a.json".into(), &2.into()), (&"b.json".into(), &1.into())]);
    let first = trace(flow.path(), "--file a.json --record 2").remove(0);
    assert_eq!(of_system(&first["later"][0], "billing")["file"], "out/chicago-b.json.json");

    // A group that a user ends by hand belongs to no file.
    flow.command("matching release flow.toml 8 --because enough");
    flow.run();
    let first = trace(flow.path(), "--file a.json --record 1").remove(0);
    let ended = of_system(&first["later"][0], "billing")["file"].as_str().unwrap().to_owned();
    let made = trace(flow.path(), &format!("--output {ended} --record 1")).remove(0);
    assert_eq!((&made["record"], &made["group"][0]["record"]), (&Value::Null, &1.into()));
    assert_eq!(made["group"][0]["file"], "a.json");
}

#[test]
fn what_became_of_records_stays_known_when_the_flow_is_another() {
    let folder = example(&[500], "");
    let here = folder.path();
    tollgate(here, "run flow.toml --once");
    let before = trace(here, "--file 0.ber --record 17");
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    let flow = flow.replace("isRoaming", "isAbroad").replace("home-billing", "residents");
    fs::write(here.join("flow.toml"), flow).unwrap();
    assert_eq!(trace(here, "--file 0.ber --record 17"), before);
}

#[test]
fn of_a_name_that_was_used_twice_whoever_has_the_record_answers() {
    let folder = example(&[8], "");
    let here = folder.path();
    tollgate(here, "run flow.toml --once");
    // The receivers have taken the outputs.
    fs::remove_dir_all(here.join("out")).unwrap();
    tollgate(here, "simulate cdr --seed 7 --count 100 --files 1 --centre boston:8 made");
    fs::rename(here.join("made/boston/boston-00001.ber"), here.join("in/boston/0.ber")).unwrap();
    let second = fs::File::options().write(true).open(here.join("in/boston/0.ber")).unwrap();
    second.set_modified(UNIX_EPOCH).unwrap();
    tollgate(here, "run flow.toml --once");
    for of in ["--file 0.ber", "--output 0.json"] {
        assert_eq!(trace(here, &format!("{of} --record 3")).len(), 2, "both have it");
        assert_eq!(trace(here, &format!("{of} --record 30")).len(), 1, "the second has it");
        let (status, _, said) = run(here, &format!("trace flow.toml {of} --record 130"));
        assert!(status == 2 && said.contains("no record 130: it has 100 records"), "{said}");
    }
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    assert_eq!(journal.execute("DELETE FROM trace WHERE file = 1", []).unwrap(), 1);
    for of in ["--file 0.ber", "--output 0.json"] {
        assert_eq!(trace(here, &format!("{of} --record 3")).len(), 1, "the second has it");
        let (status, _, said) = run(here, &format!("trace flow.toml {of} --record 130"));
        assert!(status == 2 && said.contains("no record 130: it has 100 records"), "{said}");
    }
}

#[test]
fn what_there_is_not_is_told() {
    let folder = example(&[50], "");
    let here = folder.path();
    let wrong = |line: &str, wanted: &str| {
        let (status, _, said) = run(here, &format!("trace flow.toml {line}"));
        assert!(status == 2 && said.contains(wanted), "{line}: {status} {said}");
    };
    wrong("--file 0.ber --record 1", "no gateway has run");
    tollgate(here, "run flow.toml --once");
    wrong("--file 1.ber --record 1", "no file \"1.ber\" was collected");
    wrong("--file 0.json --record 1", "if it is an output, ask for it as one (--output)");
    wrong("--output 0.ber --record 1", "if it was collected, ask for it as such (--file)");
    wrong("--file 0.ber --record 51", "it has 50 records");
    wrong("--output 0.json --record 51", "it has 50 records");
    wrong("--output 0.json --offset 99999999", "up to octet");
    // The same file again had no outputs.
    fs::rename(here.join("in/boston/0.ber.done"), here.join("in/boston/0.ber")).unwrap();
    tollgate(here, "run flow.toml --once");
    let traced = trace(here, "--file 0.ber --record 3");
    assert_eq!((traced.len(), &traced[1]["duplicate_of"]), (2, &"0.ber".into()));
}

#[test]
fn a_flow_may_have_no_trace_and_what_is_old_is_forgotten() {
    let folder = example(&[50_000], "");
    let here = folder.path();
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    let with = |table: &str| fs::write(here.join("flow.toml"), format!("{flow}{table}")).unwrap();
    with("\n[trace]\nenabled = false\n");
    tollgate(here, "run flow.toml --once");
    let (_, _, said) = run(here, "trace flow.toml --file 0.ber --record 1");
    assert!(said.contains("have no trace"), "{said}");
    assert!(!here.join("flow.state/trace").exists());

    with("");
    let again = |from: &str, to: &str| fs::rename(here.join(from), here.join(to)).unwrap();
    tollgate(here, "files again flow.toml --file 0.ber --because test");
    fs::remove_dir_all(here.join("out")).unwrap();
    again("in/boston/0.ber.done", "in/boston/0.ber");
    tollgate(here, "run flow.toml --once");
    assert!(fs::read_dir(here.join("flow.state/trace")).unwrap().count() > 0);

    with("\n[trace]\nkeep = \"1 ms\"\n");
    tollgate(here, "run flow.toml --once");
    assert_eq!(fs::read_dir(here.join("flow.state/trace")).unwrap().count(), 0);
    let (_, _, said) = run(here, "trace flow.toml --file 0.ber --record 1");
    assert!(said.contains("have no trace"), "{said}");
}
