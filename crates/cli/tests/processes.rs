//! Tests files that are processed in processes beside the gateway's: the outputs are the same, and a file that brings
//! one of them down stops no other.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::preload;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::children::{children, kill};
use crate::common::wait::wait_for;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The signal with which a process ends itself.
const SIGABRT: i32 = 6;

const TWO: &str = "\n[processing]\nprocesses = 2\nthreads = 2\n";

/// Creates the example flow with additional settings, and its inputs.
fn example(more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "init ."), (0, String::new()));
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text + more).unwrap();
    folder
}

/// Returns the exit status of a command, and its standard error.
fn tollgate(folder: &Path, line: &str) -> (i32, String) {
    let output = command(folder, line).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

/// Returns all files below a folder, by their paths in it.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => files
                .extend(tree(&path).into_iter().map(|(below, octets)| (name.join(below), octets))),
            false => drop(files.insert(name, fs::read(&path).unwrap())),
        }
    }
    files
}

/// A gateway that runs until this value is dropped.
struct Gateway(Child);

/// Returns whether an input of Boston is done.
fn is_done(folder: &Path, name: &str) -> bool {
    folder.join(format!("in/boston/{name}.done")).exists()
}

/// Returns whether all inputs are done.
fn all_done(folder: &Path) -> bool {
    ["in/boston", "in/new-york"]
        .iter()
        .flat_map(|inputs| fs::read_dir(folder.join(inputs)).unwrap())
        .all(|file| file.unwrap().path().extension().is_none_or(|ending| ending != "ber"))
}

impl Gateway {
    /// Returns a gateway that has done all the work there was.
    fn at_rest(folder: &Path) -> Self {
        let gateway = Gateway::start(folder);
        wait_for("the inputs", || all_done(folder));
        gateway
    }

    fn start(folder: &Path) -> Self {
        let mut command = command(folder, "run flow.toml");
        let errors = fs::File::create(folder.join("errors")).unwrap();
        Gateway(command.stdout(Stdio::null()).stderr(errors).spawn().unwrap())
    }

    fn processes(&self) -> Vec<u32> {
        children(self.0.id())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

fn is_there(process: u32) -> bool {
    // A process that has ended runs nothing, even if its status was not collected yet.
    fs::read_link(format!("/proc/{process}/exe")).is_ok()
}

/// Adds an input whose contents no other has.
fn put(folder: &Path, name: &str) {
    let inputs = folder.join("in/boston");
    let mut all: Vec<_> =
        fs::read_dir(&inputs).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    let mut octets = fs::read(&all[0]).unwrap();
    octets.extend(octets.clone());
    let part = inputs.join(format!(".{name}"));
    fs::write(&part, octets).unwrap();
    fs::rename(part, inputs.join(name)).unwrap();
}

#[test]
fn processes_make_what_threads_make() {
    let (alone, beside) = (example(""), example(TWO));
    for folder in [&alone, &beside] {
        let (status, said) = tollgate(folder.path(), "run flow.toml --once");
        assert_eq!((status, said), (1, String::new()), "records are set aside");
        assert_eq!(tollgate(folder.path(), "audit flow.toml").0, 0);
    }
    let made = [&alone, &beside].map(|folder| tree(&folder.path().join("out")));
    assert!(!made[0].is_empty() && made[0] == made[1]);
    assert_eq!(common::suspense(alone.path()), common::suspense(beside.path()));
}

#[test]
fn a_file_that_brings_its_process_down_twice_is_set_aside_and_stops_nobody() {
    let folder = example(TWO);
    let here = folder.path();
    put(here, "deadly-1.ber");
    let files = 1 + 4;
    let library = preload::library("poison");
    let ended = command(here, "run flow.toml --once").env("LD_PRELOAD", &library).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("SIGABRT") && said.contains("deadly-1.ber.poison"), "{said}");
    assert!(said.contains("\"deadly-1.ber\" of \"msc-boston\" was in work"), "{said}");
    let left = tree(&here.join("in"));
    let ends_with =
        |end: &str| left.keys().filter(|path| path.to_string_lossy().ends_with(end)).count();
    assert_eq!((ends_with(".ber.done"), ends_with(".ber.poison")), (files - 1, 1), "{said}");
    let alarms = command_output(here, "alarms flow.toml");
    assert!(alarms.contains("poison-files"), "{alarms}");
    let audit = command(here, "audit flow.toml").output().unwrap();
    let told = String::from_utf8_lossy(&audit.stdout);
    assert_eq!(audit.status.code(), Some(0), "{told}");
    assert!(told.contains("\nNot audited: msc-boston: 1 file set aside"), "{told}");
    assert!(command_output(here, "audit flow.toml --csv").contains("not-taken,"), "{told}");
}

#[test]
fn a_file_that_brings_the_gateway_down_twice_is_set_aside_by_the_next() {
    for more in ["", "\n[group.own]\nnetwork-elements = [\"msc-boston\"]\nthreads = 1\n"] {
        let folder = example(more);
        let here = folder.path();
        put(here, "deadly-1.ber");
        let files = 1 + 4;
        let library = preload::library("poison");
        let run = || {
            let mut gateway = command(here, "run flow.toml --once");
            let ended = gateway.env("LD_PRELOAD", &library).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            (ended.status.signal(), ended.status.code(), said)
        };
        for _ in 0..2 {
            assert_eq!(run().0, Some(SIGABRT));
        }
        let (_, status, said) = run();
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("did not end in order"), "{said}");
        assert!(said.contains("deadly-1.ber.poison"), "{said}");
        let left = tree(&here.join("in"));
        let ends_with =
            |end: &str| left.keys().filter(|path| path.to_string_lossy().ends_with(end)).count();
        assert_eq!((ends_with(".ber.done"), ends_with(".ber.poison")), (files - 1, 1), "{said}");
        assert!(command_output(here, "alarms flow.toml").contains("poison-files"));
        assert_eq!(tollgate(here, "audit flow.toml").0, 0);
        // The process ended in order: the next works as usual.
        put(here, "new.ber");
        let (_, _, said) = run();
        assert!(is_done(here, "new.ber") && !said.contains("did not end in order"), "{said}");
    }
}

