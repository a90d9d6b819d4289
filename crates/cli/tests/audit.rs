//! Tests that the audit proves that all collected records are accounted for, and that it finds those that are not.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

/// Returns the status of a command, its standard output and its standard error.
fn tollgate(folder: &Path, line: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Creates the example, with durations summed on both sides.
fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "init .").0, 0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let mut summed = String::new();
    for line in flow.lines() {
        summed += line;
        summed.push('\n');
        if line.starts_with("[network-element.") {
            summed += "audit = { seconds = \"record.callDuration\", calls = \"1\" }\n";
        }
        if line.starts_with("[post-processing-system.home") {
            summed += "audit = { seconds = \"record.callDuration\" }\n";
        }
    }
    fs::write(path, summed).unwrap();
    folder
}

fn report(folder: &Path, line: &str) -> (i32, Value) {
    let (status, shown, said) = tollgate(folder, line);
    (status, serde_json::from_str(&shown).expect(&said))
}

/// Returns a number from the counts of a node, or of all network elements together.
fn count(report: &Value, node: Option<&str>, column: &str) -> u64 {
    let counts = report["counts"].as_array().unwrap();
    let of_node = counts.iter().filter(|count| count["node"].as_str() == node);
    of_node.map(|count| count[column].as_u64().unwrap()).sum()
}

fn amount(report: &Value, system: Option<&str>, side: &str, name: &str) -> (i64, u64) {
    let amounts = report["amounts"].as_array().unwrap().iter().filter(|amount| {
        amount["system"].as_str() == system && amount["side"] == side && amount["name"] == name
    });
    amounts.fold((0, 0), |(sum, records), amount| {
        (sum + amount["sum"].as_i64().unwrap(), records + amount["records"].as_u64().unwrap())
    })
}

#[test]
fn all_that_came_in_is_accounted_for_at_every_place() {
    let folder = example();
    let (_, run) = report(folder.path(), "run flow.toml --once --json");
    let files = run["files"].as_array().unwrap();
    let total = |column: &str| -> u64 { files.iter().map(|f| f[column].as_u64().unwrap()).sum() };
    let (status, audit) = report(folder.path(), "audit flow.toml --json");
    assert_eq!((status, audit["differences"].as_array().unwrap().len()), (0, 0), "{audit}");
    for column in ["records", "delivered", "filtered", "suspended", "duplicate"] {
        assert_eq!(count(&audit, None, column), total(column), "{column}");
    }
    assert_eq!(count(&audit, None, "files"), files.len() as u64);
    // The nodes, as the flow connects them.
    let of = |node, column| count(&audit, Some(node), column);
    assert!(of("isBillable", "records") > 10_000);
    assert_eq!(
        of("isRoaming", "records") + of("unbilled", "records"),
        of("isBillable", "delivered")
    );
    let outputs = run["outputs"].as_array().unwrap();
    for system in ["home-billing", "roaming-billing"] {
        let of_system = outputs.iter().filter(|output| output["post_processing_system"] == system);
        let records: u64 = of_system.map(|output| output["records"].as_u64().unwrap()).sum();
        assert_eq!(of(system, "delivered"), records, "{system}");
    }
    // Sums: all that was read is accounted for, and all that was given was written.
    assert_eq!(amount(&audit, None, "delivered", "calls").0 as u64, total("delivered"));
    let given = amount(&audit, Some("home-billing"), "given", "seconds");
    assert_eq!(given, amount(&audit, Some("home-billing"), "written", "seconds"));
    assert_eq!(given.1, of("home-billing", "delivered"));
    assert!(given.0 > 0 && given.0 < amount(&audit, None, "delivered", "seconds").0);
}

#[test]
fn a_script_that_changes_a_sum_is_found_out() {
    let folder = example();
    let script = folder.path().join("scripts/home_v8.dup");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, text.replace("in.callDuration;", "in.callDuration + 1;")).unwrap();
    tollgate(folder.path(), "run flow.toml --once");
    let (status, shown, _) = tollgate(folder.path(), "audit flow.toml");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("the seconds of what home-billing was given is"), "{shown}");
    let file = "audit flow.toml --file boston-00001.ber";
    let (_, shown, _) = tollgate(folder.path(), file);
    let of_other = |line: &str| line.contains("boston-00002") || line.contains("new-york");
    assert!(!shown.lines().any(of_other), "{shown}");
}

