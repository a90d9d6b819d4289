//! Tests whose files are processed next, and which files wait for which.
#![cfg(target_os = "linux")]

use crate::common::preload;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use tempfile::TempDir;

const MODULE: &str = "CALLS DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER }\nEND\n";

/// Returns a script that takes as long for each record as these turns of a loop.
fn slow(turns: u32) -> String {
    format!(
        "BOOLEAN slow(record CONST Call)\n{{\n  declare i INTEGER;\n  declare sum INTEGER;\n  sum := 0;\n  \
         for (i := 0; i < {turns}; i += 1) {{ sum += record.number; }}\n  return sum >= 0;\n}}\n"
    )
}

/// Creates a flow of network elements, each with a folder, a filter that takes its time, and a system of its own.
fn flow(elements: &[&str], turns: u32, more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut text = "[asn1]\nmodules = [\"calls.asn1\"]\n".to_owned();
    for name in elements {
        fs::create_dir_all(here.join("in").join(name)).unwrap();
        text += &format!(
            "[network-element.{name}]\ncollect = {{ dir = \"in/{name}\" }}\n\
             decode = {{ type = \"CALLS.Call\", codec = \"json\" }}\n\
             [filter.{name}-slow]\nfrom = \"{name}\"\nscript = \"slow.dup\"\nfunction = \"slow\"\n\
             [post-processing-system.{name}-out]\nfrom = \"{name}-slow\"\n\
             encode = {{ codec = \"json\" }}\ndeliver = {{ dir = \"out/{name}\" }}\n"
        );
    }
    fs::write(here.join("calls.asn1"), MODULE).unwrap();
    fs::write(here.join("slow.dup"), slow(turns)).unwrap();
    fs::write(here.join("flow.toml"), text + more).unwrap();
    folder
}

/// Puts a file with `records` records, whose contents no other file has, atomically.
fn put(folder: &Path, element: &str, name: &str, records: usize) {
    let path = folder.join("in").join(element).join(name);
    let part = path.with_file_name(format!(".{name}"));
    static FILES: AtomicUsize = AtomicUsize::new(1);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    fs::write(&part, format!("{{\"number\":{number}}}\n").repeat(records)).unwrap();
    fs::rename(part, path).unwrap();
}

/// Returns the names of the first `files` files, in the order in which one thread processes them.
fn order(folder: &Path, files: usize) -> Vec<String> {
    let mut gateway = Gateway::start(folder, 1);
    let said = BufReader::new(gateway.0.stderr.take().unwrap());
    let done = said.lines().map_while(Result::ok).filter(|line| line.contains(" records, "));
    done.take(files).map(|line| line.split(':').next().unwrap().to_owned()).collect()
}

struct Gateway(Child);

impl Gateway {
    fn start(folder: &Path, workers: usize) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(folder).args(["run", "flow.toml", "--workers", &workers.to_string()]);
        Gateway(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }
}

