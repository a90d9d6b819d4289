//! Tests what `tollgate alarms` reports: where nothing is wrong, where no gateway has run, and who has acknowledged an
//! alarm.

use std::path::Path;

use crate::common::wait::wait_for;
use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn tollgate(folder: &TempDir, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder.path()).args(line.split(' ')).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_flow_that_never_ran_has_no_list_and_one_where_nothing_is_wrong_an_empty_one() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let (status, _, said) = tollgate(&folder, "alarms flow.toml");
    assert!(status == 2 && said.contains("no gateway has run \"flow.toml\" yet"), "{said}");
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms --all"), (0, String::new(), String::new()));
}

#[test]
fn a_file_that_cannot_be_processed_is_an_alarm_until_it_is() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let taken = folder.path().join("out/home/msc-boston-boston-00002.ber");
    std::fs::create_dir_all(taken.parent().unwrap()).unwrap();
    std::fs::write(&taken, "another file of this name").unwrap();
    let (_, _, said) = tollgate(&folder, "run flow.toml --once");
    assert!(said.contains("alarm: msc-boston: files could not be processed"), "{said}");
    let (status, shown, _) = tollgate(&folder, "alarms");
    assert!(status == 1 && shown.contains("boston-00002.ber"), "{shown}");
    std::fs::remove_file(&taken).unwrap();
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms"), (0, String::new(), String::new()));
    assert!(taken.exists());
}

#[test]
fn a_folder_that_cannot_be_read_is_an_alarm_until_it_can() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let (boston, away) = (folder.path().join("in/boston"), folder.path().join("away"));
    std::fs::rename(&boston, &away).unwrap();
    tollgate(&folder, "run flow.toml --once");
    let (status, shown, _) = tollgate(&folder, "alarms");
    let told = "folder-unreadable\tmsc-boston: could not read the folder \"in/boston\"";
    assert!(status == 1 && shown.contains(told), "{shown}");
    std::fs::rename(&away, &boston).unwrap();
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms"), (0, String::new(), String::new()));
}

#[test]
fn a_gateway_whose_journal_is_removed_ends_and_says_so() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let mut gateway = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let gateway = gateway.current_dir(folder.path()).args(["run", "flow.toml"]);
    let mut gateway = gateway.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let done = folder.path().join("in/boston/boston-00002.ber.done");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !done.exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::fs::remove_dir_all(folder.path().join("flow.state")).unwrap();
    while gateway.try_wait().unwrap().is_none() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let ended = gateway.try_wait().unwrap();
    let _ = gateway.kill();
    let said = String::from_utf8(gateway.wait_with_output().unwrap().stderr).unwrap();
    assert!(ended.is_some_and(|status| !status.success()), "{said}");
    assert!(said.contains("the journal is gone"), "{said}");
}

#[test]
fn a_reader_that_has_read_enough_ends_a_command_quietly() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    tollgate(&folder, "run flow.toml --once");
    for line in
        ["simulate cdr --count 10 more", "suspense list", "suspense list --json", "audit --csv"]
    {
        // There is no reader: the other end is closed before the command begins.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let command = command.current_dir(folder.path()).args(line.split(' ')).stdout(writer);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{line}");
    }
}

