//! Tests the numbers of files and records, and the totals that files state: which gaps, repeats, restarts and silences
//! are reported.

use std::fs;
use std::time::{Duration, SystemTime};

use assert_cmd::Command;
use tempfile::TempDir;

const MODULE: &str = "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE {
  number INTEGER, node IA5String OPTIONAL, charge INTEGER OPTIONAL, count INTEGER OPTIONAL,
  total INTEGER OPTIONAL }
END
";

const FLOW: &str = r#"
[asn1]
modules = ["m.asn1"]

[network-element.boston]
collect = { dir = "in", pattern = "*.csv" }
decode  = { type = "M.Call", codec = "csv" }
SEQUENCE

[post-processing-system.billing]
from    = "boston"
encode  = { type = "M.Call", codec = "json" }
deliver = { dir = "out", name = "{file}.json" }
"#;

/// Numbers of files from 1 to 99.
const FILES: &str = r#"file-sequence = { name = "MSC_{number}.csv", first = 1, last = 99 }"#;

/// A gateway whose network element is counted by these lines of the flow file.
struct Gateway(TempDir);

impl Gateway {
    fn counting(lines: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("m.asn1"), MODULE).unwrap();
        fs::write(folder.path().join("flow.toml"), FLOW.replace("SEQUENCE", lines)).unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        Gateway(folder)
    }

    /// Starts a command that is to be killed.
    fn start(&self, line: &str) -> std::process::Child {
        std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"))
            .current_dir(self.0.path())
            .args(line.split(' '))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Adds a file of records in the form "number node charge count total".
    fn put(&self, name: &str, records: &[&str]) {
        let path = self.0.path().join("in").join(name);
        let mut text = "number,node,charge,count,total\n".to_owned();
        for record in records {
            let fields: Vec<&str> = record.split(' ').chain([""; 5]).take(5).collect();
            text.push_str(&fields.join(",").replace('-', ""));
            text.push('\n');
        }
        fs::write(&path, text).unwrap();
        let before = SystemTime::now() - Duration::from_secs(60);
        fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
    }

    fn tollgate(&self, line: &str) -> (i32, String, String) {
        let mut command = Command::cargo_bin("tollgate").unwrap();
        let output = command.current_dir(self.0.path()).args(line.split(' ')).output().unwrap();
        let text = |octets| String::from_utf8(octets).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs the gateway; returns its lines about alarms, without those that were raised before.
    fn run(&self) -> String {
        let before = self.raised();
        let (_, _, said) = self.tollgate("run flow.toml --once");
        let of_alarms = |line: &&str| line.starts_with("alarm") || line.contains("error");
        let known = |line: &&str| before.iter().any(|text| **line == format!("alarm: {text}"));
        // The receiver takes its files away: a file of the same name may come again.
        let _ = fs::remove_dir_all(self.0.path().join("out"));
        let lines: Vec<&str> = said.lines().filter(of_alarms).filter(|line| !known(line)).collect();
        lines.join("\n")
    }

    /// Returns the texts of the alarms that are raised.
    fn raised(&self) -> Vec<String> {
        let (_, shown, _) = self.tollgate("alarms flow.toml --json");
        let text = |line: &str| {
            let alarm: serde_json::Value = serde_json::from_str(line).unwrap();
            alarm["text"].as_str().unwrap().to_owned()
        };
        shown.lines().map(text).collect()
    }
}

/// Asserts the lines about alarms when the element is counted by these settings and files with these numbers come, each
/// in a run of its own.
fn check_files(lines: &str, files: &[(&str, &str)]) {
    let gateway = Gateway::counting(lines);
    for (place, (file, said)) in files.iter().enumerate() {
        // With the same contents, they would be duplicates.
        gateway.put(&format!("MSC_{file}.csv"), &[&place.to_string()]);
        assert_eq!(gateway.run(), *said, "{file}");
    }
}

/// Does the same for files of records in the form "number node charge count total".
fn check_records(lines: &str, files: &[(&[&str], &str)]) {
    let gateway = Gateway::counting(lines);
    for (place, (records, said)) in files.iter().enumerate() {
        gateway.put(&format!("{place}.csv"), records);
        assert_eq!(gateway.run(), *said, "{records:?}");
    }
}

#[test]
fn files_in_order_are_no_news() {
    check_files(FILES, &[("5", ""), ("6", ""), ("7", "")]);
}

#[test]
fn a_missing_file_is_told_and_a_late_one_closes_the_gap() {
    check_files(
        FILES,
        &[
            ("5", ""),
            ("9", "alarm: boston files: missing 6 to 8 (3 in all)"),
            ("7", "alarm: boston files: missing 6, 8 (2 in all)"),
            ("10", ""),
            ("6", "alarm: boston files: missing 8 (1 in all)"),
            ("8", "alarm over: boston files: missing 8 (1 in all)"),
        ],
    );
}

#[test]
fn the_first_number_follows_the_last() {
    check_files(
        FILES,
        &[("98", ""), ("99", ""), ("1", ""), ("3", "alarm: boston files: missing 2 (1 in all)")],
    );
}

#[test]
fn a_number_that_came_before_is_told() {
    check_files(
        FILES,
        &[
            ("5", ""),
            ("6", ""),
            ("5", "alarm: boston files: \"MSC_5.csv\" has 5, which came before"),
            ("7", "alarm over: boston files: \"MSC_5.csv\" has 5, which came before"),
        ],
    );
}

#[test]
fn a_network_element_that_begins_anew_is_told_and_the_gaps_of_before_stay() {
    let anew = "boston files: begins anew at 1 with \"MSC_1.csv\", where 53 was expected";
    check_files(
        FILES.replace(" }", ", reach = 20 }").as_str(),
        &[
            ("50", ""),
            ("52", "alarm: boston files: missing 51 (1 in all)"),
            ("1", &format!("alarm: {anew}")),
            ("2", &format!("alarm over: {anew}")),
            ("51", "alarm over: boston files: missing 51 (1 in all)"),
        ],
    );
}

#[test]
fn a_file_without_a_number_is_told() {
    check_files(
        FILES,
        &[
            ("x", "alarm: boston files: \"MSC_x.csv\" has no number"),
            ("100", "alarm: boston files: \"MSC_100.csv\" has no number"),
            ("1", "alarm over: boston files: \"MSC_100.csv\" has no number"),
        ],
    );
}

/// Numbers of records from 1 to 1,000, by node.
const RECORDS: &str = r#"record-sequence = { number = "record.number", series = "record.node", first = 1, last = 1000 }"#;

#[test]
fn records_are_counted_by_series() {
    check_records(
        RECORDS,
        &[
            (&["1 a", "2 a", "7 b", "3 a", "8 b"], ""),
            (&["9 b", "5 a"], "alarm: boston records of a: missing 4 (1 in all)"),
            (
                &["600 b"],
                "alarm: boston records of b: begins anew at 600 with \"2.csv\", where 10 was expected",
            ),
            (&["4 a"], "alarm over: boston records of a: missing 4 (1 in all)"),
        ],
    );
}

#[test]
fn records_without_a_number_are_told() {
    check_records(
        RECORDS,
        &[(
            &["1 a", "2 -", "3 a"],
            "alarm: boston records of a: missing 2 (1 in all)\nalarm: boston records: 1 of \"0.csv\" have no number",
        )],
    );
}

#[test]
fn a_file_that_is_not_what_it_says_is_told() {
    let totals =
        r#"totals = { records = "record.count", sums = ["record.charge = record.total"] }"#;
    check_records(
        totals,
        &[
            (&["1 - 5 - -", "2 - 6 - -", "3 - - 3 11"], ""),
            (
                &["1 - 5 - -", "3 - - 3 11"],
                "alarm: boston: in \"1.csv\", records is said to be 3, found 2; record.charge is said to be 11, found 5",
            ),
            (
                &["1 - 5 - -"],
                "alarm: boston: in \"2.csv\", records is not said, found 1; record.charge is not said, found 5",
            ),
            (
                &["1 - 5 1 5"],
                "alarm over: boston: in \"2.csv\", records is not said, found 1; record.charge is not said, found 5",
            ),
        ],
    );
}

#[test]
fn the_number_of_a_file_may_stand_in_its_first_record() {
    check_records(
        r#"file-sequence = { number = "record.number", first = 1, last = 99 }"#,
        &[(&["7", "9"], ""), (&["9"], "alarm: boston files: missing 8 (1 in all)")],
    );
}

#[test]
fn silence_is_told_and_a_file_ends_it() {
    let gateway = Gateway::counting(r#"file-sequence = { silent = "1 second" }"#);
    assert_eq!(gateway.run(), "", "it is listened for from now on");
    let said = loop {
        let said = gateway.run();
        if !said.is_empty() {
            break said;
        }
    };
    assert!(said.starts_with("alarm: boston: no file since 20"), "{said}");
    assert_eq!(gateway.run(), "", "once");
    gateway.put("a.csv", &["1"]);
    assert_eq!(gateway.run(), said.replace("alarm", "alarm over"));
}

/// Returns the lines of a report without times.
fn report(gateway: &Gateway, options: &str) -> Vec<String> {
    let (_, shown, wrong) = gateway.tollgate(&format!("sequence flow.toml --json{options}"));
    assert_eq!(wrong, "");
    let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let lines = report["lines"].as_array().unwrap().iter();
    let lines = lines.map(|line| {
        let text = |key: &str| match &line[key] {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null => String::new(),
            other => other.to_string(),
        };
        let fields = ["of", "series", "what", "first", "last", "count", "file", "note"].map(text);
        fields.into_iter().filter(|field| !field.is_empty()).collect::<Vec<_>>().join(" ")
    });
    lines.collect()
}

#[test]
fn a_jump_too_far_to_be_a_gap_is_no_report_to_sign() {
    let gateway = Gateway::counting(FILES);
    let put = |number| {
        gateway.put(&format!("MSC_{number}.csv"), &["1 a"]);
        gateway.run();
        gateway.tollgate("sequence").0
    };
    assert_eq!((put(49), put(50)), (0, 0));
    assert_eq!(put(1), 0, "the network element was restarted");
    assert_eq!(put(2), 0);
    assert_eq!(put(60), 1, "nobody knows whether 3 to 59 will come");
    assert_eq!(put(61), 1, "and what comes next does not say it");
    let lines = report(&gateway, "");
    assert!(lines.contains(&"file restarted 1 1 1 MSC_1.csv".to_owned()), "{lines:?}");
    assert!(lines.contains(&"file jumped 60 60 1 MSC_60.csv".to_owned()), "{lines:?}");
}

#[test]
fn the_report_has_what_was_expected_and_what_came() {
    let gateway = Gateway::counting(&format!("{FILES}\n{RECORDS}"));
    for (number, records) in [
        (97, &["1 a", "2 a"]),
        (99, &["3 a", "9 a"]),
        (2, &["5 a", "7 b"]),
        (1, &["2 a", "10 a"]),
        (50, &["11 a", "x"]),
    ] {
        gateway.put(&format!("MSC_{number}.csv"), records.as_slice());
        gateway.run();
    }
    let lines = report(&gateway, "");
    assert_eq!(
        lines,
        [
            "file expected 97 2 5",
            "file received 97 2 4",
            "file expected 50 50 1",
            "file received 50 50 1",
            "file missing 98 98 1 MSC_99.csv",
            "file late 1 1 1 MSC_1.csv",
            "file jumped 50 50 1 MSC_50.csv",
            "record a expected 1 11 11",
            "record a received 1 11 7",
            "record a missing 4 4 1 MSC_99.csv",
            "record a late 5 5 1 MSC_2.csv",
            "record a missing 6 8 3 MSC_99.csv",
            "record a repeated 2 2 1 MSC_1.csv",
            "record b expected 7 7 1",
            "record b received 7 7 1",
        ]
    );
    assert_eq!(gateway.tollgate("sequence").0, 1, "something is missing");
    assert_eq!(report(&gateway, " --network-element boston"), lines);
    let (status, _, wrong) = gateway.tollgate("sequence --network-element chicago");
    let known = "no network element \"chicago\" in \"flow.toml\"; there are boston\n";
    assert_eq!((status, wrong.as_str()), (2, known));
    let before = report(&gateway, " --from 2020-01-01 --to 2020-01-02");
    assert!(before.is_empty(), "{before:?}");
    let behind = report(&gateway, " --from 2100-01-01");
    let open = ["file missing-before 98", "record a missing-before 4", "record a missing-before 6"];
    assert!(
        behind.len() == 3 && behind.iter().zip(open).all(|(line, open)| line.starts_with(open)),
        "{behind:?}"
    );
}

#[test]
fn the_totals_of_files_are_in_the_report() {
    let gateway = Gateway::counting(r#"totals = { records = "record.count" }"#);
    for (name, records) in
        [("a", &["1 - - 1"][..]), ("b", &["1 - - 2"]), ("c", &["1 - - 3", "2 - - 2"])]
    {
        gateway.put(&format!("{name}.csv"), records);
    }
    gateway.run();
    let lines = ["total records agrees 2", "total records differs 2 1 1 b.csv"];
    assert_eq!(report(&gateway, ""), lines);
}

#[test]
fn the_digest_is_that_of_the_lines_that_are_signed() {
    let gateway = Gateway::counting(FILES);
    gateway.put("MSC_7.csv", &["1"]);
    gateway.run();
    let (status, shown, _) = gateway.tollgate("sequence flow.toml --csv");
    assert_eq!(status, 0);
    let (signed, digest) = shown.rsplit_once("# SHA-256 ").unwrap();
    fs::write(gateway.0.path().join("signed"), signed).unwrap();
    let summed = std::process::Command::new("sha256sum")
        .current_dir(gateway.0.path())
        .arg("signed")
        .output();
    let summed = String::from_utf8(summed.unwrap().stdout).unwrap();
    assert!(summed.starts_with(digest.trim()), "{summed} {digest}");
    let lines: Vec<&str> = signed.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "network_element,of,series,what,first,last,count,at,until,file,note",
            "boston,file,,expected,7,7,1,,,,",
            "boston,file,,received,7,7,1,,,,",
        ]
    );
    let (_, for_people, _) = gateway.tollgate("sequence flow.toml");
    assert!(for_people.contains("boston files\n  expected                1  7\n"), "{for_people}");
}

#[test]
fn a_file_whose_name_is_a_formula_is_none_in_what_is_signed() {
    let gateway = Gateway::counting(FILES);
    gateway.put("=cmd|x.csv", &["2"]);
    gateway.run();
    let (_, shown, said) = gateway.tollgate("sequence --csv");
    assert!(shown.contains(",'=cmd|x.csv,"), "{shown}{said}");
}

#[test]
fn neither_the_order_of_workers_nor_a_kill_makes_a_gap_or_a_repeat() {
    let gateway = Gateway::counting(&format!("{FILES}\n{RECORDS}").replace("99 }", "999 }"));
    let files = 300;
    let begun = SystemTime::now() - Duration::from_secs(3_600);
    for number in 1..=files {
        let name = format!("MSC_{number}.csv");
        gateway.put(&name, &[&format!("{} a", 2 * number - 1), &format!("{} a", 2 * number)]);
        let path = gateway.0.path().join("in").join(name);
        let written = begun + Duration::from_secs(number);
        fs::File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
    }
    let mut seed = u64::from(std::process::id());
    eprintln!("seed {seed}");
    let done = || {
        let names = fs::read_dir(gateway.0.path().join("in")).unwrap();
        names.filter(|name| name.as_ref().unwrap().path().extension().unwrap() == "done").count()
    };
    let (mut effective, mut kills) = (0, 0);
    while done() < files as usize {
        let before = done();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut child = gateway.start("run flow.toml --once --workers 4");
        // The time grows, so that a busy machine makes progress too.
        kills += 1;
        std::thread::sleep(Duration::from_millis(5 + (seed >> 33) % 60 + kills / 2));
        let is_there = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        effective += usize::from(is_there && done() > before);
    }
    eprintln!("{effective} kills met the gateway at work");
    assert!(effective > 1, "the files were done before a kill met the gateway");
    gateway.run();
    let lines = [
        "file expected 1 300 300",
        "file received 1 300 300",
        "record a expected 1 600 600",
        "record a received 1 600 600",
    ];
    assert_eq!(report(&gateway, ""), lines);
}

/// A running gateway looks into its folders as soon as it starts, and takes the files that it finds a second later.
#[test]
fn a_kill_makes_no_gap_of_files_that_lie_there() {
    const FILES: i64 = 400;
    let counted = r#"file-sequence = { name = "MSC_{number}.csv", first = 1, last = 999 }"#;
    let gateway = Gateway::counting(counted);
    for file in 1..=FILES {
        gateway.put(&format!("MSC_{file}.csv"), &["1 a"]);
    }
    let mut seed = u64::from(std::process::id());
    for _ in 0..4 {
        let mut child = gateway.start("run flow.toml --workers 4");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(1020 + (seed >> 33) % 80));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    gateway.run();
    assert_eq!(gateway.tollgate("alarms --all"), (0, String::new(), String::new()), "{seed}");
    assert_eq!(
        report(&gateway, ""),
        [format!("file expected 1 {FILES} {FILES}"), format!("file received 1 {FILES} {FILES}")]
    );
}

/// Creates the folder of an example, with another flow.
fn example(name: &str, flow: &str) -> Gateway {
    let gateway = Gateway(TempDir::new().unwrap());
    let example =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    for folder in ["asn1", "in"] {
        fs::create_dir(gateway.0.path().join(folder)).unwrap();
        for file in fs::read_dir(example.join(folder)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), gateway.0.path().join(folder).join(file.file_name())).unwrap();
        }
    }
    fs::write(gateway.0.path().join("flow.toml"), flow).unwrap();
    gateway
}

