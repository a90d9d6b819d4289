//! A flow with a matching node. Its records are written in a short form: `7 first 1 @0 +60` is the first part of call
//! 7, made at second 0 of the day, with 60 seconds; `-` leaves out the fields without which a record cannot wait.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::clock;

const MODULE: &str = "
CALLS DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Kind ::= ENUMERATED { first(0), middle(1), last(2), whole(3) }
Part ::= SEQUENCE { call INTEGER, kind Kind, number INTEGER, time INTEGER, seconds INTEGER }
Call ::= SEQUENCE { call INTEGER, time INTEGER, seconds INTEGER, parts INTEGER }
END
";

const SCRIPT: &str = "
INTEGER key(part CONST Part) { return part.call; }

INTEGER time(part CONST Part) { return part.time; }

-- All parts from the first to the last are there.
BOOLEAN complete(parts CONST SEQUENCE OF Part)
{
  declare end, place INTEGER := 0;
  declare isBegun BOOLEAN := FALSE;
  for (place := 0; place < count(parts); place += 1)
  {
    isBegun |= parts[place].kind IN [first, whole];
    if (parts[place].kind IN [last, whole]) { end := parts[place].number; }
  }
  return isBegun && end == count(parts);
}

NULL combine(parts CONST SEQUENCE OF Part, call Call)
{
  declare place INTEGER;
  call.call := parts[0].call;
  call.time := parts[0].time;
  call.parts := count(parts);
  call.seconds := 0;
  for (place := 0; place < count(parts); place += 1) { call.seconds += parts[place].seconds; }
}
";

/// The second from which times are counted.
const DAY: i64 = 1_700_000_000;

pub(crate) struct Flow(TempDir);

impl Flow {
    /// Creates a flow with these settings in the table of its node.
    pub(crate) fn new(table: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("calls.asn1", MODULE);
        write("calls.dup", SCRIPT);
        let element = |name: &str| {
            format!(
                "[network-element.{name}]\ncollect = {{ dir = \"in/{name}\" }}\n\
                 decode = {{ type = \"CALLS.Part\", codec = \"json\" }}\n\
                 duplicates = {{ files = \"off\" }}\n"
            )
        };
        let elements = [element("boston"), element("chicago")].concat();
        let flow = format!(
            "[asn1]\nmodules = [\"calls.asn1\"]\n{elements}\
             [matching.calls]\nfrom = [\"boston\", \"chicago\"]\nscript = \"calls.dup\"\n{table}\n\
             [post-processing-system.billing]\nfrom = \"calls\"\nencode = {{ codec = \"json\" }}\n\
             deliver = {{ dir = \"out\" }}\n"
        );
        write("flow.toml", &flow);
        for element in ["boston", "chicago"] {
            fs::create_dir_all(folder.path().join("in").join(element)).unwrap();
        }
        Flow(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Puts a file of parts into the folder of a network element.
    pub(crate) fn put(&self, element: &str, name: &str, parts: &str) {
        let lines: Vec<String> = parts.split("; ").map(line).collect();
        let path = self.path().join("in").join(element).join(name);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        // As old as a file that a network element has finished.
        let written = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
    }

    /// Changes the flow file.
    pub(crate) fn edit(&self, from: &str, to: &str) {
        let path = self.path().join("flow.toml");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    /// Runs the gateway until the inputs are empty; returns its output.
    pub(crate) fn run(&self) -> String {
        let (status, said) = self.command("run flow.toml --once");
        assert!(matches!(status, 0 | 1), "{said}");
        said
    }

    /// Runs the gateway under a clock with an offset, such as `+2d`; returns its output, or `None` if the package
    /// faketime is not installed.
    pub(crate) fn run_at(&self, off_by: &str) -> Option<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let command = command.current_dir(self.path()).args(["run", "flow.toml", "--once"]);
        let output = clock::off_by(command, off_by)?.output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        Some(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Runs the gateway and kills it after a time, unless it ends before.
    pub(crate) fn run_for(&self, time: Duration) {
        self.command_for("run flow.toml --once", time);
    }

    /// Runs a command and kills it after a time, unless it ends before.
    pub(crate) fn command_for(&self, line: &str, time: Duration) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let command = command.current_dir(self.path()).args(line.split(' '));
        let mut gateway = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(time);
        let _ = gateway.kill();
        gateway.wait().unwrap();
    }

    /// Takes the outputs away, as a receiver does.
    pub(crate) fn take(&self) {
        let taken = self.path().join("taken");
        fs::create_dir_all(&taken).unwrap();
        let before = fs::read_dir(&taken).unwrap().count();
        for (place, path) in self.outputs().iter().enumerate() {
            fs::rename(path, taken.join(format!("{}", before + place))).unwrap();
        }
    }

    /// Returns the outputs that were taken away.
    pub(crate) fn taken(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().join("taken")).unwrap();
        let texts = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        texts.flat_map(|text| text.lines().map(call).collect::<Vec<_>>()).collect()
    }

    /// Returns the status of a command and its output.
    pub(crate) fn command(&self, line: &str) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let output = command.current_dir(self.path()).args(line.split(' ')).output().unwrap();
        let said = [output.stderr, output.stdout].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
    }

    /// Returns the outputs, sorted.
    pub(crate) fn made(&self) -> String {
        let mut made: Vec<String> = self
            .outputs()
            .iter()
            .flat_map(|path| {
                let text = fs::read_to_string(path).unwrap();
                text.lines().map(call).collect::<Vec<_>>()
            })
            .collect();
        made.sort();
        made.join(", ")
    }

    /// Returns the output files.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path().join("out")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_shown =
            |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
        let mut paths: Vec<PathBuf> = paths.filter(is_shown).collect();
        paths.sort();
        paths
    }

    /// Returns the account of all records, from the journal.
    pub(crate) fn account(&self) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
            .current_dir(self.path())
            .args(["audit", "flow.toml", "--json"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let elements: Vec<&Value> =
            report["counts"].as_array().unwrap().iter().filter(|c| c["node"].is_null()).collect();
        let sum = |column: &str| -> i64 {
            elements.iter().map(|count| count[column].as_i64().unwrap()).sum()
        };
        let columns = ["delivered", "filtered", "held", "suspended", "duplicate"];
        let parts: Vec<String> = columns
            .iter()
            .filter(|column| sum(column) > 0)
            .map(|column| format!("{} {column}", sum(column)))
            .collect();
        format!("{} = {}", sum("records"), parts.join(", "))
    }

    /// Asserts that all records are accounted for.
    pub(crate) fn audit(&self) {
        let (status, said) = self.command("audit flow.toml");
        assert_eq!(status, 0, "{said}");
    }
}

/// Returns a part as a line of JSON.
pub(crate) fn line(part: &str) -> String {
    if part == "damaged" {
        return "{\"call\":".into();
    }
    let words: Vec<&str> = part.split(' ').collect();
    let [call, kind, number, time, seconds] = words[..] else { panic!("\"{part}\" is no part") };
    let time: i64 = time.strip_prefix('@').unwrap().parse().unwrap();
    let seconds = match &seconds[1..] {
        "" => String::new(),
        seconds => format!(",\"seconds\":{seconds}"),
    };
    format!(
        "{{\"call\":{call},\"kind\":\"{kind}\",\"number\":{number},\"time\":{}{seconds}}}",
        DAY + time,
    )
}

fn call(line: &str) -> String {
    let call: Value = serde_json::from_str(line).unwrap();
    let time = call["time"].as_i64().unwrap() - DAY;
    format!("{} @{time} +{} of {}", call["call"], call["seconds"], call["parts"])
}
