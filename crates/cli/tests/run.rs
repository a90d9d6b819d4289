//! Tests `tollgate run` on simulated files with known faults.

use crate::common::suspense;
use crate::common::wait::wait_for;
use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const FLOW: &str = r#"
[asn1]
modules = ["msc.asn1"]

[network-element.boston]
collect = { dir = "in/boston", pattern = "*.ber" }
decode = { type = "MSC.CallDataRecord" }

[post-processing-system.billing]
from = "boston"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out" }
"#;

fn tollgate(folder: &TempDir, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder.path()).args(line.split(' ')).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn folder(flow: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msc-billing/asn1/msc.asn1");
    std::fs::copy(module, folder.path().join("msc.asn1")).unwrap();
    std::fs::write(folder.path().join("flow.toml"), flow).unwrap();
    folder
}

#[test]
fn every_record_is_delivered_or_in_suspense() {
    let folder = folder(FLOW);
    let simulate = "simulate cdr --count 2000 --files 2 --centre boston:8 --overrun 0.01 in";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    let (status, shown, _) = tollgate(&folder, "run flow.toml --once --json");
    assert_eq!(status, 1, "records in suspense are a fault");
    let report: Value = serde_json::from_str(&shown).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    for file in files {
        let name = file["file"].as_str().unwrap();
        let expected = folder.path().join(format!("in/boston/{name}.expected.json"));
        let expected: Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
        assert_eq!(file["records"], expected["records"]);
        assert_eq!(file["suspended"], expected["damaged"]);
        let sum = file["delivered"].as_u64().unwrap() + file["suspended"].as_u64().unwrap();
        assert_eq!(sum, file["records"].as_u64().unwrap());
    }
    let delivered: u64 = files.iter().map(|file| file["delivered"].as_u64().unwrap()).sum();
    let lines: usize = std::fs::read_dir(folder.path().join("out"))
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap().lines().count())
        .sum();
    assert_eq!(lines as u64, delivered);
    let (status, shown, _) = tollgate(&folder, "run flow.toml --once --json");
    let again: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((status, again["files"].as_array().unwrap().len()), (0, 0), "nothing is done twice");
}

#[test]
fn of_half_a_file_what_is_whole_goes_out_and_the_rest_says_that_it_is_half() {
    let folder = folder(FLOW);
    let simulate = "simulate cdr --count 100 --files 1 --centre boston:8 in";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    let input = folder.path().join("in/boston/boston-00001.ber");
    let whole = std::fs::read(&input).unwrap();
    std::fs::write(&input, &whole[..whole.len() / 2]).unwrap();
    let (status, shown, _) = tollgate(&folder, "run flow.toml --once --json");
    assert_eq!(status, 1);
    let report: Value = serde_json::from_str(&shown).unwrap();
    let file = &report["files"][0];
    let delivered = file["delivered"].as_u64().unwrap();
    assert!((30..70).contains(&delivered) && file["suspended"] == 1, "{file}");
    let (_, listed, _) = tollgate(&folder, "suspense list flow.toml --json");
    let listed: Value = serde_json::from_str(listed.trim()).unwrap();
    let reason = listed["reason"].as_str().unwrap();
    assert!(reason.contains("longer than the rest of the file"), "{reason}");
    assert_eq!(listed["record"], delivered + 1);
    // The complete file, later, is another file: all its records go out, including those that went out before, which a
    // duplicate check would recognize.
    std::fs::write(&input, whole).unwrap();
    std::fs::remove_dir_all(folder.path().join("out")).unwrap();
    let (status, shown, said) = tollgate(&folder, "run flow.toml --once --json");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((status, &report["files"][0]["delivered"]), (0, &100.into()), "{said}");
}

