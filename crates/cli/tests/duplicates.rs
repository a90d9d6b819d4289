//! Tests that duplicates are set aside and counted, neither processed nor dropped.

use crate::common::clock;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

#[cfg(target_os = "linux")]
use crate::common::example::{empty_flow, files, run, take_outputs, tollgate};
#[cfg(target_os = "linux")]
use crate::common::wait::wait_for;
use tempfile::TempDir;

#[test]
fn a_duplicate_stays_in_an_in_buffer_until_it_is_forgotten_that_it_came_before() {
    let folder = empty_flow();
    let here = folder.path();
    let path = here.join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let flow = flow.replacen("[asn1]", "[listen.http]\naddress = \"127.0.0.1:0\"\n\n[asn1]", 1);
    let accept =
        "accept = { token-file = \"boston.token\" }, recursive = true, pattern = \"*.ber\"";
    let changed = flow.replacen("dir = \"in/boston\", pattern = \"*.ber\"", accept, 1);
    assert_ne!(changed, flow);
    fs::write(&path, changed).unwrap();
    fs::write(here.join("boston.token"), "sesame\n").unwrap();
    assert_eq!(run(here, "simulate cdr --count 50 --files 1 --centre boston:8 made").0, 0);
    let buffer = here.join("flow.state/in/msc-boston");
    fs::create_dir_all(buffer.join("day")).unwrap();
    fs::create_dir_all(here.join("in/new-york")).unwrap();
    let made = fs::read(here.join("made/boston/boston-00001.ber")).unwrap();
    let names = ["old.ber", "day/old.ber", "day/new.ber"];
    fs::write(buffer.join("first.ber"), &made).unwrap();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let duplicate = |name: &str| buffer.join(format!("{name}.duplicate"));
    for name in names {
        fs::write(buffer.join(name), &made).unwrap();
    }
    assert_eq!(run(here, "run flow.toml --once").0, 1);
    assert!(names.iter().all(|name| duplicate(name).exists()));
    // The default window of a network element that sets none.
    let age = |name: &str, days: u64| {
        let came = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        fs::File::options().write(true).open(duplicate(name)).unwrap().set_modified(came).unwrap();
    };
    age("old.ber", 31);
    age("day/old.ber", 31);
    age("day/new.ber", 29);
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let left = names.map(|name| duplicate(name).exists());
    assert_eq!(left, [false, false, true]);
}

#[test]
fn a_file_that_came_before_is_set_aside_and_its_records_are_counted() {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 50 --files 2 --centre boston:8 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    let input = |name: &str| folder.path().join("in/boston").join(name);
    let again = |from: &str, to: &str| fs::copy(input(from), input(to)).unwrap();
    // Twice within one run, and once more in the next.
    again("boston-00001.ber", "boston-00003.ber");
    let account = |out: &str| -> serde_json::Value { serde_json::from_str(out).unwrap() };
    let once = tollgate(folder.path(), "run flow.toml --once --json").output().unwrap();
    let said = String::from_utf8_lossy(&once.stderr);
    assert!(said.contains("came before, as \"boston-0000"), "{said}");
    assert_eq!(once.status.code(), Some(1), "a duplicate is a fault");
    let files = account(&String::from_utf8_lossy(&once.stdout))["files"].clone();
    let duplicates: Vec<u64> =
        files.as_array().unwrap().iter().map(|file| file["duplicate"].as_u64().unwrap()).collect();
    assert_eq!(duplicates.iter().sum::<u64>(), 25, "{files}");
    assert!(take_outputs(folder.path()) > 0);

    again("boston-00002.ber.done", "boston-00004.ber");
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("boston-00004.ber\": it came before"), "{said}");
    assert_eq!(take_outputs(folder.path()), 0);
    assert!(input("boston-00004.ber.duplicate").exists());
    let listed_with = |code: &str| {
        let line = format!("files list flow.toml --json --code {code}");
        let output = tollgate(folder.path(), &line).output().unwrap();
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [listed, _] = listed_with("file-duplicate");
    let last: serde_json::Value = serde_json::from_str(listed.lines().last().unwrap()).unwrap();
    assert_eq!((listed.lines().count(), &last["file"]), (2, &"boston-00004.ber".into()));
    assert_eq!(last["values"][0]["value"], "boston-00002.ber");
    assert!(
        last["reason"].as_str().unwrap().starts_with("it came before, as \"boston-00002.ber\"")
    );
    let [listed, said] = listed_with("unpack-damaged");
    assert!(listed.is_empty() && said.contains("only \"file-duplicate\""), "{said}");
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("new-york") && !said.contains("before"), "{said}");
}

