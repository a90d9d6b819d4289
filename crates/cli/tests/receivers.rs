//! Tests receivers that share the threads of deliveries: one that hangs does not hold up another, and groups get their
//! shares.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use tempfile::TempDir;

const MODULE: &str = "CALLS DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER }\nEND\n";

/// A machine that accepts connections, and never answers.
struct Hanging {
    port: u16,
    connected: Arc<Mutex<Vec<TcpStream>>>,
}

impl Hanging {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, connected) = (listener.local_addr().unwrap().port(), Arc::default());
        let kept: Arc<Mutex<Vec<TcpStream>>> = Arc::clone(&connected);
        thread::spawn(move || {
            listener
                .incoming()
                .map_while(Result::ok)
                .for_each(|one| kept.lock().unwrap().push(one));
        });
        Hanging { port, connected }
    }

    /// Returns how many connections were made.
    fn connected(&self) -> usize {
        self.connected.lock().unwrap().len()
    }

    /// Returns a `deliver` table for this machine. Its timeout is longer than any test.
    fn deliver(&self, more: &str) -> String {
        let port = self.port;
        format!(
            "url = \"sftp://cdr@127.0.0.1:{port}/in\", password-file = \"password\", timeout = \"1 hour\", \
             host-key = \"SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE\", {more}"
        )
    }
}

/// Returns the `deliver` settings of a local folder.
fn near(name: &str) -> String {
    format!("dir = \"out/{name}\", retry = {{ shortest = \"1 second\" }}")
}