#[test]
fn the_header_and_the_trailer_of_a_tap_batch_are_held_against_its_calls() {
    let flow = r#"
[asn1]
modules = ["asn1/tap.asn1"]
[network-element.clearing-house]
collect = { dir = "in", pattern = "CD*" }
decode  = { type = "TAP.TransferBatch", framing = "batch", list = "callEventDetails" }
file-sequence = { number = "record.batchControlInfo.fileSequenceNumber", series = 'concat(record.batchControlInfo.sender, record.batchControlInfo.recipient)', first = 1, last = 99999 }
totals = { records = "record.auditControlInfo.callEventDetailsCount" }
"#;
    let gateway = example("tap", flow);
    gateway.run();
    let lines = [
        "file AAAAABBBBB expected 1 1 1",
        "file AAAAABBBBB received 1 1 1",
        "total records agrees 1",
    ];
    assert_eq!(report(&gateway, ""), lines);
}

#[test]
fn the_header_of_a_file_of_ts_32_297_says_its_number_what_is_in_it_and_what_was_lost() {
    let flow = r#"
[asn1]
modules = ["asn1/pgw.asn1"]
[network-element.pgw]
collect = { dir = "in", pattern = "*.cdr" }
decode  = { type = "PGW.GatewayRecord", framing = "ts-32.297" }
file-sequence = { header = true, first = 0, last = 4294967294 }
record-sequence = { number = "record.pGWRecord.localSequenceNumber", series = "record.pGWRecord.nodeID", first = 0, last = 4294967295 }
totals = { header = true }
"#;
    let gateway = example("pgw", flow);
    let records = fs::read(gateway.0.path().join("in/pgw-1-0001.ber")).unwrap();
    // As in the standard, 6.1.1 and 6.1.2: only the first record, of `first` octets.
    let first = 4 + usize::from(records[3]);
    assert_eq!((records[0], records[2]), (0xBF, 0x81), "a tag of two octets, a length of two");
    for (number, count, lost) in [(41_u32, 1_u32, 0_u8), (43, 2, 3)] {
        let mut file = vec![0; 50];
        file[0..4].copy_from_slice(&((50 + 4 + first) as u32).to_be_bytes());
        file[4..8].copy_from_slice(&50_u32.to_be_bytes());
        file[18..22].copy_from_slice(&count.to_be_bytes());
        file[22..26].copy_from_slice(&number.to_be_bytes());
        file[47] = lost;
        file.extend((first as u16).to_be_bytes());
        file.extend([0x61, 0x20]);
        file.extend(&records[..first]);
        fs::write(gateway.0.path().join(format!("in/{number}.cdr")), file).unwrap();
    }
    gateway.run();
    let lines = report(&gateway, "");
    let of_files: Vec<&String> = lines.iter().filter(|line| !line.starts_with("record")).collect();
    assert_eq!(
        of_files,
        [
            "file expected 41 43 3",
            "file received 41 43 2",
            "file missing 42 42 1 43.cdr",
            "total lost records agrees 1",
            "total lost records differs 3 0 1 43.cdr",
            "total records agrees 1",
            "total records differs 2 1 1 43.cdr",
        ]
    );
    assert!(
        lines.iter().any(|line| line.starts_with("record") && line.contains("repeated")),
        "{lines:?}"
    );
}