#[test]
fn what_makes_a_file_a_duplicate_the_flow_says() {
    // The setting, and whether a file with another name, with other contents, and with the same of both is a duplicate.
    let cases = [
        ("off", [false, false, false]),
        ("name", [false, true, true]),
        ("contents", [true, false, true]),
        ("both", [false, false, true]),
        ("either", [true, true, true]),
    ];
    for (by, expected) in cases {
        let found = [("b.ber", "first"), ("a.ber", "second"), ("a.ber", "first")].map(
            |(name, contents)| {
                let folder = empty_flow();
                let flow = folder.path().join("flow.toml");
                let text = fs::read_to_string(&flow).unwrap();
                let told = format!("\"*.ber\" }}\nduplicates = {{ files = \"{by}\" }}");
                fs::write(&flow, text.replace("\"*.ber\" }", &told)).unwrap();
                let simulate = "simulate cdr --count 50 --files 1 --centre boston:8 in";
                assert_eq!(run(folder.path(), simulate).0, 0);
                let first = folder.path().join("in/boston/boston-00001.ber");
                let second = folder.path().join("second");
                let simulate =
                    "simulate cdr --seed 2 --count 50 --files 1 --centre boston:8 second";
                assert_eq!(run(folder.path(), simulate).0, 0);
                let octets = fs::read(&first).unwrap();
                fs::rename(&first, first.with_file_name("a.ber")).unwrap();
                run(folder.path(), "run flow.toml --once");
                take_outputs(folder.path());
                let octets = match contents {
                    "first" => octets,
                    _ => fs::read(second.join("boston/boston-00001.ber")).unwrap(),
                };
                fs::write(first.with_file_name(name), octets).unwrap();
                let (_, said) = run(folder.path(), "run flow.toml --once");
                assert_eq!(
                    take_outputs(folder.path()) == 0,
                    said.contains("came before"),
                    "{said}"
                );
                said.contains("came before")
            },
        );
        assert_eq!(found, expected, "{by}");
    }
}

#[test]
fn no_output_takes_the_place_of_one_with_the_same_octets() {
    let folder = empty_flow();
    let here = folder.path();
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    let off = flow.replace("\"*.ber\" }", "\"*.ber\" }\nduplicates = { files = \"off\" }");
    fs::write(here.join("flow.toml"), off).unwrap();
    let simulate = "simulate cdr --count 50 --files 1 --centre boston:8 in";
    assert_eq!(run(here, simulate).0, 0);
    let input = here.join("in/boston/boston-00001.ber");
    let octets = fs::read(&input).unwrap();
    run(here, "run flow.toml --once");
    let delivered = || {
        let shown = tollgate(here, "audit flow.toml --json").output().unwrap().stdout;
        let audit: serde_json::Value = serde_json::from_slice(&shown).unwrap();
        let counts = audit["counts"].as_array().unwrap().clone();
        let elements = counts.iter().filter(|count| count["node"].is_null());
        elements.map(|count| count["delivered"].as_u64().unwrap()).sum::<u64>()
    };
    let once = delivered();
    fs::write(&input, octets).unwrap();
    let (status, said) = run(here, "run flow.toml --once");
    assert!(status == 1 && said.contains("where that of an earlier file still lies"), "{said}");
    assert!(input.exists(), "it waits");
    assert_eq!(delivered(), once, "what no receiver can have is not delivered");
    let first = take_outputs(here);
    run(here, "run flow.toml --once");
    assert_eq!((take_outputs(here), delivered(), input.exists()), (first, 2 * once, false));
}

