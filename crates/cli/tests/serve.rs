//! Tests the health, the readiness and the metrics of a gateway under `tollgate serve`.

#[cfg(target_os = "linux")]
mod tls;

use crate::common::children;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::python::python_with;
use crate::common::wait::wait_for;
use serde_json::Value;
use tempfile::TempDir;

/// A gateway that is served.
struct Served {
    process: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(folder: &TempDir, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder.path()).args(line.split(' '));
    command
}

/// Creates the example with additional settings in its flow file.
fn example(more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert!(command(&folder, "init .").output().unwrap().status.success());
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, format!("{text}\n{more}")).unwrap();
    folder
}

impl Served {
    fn start(folder: &TempDir) -> Self {
        let mut serve = command(folder, "serve flow.toml --listen 127.0.0.1:0");
        let mut process =
            serve.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let address = lines.by_ref().find_map(|line| {
            line.unwrap().split_once("listening on http://").map(|(_, address)| address.to_owned())
        });
        // Further output is read, so that the gateway can go on writing it.
        std::thread::spawn(move || lines.for_each(drop));
        Served { process, address: address.expect("it says where it listens") }
    }

    /// Returns the status and the body of an answer.
    fn get(&self, path: &str, more: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{more}", self.address))
    }

    fn ask(&self, head: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("{head}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    fn is_ready(&self) -> bool {
        self.get("/readyz", "").0 == 200
    }

    /// Returns the gateway's metrics, as Prometheus reads them.
    fn samples(&self) -> Vec<Sample> {
        let (status, text) = self.get("/metrics", "");
        assert_eq!(status, 200);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/parse.py");
        let mut parser = Command::new(python_with(&["prometheus-client==0.22.1"]));
        let parser = parser.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut parser = parser.spawn().unwrap();
        parser.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = parser.wait_with_output().unwrap();
        assert!(output.status.success(), "{text}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// The type, the name, the labels and the value.
type Sample = (String, String, Value, f64);

/// Returns the sum of the samples of a name that have these labels.
fn sum(samples: &[Sample], name: &str, labels: &[(&str, &str)]) -> f64 {
    let of_name = samples.iter().filter(|(_, known, ..)| known == name);
    let has_all = |of: &Value| labels.iter().all(|(label, value)| of[label] == *value);
    let found: Vec<f64> =
        of_name.filter(|(_, _, of, _)| has_all(of)).map(|(.., value)| *value).collect();
    assert!(!found.is_empty(), "no sample of {name} with {labels:?}");
    found.iter().sum()
}

#[test]
fn a_gateway_says_that_it_is_alive_and_ready_and_what_it_has_done() {
    let folder = example("");
    let served = Served::start(&folder);
    assert_eq!(served.get("/healthz", ""), (200, "alive\n".into()));
    assert_eq!(served.get("/nothing", "").0, 404);
    wait_for("a look into the folders", || served.is_ready());
    let all = |samples: &[Sample]| sum(samples, "tollgate_files_total", &[]);
    let has_any =
        |samples: &[Sample]| samples.iter().any(|(_, name, ..)| name == "tollgate_files_total");
    wait_for("all files", || {
        let samples = served.samples();
        has_any(&samples) && all(&samples) == 4.0
    });
    // The journal is read only now and then.
    let suspended =
        |samples: &[Sample]| sum(samples, "tollgate_suspense_records", &[("why", "suspended")]);
    wait_for("all of suspense", || suspended(&served.samples()) == 84.0);
    let samples = served.samples();
    let records = |labels: &[(&str, &str)]| sum(&samples, "tollgate_records_total", labels);
    assert_eq!(records(&[]), 20_000.0);
    assert_eq!(records(&[("outcome", "suspended")]), 84.0);
    assert_eq!(records(&[("network_element", "msc-boston")]), 10_000.0);
    let octets: u64 = ["boston/boston-00002", "boston/boston-00004"]
        .iter()
        .map(|name| fs::metadata(folder.path().join(format!("in/{name}.ber.done"))).unwrap().len())
        .sum();
    let boston = [("network_element", "msc-boston")];
    assert_eq!(sum(&samples, "tollgate_input_bytes_total", &boston), octets as f64);
    let home = [("post_processing_system", "home-billing")];
    assert_eq!(sum(&samples, "tollgate_output_files_total", &home), 4.0);
    assert_eq!(
        sum(&samples, "tollgate_system_records_total", &home),
        (3_612 + 3_600 + 3_613 + 3_562) as f64
    );
    for name in ["tollgate_node_records_total", "tollgate_threads", "process_resident_memory_bytes"]
    {
        assert!(sum(&samples, name, &[]) > 0.0, "{name}");
    }
    assert_eq!(sum(&samples, "tollgate_alarms", &[]), 0.0);
    assert_eq!(sum(&samples, "tollgate_files_waiting", &[]), 0.0);
    assert_eq!(sum(&samples, "tollgate_threads_working", &[]), 0.0);
    let state = folder.path().canonicalize().unwrap().join("flow.state").display().to_string();
    assert!(sum(&samples, "tollgate_disk_free_bytes", &[("folder", &state)]) > 0.0);
    let commits = sum(&samples, "tollgate_journal_commit_seconds_count", &[]);
    assert!(commits > 0.0 && sum(&samples, "tollgate_journal_commit_seconds_sum", &[]) > 0.0);
    let longest = [("le", "+Inf")];
    assert_eq!(sum(&samples, "tollgate_journal_commit_seconds_bucket", &longest), commits);
    let types: std::collections::BTreeSet<&str> =
        samples.iter().map(|(ty, ..)| ty.as_str()).collect();
    assert_eq!(types, ["counter", "gauge", "histogram"].into());
}

#[test]
fn files_that_there_is_no_room_for_are_counted_until_there_is() {
    let folder = example("[state]\ndisk-free = \"99999 TB\"\n");
    let served = Served::start(&folder);
    let waiting = |element: &str| {
        let samples = served.samples();
        let of_element = [("network_element", element)];
        let is_known = samples.iter().any(|(_, name, ..)| name == "tollgate_files_waiting");
        is_known.then(|| sum(&samples, "tollgate_files_waiting", &of_element))
    };
    for element in ["msc-boston", "msc-new-york"] {
        wait_for("the files that wait", || waiting(element) == Some(2.0));
    }
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap().replace("99999 TB", "1 MB");
    fs::write(flow, text).unwrap();
    for element in ["msc-boston", "msc-new-york"] {
        wait_for("all files", || waiting(element) == Some(0.0));
    }
    assert_eq!(sum(&served.samples(), "tollgate_files_total", &[]), 4.0);
}

/// A duplicate check. Its records are all sound, and none comes twice.
const CHECK: &str = r#"
[duplicate-check.calls]
from = ["msc-new-york", "msc-boston"]
type = "MSC.CallDataRecord"
key = ["record.sequenceNumber", "record.servedIMSI", "record.answerTime", "record.callDuration"]
[post-processing-system.checked]
from = "calls"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/checked" }
"#;

#[test]
fn how_many_keys_a_duplicate_check_knows_is_a_figure_and_outlives_the_gateway() {
    for processes in ["", "[processing]\nprocesses = 2\nthreads = 1\n"] {
        let folder = example(&format!("{CHECK}{processes}"));
        let known = |served: &Served| {
            let samples = served.samples();
            let is_there = samples.iter().any(|(_, name, ..)| name == "tollgate_known_keys");
            is_there.then(|| sum(&samples, "tollgate_known_keys", &[("node", "calls")]))
        };
        let served = Served::start(&folder);
        // All keys except those of records that cannot be read.
        wait_for("all keys", || known(&served) == Some(19_916.0));
        drop(served);
        let served = Served::start(&folder);
        if processes.is_empty() {
            wait_for("the same keys", || known(&served) == Some(19_916.0));
        } else {
            // The keys are known in the processes that check records, which have not begun to.
            wait_for("a look into the folders", || served.is_ready());
            assert_eq!(known(&served), None);
        }
        // The file has the first records of a file that came before, and no new one.
        let came = folder.path().join("in/new-york/new-york-00001.ber.done");
        let again = folder.path().join("in/boston/again.ber");
        let octets = fs::read(came).unwrap();
        fs::write(&again, &octets[..octets.len() / 2]).unwrap();
        wait_for("the file", || again.with_extension("ber.done").exists());
        wait_for("the same keys", || known(&served) == Some(19_916.0));
    }
}

#[test]
fn a_gateway_that_can_take_no_file_is_alive_and_not_ready() {
    let folder = example("[state]\ndisk-free = \"1000000 TB\"\n");
    let served = Served::start(&folder);
    let is_raised = |said: &str| said.contains(r#"{"name":"alarms","is_ok":false}"#);
    wait_for("the alarm", || is_raised(&served.get("/readyz", "").1));
    let (status, said) = served.get("/readyz", "");
    assert_eq!(status, 503);
    assert!(!said.contains("disk") && !said.contains("text"), "a stranger is told why: {said}");
    assert_eq!(served.get("/healthz", "").0, 200);
    let samples = served.samples();
    assert!(sum(&samples, "tollgate_alarms", &[("severity", "critical")]) > 0.0);
    assert!(sum(&samples, "tollgate_alarms_of_kind", &[("kind", "disk-low")]) > 0.0);
}

#[test]
fn a_request_says_once_which_machine_is_meant() {
    let folder = example("");
    let served = Served::start(&folder);
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
    ] {
        assert_eq!(served.ask(head).0, status, "{head:?}");
    }
}

#[test]
fn figures_are_for_who_has_the_token_where_there_is_one() {
    let folder = example("[serve]\ntoken-file = \"token\"\n");
    fs::write(folder.path().join("token"), "hush-hush\n").unwrap();
    let served = Served::start(&folder);
    let status = |more: &str| served.get("/metrics", more).0;
    assert_eq!(status(""), 401);
    assert_eq!(status("Authorization: Bearer hush\r\n"), 401);
    assert_eq!(status("Authorization: Bearer hush-hush\r\n"), 200);
    assert_eq!(served.get("/healthz", "").0, 200, "who asks for it knows nothing");
}

#[test]
fn who_asks_and_does_not_read_the_answers_is_left() {
    let folder = example("");
    let served = Served::start(&folder);
    let page = served.get("/", "").1;
    let (_, script) = page.split_once("/assets/").expect("it has a script");
    let script = script.split('"').next().expect("a name");
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let request = format!("GET /assets/{script} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    stream.set_nonblocking(true).unwrap();
    wait_for("the end of the connection", || {
        let written = stream.write(request.as_bytes());
        written.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock)
    });
}

#[test]
fn a_gateway_that_is_stopped_ends_in_order_and_lets_the_address_go() {
    let folder = example("");
    let mut served = Served::start(&folder);
    wait_for("a look into the folders", || served.is_ready());
    // A connection without a request does not delay the end for long.
    let _idle = TcpStream::connect(&served.address).unwrap();
    let pid = served.process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let status = served.process.wait().unwrap();
    assert_eq!(status.code(), Some(0), "also with records in suspense");
    assert!(TcpStream::connect(&served.address).is_err());
}

#[test]
fn where_it_cannot_listen_nothing_is_processed() {
    let folder = example("");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let check = |line: &str, wanted: &str| {
        let output = command(&folder, line).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(wanted), "{line}: {said}");
    };
    let in_use =
        format!("another program listens at {address}; choose another address with --listen");
    check(&format!("serve flow.toml --listen {address}"), &in_use);
    check("serve flow.toml --listen here", "\"here\" is no address to listen at");
    assert!(folder.path().join("in/boston/boston-00002.ber").exists());
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, format!("{text}\n[serve]\nlisten = \"8080\"\n")).unwrap();
    check("check flow.toml", "\"8080\" is no address to listen at");
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_gives_no_sign_is_an_alarm_until_it_does() {
    let folder = example("[processing]\nprocesses = 2\nthreads = 1\n");
    let served = Served::start(&folder);
    let alarms = |which: &str| {
        let listed = command(&folder, &format!("alarms flow.toml{which}")).output().unwrap();
        String::from_utf8_lossy(&listed.stdout).into_owned()
    };
    let processes = || {
        let named = |process: u32| {
            let name = fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
            Some((name.split('\0').next()?.strip_prefix("tollgate: ")?.to_owned(), process))
        };
        let mut all: Vec<(String, u32)> =
            children::children(served.process.id()).into_iter().filter_map(named).collect();
        all.sort();
        all
    };
    wait_for("the inputs", || served.is_ready() && is_all_done(&folder));
    let stopped = processes();
    assert!(stopped.len() >= 3, "{stopped:?}");
    let signal = |signal: &str| {
        for (_, process) in &stopped {
            let sent = Command::new("kill").args([signal, &process.to_string()]).output();
            // A process that was killed may be gone.
            assert!(sent.unwrap().status.success() || signal == "-CONT");
        }
    };
    signal("-STOP");
    wait_for("the alarms", || {
        let alarms = alarms("");
        stopped.iter().all(|(name, _)| alarms.contains(&format!("the {name} has given no sign")))
    });
    assert_eq!(served.get("/readyz", "").0, 503);
    // One of the processes had something to look into, and never reports the result.
    let (name, killed) = &stopped[0];
    assert!(name == "collection process" && children::kill(*killed), "{stopped:?}");
    signal("-CONT");
    wait_for("their end", || !alarms("").contains("process-hangs") && served.is_ready());
    let go_on = processes();
    assert!(stopped[1..].iter().all(|process| go_on.contains(process)), "{go_on:?}");
    assert!(!alarms(" --all").contains("folder-unreadable"), "no folder is wrong");
}

/// Returns whether all inputs of the example are done.
#[cfg(target_os = "linux")]
fn is_all_done(folder: &TempDir) -> bool {
    ["boston", "new-york"].iter().all(|centre| {
        let mut inputs = fs::read_dir(folder.path().join("in").join(centre)).unwrap();
        inputs.all(|input| input.unwrap().path().extension().is_some_and(|end| end != "ber"))
    })
}