/// Returns the alarms that are raised.
fn raised(folder: &TempDir) -> Vec<Value> {
    let (_, listed, _) = tollgate(folder, "alarms flow.toml --json");
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A gateway that runs until this value is dropped.
struct Gateway(std::process::Child);

impl Gateway {
    fn start(folder: &TempDir) -> Self {
        let mut gateway = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let gateway = gateway.current_dir(folder.path()).args(["run", "flow.toml"]);
        Gateway(gateway.stderr(std::process::Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_alarm_is_acknowledged_with_and_without_a_gateway_until_it_comes_back() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let (boston, away) = (folder.path().join("in/boston"), folder.path().join("away"));
    std::fs::rename(&boston, &away).unwrap();
    tollgate(&folder, "run flow.toml --once");
    let first = raised(&folder).remove(0);
    assert_eq!(first["severity"], "major");
    assert_eq!(first["event_type"], "equipmentAlarm");
    assert_eq!(first["probable_cause"], "inputDeviceError");
    assert_eq!(first["acknowledged"], Value::Null);

    let acknowledge = "alarms acknowledge flow.toml --kind folder-unreadable --because moved";
    assert_eq!(tollgate(&folder, acknowledge).0, 0);
    let (status, shown, _) = tollgate(&folder, "alarms");
    assert!(status == 1 && shown.contains("\tby "), "it is raised still: {shown}");
    assert_eq!(raised(&folder)[0]["acknowledged"]["remark"], "moved");
    assert_eq!(tollgate(&folder, acknowledge), (1, "0 alarms acknowledged\n".into(), "".into()));

    let gateway = Gateway::start(&folder);
    // The gateway holds the lock once it reports that it runs.
    wait_for("the gateway", || tollgate(&folder, "reload flow.toml").0 == 0);
    let number = first["id"].to_string();
    let took_back = tollgate(&folder, &format!("alarms unacknowledge flow.toml {number}"));
    assert_eq!(took_back.1, "1 alarm no longer acknowledged\n");
    assert_eq!(raised(&folder)[0]["acknowledged"], Value::Null);
    assert_eq!(tollgate(&folder, "alarms acknowledge flow.toml --all").0, 0);
    assert!(raised(&folder)[0]["acknowledged"].is_object());
    std::fs::rename(&away, &boston).unwrap();
    wait_for("the end of the alarm", || raised(&folder).is_empty());
    std::fs::rename(&boston, &away).unwrap();
    wait_for("the alarm", || !raised(&folder).is_empty());
    assert_eq!(raised(&folder)[0]["acknowledged"], Value::Null, "it came back");
    drop(gateway);

    let (_, trail, _) = tollgate(&folder, "trail --json");
    let deeds: Vec<Value> = trail.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let actions: Vec<&str> = deeds.iter().map(|deed| deed["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        ["alarms acknowledge", "reload", "alarms unacknowledge", "alarms acknowledge"]
    );
    assert_eq!(deeds[0]["subject"], format!("alarm {number} folder-unreadable msc-boston"));
    assert_eq!(deeds[0]["reason"], "moved");
    let (_, trail, _) = tollgate(&folder, "alarms acknowledge --all --json");
    assert_eq!(trail, "{\"changed\":1}\n");
    assert!(!deeds[0]["who"].as_str().unwrap().is_empty());
    let all = tollgate(&folder, "alarms --all --json").1;
    let over: Value = serde_json::from_str(all.lines().next().unwrap()).unwrap();
    assert_eq!(over["severity"], "cleared");
    let (status, _, said) = tollgate(&folder, "alarms acknowledge flow.toml");
    assert!(status == 2 && said.contains("say which alarms are meant"), "{said}");
}

#[test]
fn the_reference_names_every_kind_of_alarm_with_its_severity() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/flow.md");
    let text = std::fs::read_to_string(page).unwrap();
    for alarm::Kind { name, severity, .. } in gateway::ALARMS.kinds() {
        let row = text.lines().find(|line| {
            let names = line.split('|').nth(1);
            names.is_some_and(|names| names.contains(&format!("`{name}`")))
                && line.split('|').count() == 6
        });
        let row = row.unwrap_or_else(|| panic!("the reference has no row of {name}"));
        assert_eq!(row.split('|').nth(2).unwrap().trim(), severity.word(), "{name}");
    }
}

/// The event types and probable causes of X.733 and X.736 that are used.
const X_733: [(&str, &[&str]); 7] = [
    (
        "communicationsAlarm",
        &["lossOfSignal", "communicationsSubsystemFailure", "retransmissionRateExcessive"],
    ),
    (
        "processingErrorAlarm",
        &[
            "storageCapacityProblem",
            "fileError",
            "resourceAtOrNearingCapacity",
            "configurationOrCustomizationError",
            "underlyingResourceUnavailable",
            "softwareProgramAbnormallyTerminated",
            "applicationSubsystemFailure",
        ],
    ),
    ("qualityOfServiceAlarm", &["responseTimeExcessive", "queueSizeExceeded", "thresholdCrossed"]),
    ("equipmentAlarm", &["inputDeviceError", "outputDeviceError"]),
    ("environmentalAlarm", &["timingProblem"]),
    (
        "integrityViolation",
        &[
            "duplicateInformation",
            "informationMissing",
            "informationOutOfSequence",
            "unexpectedInformation",
        ],
    ),
    ("timeDomainViolation", &["delayedInformation"]),
];

#[test]
fn every_kind_of_alarm_is_said_in_the_terms_of_x_733() {
    for alarm::Kind { name, event_type, probable_cause, .. } in gateway::ALARMS.kinds() {
        let event_type = event_type.word();
        let causes = X_733.iter().find(|(known, _)| *known == event_type);
        let (_, causes) = causes.unwrap_or_else(|| panic!("{name}: {event_type}"));
        assert!(causes.contains(probable_cause), "{name}: {event_type}, {probable_cause}");
    }
}