/// Returns how many octets a process has read so far.
#[cfg(target_os = "linux")]
fn octets_read(process: u32) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_as_long_as_another_is_read_once() {
    let folder = empty_flow();
    let here = folder.path();
    let simulate = "simulate cdr --count 20000 --files 1 --centre boston:8 in";
    assert_eq!(run(here, simulate).0, 0);
    let first = here.join("in/boston/boston-00001.ber");
    let mut octets = fs::read(&first).unwrap();
    let mut gateway = tollgate(here, "run flow.toml").spawn().unwrap();
    let is_done = |name: &str| here.join("in/boston").join(name).exists();
    wait_for("the first file", || is_done("boston-00001.ber.done"));
    let before = octets_read(gateway.id());
    // A digit of the subscriber in the first record.
    octets[20] ^= 1;
    fs::write(here.join("second"), &octets).unwrap();
    fs::rename(here.join("second"), here.join("in/boston/boston-00002.ber")).unwrap();
    wait_for("the second", || is_done("boston-00002.ber.done"));
    let read = octets_read(gateway.id()) - before;
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    let length = octets.len() as u64;
    assert!(read < length * 3 / 2, "{read} octets were read of {length}");
}

#[test]
fn a_duplicate_is_set_aside_though_the_output_of_its_original_still_lies_there() {
    let folder = empty_flow();
    let here = folder.path();
    assert_eq!(run(here, "simulate cdr --count 50 --files 1 --centre boston:8 in").0, 0);
    let input = here.join("in/boston/boston-00001.ber");
    let octets = fs::read(&input).unwrap();
    run(here, "run flow.toml --once");
    fs::write(&input, octets).unwrap();
    let (status, said) = run(here, "run flow.toml --once");
    assert!(status == 1 && said.contains("came before"), "{said}");
    assert!(!said.contains("still lies"), "{said}");
}

/// Creates a flow that checks its records for duplicates before anything else.
fn checking(check: &str) -> TempDir {
    let folder = empty_flow();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let centres = "[\"msc-new-york\", \"msc-boston\"]";
    assert!(flow.contains(centres), "{flow}");
    let flow = flow.replace(centres, "\"calls\"")
        + &format!(
            "\n[duplicate-check.calls]\nfrom = {centres}\ntype = \"MSC.CallDataRecord\"\n{check}\n"
        );
    fs::write(path, flow).unwrap();
    for centre in ["in/new-york", "in/boston"] {
        fs::create_dir_all(folder.path().join(centre)).unwrap();
    }
    folder
}

const KEY: &str = "key = [\"record.sequenceNumber\", \"record.servedIMSI\", \"record.answerTime\", \
                   \"record.callDuration\"]";

/// Returns simulated records as one file.
fn records(folder: &Path, seed: usize, count: usize) -> Vec<u8> {
    let simulate =
        format!("simulate cdr --seed {seed} --count {count} --files 1 --centre boston:8 made");
    assert_eq!(run(folder, &simulate).0, 0);
    let made = folder.join("made/boston/boston-00001.ber");
    let octets = fs::read(&made).unwrap();
    fs::remove_file(made).unwrap();
    octets
}

/// Returns the numbers of all, delivered, suspended and duplicate records of a run.
fn totals(folder: &Path, line: &str) -> [u64; 4] {
    let output = tollgate(folder, line).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let account: serde_json::Value = serde_json::from_str(&shown).expect(&said);
    let files = account["files"].as_array().unwrap();
    ["records", "delivered", "suspended", "duplicate"]
        .map(|column| files.iter().map(|file| file[column].as_u64().unwrap()).sum())
}

const RUN: &str = "run flow.toml --once --json";

#[test]
fn a_record_that_came_before_is_set_aside_in_this_run_and_the_next() {
    let folder = checking(KEY);
    let input = |name: &str| folder.path().join(name);
    let (first, second) = (records(folder.path(), 1, 100), records(folder.path(), 2, 50));
    fs::write(input("in/boston/a.ber"), &first).unwrap();
    // All records of the first file again, and fifty new ones, one of them twice.
    fs::write(input("in/new-york/b.ber"), [&first[..], &second, &second].concat()).unwrap();
    let [records, delivered, suspended, duplicate] = totals(folder.path(), RUN);
    assert_eq!([records, delivered, suspended, duplicate], [300, 150, 0, 150]);
    fs::write(
        input("in/boston/c.ber"),
        [&second[..], &self::records(folder.path(), 3, 10)].concat(),
    )
    .unwrap();
    assert_eq!(totals(folder.path(), RUN), [60, 10, 0, 50]);
    let listed = tollgate(folder.path(), "suspense list --json").output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert_eq!(listed.matches("\"why\":\"duplicate\"").count(), 200);
    assert!(listed.contains("\"node\":\"calls\""), "{listed}");
}

