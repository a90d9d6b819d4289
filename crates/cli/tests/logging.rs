//! Tests the log files: lines that programs read, with the objects that they are about.

#[cfg(target_os = "linux")]
use crate::common::preload;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use serde_json::Value;
use tempfile::TempDir;

/// Creates the example with a log.
fn example(log: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "init .").0, 0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{flow}\n[log]\n{log}\n")).unwrap();
    folder
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the lines of all files.
fn lines(folder: &Path) -> Vec<Value> {
    let texts = files(folder).into_iter().map(|file| fs::read_to_string(file).unwrap());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_says_when_who_and_of_what() {
    let folder = example("file = \"log/gateway.log\"");
    let (_, said) = tollgate(folder.path(), "run flow.toml --once --json");
    let report: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let lines = lines(folder.path());
    let done: Vec<&Value> = lines.iter().filter(|line| line["target"] == "flow::file").collect();
    let reported = report["files"].as_array().unwrap();
    assert_eq!(done.len(), reported.len());
    for file in reported {
        let line = done.iter().find(|line| {
            (&line["file"], &line["network_element"]) == (&file["file"], &file["network_element"])
        });
        let line = line.unwrap_or_else(|| panic!("{file} is in none of {done:?}"));
        for column in ["records", "delivered", "filtered", "held", "suspended", "duplicate"] {
            assert_eq!(line[column], file[column], "{column} of {line}");
        }
        assert!(line["job"].as_i64().unwrap() > 0 && line["level"] == "INFO", "{line}");
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'), "{line}");
    }
    let name = files(folder.path())[0].file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("gateway.log.20"), "{name}");
}