/// Returns what home billing was given and what was written for it, with more at the end of its script and of the flow,
/// and how many records were set aside.
fn of_home_billing(script_ends: &str, flow_ends: &str) -> ([(i64, u64); 2], u64) {
    let folder = example();
    let add = |name: &str, text: &str| {
        let path = folder.path().join(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, format!("{}{text}", before.trim_end().trim_end_matches('}'))).unwrap();
    };
    add("scripts/home_v8.dup", script_ends);
    add("scripts/fussy.dup", FUSSY);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow + flow_ends).unwrap();
    tollgate(folder.path(), "run flow.toml --once");
    let (status, audit) = report(folder.path(), "audit flow.toml --json");
    assert_eq!((status, audit["differences"].as_array().unwrap().len()), (0, 0), "{audit}");
    let of_home = |side| amount(&audit, Some("home-billing"), side, "seconds");
    (["given", "written"].map(of_home), count(&audit, None, "suspended"))
}

const FUSSY: &str = "
NULL fussy(in CONST CallDataRecord, out UnbilledCall)
{
  assert in.callDuration % 5 != 0;
  out.mscAddress := in.mscAddress;
  out.recordType := in.recordType;
  out.answerTime := in.answerTime;
  out.causeForTermination := in.causeForTermination;
}
";

const FUSSY_BRANCH: &str = "
[formatter.fussy]
from   = \"isRoaming.false\"
script = \"scripts/fussy.dup\"

[post-processing-system.others]
from    = \"fussy\"
encode  = { type = \"Billing.UnbilledCall\", codec = \"csv\" }
deliver = { dir = \"out/others\", name = \"{network-element}-{stem}.csv\" }
";

#[test]
fn what_is_taken_back_is_in_no_sum_and_what_is_written_twice_in_one_place() {
    let (once, before) = of_home_billing("  if (in.callDuration % 5 != 0) { emit(out); }\n}\n", "");
    // Home billing was already given a record when the other branch refuses it.
    let twice =
        "  emit(out);\n  if (in.callDuration % 3 == 0) { out.callDuration := 0; emit(out); }\n}\n";
    let (found, set_aside) = of_home_billing(twice, FUSSY_BRANCH);
    assert_eq!(found, once);
    assert!(once[0] == once[1] && once[0].1 > 0 && set_aside > before, "{once:?}");
}

#[test]
fn a_sum_that_comes_from_nowhere_is_found_out_and_no_number_is_too_large() {
    let folder = example();
    let script = folder.path().join("scripts/home_v8.dup");
    let text = fs::read_to_string(&script).unwrap();
    let huge = "out.callDuration := 9223372036854775807;";
    fs::write(&script, text.replace("out.callDuration := in.callDuration;", huge)).unwrap();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        flow.replace("seconds = \"record.callDuration\", calls", "seconds = \"0\", calls"),
    )
    .unwrap();
    tollgate(folder.path(), "run flow.toml --once");
    let (status, shown, said) = tollgate(folder.path(), "audit flow.toml");
    assert!(status == 1 && shown.contains("the seconds of what home-billing"), "{shown}{said}");
}

#[test]
fn a_sum_that_no_network_element_has_is_a_mistake() {
    let folder = example();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        flow.replace("audit = { seconds = \"record.callDuration\" }", "audit = { secods = \"1\" }"),
    )
    .unwrap();
    let (status, shown, said) = tollgate(folder.path(), "check flow.toml");
    let told = shown + &said;
    assert!(status != 0 && told.contains("no network element has a sum \"secods\""), "{told}");
}

#[test]
fn a_journal_that_somebody_changed_does_not_agree() {
    for (change, said) in [
        ("DELETE FROM suspense WHERE id = (SELECT min(id) FROM suspense)", "are in suspense"),
        ("UPDATE output SET records = records - 1 WHERE rowid = 1", "were delivered to it"),
        ("DELETE FROM output WHERE rowid = 1", "which has no file of them"),
    ] {
        let folder = example();
        tollgate(folder.path(), "run flow.toml --once");
        let journal = Connection::open(folder.path().join("flow.state/journal.db")).unwrap();
        assert!(journal.execute(change, []).unwrap() > 0);
        let (status, shown, _) = tollgate(folder.path(), "audit flow.toml");
        assert!(status == 1 && shown.contains(said), "{change}: {shown}");
    }
}