#[test]
fn the_header_of_ts_32_297_is_held_against_its_file_though_nothing_asks_for_it() {
    let flow = r#"
[asn1]
modules = ["asn1/pgw.asn1"]
[network-element.pgw]
collect = { dir = "in", pattern = "*.cdr" }
decode  = { type = "PGW.GatewayRecord", framing = "ts-32.297" }
[post-processing-system.out]
from    = "pgw"
encode  = { type = "PGW.GatewayRecord", codec = "json" }
deliver = { dir = "out" }
"#;
    let gateway = example("pgw", flow);
    let records = fs::read(gateway.0.path().join("in/pgw-1-0001.ber")).unwrap();
    let first = 4 + usize::from(records[3]);
    let file = |number: u32, count: u32, header: u32| {
        let mut file = ((52 + 2 * (4 + first)) as u32).to_be_bytes().to_vec();
        file.extend(header.to_be_bytes());
        file.resize(52, 0);
        file[18..22].copy_from_slice(&count.to_be_bytes());
        // With a number of its own: the same contents would be a duplicate.
        file[22..26].copy_from_slice(&number.to_be_bytes());
        for _ in 0..2 {
            file.extend((first as u16).to_be_bytes());
            file.extend([0x61, 0x20]);
            file.extend(&records[..first]);
        }
        fs::write(gateway.0.path().join(format!("in/{number}.cdr")), file).unwrap();
    };
    file(10, 2, 52);
    assert_eq!(gateway.run(), "", "all agrees");
    (11..22).for_each(|number| file(number, 3, 52));
    let differs = |number: u32| format!("in \"{number}.cdr\", records is said to be 3, found 2");
    let differ: Vec<String> = (11..21).map(differs).collect();
    let said = gateway.run();
    assert_eq!(said, format!("alarm: pgw: {}; and 1 more file", differ.join("; ")));
    // No record is lost if a file's header states a header length greater than the real one: only the header is set
    // aside.
    file(30, 2, 52 + 4 + first as u32);
    file(31, 2, 0xFFFF);
    gateway.tollgate("run flow.toml --once");
    let (_, listed, _) = gateway.tollgate("suspense list flow.toml");
    assert_eq!(listed.matches("the file's header says").count(), 2, "{listed}");
    let delivered =
        |file: &str| fs::read_to_string(gateway.0.path().join("out").join(file)).unwrap();
    for file in ["pgw-30.cdr.json", "pgw-31.cdr.json"] {
        assert_eq!(delivered(file).lines().count(), 2, "{file}");
    }
    let lines = report(&gateway, "");
    // A header that is set aside is not counted as a record.
    assert!(lines.contains(&"total records agrees 3".to_owned()), "{lines:?}");
}