#[test]
fn a_record_that_a_script_makes_too_deep_goes_to_suspense() {
    const MODULE: &str = "Deep DEFINITIONS IMPLICIT TAGS ::= BEGIN
        Node ::= SEQUENCE { n [0] INTEGER, child [1] Node OPTIONAL } END";
    let flow = FLOW
        .replace("[\"msc.asn1\"]", "[\"msc.asn1\", \"deep.asn1\"]")
        .replace("type = \"MSC.CallDataRecord\", codec = \"json\"", "codec = \"json\"")
        .replace("from = \"boston\"", "from = \"deep\"")
        + "\n[formatter.deep]\nfrom = \"boston\"\nscript = \"deep.dup\"\n";
    for (levels, delivered) in [(64, 1), (65, 0)] {
        let folder = folder(&flow);
        let script = format!(
            "NULL deep(cdr CONST CallDataRecord, out Node) {{ down(out, 1); }}
             NULL down(node Node, n CONST INTEGER)
             {{ node.n := n; if (n < {levels}) {{ down(node.child, n + 1); }} }}"
        );
        std::fs::write(folder.path().join("deep.asn1"), MODULE).unwrap();
        std::fs::write(folder.path().join("deep.dup"), script).unwrap();
        let simulate = "simulate cdr --count 1 --files 1 --centre boston:8 in";
        assert_eq!(tollgate(&folder, simulate).0, 0);
        let (_, shown, wrong) = tollgate(&folder, "run flow.toml --once --json");
        assert_eq!(wrong.lines().find(|line| line.contains("mistake")), None, "{wrong}");
        let report: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(report["files"][0]["delivered"], delivered, "{levels}: {wrong}");
        assert_eq!(report["files"][0]["suspended"], 1 - delivered, "{levels}");
    }
}

/// Returns a `Node` of a module with `levels` levels inside each other.
fn nodes(levels: usize) -> Vec<u8> {
    const NUMBER: [u8; 3] = [0x80, 1, 0];
    let element = |tag: u8, content: &[u8]| {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        [&[tag, 0x82], &length[..], content].concat()
    };
    let around = |content: Vec<u8>, _| [&NUMBER[..], &element(0xA1, &content)].concat();
    element(0x30, &(1..levels).fold(NUMBER.to_vec(), around))
}

#[test]
fn a_value_that_nobody_looks_into_is_not_put_too_deep_either() {
    let flow = "[asn1]\nmodules = [\"deep.asn1\"]\n[network-element.boston]\ncollect = { dir = \"in\" }\n\
        decode = { type = \"Deep.Node\" }\n[formatter.deeper]\nfrom = \"boston\"\nscript = \"deeper.dup\"\n\
        [post-processing-system.billing]\nfrom = \"deeper\"\nencode = { type = \"Deep.Around\" }\n\
        deliver = { dir = \"out\" }\n";
    let module = "Deep DEFINITIONS IMPLICIT TAGS ::= BEGIN
        Node ::= SEQUENCE { n [0] INTEGER, child [1] Node OPTIONAL }
        Around ::= SEQUENCE { node [0] Node } END";
    let script = "NULL deeper(in CONST Node, out Around) { out.node := in; }";
    for (levels, delivered) in [(63, 1), (64, 0)] {
        let folder = folder(flow);
        std::fs::write(folder.path().join("deep.asn1"), module).unwrap();
        std::fs::write(folder.path().join("deeper.dup"), script).unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/1.ber"), nodes(levels)).unwrap();
        let (_, shown, wrong) = tollgate(&folder, "run flow.toml --once --json");
        let report: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{wrong}"));
        assert_eq!(report["files"][0]["delivered"], delivered, "{levels}: {wrong}");
        assert_eq!(report["files"][0]["suspended"], 1 - delivered, "{levels}");
    }
}

#[test]
fn records_that_nobody_looks_into_are_checked_all_the_same() {
    let folder = folder(&FLOW.replace("codec = \"json\"", "codec = \"ber\""));
    let simulate = "simulate cdr --count 2000 --files 1 --centre boston:8 --overrun 0.02 in";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    let (status, shown, _) = tollgate(&folder, "run flow.toml --once --json");
    assert_eq!(status, 1);
    let report: Value = serde_json::from_str(&shown).unwrap();
    let file = &report["files"][0];
    let expected = folder.path().join("in/boston/boston-00001.ber.expected.json");
    let expected: Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    assert_eq!(
        (&file["records"], &file["suspended"]),
        (&expected["records"], &expected["damaged"])
    );
}

#[test]
fn the_demo_finds_what_the_simulator_says() {
    let folder = TempDir::new().unwrap();
    let (status, shown, wrong) = tollgate(&folder, "demo here");
    assert_eq!(status, 0, "{wrong}");
    assert!(shown.contains("what the simulator says must come out"), "{shown}");
    assert!(!suspense(&folder.path().join("here")).is_empty(), "the demo has damaged records");
    // The outputs that it reports exist, and the command that it suggests runs.
    let made = shown.lines().filter(|line| line.contains(" records") && line.contains(".ber"));
    for line in made {
        let (_, path) = line.split_once(": ").unwrap();
        let (path, _) = path.split_once(", ").unwrap();
        assert!(path.starts_with("here/out/") && folder.path().join(path).exists(), "{line}");
    }
    let (_, typed) = shown.split_once("set aside; \"").unwrap();
    let (typed, _) = typed.split_once('"').unwrap();
    let mut list = std::process::Command::new("sh");
    list.current_dir(folder.path()).args(["-c", typed]);
    assert!(list.output().unwrap().status.success(), "{typed}");
}

