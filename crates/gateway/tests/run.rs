//! Tests files in a flow, with a format in which each octet is a record and 255 is none.

use crate::common;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use crate::common::octets::{ALONE, IS_MENDED, Octets};
use diagnostics::Diagnostic;
use flow::Report;
use gateway::{Parts, RunOptions};

pub(crate) const FLOW: &str = r#"
[network-element.a]
collect = { dir = "in", pattern = "*.x" }
decode = { type = "Test.Call" }
[odd.isOdd]
from = "a"
[double.twice]
from = "isOdd.false"
[post-processing-system.odds]
from = "isOdd"
encode = {}
deliver = { dir = "out/odds" }
[post-processing-system.all]
from = "a"
encode = {}
deliver = { dir = "out/all", name = "{stem}-{network-element}.all" }
[post-processing-system.twice-evens]
from = "twice"
encode = {}
deliver = { dir = "out/evens" }
"#;

/// Makes an empty folder with the flow and these input files.
pub(crate) fn folder(name: &str, flow: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("in")).unwrap();
    fs::write(dir.join("flow.toml"), flow).unwrap();
    for (file, octets) in files {
        fs::write(dir.join("in").join(file), octets).unwrap();
    }
    dir
}

pub(crate) fn run(dir: &Path, workers: usize, stop: bool) -> Report {
    let options = RunOptions { workers, ..RunOptions::once() };
    if stop {
        options.stop.set();
    }
    run_with(dir, options)
}

pub(crate) fn run_with(dir: &Path, options: RunOptions) -> Report {
    let _beside_others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    run_alone(dir, options)
}

pub(crate) fn run_alone(dir: &Path, options: RunOptions) -> Report {
    let kinds = common::kinds();
    let parts = Parts {
        kinds: &kinds,
        formats: &Octets,
        language: &node::NoLanguage,
        schemes: &[],
        codes: &[],
        listeners: &[],
        certificate: |_| None,
        channels: &[],
    };
    gateway::run(&dir.join("flow.toml"), parts, &options).unwrap()
}

pub(crate) fn account(report: &Report) -> Vec<String> {
    let files = report.files.iter().map(|f| {
        format!("{} {} = {} + {} + {}", f.file, f.records, f.delivered, f.filtered, f.suspended)
    });
    let outputs = report.outputs.iter().map(|output| format!("{} {}", output.file, output.records));
    files.chain(outputs).collect()
}

#[test]
fn every_record_is_in_one_column_and_a_refused_one_is_in_no_output() {
    // A node refuses 13 after "all" has got it; 200 doubled does not fit into an octet.
    let dir = folder("columns", FLOW, &[("f.x", &[13, 1, 2, 255, 200, 3, 13])]);
    let report = run(&dir, 1, false);
    assert_eq!(account(&report), ["f.x 7 = 3 + 0 + 4", "f-a.all 3", "a-f.x.out 2", "a-f.x.out 1"]);
    assert_eq!(fs::read(dir.join("out/all/f-a.all")).unwrap(), b"<\x01\x02\x03>");
    assert_eq!(fs::read(dir.join("out/odds/a-f.x.out")).unwrap(), b"<\x01\x03>");
    assert_eq!(fs::read(dir.join("out/evens/a-f.x.out")).unwrap(), b"<\x04>");
    let mut suspended = Vec::new();
    let listed = suspense::list(&dir.join("flow.toml"), &suspense::Filter::default(), |record| {
        suspended.push(record);
        Ok::<_, ()>(())
    });
    assert_eq!(listed.unwrap(), Ok(()));
    assert_eq!(suspended.len(), 4);
    let suspense::Suspended { network_element, file, record, offset, node, reason, octets, .. } =
        &suspended[1];
    assert_eq!((network_element.as_str(), file.as_str(), *record, *offset), ("a", "f.x", 4, 3));
    let said = (node.as_str(), reason.as_str(), octets.as_slice());
    assert_eq!(said, ("", "255 is no record", &[255][..]));
    assert_eq!(suspended[2].node, "twice-evens");
    assert!(dir.join("in/f.x.done").exists());
    assert_eq!(run(&dir, 1, false).files, []);
}

#[test]
fn what_nobody_takes_is_filtered_and_makes_no_file() {
    let flow = FLOW.replace("from = \"a\"\nencode", "from = \"twice\"\nencode");
    let flow = flow.replace("from = \"isOdd\"", "from = \"twice\"");
    let dir = folder("filtered", &flow, &[("f.x", &[1, 3])]);
    assert_eq!(account(&run(&dir, 1, false)), ["f.x 2 = 0 + 2 + 0"]);
    assert!(!dir.join("out").exists());
}