#[test]
fn days_are_lines_of_a_spreadsheet() {
    let folder = example();
    tollgate(folder.path(), "run flow.toml --once");
    let (status, shown, said) = tollgate(folder.path(), "audit flow.toml --csv");
    assert_eq!((status, said.as_str()), (0, ""));
    let mut lines = shown.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    assert_eq!(header[..5], ["day", "kind", "network_element", "file", "node"]);
    let reference = include_str!("../../../docs/reference/flow.md");
    for column in header.iter().filter(|column| !column.contains(' ')) {
        assert!(reference.contains(&format!("`{column}`")), "{column} is in no table");
    }
    let seconds = header.iter().position(|column| *column == "seconds written").unwrap();
    let lines: Vec<_> = lines.collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line[1]).collect();
    for kind in ["network-element", "node", "system"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
    let home = lines.iter().find(|line| line[4] == "home-billing").unwrap();
    assert_eq!((home[1], home[2]), ("system", "msc-boston"));
    assert_eq!((home.len(), home[0].len()), (header.len(), "2026-11-21".len()));
    assert!(home[seconds].parse::<u64>().unwrap() > 0);
    let (_, audit) = report(folder.path(), "audit flow.toml --json --from 2100-01-01");
    assert_eq!(audit["counts"].as_array().unwrap().len(), 0);
    // Differences and remarks are lines of the report too.
    let journal = Connection::open(folder.path().join("flow.state/journal.db")).unwrap();
    for change in [
        "UPDATE output SET records = records - 1 WHERE rowid = 1",
        "UPDATE file SET finished = 0 WHERE id = 1",
        "INSERT INTO forgotten VALUES (1, 3, 1000)",
    ] {
        assert_eq!(journal.execute(change, []).unwrap(), 1);
    }
    let line_of = |of: &str, kind: &str| {
        let line = format!("audit flow.toml --csv {of}");
        let (status, shown, _) = tollgate(folder.path(), line.trim());
        assert_eq!(status, 1);
        let mut lines = shown.lines().filter(|line| line.split(',').nth(1) == Some(kind));
        let line = lines.next().unwrap_or_else(|| panic!("{kind} is not in {shown}")).to_owned();
        assert_eq!(lines.next(), None);
        line
    };
    let difference = line_of("", "difference");
    let of_what: Vec<&str> = difference.splitn(6, ',').collect();
    assert_eq!((of_what[0].len(), &of_what[2][..4]), ("2026-11-21".len(), "msc-"));
    assert!(of_what[3].ends_with(".ber") && !of_what[4].is_empty(), "{difference}");
    assert!(difference.ends_with("were delivered to it\""), "{difference}");
    let unfinished = line_of("", "unfinished");
    assert!(unfinished.ends_with(",1 file is done and not marked yet"), "{unfinished}");
    assert!(line_of("--from 1970-01-01", "forgotten").contains("has forgotten 3 files"));
    assert!(line_of("--from 2100-01-01", "nothing").contains("nothing is audited"));
}

#[test]
fn an_audit_of_nothing_proves_nothing() {
    let folder = example();
    tollgate(folder.path(), "run flow.toml --once");
    const NOTHING: &str = "No file was done then that is asked for";
    for (line, status, said) in [
        ("audit --file nope", 1, NOTHING),
        ("audit --from 2100-01-01", 1, NOTHING),
        ("audit --from 2100-01-01 --csv", 1, NOTHING),
        ("audit --from 2026-11-22 --to 2026-11-20", 2, "--to is the later of the two"),
        ("audit --network-element nope", 2, "no network element \"nope\" in \"flow.toml\""),
        ("audit --network-element nope", 2, "there are msc-boston, msc-new-york"),
        ("audit --network-element msc-new-york", 0, "All records are accounted for."),
        ("audit flow.tml", 2, "cannot read \"flow.tml\": No such file"),
        ("sequence flow.tml", 2, "cannot read \"flow.tml\": No such file"),
        (
            "sequence flow.tml --network-element msc-boston",
            2,
            "cannot read \"flow.tml\": No such file",
        ),
        ("sequence", 2, "no network element of \"flow.toml\" has a sequence"),
        ("alarms flow.tml", 2, "cannot read \"flow.tml\": No such file"),
        ("trail flow.tml", 2, "cannot read \"flow.tml\": No such file"),
        ("suspense list flow.tml", 2, "cannot read \"flow.tml\": No such file"),
        ("suspense show flow.tml 1", 2, "cannot read \"flow.tml\": No such file"),
        (
            "suspense discard flow.tml 1 --because x --yes",
            2,
            "cannot read \"flow.tml\": No such file",
        ),
        ("reload flow.tml", 2, "No such file"),
    ] {
        let (of_command, shown, wrong) = tollgate(folder.path(), line);
        assert_eq!(of_command, status, "{line}: {shown}{wrong}");
        assert!((shown + &wrong).contains(said), "{line}: {wrong}");
    }
}

