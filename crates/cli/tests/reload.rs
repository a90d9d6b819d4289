//! Tests `tollgate reload`: what a running gateway answers, and what it does then.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::wait::wait_for;
use serde_json::Value;
use tempfile::TempDir;

const FLOW: &str = include_str!("flows/mark.toml");

/// Turns of the loop with which a file of 2,000 records takes some seconds.
const LONG: usize = 2_000_000;

/// A flow whose formatter writes a number into every record, after some turns of a loop.
struct Place {
    folder: TempDir,
    records: Vec<u8>,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let place = |name: &str| folder.path().join(name);
        let module = Path::new(env!("CARGO_MANIFEST_DIR"));
        let module = module.join("../../examples/msc-billing/asn1/msc.asn1");
        fs::copy(module, place("msc.asn1")).unwrap();
        fs::write(place("flow.toml"), FLOW).unwrap();
        fs::create_dir(place("in")).unwrap();
        let options = ["--count", "100", "--files", "1", "--centre", "boston:8", "made"];
        let simulated = tollgate(folder.path()).args(["simulate", "cdr"]).args(options).output();
        assert!(simulated.unwrap().status.success());
        let records = fs::read(place("made/boston/boston-00001.ber")).unwrap();
        let place = Place { folder, records };
        place.script(1, 1);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file atomically.
    fn put(&self, name: &str, octets: &[u8]) {
        fs::write(self.path("part"), octets).unwrap();
        fs::rename(self.path("part"), self.path(name)).unwrap();
    }

    fn script(&self, number: usize, turns: usize) {
        let text = format!(
            "NULL mark(cdr CallDataRecord)\n{{\n  declare i INTEGER;\n  \
             for (i := 0; i < {turns}; i += 1) {{ cdr.callDuration := i; }}\n  \
             cdr.sequenceNumber := {number};\n}}\n"
        );
        self.put("mark.dup", text.as_bytes());
    }