/// Asserts what `check` reports if the element is counted by these settings.
fn check_mistake(lines: &str, said: &str) {
    let gateway = Gateway::counting(lines);
    let script = "INTEGER twice(call CONST Call) { return call.number * 2; }";
    fs::write(gateway.0.path().join("numbers.dup"), script).unwrap();
    let (_, shown, wrong) = gateway.tollgate("check flow.toml");
    let text = shown + &wrong;
    assert!(text.contains(said), "{lines}: {text}");
    assert_eq!(text.matches("flow.toml:").count(), 1, "{text}");
}

#[test]
fn mistakes_are_said_at_their_place() {
    for (lines, said) in [
        (r#"file-sequence = { first = 1, last = 9 }"#, "8:1: nothing says what number a file has"),
        (
            r#"file-sequence = { name = "{number}", header = true, first = 1, last = 9 }"#,
            "a file has one number: one of \"name\", \"header\" and \"number\" says it",
        ),
        (
            r#"file-sequence = { name = "a", first = 1, last = 9 }"#,
            "a name has one number: write {number} once",
        ),
        (
            r#"file-sequence = { name = "{number}", last = 9 }"#,
            "nothing says what the first number is",
        ),
        (
            r#"file-sequence = { name = "{number}", first = 9, last = 9 }"#,
            "there is no number from 9 to 9",
        ),
        (
            r#"file-sequence = { name = "{number}", first = 1, last = 9, reach = 5 }"#,
            "of so few numbers, one that is 5 away may be before or behind: \"reach\" is from 1 to 4",
        ),
        (
            r#"file-sequence = { header = true, first = 1, last = 9 }"#,
            "8:28: files that are decoded so have no header",
        ),
        (
            r#"file-sequence = { header = false, first = 1, last = 9 }"#,
            "8:28: nothing else says what number a file has",
        ),
        (r#"file-sequence = { silent = "soon" }"#, "\"soon\" is no length of time"),
        (
            r#"record-sequence = { first = 1, last = 9 }"#,
            "8:1: nothing says what number a record has",
        ),
        (
            r#"record-sequence = { number = "record.nunber", first = 1, last = 9 }"#,
            "8:38: M.Call has no field \"nunber\"",
        ),
        (r#"totals = { records = "record.node" }"#, "only numbers are summed"),
        (
            r#"totals = { sums = ["record.charge"] }"#,
            "a sum says what each record adds, and what the file says of all",
        ),
        (
            r#"totals = { sums = ["record.charge = record.totel"] }"#,
            "8:44: M.Call has no field \"totel\"",
        ),
        (
            r#"totals = { script = "numbers.dup", sums = ["twice = total"] }"#,
            "8:53: the script has no function \"total\"",
        ),
    ] {
        check_mistake(lines, said);
    }
}

#[test]
fn functions_of_a_script_may_say_the_numbers() {
    let gateway = Gateway::counting(
        r#"record-sequence = { script = "numbers.dup", number = "twice", first = 1, last = 999 }"#,
    );
    let script = "INTEGER twice(call CONST Call) { return call.number * 2; }";
    fs::write(gateway.0.path().join("numbers.dup"), script).unwrap();
    gateway.put("a.csv", &["1", "2"]);
    gateway.run();
    let lines = ["record expected 2 4 3", "record received 2 4 2", "record missing 3 3 1 a.csv"];
    assert_eq!(report(&gateway, ""), lines);
}

#[test]
fn an_alarm_of_what_is_no_longer_counted_is_over() {
    let gateway = Gateway::counting(FILES);
    gateway.put("MSC_5.csv", &["1"]);
    gateway.put("MSC_7.csv", &["2"]);
    assert_eq!(gateway.run(), "alarm: boston files: missing 6 (1 in all)");
    let flow = gateway.0.path().join("flow.toml");
    fs::write(&flow, FLOW.replace("SEQUENCE", "")).unwrap();
    assert_eq!(gateway.run(), "alarm over: boston files: missing 6 (1 in all)");
    fs::write(&flow, FLOW.replace("SEQUENCE", FILES)).unwrap();
    assert_eq!(gateway.run(), "");
    gateway.put("MSC_8.csv", &["3"]);
    assert_eq!(gateway.run(), "alarm: boston files: missing 6 (1 in all)", "and is missing still");
}

#[test]
fn a_gateway_that_runs_tells_what_is_missing_and_what_came() {
    let gateway = Gateway::counting(FILES);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(gateway.0.path())
        .args(["run", "flow.toml"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let raised = |wanted: &[&str]| {
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while gateway.raised() != wanted && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
        gateway.raised() == wanted
    };
    gateway.put("MSC_5.csv", &["1"]);
    gateway.put("MSC_7.csv", &["2"]);
    let is_told = raised(&["boston files: missing 6 (1 in all)"]);
    gateway.put("MSC_6.csv", &["3"]);
    let is_over = raised(&[]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_told && is_over, "told {is_told}, over {is_over}");
    assert_eq!(
        report(&gateway, ""),
        ["file expected 5 7 3", "file received 5 7 3", "file late 6 6 1 MSC_6.csv"]
    );
}

#[test]
fn what_is_accepted_to_be_lost_is_missing_no_more_and_late_if_it_comes() {
    let gateway = Gateway::counting(FILES);
    for (place, number) in [96, 3].into_iter().enumerate() {
        gateway.put(&format!("MSC_{number}.csv"), &[&place.to_string()]);
        gateway.run();
    }
    let accept = |numbers: &str| {
        let line = format!(
            "sequence flow.toml --network-element boston --accept {numbers} --because flood --by Ada"
        );
        let (status, shown, wrong) = gateway.tollgate(&line);
        format!("{status} {shown}{wrong}")
    };
    assert_eq!(gateway.raised(), ["boston files: missing 97 to 2 (5 in all)"]);
    assert_eq!(accept("98-1"), "0 accepted to be lost: 3\n");
    let missing =
        "none of them is missing: nothing was accepted. boston files: missing 97, 2 (2 in all)";
    assert_eq!(accept("98-1"), format!("2 {missing}\n"));
    assert_eq!(accept("100"), format!("2 {missing}\n"));
    let swapped = "9-4 goes round, by most numbers there are: 4-9 was meant? Nothing was accepted";
    assert_eq!(accept("9-4"), format!("2 {swapped}\n"));
    let uncounted = "boston files of x are not counted: nothing was accepted";
    assert_eq!(accept("2 --series x"), format!("2 {uncounted}\n"));
    let (_, _, said) =
        gateway.tollgate("sequence --network-element bostn --accept 2 --because flood");
    assert!(said.starts_with("no network element \"bostn\""), "{said}");
    assert_eq!(gateway.raised(), ["boston files: missing 97, 2 (2 in all)"]);
    gateway.put("MSC_99.csv", &["99"]);
    gateway.run();
    assert_eq!(gateway.raised(), ["boston files: missing 97, 2 (2 in all)"]);
    let lines = [
        "file expected 96 3 7",
        "file received 96 3 3",
        "file missing 97 97 1 MSC_3.csv",
        "file accepted 98 98 1 MSC_3.csv Ada: flood",
        "file late 99 99 1 MSC_99.csv Ada: flood",
        "file accepted 1 1 1 MSC_3.csv Ada: flood",
        "file missing 2 2 1 MSC_3.csv",
    ];
    assert_eq!(report(&gateway, ""), lines);
    accept("97-2");
    assert_eq!(gateway.raised(), [""; 0]);
    assert_eq!(gateway.tollgate("sequence").0, 0, "nothing has to be looked into");
    let (_, trail, _) = gateway.tollgate("trail");
    let noted: Vec<&str> =
        trail.lines().filter_map(|line| line.split_once("Ada\t")).map(|(_, noted)| noted).collect();
    let deeds = [
        "sequence --accept\t3 numbers: boston files, 98 to 1\tflood",
        "sequence --accept\t2 numbers: boston files, 97 to 2\tflood",
    ];
    assert_eq!(noted, deeds);
    let (status, _, said) = gateway.tollgate("sequence flow.toml --accept 5");
    assert!(status == 2 && said.contains("--because"), "{said}");
}

#[test]
fn a_record_that_can_be_read_only_when_it_is_corrected_closes_its_gap_then() {
    let gateway = Gateway::counting(RECORDS);
    gateway.put("a.csv", &["1 a", "x a", "3 a"]);
    assert_eq!(gateway.run(), "alarm: boston records of a: missing 2 (1 in all)");
    let octets: String = "2,a,,,".bytes().map(|octet| format!("{octet:02x}")).collect();
    let (status, _, said) =
        gateway.tollgate(&format!("suspense edit flow.toml 1 --octets {octets} --because typo"));
    assert_eq!(status, 0, "{said}");
    gateway.tollgate("suspense retry flow.toml --all");
    gateway.run();
    let lines = ["record a expected 1 3 3", "record a received 1 3 3", "record a late 2 2 1 a.csv"];
    assert_eq!(report(&gateway, ""), lines);
    assert_eq!(gateway.raised(), [""; 0]);
}