#[test]
fn a_process_that_ends_again_and_again_is_started_later_each_time() {
    let more = "\n[group.own]\nnetwork-elements = [\"msc-boston\"]\nprocesses = 1\n\
                [log]\nfile = \"log\"\nrotate = \"never\"\nlevels = { processes = \"debug\" }\n";
    let folder = example(more);
    let here = folder.path();
    for deadly in ["deadly-1.ber", "deadly-2.ber"] {
        put(here, deadly);
    }
    for name in tree(&here.join("in/boston")).into_keys() {
        if !name.to_string_lossy().starts_with("deadly") {
            fs::remove_file(here.join("in/boston").join(name)).unwrap();
        }
    }
    let library = preload::library("poison");
    let ended = command(here, "run flow.toml --once").env("LD_PRELOAD", &library).output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
    let log = fs::read_to_string(here.join("log")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // Each line about a file names the file, but no job: the journal does not know one. The alarm is about all of them.
    let of_deadly = lines.clone().filter(|line| {
        let message = line["message"].as_str().unwrap();
        message.contains("deadly") && !message.starts_with("alarm")
    });
    let of_deadly: Vec<Value> = of_deadly.collect();
    assert!(of_deadly.len() >= 6, "two files, each tried twice and set aside: {of_deadly:?}");
    for line in of_deadly {
        assert!(line["file"].as_str().is_some_and(|file| file.starts_with("deadly")), "{line}");
        assert_eq!((&line["network_element"], &line["job"]), (&json!("msc-boston"), &Value::Null));
    }
    let starts = lines;
    let starts = starts.filter(|line| {
        (&line["message"], &line["process"]) == (&json!("started"), &json!("processing process 1"))
    });
    let starts: Vec<i64> = starts.map(|line| milliseconds(&line["timestamp"])).collect();
    let waits = starts.windows(2).map(|two| (two[1] - two[0]).rem_euclid(DAY));
    let waits: Vec<i64> = waits.collect();
    assert_eq!(waits.len(), 3, "two files, each tried twice: {log}");
    assert!(waits[1] >= 100 && waits[2] >= 200, "{waits:?}");
}

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Returns the milliseconds of the day: `2026-11-22T15:04:05.123456Z`.
fn milliseconds(time: &Value) -> i64 {
    let time = &time.as_str().unwrap()[11..23];
    let parts = time.split([':', '.']).map(|part| part.parse::<i64>().unwrap());
    parts.zip([3_600_000, 60_000, 1_000, 1]).map(|(part, each)| part * each).sum()
}

fn command_output(folder: &Path, line: &str) -> String {
    String::from_utf8_lossy(&command(folder, line).output().unwrap().stdout).into_owned()
}

#[test]
fn what_a_process_says_is_in_the_log_of_its_gateway() {
    let more = "[duplicate-check.calls]\ntype = \"MSC.CallDataRecord\"\nfrom = [\"msc-new-york\", \"msc-boston\"]\nkey = \"record.sequenceNumber\"\n\
                [log]\nfile = \"log\"\nrotate = \"never\"\nformat = \"text\"\n";
    let folder = example(&format!("{TWO}{more}"));
    let here = folder.path();
    assert_eq!(tollgate(here, "run flow.toml --once").0, 1);
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    assert!(journal.execute("UPDATE state_delta SET octets = x'ff'", []).unwrap() > 0);
    drop(journal);
    put(here, "new.ber");
    let (_, said) = tollgate(here, "run flow.toml --once");
    let log = fs::read_to_string(here.join("log")).unwrap();
    let told = "could not restore the state of \"calls\"";
    assert!(log.contains(told) && said.contains(told), "{log}{said}");
}

#[test]
fn a_process_that_is_killed_is_started_again() {
    let folder = example(TWO);
    let here = folder.path();
    let gateway = Gateway::at_rest(here);
    let before = gateway.processes();
    assert!(!before.is_empty());
    assert!(before.iter().all(|process| kill(*process)));
    put(here, "new.ber");
    wait_for("the next input", || is_done(here, "new.ber"));
    assert!(gateway.processes().iter().all(|process| !before.contains(process)));
}

#[test]
fn no_process_outlives_its_gateway_and_the_next_begins_at_once() {
    let folder = example(TWO);
    let here = folder.path();
    let mut gateway = Gateway::start(here);
    wait_for("the processes", || !gateway.processes().is_empty());
    let processes = gateway.processes();
    gateway.0.kill().unwrap();
    gateway.0.wait().unwrap();
    let (status, said) = tollgate(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    assert!(!said.contains("another gateway"), "{said}");
    assert!(!processes.into_iter().any(is_there));
    assert_eq!(tollgate(here, "audit flow.toml").0, 0);
}

#[test]
fn a_flow_that_changes_is_that_of_its_processes_too() {
    let folder = example(TWO);
    let here = folder.path();
    let _gateway = Gateway::at_rest(here);
    let flow = here.join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    assert!(text.contains("out/home"), "{text}");
    fs::write(&flow, text.replace("out/home", "elsewhere")).unwrap();
    assert_eq!(tollgate(here, "reload flow.toml").0, 0);
    put(here, "new.ber");
    wait_for("the next input", || is_done(here, "new.ber"));
    assert_eq!(tree(&here.join("elsewhere")).len(), 1);
}

#[test]
fn network_elements_that_meet_in_a_node_cannot_be_in_different_processes() {
    let more = "[duplicate-check.both]\ntype = \"MSC.CallDataRecord\"\nfrom = [\"msc-new-york\", \"msc-boston\"]\nkey = \"record.sequenceNumber\"\n\
                [group.east]\nnetwork-elements = [\"msc-boston\"]\nprocesses = 2\n";
    let folder = example(more);
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert!(status != 0 && said.contains("meet in a node, which one process has"), "{said}");
}

#[test]
fn more_threads_than_processors_can_use_are_a_warning() {
    let folder = example("[processing]\nprocesses = 100\nthreads = 7\n");
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert!(status == 0 && said.contains("there are 700 threads in all"), "{said}");
}

#[test]
fn what_groups_and_processes_change_nothing_by_is_a_warning() {
    let each = |more: &str| {
        ["boston", "new-york"]
            .map(|of| format!("[group.{of}]\nnetwork-elements = [\"msc-{of}\"]\n{more}\n"))
            .concat()
    };
    let all = "[group.all]\nnetwork-elements = [\"msc-boston\", \"msc-new-york\"]\n";
    let both = "[duplicate-check.both]\ntype = \"MSC.CallDataRecord\"\nfrom = [\"msc-new-york\", \"msc-boston\"]\n\
                key = \"record.sequenceNumber\"\n[post-processing-system.once]\nfrom = \"both\"\n\
                encode = { codec = \"json\" }\ndeliver = { dir = \"out/once\" }\n";
    let processors = std::thread::available_parallelism().unwrap().get();
    let bound = format!("[processing]\nthreads = {}\nbind = \"processors\"\n", processors + 1);
    let most = format!("more than {} only wait", 4 * processors);
    for (more, wanted) in [
        (
            format!("{}[processing]\nprocesses = 4\n", each("threads = 1")),
            "4 of the 4 processes never",
        ),
        (format!("{both}[processing]\nprocesses = 2\n"), "1 of the 2 processes never"),
        (
            "[group.none]\nnetwork-elements = []\nweight = 2\n".into(),
            "no network element is in \"none\"",
        ),
        (format!("{all}weight = 2\n"), "\"weight\" changes nothing"),
        (bound, "are bound to"),
        ("[processing]\nprocesses = 100\nthreads = 7\n".into(), most.as_str()),
    ] {
        let folder = example(&format!("\n{more}"));
        let (status, said) = tollgate(folder.path(), "check flow.toml");
        assert!(status == 0 && said.contains(wanted), "{more}: {said}");
    }
    let sound = format!("\n{}[processing]\nprocesses = 2\n", each("weight = 2"));
    let (_, said) = tollgate(example(&sound).path(), "check flow.toml");
    for unwanted in ["never have anything", "changes nothing", "no network element"] {
        assert!(!said.contains(unwanted), "{said}");
    }
}

#[test]
fn more_groups_with_threads_of_their_own_than_processors_are_a_warning() {
    let processors = std::thread::available_parallelism().unwrap().get();
    let flow = |groups: usize| {
        let element = |number: usize| {
            format!(
                "[network-element.e{number}]\ncollect = {{ dir = \"in/e{number}\" }}\n\
                 decode = {{ type = \"M.Call\", codec = \"json\" }}\n\
                 [group.g{number}]\nnetwork-elements = [\"e{number}\"]\nthreads = 1\n"
            )
        };
        let elements: String = (0..groups).map(element).collect();
        let from: Vec<String> = (0..groups).map(|number| format!("\"e{number}\"")).collect();
        format!(
            "[asn1]\nmodules = [\"m.asn1\"]\n{elements}[post-processing-system.out]\nfrom = [{}]\n\
             encode = {{ codec = \"json\" }}\ndeliver = {{ dir = \"out\" }}\n",
            from.join(", ")
        )
    };
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let module = "M DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER }\nEND\n";
    fs::write(here.join("m.asn1"), module).unwrap();
    for (groups, is_said) in [(processors, false), (processors + 1, true)] {
        fs::write(here.join("flow.toml"), flow(groups)).unwrap();
        let (status, said) = tollgate(here, "check flow.toml");
        assert_eq!(status, 0, "{said}");
        assert_eq!(said.contains("more groups have threads of their own"), is_said, "{said}");
    }
}

#[test]
fn a_run_takes_no_more_threads_than_a_flow_may_say() {
    let folder = example("");
    for option in ["--workers", "--processes"] {
        let (status, said) =
            tollgate(folder.path(), &format!("run flow.toml --once {option} 1001"));
        assert!(status != 0 && said.contains("from 0 to 1000"), "{said}");
    }
}

#[test]
fn threads_are_bound_to_processors_where_the_flow_says_so() {
    for more in [
        "[processing]\nthreads = 2\nbind = \"processors\"\n",
        &format!("{TWO}bind = \"processors\"\n"),
    ] {
        let folder = example(more);
        let gateway = Gateway::start(folder.path());
        let processors = std::thread::available_parallelism().unwrap().get();
        let is_bound = |process: u32| {
            let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
            let status = |thread: std::io::Result<fs::DirEntry>| {
                fs::read_to_string(thread.ok()?.path().join("status")).ok()
            };
            let bound = threads.filter_map(status).filter(|status| {
                let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
                list.is_some_and(|list| list.trim().parse::<usize>().is_ok())
            });
            processors == 1 || bound.count() == 2
        };
        wait_for("bound threads", || {
            let all = gateway.processes().into_iter().chain([gateway.0.id()]);
            all.filter(|process| is_bound(*process)).count() >= 1
        });
    }
}

/// Returns a file of numbers, and of as many as make a megabyte that no script can process.
fn numbers(first: u32, second: u32) -> String {
    let line = |number: u32, more: &str| format!("{{\"number\":{number},\"text\":\"{more}\"}}\n");
    let some = |from: u32| (from..from + 10).map(|number| line(number, "")).collect::<String>();
    let refused: String = (0..12_000).map(|at| line(1_000 + at, &"x".repeat(150))).collect();
    some(first) + &refused + &some(second)
}

#[test]
fn what_is_begun_again_is_set_aside_once() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut flow = "[asn1]\nmodules = [\"m.asn1\"]\n".to_owned();
    for element in ["a", "b"] {
        fs::create_dir_all(here.join("in").join(element)).unwrap();
        flow += &format!(
            "[network-element.{element}]\ncollect = {{ dir = \"in/{element}\" }}\n\
             decode = {{ type = \"M.Call\", codec = \"json\" }}\n"
        );
    }
    flow += "[filter.sound]\nfrom = [\"a\", \"b\"]\nscript = \"sound.dup\"\n\
             [duplicate-check.once]\nfrom = \"sound\"\ntype = \"M.Call\"\nkey = \"record.number\"\n\
             [post-processing-system.out]\nfrom = \"once\"\nencode = { codec = \"json\" }\n\
             deliver = { dir = \"out\" }\n";
    fs::write(here.join("flow.toml"), flow + TWO).unwrap();
    let module =
        "M DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER, text IA5String }\nEND\n";
    fs::write(here.join("m.asn1"), module).unwrap();
    let sound = "BOOLEAN sound(call CONST Call)\n{\n  if (call.number >= 1000) { reject(\"not sound\"); }\n  return TRUE;\n}\n";
    fs::write(here.join("sound.dup"), sound).unwrap();
    for pair in 0..4 {
        let (one, other) = (pair * 20, pair * 20 + 10);
        fs::write(here.join(format!("in/a/{pair}.json")), numbers(one, other)).unwrap();
        fs::write(here.join(format!("in/b/{pair}.json")), numbers(other, one)).unwrap();
    }
    let (status, said) = tollgate(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    let output = command(here, "audit flow.toml").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let delivered: usize = tree(&here.join("out"))
        .values()
        .map(|octets| octets.iter().filter(|octet| **octet == b'\n').count())
        .sum();
    assert_eq!(delivered, 80);
}

#[test]
fn mistakes_in_a_flow_that_runs_stop_nobody() {
    let folder = example(TWO);
    let here = folder.path();
    let gateway = Gateway::at_rest(here);
    let before = gateway.processes();
    let flow = here.join("flow.toml");
    fs::write(&flow, fs::read_to_string(&flow).unwrap() + "\noops\n").unwrap();
    wait_for("the alarm", || command_output(here, "alarms flow.toml").contains("flow-refused"));
    put(here, "new.ber");
    wait_for("the next input", || is_done(here, "new.ber"));
    let errors = fs::read_to_string(here.join("errors")).unwrap();
    let after = gateway.processes();
    assert!(before.iter().all(|process| after.contains(process)), "they go on: {errors}");
}

#[test]
fn a_process_that_hangs_does_not_keep_the_gateway_from_stopping() {
    let folder = example(TWO);
    let here = folder.path();
    let mut gateway = Gateway::at_rest(here);
    let signal = |process: u32, signal: &str| {
        assert!(
            Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success()
        );
    };
    let processes = gateway.processes();
    processes.iter().for_each(|process| signal(*process, "-STOP"));
    // Child processes get a request each second.
    std::thread::sleep(std::time::Duration::from_secs(2));
    signal(gateway.0.id(), "-TERM");
    wait_for("the end", || gateway.0.try_wait().unwrap().is_some());
    assert!(!processes.into_iter().any(is_there));
}

#[test]
fn processes_that_cannot_have_what_belongs_together_are_none() {
    let more = "[duplicate-check.both]\ntype = \"MSC.CallDataRecord\"\nfrom = [\"msc-new-york\", \"msc-boston\"]\n\
                key = \"record.sequenceNumber\"\n[group.own]\nnetwork-elements = [\"msc-boston\"]\nthreads = 1\n\
                [post-processing-system.once]\nfrom = \"both\"\nencode = { codec = \"json\" }\ndeliver = { dir = \"out/once\" }\n";
    let folder = example(more);
    let (status, said) = tollgate(folder.path(), "run flow.toml --once --processes 2");
    assert!(status == 1 && said.contains("there are no processes"), "{said}");
    assert_eq!(tollgate(folder.path(), "audit flow.toml").0, 0);
}