#[test]
fn what_is_in_the_way_of_a_file_names_it() {
    let folder = example("file = \"log/gateway.log\"\nrotate = \"never\"");
    fs::create_dir_all(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/home"), "no folder").unwrap();
    let (status, said) = tollgate(folder.path(), "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    let lines = lines(folder.path());
    let wrong = lines.iter().find(|line| line["level"] == "WARN" && line["file"] != Value::Null);
    let wrong = wrong.unwrap_or_else(|| panic!("none of {lines:?}"));
    let message = wrong["message"].as_str().unwrap();
    assert!(message.contains("out/home") && said.contains(message), "{wrong}: {said}");
    assert!(message.contains(wrong["file"].as_str().unwrap()), "{wrong}");
    assert!(files(folder.path())[0].ends_with("gateway.log"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_reach_the_disk_names_its_file_and_who_did_it() {
    let more = "[processing]\nprocesses = 2\nthreads = 1";
    let folder = example(&format!("file = \"log/gateway.log\"\n{more}"));
    let here = folder.path();
    let boston = here.join("in/boston");
    fs::rename(boston.join("boston-00002.ber"), boston.join("unsynced.ber")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(here).args(["run", "flow.toml", "--once"]);
    let ended = command.env("LD_PRELOAD", preload::library("unsynced")).output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
    let lines = lines(here);
    let is_of = |line: &&Value, file: &str| line["file"] == file;
    let wrong = lines.iter().find(|line| is_of(line, "unsynced.ber")).expect("it is told");
    assert_eq!(
        (&wrong["level"], &wrong["network_element"]),
        (&"WARN".into(), &"msc-boston".into())
    );
    assert!(wrong["message"].as_str().unwrap().contains("in/boston/unsynced.ber"), "{wrong}");
    let done = lines.iter().find(|line| is_of(line, "boston-00004.ber")).expect("it is done");
    assert_eq!(done["target"], "flow::file");
    for line in [wrong, done] {
        assert!(line["process"].as_str().unwrap().starts_with("processing process "), "{line}");
    }
}

#[test]
fn parts_have_levels_of_their_own_and_people_can_read_it() {
    let log = "file = \"log/gateway.log\"\nformat = \"text\"\nlevel = \"error\"\nlevels = { settle = \"debug\" }";
    let folder = example(log);
    tollgate(folder.path(), "run flow.toml --once");
    let text = fs::read_to_string(&files(folder.path())[0]).unwrap();
    assert!(text.contains("DEBUG flow::settle: settled jobs="), "{text}");
    assert!(!text.contains("flow::file"), "{text}");
}

#[test]
fn servers_for_who_pushes_have_a_level_too() {
    let log = "file = \"log/gateway.log\"\nlevel = \"error\"\nlevels = { remote = \"info\" }";
    let folder = example(log);
    let here = folder.path();
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    let pushed = "collect = { accept = { token = \"${TOKEN}\" }";
    let flow = flow.replace("collect = { dir = \"in/boston\"", pushed);
    assert!(flow.contains(pushed), "{flow}");
    fs::write(here.join("flow.toml"), flow + "[listen.http]\naddress = \"127.0.0.1:0\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(here).args(["run", "flow.toml"]).env("TOKEN", "a token of some length");
    let mut gateway = command.stderr(Stdio::null()).spawn().unwrap();
    let said = || if here.join("log").exists() { lines(here) } else { Vec::new() };
    wait_for("the server", || !said().is_empty());
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    for line in said() {
        assert!(line["target"].as_str().unwrap().starts_with("remote::"), "{line}");
    }
}

#[test]
fn old_files_of_the_log_go_away_and_no_others() {
    let folder = example("file = \"flow\"\nkept = 2\nrotate = \"daily\"");
    let here = folder.path();
    let mut others =
        vec!["flow.toml", "flow.2020-01-01.gz", "flow-2.2020-01-01", "flow.2020-1-1", "flow.asn1"];
    for other in &others[1..] {
        fs::write(here.join(other), "{}\n").unwrap();
    }
    for day in ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-03-07"] {
        fs::write(here.join(format!("flow.{day}")), "{}\n").unwrap();
    }
    tollgate(here, "run flow.toml --once");
    others.retain(|other| !here.join(other).exists());
    assert_eq!(others, [""; 0], "they are somebody else's");
    let names = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut own: Vec<String> = names.filter(|name| name.starts_with("flow.2")).collect();
    own.retain(|name| !["flow.2020-01-01.gz", "flow.2020-1-1"].contains(&name.as_str()));
    own.sort();
    assert!(own.len() == 2 && own[0] == "flow.2020-01-03-07", "{own:?}");
    // A gateway that is refused removes nothing that another one writes.
    let live = here.join(&own[1]);
    let length = fs::metadata(&live).unwrap().len();
    tollgate(here, "run flow.toml --once");
    assert!(fs::metadata(&live).unwrap().len() >= length);
}

#[test]
fn a_name_of_a_file_makes_no_line_of_its_own() {
    let folder = example("file = \"log/gateway.log\"\nformat = \"text\"");
    let here = folder.path();
    let name = "a\n2026-01-01T00:00:00Z ERROR flow::run: forged \u{1b}[31m.ber";
    let input = fs::read_dir(here.join("in/boston")).unwrap().next().unwrap().unwrap().path();
    fs::rename(&input, here.join("in/boston").join(name)).unwrap();
    let (_, said) = tollgate(here, "run flow.toml --once");
    let text = fs::read_to_string(&files(here)[0]).unwrap();
    for shown in [said, text] {
        assert!(shown.contains("forged"), "{shown}");
        assert!(
            !shown.contains('\u{1b}') && !shown.lines().any(|line| line.starts_with("2026-01-01")),
            "{shown}"
        );
    }
}

#[test]
fn a_mistake_made_while_the_gateway_runs_is_shown_as_check_shows_it() {
    let folder = example("file = \"log/gateway.log\"");
    let here = folder.path();
    let script = here.join("scripts/is_billable.dup");
    let gateway = Gateway::start(here);
    gateway.says("records,");
    let text = fs::read_to_string(&script).unwrap();
    let wrong = "(cdr.callDuratoin > 0 ||";
    fs::write(&script, text.replace("(cdr.callDuration > 0 ||", wrong)).unwrap();
    gateway.says("goes on as it was");
    let (_, checked) = tollgate(here, "check flow.toml");
    let (picture, _) = checked.split_once("\n\n").unwrap();
    assert!(picture.contains("did you mean \"callDuration\"?"), "{picture}");
    let said = gateway.said();
    assert!(said.contains(picture), "{said}");
}

#[test]
fn what_is_said_of_a_file_among_many_names_that_file() {
    let folder = example("file = \"log/gateway.log\"");
    let here = folder.path();
    tollgate(here, "run flow.toml --once");
    for centre in ["boston", "new-york"] {
        let done =
            fs::read_dir(here.join("in").join(centre)).unwrap().map(|entry| entry.unwrap().path());
        let done: Vec<PathBuf> =
            done.filter(|path| path.extension().is_some_and(|end| end == "done")).collect();
        for (number, path) in done.iter().enumerate() {
            fs::copy(path, path.with_file_name(format!("again-{number}.ber"))).unwrap();
        }
    }
    tollgate(here, "run flow.toml --once");
    let lines = lines(here);
    let before: Vec<&Value> = lines
        .iter()
        .filter(|line| line["message"].as_str().unwrap().contains("came before"))
        .collect();
    assert!(before.len() > 2, "{lines:?}");
    for line in before {
        let centre = line["network_element"].as_str().unwrap().trim_start_matches("msc-");
        assert!(line["job"].as_i64().unwrap() > 0, "{line}");
        let file = format!("\"in/{centre}/{}\"", line["file"].as_str().unwrap());
        assert!(line["message"].as_str().unwrap().starts_with(&file), "{line}");
    }
}

#[test]
fn what_is_said_of_records_that_are_retried_has_the_job_of_their_file() {
    let folder = example("file = \"log/gateway.log\"");
    let here = folder.path();
    tollgate(here, "run flow.toml --once");
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    // A retry was requested, and then the record's octets were damaged.
    let asked = "INSERT INTO trail (id, at_ms, who, action, subject, reason)
                 VALUES (1, 0, 'somebody', 'suspense retry', '', '')";
    journal.execute(asked, []).unwrap();
    let update = "UPDATE suspense SET asked = 1, octets = x'00' WHERE id = 1";
    assert_eq!(journal.execute(update, []).unwrap(), 1);
    let select = "SELECT file FROM suspense WHERE id = 1";
    let job: i64 = journal.query_row(select, [], |row| row.get(0)).unwrap();
    drop(journal);
    tollgate(here, "run flow.toml --once");
    let lines = lines(here);
    let told: Vec<&Value> =
        lines.iter().filter(|line| line["message"].to_string().contains("be retried")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["job"], job, "{told:?}");
    assert_eq!(told[0]["file"], "records 1 to 1 of suspense");
    assert!(told[0]["message"].as_str().unwrap().contains("damaged in the journal"), "{told:?}");
}

#[test]
fn mistakes_are_said_at_their_place() {
    let log = "file = \"log/gateway.log\"\nformat = \"jsn\"\nkept = 0\nlevels = { settle = \"loud\" }\nsize = \"1 GB\"";
    let (status, said) = tollgate(example(log).path(), "check flow.toml");
    assert_ne!(status, 0, "{said}");
    for wanted in [
        "\"format\" is not \"jsn\"",
        "\"kept\" is a number from 1",
        "\"settle\" is not \"loud\"",
        "no key is named \"size\"",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn a_log_is_written_to_no_file_of_the_flow_and_into_none_of_its_folders() {
    for (file, said) in [
        ("flow.toml", "the flow is made of this file"),
        ("scripts/../scripts/is_roaming.dup", "the flow is made of this file"),
        ("flow.state/journal.db", "the folder of the flow's state"),
        ("in/boston/g.ber", "a folder of \"msc-boston\""),
        ("out/home/log", "a folder of \"home-billing\""),
        ("in", "this is a folder"),
    ] {
        let folder = example(&format!("file = \"{file}\"\nrotate = \"never\""));
        let here = folder.path();
        let read = || fs::read(here.join(file)).ok();
        let before = read();
        let (status, checked) = tollgate(here, "check flow.toml");
        assert!(status != 0 && checked.contains(said), "{file}: {checked}");
        let (status, refused) = tollgate(here, "run flow.toml --once");
        assert!(status != 0 && refused.contains(said), "{file}: {refused}");
        assert_eq!(read(), before, "{file} is as it was");
    }
}

#[test]
fn a_part_that_there_is_not_is_a_mistake() {
    let levels = "levels = { setle = \"debug\", nonsense = \"debug\", \"flow::pool\" = \"debug\" }";
    let folder = example(&format!("file = \"log/gateway.log\"\n{levels}"));
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert_ne!(status, 0, "{said}");
    for wanted in
        ["named \"setle\"", "did you mean \"settle\"?", "named \"nonsense\"", "2 mistakes"]
    {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}