    /// Starts a gateway of one worker, and waits until it accepts requests.
    fn gateway(&self) -> Gateway {
        let mut command = tollgate(self.folder.path());
        command
            .args(["run", "flow.toml", "--workers", "1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let gateway = Gateway(command.spawn().unwrap());
        wait_for("a gateway that answers", || self.reload().0 == 0);
        gateway
    }

    /// Returns the status, standard output and standard error of a request.
    fn reload(&self) -> (i32, String, String) {
        self.reload_of("flow.toml")
    }

    fn reload_of(&self, flow: &str) -> (i32, String, String) {
        let output = tollgate(self.folder.path()).args(["reload", flow]).output().unwrap();
        let text = |octets| String::from_utf8(octets).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Returns the status of a list of the alarms, and the list.
    fn alarms(&self) -> (i32, String) {
        let output = tollgate(self.folder.path()).args(["alarms", "flow.toml"]).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// Changes the script until a change has to wait for a file in work; returns the script's number, and the answer.
    fn pending(&self) -> (usize, String) {
        let (mut number, mut shown) = (1, String::new());
        // Until the work on the file has begun, each of these changes is active at once.
        wait_for("a request while the file is in work", || {
            number += 1;
            self.script(number, LONG);
            shown = self.reload().1;
            shown.contains("when the input files in work are done")
        });
        (number, shown)
    }

    /// Adds a file, and returns the number that its records are given.
    fn number_of(&self, file: &str) -> u64 {
        self.put(&format!("in/{file}.ber"), &self.records);
        self.number_in(file)
    }

    /// Returns the number that the records of an existing file are given.
    fn number_in(&self, file: &str) -> u64 {
        let made = self.path(&format!("out/boston-{file}.ber.json"));
        wait_for("a file", || made.exists());
        let text = fs::read_to_string(made).unwrap();
        let record: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        record["sequenceNumber"].as_u64().unwrap()
    }
}

/// A running gateway, killed when this value is dropped.
struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn tollgate(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder);
    command
}

#[test]
fn what_was_changed_runs_when_the_answer_says_so() {
    let place = Place::new();
    let _gateway = place.gateway();
    assert_eq!(place.number_of("before"), 1);
    place.script(2, 1);
    let (status, shown, wrong) = place.reload();
    assert_eq!((status, wrong.as_str()), (0, ""));
    assert!(shown.starts_with("the flow runs as its files are now\n"), "{shown}");
    assert!(shown.ends_with(" s ago: node \"mark\"\n"), "{shown}");
    assert_eq!(place.number_of("after"), 2);
}

#[test]
fn mistakes_are_shown_and_the_flow_goes_on_as_it_was() {
    let place = Place::new();
    let _gateway = place.gateway();
    place.put("mark.dup", b"NULL mark(cdr CallDataRecord)\n{ cdr.nothing := 1; }\n");
    let (status, _, wrong) = place.reload();
    assert_eq!(status, 1, "{wrong}");
    assert!(wrong.contains("mark.dup:2:") && wrong.contains("\"nothing\""), "{wrong}");
    assert!(wrong.ends_with("the flow has mistakes: it goes on as it was\n"), "{wrong}");
    assert_eq!(place.number_of("after"), 1);
    // The audit trail does not claim that the change runs.
    let trail = tollgate(place.folder.path()).args(["trail", "flow.toml", "--json"]).output();
    let trail = String::from_utf8(trail.unwrap().stdout).unwrap();
    let entry: Value = serde_json::from_str(trail.lines().last().unwrap()).unwrap();
    let (action, reason) = (&entry["action"], &entry["reason"]);
    assert_eq!((action, reason), (&"reload".into(), &"not active: the flow has mistakes".into()));
}

#[test]
fn a_module_whose_types_lead_in_a_circle_is_a_mistake_and_the_gateway_goes_on() {
    let place = Place::new();
    let mut gateway = place.gateway();
    let module = fs::read_to_string(place.path("msc.asn1")).unwrap();
    for extra in [
        "Extra ::= SEQUENCE { COMPONENTS OF Extra }",
        "Extra ::= Of {NULL} Of {T} ::= SEQUENCE { COMPONENTS OF Of {SEQUENCE OF T} }",
        "Extra ::= Of {NULL} Of {T} ::= SEQUENCE { a [0] Of {SEQUENCE OF T}, b [1] Of {SET OF T} }",
    ] {
        let changed = module
            .replace("sequenceNumber       [16]", "extra [99] Extra OPTIONAL, sequenceNumber [16]")
            .replace("Details ::=", &format!("{extra}\nDetails ::="));
        assert_ne!(changed, module);
        place.put("msc.asn1", changed.as_bytes());
        let (status, _, wrong) = place.reload();
        assert_eq!(status, 1, "{extra}: {wrong}");
        assert!(wrong.contains("msc.asn1:"), "{extra}: {wrong}");
        assert!(wrong.ends_with("the flow has mistakes: it goes on as it was\n"), "{wrong}");
        assert!(gateway.0.try_wait().unwrap().is_none(), "{extra}");
    }
    assert_eq!(place.number_of("after"), 1);
}

#[test]
fn a_flow_with_mistakes_is_an_alarm_until_one_is_taken() {
    let place = Place::new();
    let gateway = place.gateway();
    let wrong = || {
        let text = "NULL mark(cdr CallDataRecord)\n{ cdr.nothing := 1; cdr.no := 2; }\n";
        place.put("mark.dup", text.as_bytes());
    };
    let told = "flow-refused\tthe flow goes on as it was, since it has changed and has 2 mistakes: mark.dup:2:";
    let is_told = || {
        let shown = place.alarms().1;
        shown.contains(told) && shown.ends_with(", and 1 more\t\n")
    };
    // The gateway notices the mistake by itself.
    wrong();
    wait_for("the alarm", is_told);
    assert_eq!(place.alarms().1.lines().count(), 1);
    place.script(2, 1);
    wait_for("its end", || place.alarms() == (0, String::new()));
    assert_eq!(place.number_of("mended"), 2);
    // The gateway notices the mistake with a request.
    wrong();
    assert_eq!(place.reload().0, 1);
    assert!(is_told(), "{:?}", place.alarms());
    place.script(2, 1);
    assert_eq!(place.reload().0, 0);
    assert_eq!(place.alarms(), (0, String::new()), "its files are as it runs");
    // The alarm ends with the next start.
    wrong();
    wait_for("the alarm", is_told);
    drop(gateway);
    place.script(3, 1);
    let _gateway = place.gateway();
    assert_eq!(place.alarms(), (0, String::new()));
}

#[test]
fn who_waits_for_a_large_file_is_told_so() {
    let place = Place::new();
    place.script(1, LONG);
    let _gateway = place.gateway();
    place.put("in/large.ber", &place.records.repeat(20));
    let (_, shown) = place.pending();
    assert!(shown.ends_with("will change: node \"mark\"\n"), "{shown}");
}

#[test]
fn a_change_that_was_taken_back_meets_no_file() {
    // The change is withdrawn by the earlier script, or by one with a mistake.
    for (is_mended, status) in [(true, 0), (false, 1)] {
        let place = Place::new();
        place.script(1, LONG);
        // The small files are begun after the large one, and are found together with it.
        for small in ["b", "c"] {
            place.put(&format!("in/{small}.ber"), &place.records);
        }
        place.put("in/a.ber", &place.records.repeat(20));
        let _gateway = place.gateway();
        let (withdrawn, _) = place.pending();
        match is_mended {
            true => place.script(withdrawn - 1, LONG),
            false => {
                place.put("mark.dup", b"NULL mark(cdr CallDataRecord)\n{ cdr.nothing := 1; }\n")
            }
        }
        let answer = place.reload();
        assert_eq!(answer.0, status, "{answer:?}");
        for file in ["a", "b", "c"] {
            assert!(place.number_in(file) < withdrawn as u64, "{file}");
        }
    }
}

#[test]
fn who_does_not_read_the_answer_does_not_keep_the_gateway() {
    let place = Place::new();
    let mut gateway = place.gateway();
    let wrong = "  cdr.nothing := 1;\n".repeat(6_000);
    let script = format!("NULL mark(cdr CallDataRecord)\n{{\n{wrong}}}\n");
    place.put("mark.dup", script.as_bytes());
    let (_, _, shown) = place.reload();
    assert!(shown.contains("\n\nand 5900 more\n\nthe flow has mistakes"), "{shown}");
    let mut client = UnixStream::connect(place.path("flow.state/socket")).unwrap();
    client.write_all(b"reload\n").unwrap();
    let id = gateway.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    wait_for("the end of the gateway", || gateway.0.try_wait().unwrap().is_some());
}

#[test]
fn the_gateway_of_a_flow_is_found_by_a_link_too() {
    let place = Place::new();
    let _gateway = place.gateway();
    symlink("flow.toml", place.path("link.toml")).unwrap();
    let (status, _, wrong) = place.reload_of("link.toml");
    assert_eq!((status, wrong.as_str()), (0, ""));
}

#[test]
fn what_keeps_a_gateway_from_being_asked_is_said() {
    let place = Place::new();
    fs::create_dir(place.path("flow.state")).unwrap();
    let _other = UnixDatagram::bind(place.path("flow.state/socket")).unwrap();
    let (status, _, wrong) = place.reload();
    assert_eq!(status, 2);
    assert!(wrong.starts_with("cannot ask whether a gateway runs \"flow.toml\": "), "{wrong}");
}

#[test]
fn where_nothing_runs_the_answer_is_that() {
    let place = Place::new();
    let nobody = (2, String::new(), "no gateway runs \"flow.toml\"\n".to_owned());
    assert_eq!(place.reload(), nobody);
    let gateway = place.gateway();
    let socket = place.path("flow.state/socket");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    // A gateway that is killed leaves its socket; the next takes it over.
    drop(gateway);
    assert!(socket.exists());
    assert_eq!(place.reload(), nobody);
    let _gateway = place.gateway();
}