#[test]
fn two_files_in_hand_with_the_same_records_deliver_them_once() {
    let folder = checking(KEY);
    let octets: Vec<Vec<u8>> = (1..=6).map(|seed| records(folder.path(), seed, 400)).collect();
    // Each file begins with the records that another ends with, so that files in work at the same time have records in
    // common.
    for place in 0..octets.len() {
        let both = [&octets[place][..], &octets[(place + 1) % octets.len()]].concat();
        fs::write(folder.path().join(format!("in/boston/{place}.ber")), both).unwrap();
    }
    assert_eq!(totals(folder.path(), RUN), [4800, 2400, 0, 2400]);
}

#[test]
fn whoever_takes_the_stream_of_duplicates_is_given_them() {
    let folder = checking(KEY);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap()
        + "\n[post-processing-system.again]\nfrom = \"calls.duplicate\"\n\
           encode = { codec = \"json\" }\ndeliver = { dir = \"out/again\" }\n";
    fs::write(path, flow).unwrap();
    let octets = records(folder.path(), 1, 20);
    fs::write(folder.path().join("in/boston/a.ber"), [&octets[..], &octets].concat()).unwrap();
    assert_eq!(totals(folder.path(), RUN), [40, 40, 0, 0]);
    let again = fs::read_to_string(folder.path().join("out/again/msc-boston-a.ber.json")).unwrap();
    assert_eq!(again.lines().count(), 20);
}

#[test]
fn a_window_that_is_full_stops_with_an_alarm_and_forgets_nothing() {
    let folder = checking(&format!("{KEY}\nkeys = 100"));
    let input = |name: &str| folder.path().join("in/boston").join(name);
    fs::write(input("a.ber"), records(folder.path(), 1, 100)).unwrap();
    assert_eq!(totals(folder.path(), RUN), [100, 100, 0, 0]);
    fs::write(input("b.ber"), records(folder.path(), 2, 10)).unwrap();
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(
        status == 1 && said.contains("alarm: calls: the limit of 100 keys is reached"),
        "{said}"
    );
    assert!(input("b.ber").exists() && take_outputs(folder.path()) > 0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow.replace("keys = 100", "keys = 200")).unwrap();
    fs::write(
        input("c.ber"),
        [records(folder.path(), 1, 100), records(folder.path(), 3, 1)].concat(),
    )
    .unwrap();
    assert_eq!(totals(folder.path(), RUN), [111, 11, 0, 100]);
    let (status, said) = run(folder.path(), "alarms");
    assert_eq!(status, 0, "{said}");
}

#[test]
fn a_file_with_more_keys_than_there_is_room_for_raises_the_alarm_too() {
    let folder = checking(&format!("{KEY}\nkeys = 100"));
    let input = folder.path().join("in/boston/a.ber");
    fs::write(&input, records(folder.path(), 1, 150)).unwrap();
    run(folder.path(), "run flow.toml --once");
    assert!(input.exists());
    let alarms = tollgate(folder.path(), "alarms").output().unwrap();
    let shown = String::from_utf8_lossy(&alarms.stdout);
    assert!(shown.contains("memory-full\tcalls: the limit of 100 keys is reached"), "{shown}");
}

