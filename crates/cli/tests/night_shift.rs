//! Tests the alarms that need no settings: records that go to suspense, and files that do not come.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::common::clock::off_by;

const MODULE: &str = "Calls DEFINITIONS IMPLICIT TAGS ::= BEGIN\n\
    Call ::= SEQUENCE { number [0] INTEGER, seconds [1] INTEGER OPTIONAL }\nEND\n";

/// A script that cannot process a call without seconds.
const SCRIPT: &str = "BOOLEAN isLong(call CONST Call) { return call.seconds >= 0; }\n";

const FLOW: &str = r#"[asn1]
modules = ["calls.asn1"]

[network-element.switch]
collect = { dir = "in" }
decode = { type = "Calls.Call" }

[filter.isLong]
from = "switch"
script = "long.dup"

[post-processing-system.billing]
from = "isLong"
encode = { codec = "ber" }
deliver = { dir = "out" }
"#;

struct Flow(TempDir);

impl Flow {
    fn new(more: &str) -> Self {
        let flow = Flow(TempDir::new().unwrap());
        fs::create_dir(flow.path("in")).unwrap();
        fs::create_dir(flow.path("out")).unwrap();
        fs::write(flow.path("calls.asn1"), MODULE).unwrap();
        fs::write(flow.path("long.dup"), SCRIPT).unwrap();
        fs::write(flow.path("flow.toml"), format!("{FLOW}\n{more}")).unwrap();
        flow
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Adds a file with `calls` calls. The first `without` of them have no seconds.
    fn file(&self, name: &str, calls: u8, without: u8) {
        // The name as a number, so that no file is a duplicate of another.
        let number = [&[0x80, name.len() as u8], name.as_bytes()].concat();
        let call = |place: u8| {
            let seconds: &[u8] = if place < without { &[] } else { &[0x81, 1, 9] };
            let length = (number.len() + seconds.len()) as u8;
            [&[0x30, length], &number[..], seconds].concat()
        };
        let octets: Vec<u8> = (0..calls).flat_map(call).collect();
        let path = self.path("in").join(name);
        fs::write(&path, octets).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(self.0.path()).args(line.split(' '));
        command
    }

    fn run(&self) {
        let output = self.command("run flow.toml --once").output().unwrap();
        assert!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn discard_all(&self) {
        let line = "suspense discard flow.toml --all --yes --because done";
        let output = self.command(line).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn alarms(&self) -> String {
        let output = self.command("alarms flow.toml").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn half_of_the_records_in_suspense_are_an_alarm_for_the_network_element_and_the_node() {
    let flow = Flow::new("");
    flow.file("a", 100, 50);
    flow.run();
    let alarms = flow.alarms();
    for (subject, of) in [("switch", ""), ("isLong", " of switch")] {
        let message = format!(
            "records-suspended\t{subject}: 50 of the 100 records of \"a\"{of} went to suspense"
        );
        assert!(alarms.contains(&message), "{alarms}");
    }
    // The alarm ends with records that are as usual.
    flow.file("b", 100, 7);
    flow.run();
    assert_eq!(flow.alarms(), "");
    // The alarm also ends when suspense is empty.
    flow.file("c", 100, 50);
    flow.run();
    assert!(flow.alarms().contains("\"c\""));
    flow.run();
    assert!(flow.alarms().contains("\"c\""), "no file came, and the records are still there");
    flow.discard_all();
    flow.run();
    assert_eq!(flow.alarms(), "");
}

#[test]
fn a_few_records_are_no_alarm_and_neither_is_a_share_that_the_flow_allows() {
    let flow = Flow::new("");
    flow.file("a", 9, 9);
    flow.run();
    assert_eq!(flow.alarms(), "");
    let flow = Flow::new("[alarms]\nsuspended-share = \"60 %\"\n");
    flow.file("a", 100, 50);
    flow.run();
    assert_eq!(flow.alarms(), "");
    flow.file("b", 100, 60);
    flow.run();
    assert!(flow.alarms().contains("60 of the 100 records of \"b\""));
    let flow = Flow::new("[alarms]\nsuspended-share = \"off\"\n");
    flow.file("a", 100, 100);
    flow.run();
    assert_eq!(flow.alarms(), "");
}

#[test]
fn records_that_stay_in_suspense_are_an_alarm() {
    let flow = Flow::new("[alarms]\nsuspense-age = \"1 millisecond\"\n");
    flow.file("a", 100, 1);
    flow.run();
    flow.run();
    let alarms = flow.alarms();
    assert!(
        alarms.contains("suspense-old\trecords of switch have been in suspense since"),
        "{alarms}"
    );
    assert!(alarms.contains("at \"isLong\""), "{alarms}");
    flow.discard_all();
    flow.run();
    assert_eq!(flow.alarms(), "");
}

#[test]
fn a_file_that_is_later_than_usual_is_an_alarm_for_who_sends_it_and_who_gets_it() {
    let flow = Flow::new("");
    let at_hour = |hour: i32| {
        let mut command = flow.command("run flow.toml --once");
        let Some(command) = off_by(&mut command, &format!("+{hour}h")) else { return false };
        let output = command.output().unwrap();
        assert!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        true
    };
    const LEARNED: i32 = 17 * 24;
    for hour in (0..=LEARNED).step_by(24) {
        flow.file(&format!("a{hour}"), 3, 0);
        if !at_hour(hour) {
            return;
        }
    }
    at_hour(LEARNED + 25);
    assert_eq!(flow.alarms(), "", "two hours more are not much");
    at_hour(LEARNED + 27);
    let alarms = flow.alarms();
    let element = "element-late\tswitch: no file since";
    assert!(alarms.contains(element) && alarms.contains("one within 24 hours"), "{alarms}");
    assert!(!alarms.contains("receiver-late"), "that has no other reason: {alarms}");
    // A gateway that has just started has not waited yet, which does not end the alarm.
    let mut gateway = flow.command("run flow.toml");
    let gateway = off_by(&mut gateway, &format!("+{}h", LEARNED + 40)).expect("it is installed");
    let mut gateway = gateway.stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(4));
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    assert!(flow.alarms().contains(element), "{}", flow.alarms());
    // The records of this file go to suspense, so that the receiver gets none of them.
    flow.file("b", 3, 3);
    at_hour(LEARNED + 41);
    let alarms = flow.alarms();
    assert!(!alarms.contains(element), "{alarms}");
    assert!(alarms.contains("receiver-late\tbilling: no file for it since"), "{alarms}");
    flow.file("c", 3, 0);
    at_hour(LEARNED + 42);
    assert_eq!(flow.alarms(), "");
}

#[test]
fn settings_of_alarms_that_mean_nothing_are_mistakes() {
    for (more, message) in [
        ("[alarms]\nsuspended-share = \"10\"\n", "\"10\" is not a percentage from 0 to 100"),
        ("[alarms]\nsuspended-share = \"0 %\"\n", "\"0 %\" is not a percentage from 0 to 100"),
        ("[alarms]\nsuspended-share = \"101 %\"\n", "\"101 %\" is not a percentage from 0 to 100"),
        ("[alarms]\nsuspended-records = 0\n", "is a number from 1"),
        ("[alarms]\nsuspense-age = \"soon\"\n", "\"soon\" is no length of time"),
        ("[alarms]\nlate = \"never\"\n", "\"late\" is not \"never\""),
        ("[alarms]\nshare = \"1 %\"\n", "share"),
    ] {
        let flow = Flow::new(more);
        let output = flow.command("check flow.toml").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && said.contains(message), "{more}: {said}");
    }
}

#[test]
fn a_secret_that_everybody_may_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;
    // Tests may run below a folder that only their user may enter; all users may enter this one.
    let secrets = tempfile::tempdir_in("/tmp").unwrap();
    let token = secrets.path().join("token");
    let flow = Flow::new(&format!(
        "[notify.duty]\nurl = \"https://localhost:1\"\ntoken-file = \"{}\"\n",
        token.display()
    ));
    fs::write(&token, "secret").unwrap();
    let check = |mode: u32, folder: u32| {
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        set(&token, mode);
        set(secrets.path(), folder);
        let output = flow.command("check flow.toml").output().unwrap();
        assert!(output.status.success());
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8(said).unwrap().contains("every user of this machine may read")
    };
    assert!(check(0o644, 0o755));
    assert!(!check(0o600, 0o755));
    assert!(!check(0o644, 0o700));
}