#[test]
fn a_stopped_run_leaves_all_to_the_next_and_workers_do_not_change_the_result() {
    let names: Vec<String> = (0..20).map(|number| format!("{number:02}.x")).collect();
    let octets: Vec<Vec<u8>> = (0..20).map(|number| (number..number + 13).collect()).collect();
    let files = names.iter().zip(&octets);
    let files: Vec<(&str, &[u8])> = files.map(|(name, octets)| (&name[..], &octets[..])).collect();
    let (one, two) = (folder("one", FLOW, &files), folder("two", FLOW, &files));
    assert_eq!(run(&one, 1, true).files, []);
    assert!(one.join("in/00.x").exists() && !one.join("out").exists());
    let (one, two) = (run(&one, 1, false), run(&two, 2, false));
    assert_eq!(one.files.len(), 20);
    assert_eq!((one.files, one.outputs), (two.files, two.outputs));
}

#[test]
fn a_folder_that_is_missing_is_a_problem_and_a_file_that_cannot_be_delivered_stays() {
    let dir = folder("problems", FLOW, &[("f.x", &[1])]);
    fs::write(dir.join("out"), "a file where a folder should be").unwrap();
    let report = run(&dir, 1, false);
    assert_eq!((report.files.len(), report.problems.len()), (0, 1), "{:?}", report.problems);
    assert!(dir.join("in/f.x").exists());
    fs::remove_dir_all(dir.join("in")).unwrap();
    let problems = run(&dir, 1, false).problems;
    assert!(problems[0].starts_with("could not read the folder"), "{problems:?}");
}

#[test]
fn a_file_that_nobody_survives_stops_nobody() {
    let files: [(&str, &[u8]); 3] = [("1.x", &[1, 2]), ("2.x", &[1, 66]), ("3.x", &[3])];
    let dir = folder("poison", FLOW, &files);
    let alarms = || {
        let raised = operate::alarms::raised_alarms(&dir.join("flow.toml")).unwrap();
        raised
            .into_iter()
            .map(|alarm| format!("{}: {}", alarm.kind, alarm.text))
            .collect::<String>()
    };
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    IS_MENDED.store(false, Ordering::Relaxed);
    let run = || run_alone(&dir, RunOptions { workers: 1, ..RunOptions::once() });
    let report = run();
    assert_eq!(
        report.files.iter().map(|file| file.file.as_str()).collect::<Vec<_>>(),
        ["1.x", "3.x"]
    );
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    assert!(problem.contains("2.x\": its worker broke off twice; it is set aside as"), "{problem}");
    assert!(dir.join("in/2.x.poison").exists() && !dir.join("in/2.x").exists());
    assert!(alarms().contains("poison-files: a: 1 file set aside"), "{}", alarms());
    assert_eq!(fs::read_dir(dir.join("out/all")).unwrap().count(), 2, "nothing is left of it");
    // After a correction it is processed like a new file.
    IS_MENDED.store(true, Ordering::Relaxed);
    fs::rename(dir.join("in/2.x.poison"), dir.join("in/2.x")).unwrap();
    let report = run();
    assert_eq!(
        (account(&report).join(", ").as_str(), alarms().as_str()),
        ("2.x 2 = 2 + 0 + 0, 2-a.all 2, a-2.x.out 1, a-2.x.out 1", "")
    );
}

#[test]
fn the_report_is_the_object_others_build_on() {
    let dir = folder("json", FLOW, &[("f.x", &[1])]);
    let report = Report { seconds: 0.5, ..run(&dir, 1, false) };
    assert_eq!(
        report.to_json(),
        concat!(
            r#"{"files":[{"network_element":"a","file":"f.x","records":1,"delivered":1,"filtered":0,"#,
            r#""held":0,"suspended":0,"duplicate":0,"passed_over":[]}],"outputs":["#,
            r#"{"post_processing_system":"all","file":"f-a.all","records":1},"#,
            r#"{"post_processing_system":"odds","file":"a-f.x.out","records":1}],"seconds":0.5}"#
        )
    );
}