#[test]
fn a_refused_record_leaves_no_key_and_another_key_begins_anew() {
    // The filter after the check refuses all records.
    let folder = checking(KEY);
    let script = folder.path().join("scripts/is_billable.dup");
    let sound = fs::read_to_string(&script).unwrap();
    fs::write(
        &script,
        "BOOLEAN isBillable(cdr CONST CallDataRecord)\n{ reject(\"not now\"); return TRUE; }\n",
    )
    .unwrap();
    let octets = records(folder.path(), 1, 30);
    let again = |name: &str| {
        fs::write(
            folder.path().join("in/boston").join(name),
            [&octets[..], name.as_bytes()].concat(),
        )
        .unwrap();
    };
    again("a.ber");
    assert_eq!(totals(folder.path(), RUN), [31, 0, 31, 0]);
    fs::write(&script, sound).unwrap();
    again("b.ber");
    assert_eq!(totals(folder.path(), RUN), [31, 30, 1, 0]);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow.replace("\"record.sequenceNumber\", ", "")).unwrap();
    again("c.ber");
    let (_, said) = run(folder.path(), "run flow.toml --once");
    assert!(said.contains("the key of \"calls\" or the type of its records was changed"), "{said}");
}

#[test]
fn a_duplicate_takes_nothing_from_the_files_before_it() {
    // Many new and many duplicate files in one run, so that a worker has a duplicate after a file of its own.
    let folder = empty_flow();
    let centre = |name: &str| folder.path().join("in").join(name);
    fs::create_dir_all(centre("boston")).unwrap();
    fs::create_dir_all(centre("new-york")).unwrap();
    let first: Vec<Vec<u8>> = (1..=4).map(|seed| records(folder.path(), seed, 40)).collect();
    for (place, octets) in first.iter().enumerate() {
        fs::write(centre("boston").join(format!("first-{place}.ber")), octets).unwrap();
    }
    totals(folder.path(), RUN);
    take_outputs(folder.path());
    for place in 0..12 {
        let octets = match place % 2 {
            0 => records(folder.path(), 100 + place, 40),
            _ => first[place % first.len()].clone(),
        };
        fs::write(centre("boston").join(format!("more-{place:02}.ber")), octets).unwrap();
    }
    let [records, delivered, _, duplicate] =
        totals(folder.path(), "run flow.toml --once --json --workers 1");
    assert_eq!([records, duplicate], [480, 240]);
    let home = files(&folder.path().join("out/home"));
    assert_eq!(home.len(), 6, "each of the new ones has an output: {home:?}");
    assert!(delivered > 0);
    let (status, said) = run(folder.path(), "audit");
    assert_eq!(status, 0, "{said}");
}

#[test]
fn what_a_check_noted_under_another_name_is_an_alarm_until_it_has_that_again() {
    let folder = checking(KEY);
    let octets = records(folder.path(), 1, 30);
    let again = |name: &str| {
        let input = folder.path().join("in/boston").join(name);
        fs::write(input, [&octets[..], name.as_bytes()].concat()).unwrap();
    };
    let path = folder.path().join("flow.toml");
    let renamed = |from: &str, to: &str| {
        let flow = fs::read_to_string(&path).unwrap();
        fs::write(&path, flow.replace(from, to)).unwrap();
    };
    let alarms = || {
        let alarms = tollgate(folder.path(), "alarms").output().unwrap();
        String::from_utf8_lossy(&alarms.stdout).into_owned()
    };
    again("a.ber");
    assert_eq!(totals(folder.path(), RUN), [31, 30, 1, 0]);
    assert_eq!(alarms(), "");
    renamed("calls", "seen");
    let (_, said) = run(folder.path(), "run flow.toml --once");
    let told = "alarm: the flow no longer has a node \"calls\": its state from 1 file is not used";
    assert!(said.contains(told), "{said}");
    assert!(
        alarms().contains("duplicates-forgotten\tthe flow no longer has a node"),
        "{}",
        alarms()
    );
    renamed("seen", "calls");
    let (_, said) = run(folder.path(), "run flow.toml --once");
    assert!(!said.contains("no longer has a node"), "{said}");
    assert_eq!(alarms(), "");
    again("b.ber");
    assert_eq!(totals(folder.path(), RUN), [31, 0, 1, 30]);
    // The key is made of something else now.
    renamed("\"record.sequenceNumber\", ", "");
    run(folder.path(), "run flow.toml --once");
    assert!(
        alarms().contains("the key of \"calls\" or the type of its records was changed"),
        "{}",
        alarms()
    );
}