/// Creates a flow that gives all records from `in/NAME` to the receiver `NAME`.
fn flow(receivers: &[(&str, String)], more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut text = "[asn1]\nmodules = [\"calls.asn1\"]\n".to_owned();
    for (name, deliver) in receivers {
        fs::create_dir_all(here.join("in").join(name)).unwrap();
        text += &format!(
            "[network-element.of-{name}]\ncollect = {{ dir = \"in/{name}\" }}\n\
             decode = {{ type = \"CALLS.Call\", codec = \"json\" }}\n\
             [post-processing-system.{name}]\nfrom = \"of-{name}\"\nencode = {{ codec = \"json\" }}\n\
             deliver = {{ {deliver} }}\n"
        );
    }
    fs::write(here.join("calls.asn1"), MODULE).unwrap();
    fs::write(here.join("password"), "vielgeheimer").unwrap();
    fs::set_permissions(here.join("password"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(here.join("flow.toml"), text + more).unwrap();
    folder
}

/// Adds `files` files for a receiver, whose contents no other file has.
fn put(folder: &Path, receiver: &str, files: u32) {
    for file in 0..files {
        let path = folder.join("in").join(receiver).join(format!("{file:02}.json"));
        let part = path.with_extension("part");
        let number = path
            .to_string_lossy()
            .bytes()
            .fold(file, |sum, octet| sum * 31 % 65_521 + u32::from(octet));
        fs::write(&part, format!("{{\"number\":{number}}}\n")).unwrap();
        fs::rename(part, path).unwrap();
    }
}

/// Returns how many files have arrived in a folder.
fn arrived(folder: &Path, receiver: &str) -> usize {
    let entries = fs::read_dir(folder.join("out").join(receiver)).into_iter().flatten();
    entries
        .filter(|entry| !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'))
        .count()
}

/// A gateway that runs until this value is dropped.
struct Gateway(Child);

impl Gateway {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(folder).args(["run", "flow.toml"]);
        Gateway(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Interrupts the gateway as Ctrl-C does.
    fn interrupt(&self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_that_hangs_with_all_it_may_have_holds_up_no_other() {
    let far = Hanging::new();
    let receivers =
        [("far", far.deliver("at-once = 8")), ("near", near("near")), ("beside", near("beside"))];
    let folder = flow(&receivers, "[delivering]\nthreads = 5\n");
    let here = folder.path();
    put(here, "far", 8);
    let _gateway = Gateway::start(here);
    wait_for("what hangs", || far.connected() == 3);
    for name in ["near", "beside"] {
        put(here, name, 4);
        wait_for(name, || arrived(here, name) == 4);
    }
    assert_eq!(far.connected(), 3, "one thread is kept for each of the others");
}

#[test]
fn no_more_files_are_under_way_to_a_receiver_than_it_takes_at_once() {
    let far = Hanging::new();
    // There are enough threads for more deliveries: the other receiver may have eight.
    let near = format!("{}, at-once = 8", near("near"));
    let folder = flow(&[("far", far.deliver("at-once = 3")), ("near", near)], "");
    let here = folder.path();
    put(here, "far", 12);
    let _gateway = Gateway::start(here);
    wait_for("what hangs", || far.connected() == 3);
    // Threads have looked for more work of the first receiver in vain as often as there are files for the other.
    for files in 1..=8 {
        put(here, "near", files);
        wait_for("the other", || arrived(here, "near") == files as usize);
    }
    assert_eq!(far.connected(), 3);
}

#[test]
fn a_flow_that_changes_sends_no_more_files_on_their_way_at_once() {
    let far = Hanging::new();
    let folder = flow(&[("far", far.deliver("at-once = 2")), ("near", near("near"))], "");
    let here = folder.path();
    put(here, "far", 12);
    let _gateway = Gateway::start(here);
    wait_for("what hangs", || far.connected() == 2);
    for change in ["anew", "once-more"] {
        let text = fs::read_to_string(here.join("flow.toml")).unwrap();
        fs::create_dir(here.join("in").join(change)).unwrap();
        let element = format!(
            "[network-element.of-{change}]\ncollect = {{ dir = \"in/{change}\" }}\n\
             decode = {{ type = \"CALLS.Call\", codec = \"json\" }}\n\
             [post-processing-system.{change}]\nfrom = \"of-{change}\"\nencode = {{ codec = \"json\" }}\n\
             deliver = {{ {} }}\n",
            near(change)
        );
        fs::write(here.join("flow.part"), text + &element).unwrap();
        fs::rename(here.join("flow.part"), here.join("flow.toml")).unwrap();
        put(here, change, 1);
        wait_for("what the flow has since", || arrived(here, change) == 1);
    }
    assert_eq!(far.connected(), 2);
}

#[test]
fn groups_have_threads_by_weight_and_have_those_of_who_is_idle() {
    for (busy, connected) in [(["one", "other"].as_slice(), [6, 2]), (&["other"], [0, 7])] {
        let far = [Hanging::new(), Hanging::new()];
        let deliver = far.each_ref().map(|far| far.deliver("at-once = 8"));
        let [one, other] = deliver;
        let groups = "[delivering]\nthreads = 8\n\
                      [group.first]\npost-processing-systems = [\"one\"]\nweight = 3\n\
                      [group.second]\npost-processing-systems = [\"other\"]\n";
        let folder = flow(&[("one", one), ("other", other)], groups);
        let here = folder.path();
        // All files wait when the first thread begins: more than could be tried at once, as failed deliveries are put
        // off for a while.
        let text = fs::read_to_string(here.join("flow.toml")).unwrap();
        let closed = far
            .iter()
            .fold(text.clone(), |text, far| text.replace(&format!(":{}/", far.port), ":1/"));
        fs::write(here.join("flow.toml"), closed).unwrap();
        busy.iter().for_each(|name| put(here, name, 20));
        let (status, said) = tollgate(here, "run flow.toml --once");
        assert!(status == 1 && said.contains("20 files wait to be delivered"), "{said}");
        fs::write(here.join("flow.toml"), text).unwrap();
        let _gateway = Gateway::start(here);
        let now = || far.each_ref().map(Hanging::connected);
        wait_for("threads that hang", || now() == connected);
    }
}

#[test]
fn threads_of_a_group_of_its_own_do_nothing_else_and_others_do_nothing_for_it() {
    let far = Hanging::new();
    let group = "[group.slow]\npost-processing-systems = [\"far\"]\nthreads = 2\n";
    let folder = flow(&[("far", far.deliver("at-once = 8")), ("near", near("near"))], group);
    let here = folder.path();
    put(here, "far", 8);
    let _gateway = Gateway::start(here);
    wait_for("what hangs", || far.connected() == 2);
    put(here, "near", 8);
    wait_for("the other", || arrived(here, "near") == 8);
    assert_eq!(far.connected(), 2);
}

#[test]
fn mistakes_in_groups_of_receivers_are_told_where_they_are() {
    let far = Hanging::new();
    let plain = ("plain", "dir = \"out/plain\"".to_owned());
    let receivers = [
        ("far", far.deliver("at-once = 4")),
        ("near", near("near")),
        ("other", near("other")),
        plain,
    ];
    for (more, said) in [
        ("[group.a]\npost-processing-systems = [\"neer\"]", "did you mean \"near\"?"),
        (
            "[group.a]\npost-processing-systems = [\"near\"]\n[group.b]\npost-processing-systems = [\"near\"]",
            "\"near\" is in the group \"a\" already",
        ),
        (
            "[group.a]\npost-processing-systems = [\"near\"]\nnetwork-elements = [\"of-near\"]",
            "the group \"a\" has members of two kinds",
        ),
        ("[group.a]\nweight = 2", "\"a\" has no \"network-elements\""),
        (
            "[group.a]\npost-processing-systems = [\"near\"]\nprocesses = 2",
            "a group of post-processing systems cannot have \"processes\"",
        ),
        (
            "[group.a]\npost-processing-systems = [\"near\"]\nthreads = 2\nweight = 2",
            "a group with threads of its own has no \"weight\"",
        ),
        ("[group.a]\npost-processing-systems = [\"plain\"]", "no thread delivers them"),
        (
            "[group.a]\npost-processing-systems = [\"near\", \"other\"]\nthreads = 1",
            "2 post-processing systems share 1 thread: if as many of them hang",
        ),
        ("[delivering]\nthreads = 2", "3 post-processing systems share 2 threads"),
        (
            "[group.a]\npost-processing-systems = [\"far\"]\nthreads = 6",
            "2 of the 6 threads will never be used: at most 4 files may be transferred",
        ),
        ("[delivering]\nthreads = 7", "1 of the 7 threads will never be used"),
        ("[delivering]\nthreads = 0", "\"threads\""),
        ("[delivering]\nthread = 2", "did you mean \"threads\"?"),
        (
            "[group.a]\npost-processing-systems = [\"far\"]\nweight = 2",
            "\"weight\" has no effect: there are as many threads as files that may be transferred at once",
        ),
    ] {
        let folder = flow(&receivers, more);
        let (_, found) = tollgate(folder.path(), "check flow.toml");
        assert!(found.contains(said), "{more}: {found}");
    }
    let groups =
        "[delivering]\nthreads = 5\n[group.a]\npost-processing-systems = [\"far\"]\nweight = 2";
    let folder = flow(&receivers, groups);
    assert_eq!(tollgate(folder.path(), "check flow.toml").0, 0);
    let (_, found) = tollgate(folder.path(), "check flow.toml");
    assert!(!found.contains("warning"), "{found}");
}

/// A login that hangs, and a fetch from a server that hangs.
#[test]
#[cfg(unix)]
fn a_gateway_that_is_stopped_does_not_wait_for_who_hangs() {
    let far = Hanging::new();
    let folder = flow(&[("far", far.deliver("at-once = 1"))], "");
    let here = folder.path();
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    let fetched = format!("collect = {{ {} }}", far.deliver("after = \"keep\""));
    let element = "[network-element.hangs]\ndecode = { type = \"CALLS.Call\", codec = \"json\" }\n";
    let hangs = format!("{element}{fetched}\n");
    let system = text.replace("from = \"of-far\"", "from = [\"of-far\", \"hangs\"]");
    fs::write(here.join("flow.toml"), system + &hangs).unwrap();
    put(here, "far", 1);
    let mut gateway = Gateway::start(here);
    wait_for("two that hang", || far.connected() == 2);
    gateway.interrupt();
    wait_for("the end", || gateway.has_ended());
    let (_, waiting) = tollgate(here, "deliveries list flow.toml");
    assert!(waiting.contains("\twaiting\t"), "{waiting}");
}