#[test]
fn what_init_says_to_type_runs() {
    let folder = TempDir::new().unwrap();
    let (_, shown, _) = tollgate(&folder, "init here");
    let typed = shown.lines().last().unwrap();
    let mut run = std::process::Command::new("sh");
    run.current_dir(folder.path()).args(["-c", typed]);
    let ended = run.output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_run_that_finds_nothing_says_so() {
    let folder = folder(FLOW);
    std::fs::create_dir_all(folder.path().join("in/boston")).unwrap();
    let (status, shown, _) = tollgate(&folder, "run flow.toml --once");
    assert_eq!((status, shown.as_str()), (0, "there was nothing to do: no file was waiting\n"));
}

#[test]
#[cfg(unix)]
fn a_gateway_that_is_stopped_names_the_last_files_and_sums_all() {
    let folder = folder(FLOW);
    let simulate = "simulate cdr --count 60 --files 30 --centre boston:8 in";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    let gateway = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder.path())
        .args(["run", "flow.toml", "--workers", "1"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let last = folder.path().join("in/boston/boston-00030.ber.done");
    wait_for("the last file", || last.exists());
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &gateway.id().to_string()]).status().unwrap().success());
    let ended = gateway.wait_with_output().unwrap();
    let shown = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[1], "(10 files before these)", "{shown}");
    assert!(lines[2].starts_with("boston/boston-00011.ber "), "{shown}");
    let sum: Vec<&str> = lines[22].split_whitespace().collect();
    assert_eq!(sum, ["all", "30", "files", "60", "60", "0", "0", "0", "0"], "{shown}");
    assert_eq!(lines[23..], ["-> billing: 60 records in 30 files"], "{shown}");
}