#[test]
fn what_is_old_is_forgotten_but_nothing_that_waits_in_suspense() {
    let folder = example();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path)
        .unwrap()
        .replace("audit = { seconds", "duplicates = { files = \"off\" }\naudit = { seconds");
    // The post-processing systems get no duplicates.
    let systems = flow.find("[post-processing-system").unwrap();
    let flow = flow[..systems].to_owned()
        + &flow[systems..].replace("duplicates = { files = \"off\" }\n", "");
    fs::write(&path, "[state]\nkeep = \"1 second\"\n".to_owned() + &flow).unwrap();
    let files = || {
        let (status, audit) = report(folder.path(), "audit flow.toml --json --files");
        let counts = audit["counts"].as_array().unwrap().clone();
        assert_eq!(status, i32::from(counts.is_empty()), "{audit}");
        let files = counts.iter().filter(|count| count["node"].is_null());
        files.map(|file| file["suspended"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    // A file without damaged records, which is done first and has nothing in suspense.
    let sound = "simulate cdr --count 50 --files 1 --centre boston:8 sound";
    assert_eq!(tollgate(folder.path(), sound).0, 0);
    let boston = folder.path().join("in/boston");
    fs::rename(folder.path().join("sound/boston/boston-00001.ber"), boston.join("0.ber")).unwrap();
    tollgate(folder.path(), "run flow.toml --once");
    let before = files();
    assert!(before.contains(&0), "{before:?}");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    tollgate(folder.path(), "run flow.toml --once");
    let all = before.len();
    let waiting: Vec<u64> = before.into_iter().filter(|suspended| *suspended > 0).collect();
    assert_eq!(files(), waiting, "files with records in suspense stay");
    let forgotten =
        |line: &str| report(folder.path(), line).1["forgotten"]["files"].as_i64().unwrap_or(0);
    assert_eq!(forgotten("audit flow.toml --json"), (all - waiting.len()) as i64);
    let (_, listed, _) = tollgate(folder.path(), "suspense list flow.toml --json");
    let first: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let edit = format!("suspense edit flow.toml {} --octets 3000 --because test", first["id"]);
    assert_eq!(tollgate(folder.path(), &edit).0, 1, "it does not decode");
    let edited = || {
        let (_, trail, said) = tollgate(folder.path(), "trail flow.toml --json");
        let trail = trail.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let edited = trail.filter(|deed| deed["action"] == "suspense edit");
        edited.map(|deed| (deed["before"].is_null(), deed["reason"].clone())).next().expect(&said)
    };
    assert_eq!(edited(), (false, "test".into()));
    std::thread::sleep(std::time::Duration::from_millis(1100));
    tollgate(folder.path(), "run flow.toml --once");
    assert_eq!(edited(), (true, "test".into()), "what the record was is forgotten");
    let (status, _, said) =
        tollgate(folder.path(), "suspense discard flow.toml --all --because test --yes");
    assert_eq!(status, 0, "{said}");
    tollgate(folder.path(), "run flow.toml --once");
    assert_eq!(files(), [0; 0]);
    assert_eq!(forgotten("audit flow.toml --json"), all as i64);
    assert_eq!(forgotten("audit flow.toml --json --from 2100-01-01"), 0);
}

#[test]
fn a_journal_of_the_first_version_is_taken_on_and_agrees() {
    let folder = example();
    let state = folder.path().join("flow.state");
    fs::create_dir(&state).unwrap();
    let journal = Connection::open(state.join("journal.db")).unwrap();
    journal.execute_batch(include_str!("../../flow/src/schema/1.sql")).unwrap();
    journal
        .execute_batch(
            "INSERT INTO file (network_element, path, size, modified_ns, done_ms, records, delivered, filtered,
                 held, suspended, duplicate, finished, marked)
             VALUES ('msc-boston', 'in/boston/old.ber', 100, 1, 1, 10, 7, 1, 0, 2, 0, 1, 1);
             INSERT INTO output VALUES (1, 'home-billing', 'out/home/old.ber', 7), (1, NULL, 'suspense/old.jsonl', 2);
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(journal);
    tollgate(folder.path(), "run flow.toml --once");
    let (status, audit) = report(folder.path(), "audit flow.toml --json");
    assert_eq!(status, 0, "{audit}");
}