#[test]
fn a_clock_that_is_set_makes_no_file_and_no_record_new() {
    let folder = checking(&format!("{KEY}\nwindow = \"30 days\""));
    let here = folder.path();
    let (first, second) = (records(here, 1, 50), records(here, 2, 50));
    let both = [first.clone(), second.clone()].concat();
    // Returns the numbers of delivered and duplicate records of a file that is processed under a clock with this
    // offset.
    let process = |name: &str, octets: &[u8], off_by: &str| {
        let path = here.join("in/boston").join(name);
        fs::write(&path, octets).unwrap();
        let finished = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(path).unwrap().set_modified(finished).unwrap();
        let mut command = tollgate(here, RUN);
        let output = clock::off_by(&mut command, off_by)?.output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let file = &said["files"][0];
        Some((file["delivered"].as_u64().unwrap(), file["duplicate"].as_u64().unwrap()))
    };
    let Some(done) = process("first.ber", &first, "+0d") else { return };
    assert_eq!(done, (50, 0));
    assert_eq!(process("again.ber", &first, "+60d"), Some((0, 50)), "far ahead");
    assert_eq!(process("second.ber", &second, "-60d"), Some((50, 0)), "far back");
    assert_eq!(process("more.ber", &second, "+0d"), Some((0, 50)));
    assert_eq!(process("both.ber", &both, "+0d"), Some((0, 100)), "records of both");
}

#[test]
fn records_without_a_key_are_no_duplicates_of_each_other() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let module = "K DEFINITIONS AUTOMATIC TAGS ::= BEGIN
        R ::= SEQUENCE { id INTEGER, a UTF8String OPTIONAL, b UTF8String OPTIONAL, n INTEGER DEFAULT 0 } END";
    fs::write(here.join("k.asn1"), module).unwrap();
    let flow = |key: &str| {
        format!(
            "[asn1]\nmodules = [\"k.asn1\"]\n[network-element.ne]\ncollect = {{ dir = \"in\" }}\n\
             decode = {{ type = \"K.R\", codec = \"json\" }}\n\
             [duplicate-check.once]\nfrom = \"ne\"\ntype = \"K.R\"\nkey = {key}\n\
             [post-processing-system.out]\nfrom = \"once\"\nencode = {{ codec = \"json\" }}\ndeliver = {{ dir = \"out\" }}\n"
        )
    };
    fs::create_dir(here.join("in")).unwrap();
    fs::write(here.join("flow.toml"), flow("[\"record.a\", \"record.b\"]")).unwrap();
    let (status, told) = run(here, "check flow.toml");
    assert_eq!(status, 0, "{told}");
    for field in ["a", "b"] {
        assert!(told.contains(&format!("warning: \"{field}\" is OPTIONAL")), "{told}");
    }
    let lines = [
        r#"{"id":1,"a":"","b":""}"#,
        r#"{"id":2,"a":"","b":""}"#,
        r#"{"id":3,"a":"k"}"#,
        r#"{"id":4,"a":"k"}"#,
        r#"{"id":5,"a":"k","b":""}"#,
        r#"{"id":6,"a":"","b":"k"}"#,
        r#"{"id":7,"a":"k","b":""}"#,
    ];
    fs::write(here.join("in/1.json"), lines.join("\n")).unwrap();
    assert_eq!(totals(here, RUN), [7, 2, 4, 1], "what has no key is suspended");
    let listed = tollgate(here, "suspense list flow.toml").output().unwrap().stdout;
    let listed = String::from_utf8(listed).unwrap();
    assert_eq!(listed.matches("its key is empty").count(), 2, "{listed}");
    assert_eq!(listed.matches("is absent").count(), 2, "{listed}");
    // A number is never empty, and a field with a DEFAULT is never absent.
    fs::write(here.join("flow.toml"), flow("[\"record.n\"]")).unwrap();
    assert!(!run(here, "check flow.toml").1.contains("OPTIONAL"));
    fs::write(here.join("in/2.json"), "{\"id\":1}\n{\"id\":2,\"n\":0}\n{\"id\":3,\"n\":1}\n")
        .unwrap();
    assert_eq!(totals(here, RUN), [3, 2, 0, 1]);
}