#[test]
fn a_flow_with_mistakes_processes_nothing() {
    let folder = folder(&FLOW.replace("from = \"boston\"", "from = \"bosten\""));
    for line in ["check flow.toml", "run flow.toml --once"] {
        let (status, _, wrong) = tollgate(&folder, line);
        assert_eq!(status, 2);
        assert!(wrong.contains("flow.toml:10:9: "), "{wrong}");
        assert!(wrong.contains("did you mean \"boston\"?"), "{wrong}");
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn what_a_flow_names_and_is_not_there_is_a_warning() {
    const AT_HAND: &str = "deliver = { dir = \"out\" }";
    let key = "host-key = \"SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE\"";
    let far = format!(
        "deliver = {{ url = \"sftp://cdr@billing.example/in\", {key}, password-file = \"no.password\" }}"
    );
    let empty = far.replace("no.password", "empty.password");
    let told = format!("{AT_HAND}\n[notify.a]\nurl = \"https://a.se\"\ntoken-file = \"a.token\"");
    let served = format!("{AT_HAND}\n[serve]\ntoken-file = \"metrics.token\"");
    for (as_is, changed, warning) in [
        ("in/boston", "in/bostn", "flow.toml:6:20: warning: there is no folder \"in/bostn\""),
        ("in/boston", "in/bostn", "^^^^^^^^ did you mean \"boston\"?"),
        (AT_HAND, &far, "flow.toml:12:134: warning: could not read \"no.password\": "),
        (AT_HAND, &empty, "flow.toml:12:134: warning: \"empty.password\" is empty"),
        (AT_HAND, &told, "flow.toml:15:15: warning: could not read \"a.token\": "),
        (AT_HAND, &served, "flow.toml:14:15: warning: could not read \"metrics.token\": "),
    ] {
        let folder = folder(&FLOW.replace(as_is, changed));
        std::fs::create_dir_all(folder.path().join("in/boston")).unwrap();
        std::fs::write(folder.path().join("empty.password"), "").unwrap();
        let (status, shown, wrong) = tollgate(&folder, "check flow.toml");
        assert_eq!((status, shown.as_str()), (0, "no mistakes\n"), "{wrong}");
        assert!(wrong.contains(warning) && wrong.matches("warning").count() == 1, "{wrong}");
        if changed == "in/bostn" {
            let (_, _, said) = tollgate(&folder, "run flow.toml --once");
            assert!(said.contains(warning), "{said}");
        }
    }
    // In a new flow none of the folders exists yet.
    assert_eq!(tollgate(&folder(FLOW), "check flow.toml").2, "");
}

#[test]
fn a_module_without_a_tag_default_is_tagged_as_the_flow_says() {
    let module = "M DEFINITIONS ::= BEGIN R ::= SEQUENCE { n [0] INTEGER } END";
    let flow = |tagging: &str| {
        format!(
            "[asn1]\nmodules = [\"m.asn1\"]\n{tagging}\n[network-element.a]\ncollect = {{ dir = \"in\" }}\n\
             decode = {{ type = \"M.R\" }}\n[post-processing-system.b]\nfrom = \"a\"\n\
             encode = {{ type = \"M.R\", codec = \"json\" }}\ndeliver = {{ dir = \"out\" }}\n"
        )
    };
    for (tagging, status) in [
        ("", 1),
        ("tagging = \"implicit\"", 0),
        ("tagging = { M = \"implicit\" }", 0),
        ("tagging = { M = \"explicit\" }", 1),
        ("tagging = { N = \"implicit\" }", 2),
        ("tagging = \"implict\"", 2),
    ] {
        let folder = folder(&flow(tagging));
        std::fs::write(folder.path().join("m.asn1"), module).unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/x"), [0x30, 3, 0x80, 1, 5]).unwrap();
        let (found, _, wrong) = tollgate(&folder, "run flow.toml --once");
        assert_eq!(found, status, "{tagging}: {wrong}");
        if status == 1 && tagging.is_empty() {
            let suspense = suspense(folder.path());
            let hint = "with tagging \\\"implicit\\\" this is a record";
            assert!(suspense[0].contains(hint), "{suspense:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn outputs_of_two_files_with_one_name_never_replace_each_other() {
    let folder = folder(FLOW);
    assert_eq!(tollgate(&folder, "simulate cdr --count 40 --files 2 --centre boston:8 made").0, 0);
    let made = folder.path().join("made/boston");
    std::fs::create_dir_all(folder.path().join("in/boston")).unwrap();
    // Characters that would lead to another folder become "~" in the name of an output.
    for (made_name, name) in [("boston-00001.ber", "x~1.ber"), ("boston-00002.ber", "x\\01.ber")] {
        let input = folder.path().join("in/boston").join(name);
        std::fs::rename(made.join(made_name), input).unwrap();
    }
    for workers in ["1", "2"] {
        let (status, _, wrong) =
            tollgate(&folder, &format!("run flow.toml --once --workers {workers}"));
        assert_eq!(status, 1, "{wrong}");
        assert!(wrong.contains("1.ber"), "{wrong}");
    }
    let left = ["in/boston/x~1.ber", "in/boston/x\\01.ber"];
    let left = left.iter().filter(|file| folder.path().join(file).exists());
    assert_eq!(left.count(), 1, "the file whose output would replace another's stays where it is");
}

#[test]
#[cfg(unix)]
fn a_folder_that_is_missing_is_named_once_and_found_when_it_is_there() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = folder(FLOW);
    let simulate = "simulate cdr --count 50 --files 1 --centre boston:8 made";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder.path())
        .args(["run", "flow.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = folder.path().join("in");
    let done = |file: &str| {
        let end = Instant::now() + Duration::from_secs(60);
        while !input.join("boston").join(file).exists() {
            assert!(Instant::now() < end, "the gateway does nothing");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // Long enough for several looks at the missing folder.
    std::thread::sleep(Duration::from_millis(2500));
    std::fs::create_dir_all(&input).unwrap();
    std::fs::rename(folder.path().join("made/boston"), input.join("boston")).unwrap();
    done("boston-00001.ber.done");
    // The folder disappears, and comes back with another file.
    std::fs::rename(input.join("boston"), folder.path().join("away")).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let other = "simulate cdr --seed 2 --count 50 --files 1 --centre boston:8 other";
    assert_eq!(tollgate(&folder, other).0, 0);
    let other = folder.path().join("other/boston/boston-00001.ber");
    std::fs::rename(other, folder.path().join("away/again.ber")).unwrap();
    std::fs::rename(folder.path().join("away"), input.join("boston")).unwrap();
    done("again.ber.done");
    let stopped = Command::new("kill").args(["-INT", &gateway.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let mut told = String::new();
    std::io::Read::read_to_string(&mut gateway.stderr.take().unwrap(), &mut told).unwrap();
    assert!(gateway.wait().unwrap().success(), "{told}");
    assert!(told.contains("boston/again.ber: 50 records, 50 delivered, 0 filtered, 0 suspended"));
    // In addition to the alarm, which is raised and ends.
    let named = |line: &&str| line.starts_with("could not read the folder \"in/boston\"");
    let named = told.lines().filter(named).count();
    assert_eq!(named, 2, "once for each time: {told}");
}

#[test]
fn a_formatter_may_ask_where_its_record_comes_from() {
    let flow = FLOW.replace("from = \"boston\"", "from = \"mark\"")
        + "\n[formatter.mark]\nfrom = \"boston\"\nscript = \"mark.dup\"\n";
    let folder = folder(&flow);
    let script = "NULL mark(call CallDataRecord, context CONST RecordContext)
        {
          call.exchangeIdentity := concat(context.networkElement, \" \", context.file);
          call.sequenceNumber := context.recordNumber;
        }";
    std::fs::write(folder.path().join("mark.dup"), script).unwrap();
    let simulate = "simulate cdr --count 3 --files 1 --centre boston:8 in";
    assert_eq!(tollgate(&folder, simulate).0, 0);
    assert_eq!(tollgate(&folder, "run flow.toml --once").0, 0);
    let out = folder.path().join("out/boston-boston-00001.ber.json");
    let lines = std::fs::read_to_string(out).unwrap();
    for (line, number) in lines.lines().zip(1..) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["exchangeIdentity"], "boston boston-00001.ber");
        assert_eq!(record["sequenceNumber"], number);
    }
    assert_eq!(lines.lines().count(), 3);
    let run = "dup run mark.dup --record in/boston/boston-00001.ber.done";
    let (status, shown, wrong) = tollgate(&folder, run);
    assert_eq!(status, 0, "{wrong}");
    assert!(shown.contains("-> \" boston-00001.ber.done\""), "{shown}");
    // The context is only read.
    let script = "NULL mark(call CallDataRecord, context RecordContext) { return; }";
    std::fs::write(folder.path().join("mark.dup"), script).unwrap();
    let (status, _, told) = tollgate(&folder, "check flow.toml");
    assert_eq!(status, 2);
    assert!(told.contains("context CONST RecordContext may come behind"), "{told}");
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_marked_as_done_is_processed_once() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let done_elsewhere =
        FLOW.replace("pattern = \"*.ber\"", "pattern = \"*.ber\", move = \"done\"");
    let folder = folder(&done_elsewhere);
    assert_eq!(tollgate(&folder, "simulate cdr --count 50 --files 1 --centre boston:8 in").0, 0);
    std::fs::write(folder.path().join("done"), "a file where a folder should be").unwrap();
    let gateway = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder.path())
        .args(["run", "flow.toml", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(4500));
    let stopped = Command::new("kill").args(["-INT", &gateway.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = gateway.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["files"].as_array().unwrap().len(), 1, "{report}");
    let wrong = String::from_utf8(output.stderr).unwrap();
    let told = wrong.lines().filter(|line| line.starts_with("could not mark")).count();
    assert_eq!(told, 1, "told once, beside its alarm: {wrong}");
    assert_eq!(output.status.code(), Some(0), "it stopped as it was told to");
}

#[test]
fn a_long_script_is_interpreted_until_its_machine_code_is_there() {
    let flow = FLOW.replace("from = \"boston\"", "from = \"long\"")
        + "\n[formatter.long]\nfrom = \"boston\"\nscript = \"long.dup\"\n";
    let folder = folder(&flow);
    let lines = "  if (cdr.callDuration >= 0) { n += cdr.version; }\n".repeat(1500);
    let script = format!(
        "NULL long(cdr CallDataRecord)\n{{\n  declare n INTEGER := 0;\n{lines}  cdr.sequenceNumber := n;\n}}\n"
    );
    std::fs::write(folder.path().join("long.dup"), script).unwrap();
    // Enough work for the machine code to be ready before the end.
    assert_eq!(tollgate(&folder, "simulate cdr --count 60000 --files 2 --centre boston:8 in").0, 0);
    let (status, _, wrong) = tollgate(&folder, "run flow.toml --once --json");
    assert_eq!(status, 0, "{wrong}");
    let mut records = 0;
    for entry in std::fs::read_dir(folder.path().join("out")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            assert!(line.contains("\"sequenceNumber\":12000"), "{line}");
            records += 1;
        }
    }
    assert_eq!(records, 60_000);
}