impl Gateway {
    /// Returns how many files of a network element the gateway has open.
    fn in_work(&self, element: &str) -> usize {
        let open =
            fs::read_dir(format!("/proc/{}/fd", self.0.id())).unwrap().filter_map(Result::ok);
        let leads_to = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        let folder = format!("/in/{element}/");
        let files = leads_to.filter(|path| path.to_string_lossy().contains(&folder));
        files.collect::<BTreeSet<_>>().len()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_file_that_takes_long_keeps_no_other_network_element_waiting() {
    let folder = flow(&["slow", "quick"], 100_000, "");
    let here = folder.path();
    // Hours of work.
    put(here, "slow", "large.json", 1_000_000);
    let gateway = Gateway::start(here, 2);
    wait_for("the large file", || gateway.in_work("slow") > 0);
    for name in ["first.json", "second.json"] {
        put(here, "quick", name, 1);
        wait_for(name, || here.join("out/quick").join(format!("quick-{name}.json")).exists());
    }
    assert!(here.join("in/slow/large.json").exists(), "it is in work still");
}

#[test]
fn many_files_of_one_do_not_keep_others_waiting() {
    let folder = flow(&["many", "few"], 1, "");
    for file in 0..20 {
        put(folder.path(), "many", &format!("{file:02}.json"), 10);
    }
    put(folder.path(), "few", "one.json", 10);
    put(folder.path(), "few", "two.json", 10);
    let order = order(folder.path(), 22);
    let of_few = order.iter().rposition(|name| name.starts_with("few/")).unwrap();
    assert!(of_few < 6, "{order:?}");
}

#[test]
fn a_group_of_a_higher_priority_goes_first() {
    let groups = "[group.late]\nnetwork-elements = [\"a\"]\npriority = -1\n\
                  [group.first]\nnetwork-elements = [\"c\"]\npriority = 1\n";
    let folder = flow(&["a", "b", "c"], 1, groups);
    for element in ["a", "b", "c"] {
        put(folder.path(), element, "1.json", 1);
        put(folder.path(), element, "2.json", 1);
    }
    let order = order(folder.path(), 6);
    assert_eq!(order, ["c/1.json", "c/2.json", "b/1.json", "b/2.json", "a/1.json", "a/2.json"]);
}

#[test]
fn a_group_with_threads_of_its_own_is_worked_on_whatever_others_have_to_do() {
    let folder =
        flow(&["slow", "own"], 100_000, "[group.own]\nnetwork-elements = [\"own\"]\nthreads = 1\n");
    let here = folder.path();
    for file in 0..4 {
        put(here, "slow", &format!("{file}.json"), 1_000_000);
    }
    let gateway = Gateway::start(here, 2);
    wait_for("the other thread", || gateway.in_work("slow") > 0);
    put(here, "own", "mine.json", 1);
    wait_for("the file of the group", || here.join("out/own/own-mine.json.json").exists());
}

#[test]
fn mistakes_of_groups_are_said_at_their_place() {
    let groups = "[group.one]\nnetwork-elements = [\"a\", \"bb\"]\nthreads = 0\n\
                  [group.two]\nnetwork-elements = [\"a\"]\nthreads = 1\nweight = 2\n";
    let folder = flow(&["a", "b"], 1, groups);
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert_ne!(status, 0);
    for wanted in [
        "no network element is named \"bb\"",
        "\"threads\" is a number from 1",
        "\"a\" is in the group \"one\" already",
        "a group with threads of its own has no \"weight\"",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn no_more_files_are_in_work_than_the_flow_says() {
    for (from, to) in [
        ("dir = \"in/slow\"", "dir = \"in/slow\", files-at-once = 1"),
        ("dir = \"out/slow\"", "dir = \"out/slow\", files-at-once = 1"),
    ] {
        let folder = flow(&["slow", "quick"], 100_000, "");
        let here = folder.path();
        let text = fs::read_to_string(here.join("flow.toml")).unwrap();
        fs::write(here.join("flow.toml"), text.replace(from, to)).unwrap();
        for file in 0..4 {
            put(here, "slow", &format!("{file}.json"), 1_000_000);
        }
        let gateway = Gateway::start(here, 2);
        wait_for("a slow file", || gateway.in_work("slow") > 0);
        put(here, "quick", "mine.json", 1);
        wait_for("the other thread", || here.join("out/quick/quick-mine.json.json").exists());
        assert_eq!(gateway.in_work("slow"), 1);
    }
}

#[test]
fn threads_that_have_nothing_to_do_are_a_warning() {
    let groups = "[group.one]\nnetwork-elements = [\"a\", \"b\"]\nthreads = 1000\n";
    let folder = flow(&["a", "b"], 1, groups);
    let path = folder.path().join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert!(status == 0 && said.contains("groups have 1000 threads of their own"), "{said}");
    let limited = text.replace("\"in/a\"", "\"in/a\", files-at-once = 2").replace("= 1000", "= 4");
    fs::write(&path, limited.replace("\"in/b\"", "\"in/b\", files-at-once = 1")).unwrap();
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert!(
        status == 0 && said.contains("1 of the 4 threads will never have anything to do"),
        "{said}"
    );
    assert!(said.contains("have 3 files in work at most"), "{said}");
}

#[test]
fn threads_of_groups_count_among_all_and_leave_one_to_others() {
    let groups = "[group.one]\nnetwork-elements = [\"a\"]\nthreads = 2\n[processing]\nthreads = ";
    let processors = std::thread::available_parallelism().unwrap().get();
    let said = |elements: &[&str], threads: usize| {
        let folder = flow(elements, 1, &format!("{groups}{threads}\n"));
        let (status, said) = tollgate(folder.path(), "check flow.toml");
        assert_eq!(status, 0, "{said}");
        said
    };
    assert!(said(&["a", "b"], 2).contains("groups have all 2 threads for themselves"));
    let most = 4 * processors;
    let left = said(&["a", "b"], most.max(3));
    assert!(!left.contains("for themselves") && !left.contains("in all"), "{left}");
    assert!(
        said(&["a", "b"], most + 1).contains(&format!("there are {} threads in all", most + 1))
    );
}

#[test]
fn an_alarm_that_is_raised_stays_so_when_the_gateway_is_started_again() {
    let folder = flow(&["a", "b"], 1, "");
    let here = folder.path();
    fs::create_dir(here.join("out")).unwrap();
    fs::write(here.join("out/a"), "no folder").unwrap();
    put(here, "a", "1.json", 1);
    for file in ["1.json", "2.json", "3.json"] {
        let _gateway = Gateway::start(here, 2);
        wait_for("the alarm", || tollgate(here, "alarms flow.toml").1.contains("files-waiting"));
        put(here, "b", file, 1);
        wait_for(file, || here.join(format!("out/b/b-{file}.json")).exists());
    }
    let (_, listed) = tollgate(here, "alarms flow.toml --all --json");
    let raised: Vec<&str> = listed.lines().filter(|line| line.contains("files-waiting")).collect();
    assert!(raised.len() == 1 && raised[0].contains("\"cleared\":null"), "{listed}");
}

#[test]
fn who_waits_for_one_of_a_lower_priority_is_warned_of() {
    let more = "[group.first]\nnetwork-elements = [\"a\"]\npriority = 1\n\
                [duplicate-check.both]\nfrom = [\"a\", \"b\"]\ntype = \"CALLS.Call\"\nkey = \"record.number\"\n";
    let (status, said) = tollgate(flow(&["a", "b"], 1, more).path(), "check flow.toml");
    assert!(status == 0 && said.contains("\"a\" waits for the files of \"b\""), "{said}");
    let own = format!("{more}[group.own]\nnetwork-elements = [\"b\"]\nthreads = 1\n");
    let (status, said) = tollgate(flow(&["a", "b"], 1, &own).path(), "check flow.toml");
    assert!(status == 0 && !said.contains("waits for the files"), "{said}");
}

#[test]
fn outputs_that_nobody_is_given_are_an_alarm_until_they_are() {
    let folder = flow(&["a"], 1, "");
    let here = folder.path();
    put(here, "a", "1.json", 1);
    assert_eq!(tollgate(here, "run flow.toml --once").0, 0);
    // As left by a gateway that was killed before it gave the output its name; and where a folder is, no file can be.
    let output = here.join("out/a/a-1.json.json");
    fs::rename(&output, here.join("out/a/.a-1.json.json.part")).unwrap();
    fs::create_dir_all(output.join("in-the-way")).unwrap();
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    journal.execute("UPDATE file SET finished = 0", []).unwrap();
    drop(journal);
    let mut gateway = Gateway::start(here, 1);
    let is_raised = || tollgate(here, "alarms flow.toml").1.contains("outputs-waiting");
    wait_for("the alarm", is_raised);
    let told = Command::new("kill").args(["-TERM", &gateway.0.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(gateway.0.wait().unwrap().code(), Some(0), "it ended as it was told to");
    let _gateway = Gateway::start(here, 1);
    fs::remove_dir_all(&output).unwrap();
    wait_for("the output", || output.is_file());
    wait_for("the end of the alarm", || !is_raised());
}

#[test]
fn a_gateway_without_room_ends_when_it_is_told_to() {
    let folder = flow(&["a"], 1, "[state]\ndisk-free = \"99999 TB\"\n");
    let here = folder.path();
    put(here, "a", "1.json", 1);
    let mut gateway = Gateway::start(here, 1);
    wait_for("the alarm", || tollgate(here, "alarms flow.toml").1.contains("disk-low"));
    // The round that found the full disk ends with the next look.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let told = Command::new("kill").args(["-TERM", &gateway.0.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(gateway.0.wait().unwrap().code(), Some(0));
}

#[test]
fn where_threads_wait_for_a_disk_there_are_more_of_them() {
    let folder = flow(&["one"], 1, "");
    let here = folder.path();
    for number in 0..1_500 {
        put(here, "one", &format!("far-{number}.json"), 1);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(here).args(["run", "flow.toml"]).env("LD_PRELOAD", preload::library("far"));
    let gateway = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut gateway = Gateway(gateway);
    let said = BufReader::new(gateway.0.stderr.take().unwrap());
    let mut changes =
        said.lines().map_while(Result::ok).filter(|line| line.contains("threads now"));
    let change = changes.next().unwrap();
    assert!(change.contains("perhaps the rest waits for disks"), "{change}");
}

#[test]
fn threads_of_network_elements_that_bring_little_are_a_warning() {
    let groups = "[group.seldom]\nnetwork-elements = [\"two\"]\nthreads = 1\n";
    let folder = flow(&["one", "two"], 1, groups);
    let here = folder.path();
    assert!(!tollgate(here, "check flow.toml").1.contains("brought"), "nothing has come yet");
    for number in 0..150 {
        put(here, "one", &format!("{number}.json"), 50);
    }
    put(here, "two", "1.json", 1);
    assert_eq!(tollgate(here, "run flow.toml --once").0, 0);
    let (status, said) = tollgate(here, "check flow.toml");
    assert!(
        status == 0 && said.contains("\"seldom\" brought 0 % of the octets of the last 151 files"),
        "{said}"
    );
}