/// Returns the mistakes of a flow, each with its place.
pub(crate) fn mistakes(name: &str, flow: &str) -> Vec<String> {
    let dir = folder(name, flow, &[("f.x", &[1])]);
    // Some of the flows collect from here too.
    fs::create_dir_all(dir.join("in2")).unwrap();
    let parts = Parts {
        kinds: &common::kinds(),
        formats: &Octets,
        language: &node::NoLanguage,
        certificate: |_| None,
        channels: &[],
        schemes: &[],
        codes: &[],
        listeners: &[],
    };
    let mistakes = gateway::check(&dir.join("flow.toml"), parts);
    let shown = |mistake: &Diagnostic| match mistake.is_error() {
        true => mistake.message.clone(),
        false => format!("(warning) {}", mistake.message),
    };
    mistakes.iter().map(shown).collect()
}

#[test]
fn options_that_would_lose_files_are_mistakes() {
    let flow = FLOW
        .replace("pattern = \"*.x\"", "done = \"\", recursive = \"yes\"")
        .replace("{stem}-{network-element}.all", "{network-element}.all");
    assert_eq!(
        mistakes("options", &flow),
        [
            "\"recursive\" is true or false",
            "\"done\" is an ending for names of processed files, without slashes",
            "the name is the same for several input files",
        ]
    );
    for (name, message) in [
        ("{stme}.all", "unknown placeholder \"{stme}\""),
        ("{file}-{date}", "unknown placeholder \"{date}\""),
        ("all/{file}", "a file name cannot contain folders"),
    ] {
        let flow = FLOW.replace("{stem}-{network-element}.all", name);
        assert_eq!(mistakes("names", &flow), [message]);
    }
}

#[test]
fn folders_and_names_that_meet_are_mistakes() {
    let second = "\n[network-element.a-b]\ncollect = { dir = \"in\", pattern = \"*.x\" }\n\
                  decode = { type = \"Test.Call\" }\n";
    let both = FLOW.replace("from = \"a\"", "from = [\"a\", \"a-b\"]") + second;
    let apart =
        both.replacen("dir = \"in\", pattern = \"*.x\"", "dir = \"in\", pattern = \"*.y\"", 1);
    let one_name = |system| {
        format!(
            "(warning) a file of \"a-b\" for \"{system}\" may have the name of one of \"a\" for \"{system}\""
        )
    };
    let (odds, evens) = (&*one_name("odds"), &*one_name("twice-evens"));
    for (what, flow, expected) in [
        ("nothing", FLOW.to_owned(), vec![]),
        ("patterns no name fits both of", apart, vec![]),
        (
            "one folder of two elements",
            both.clone(),
            vec!["\"a\" collects from here too: a file would be processed twice", odds, evens],
        ),
        (
            "names of two elements",
            both.replacen("dir = \"in\"", "dir = \"in2\"", 1),
            vec![odds, evens],
        ),
        (
            "two systems",
            FLOW.replace("out/evens", "out/odds"),
            vec![
                "a file of \"a\" for \"twice-evens\" may have the name of one of \"a\" for \"odds\"",
            ],
        ),
        (
            "round and round",
            FLOW.replace("dir = \"out/odds\"", "dir = \"in\", name = \"{file}.x\""),
            vec![
                "\"a\" collects from here what comes of its own records: they would go round for ever",
            ],
        ),
        (
            "two systems, the folder written in two ways",
            FLOW.replace("out/evens", "out/x/../odds"),
            vec![
                "a file of \"a\" for \"twice-evens\" may have the name of one of \"a\" for \"odds\"",
            ],
        ),
        (
            "what is done is collected",
            FLOW.replace("pattern = \"*.x\"", "pattern = \"*.x\", move = \"in2\"")
                + &second.replace("dir = \"in\"", "dir = \"in2\""),
            vec!["what is done of \"a\" is collected from here again"],
        ),
        (
            "hidden folders and names that are done are not collected",
            FLOW.replace("pattern = \"*.x\"", "pattern = \"*.*\", recursive = true")
                .replace("out/odds", "in/.out")
                .replace("{stem}-{network-element}.all", "{file}.done")
                .replace("out/all", "in"),
            vec![],
        ),
        (
            "stems that differ",
            FLOW.replace("from = \"a\"", "from = [\"a\", \"a-b\"]")
                .replace("*.x", "x-*.x")
                .replace("{stem}-{network-element}.all", "{stem}.all")
                + &second.replace("*.x", "y-*.x"),
            vec![],
        ),
        (
            "what is behind the dot",
            FLOW.replace("*.x", "*"),
            vec!["files of \"a\" that differ in what is behind the dot have one {stem}"],
        ),
    ] {
        assert_eq!(mistakes("places", &flow), expected, "{what}\n{flow}");
    }
}
