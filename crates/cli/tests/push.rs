//! Tests network elements that push files over SFTP, with OpenSSH's own client: each file is taken complete, once, and
//! no client can reach anything else.

use crate::common::changed;
use crate::common::listening;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::common::buffer::{buffer, names};
use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;

const LISTEN: &str = "[listen.sftp]\naddress = \"127.0.0.1:0\"\n\n[asn1]";
const ACCEPT: &str = "accept = { user = \"bos\", password-file = \"boston.password\", authorized-keys = \"boston.keys\" }";

/// Creates the example with Boston pushing its files, and additional settings in its `collect` table.
fn example(more: &str) -> TempDir {
    let accept = format!("{ACCEPT}{more}");
    let folder = changed::example(&[("[asn1]", LISTEN), ("dir = \"in/boston\"", &accept)]);
    fs::write(folder.path().join("boston.password"), "sesame\n").unwrap();
    let key = folder.path().join("key");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&key)
        .status()
        .unwrap();
    assert!(made.success());
    fs::copy(key.with_extension("pub"), folder.path().join("boston.keys")).unwrap();
    folder
}

fn input(folder: &Path) -> PathBuf {
    folder.join("in/boston/boston-00002.ber")
}

/// Returns OpenSSH's client, which logs in with the key.
fn client(folder: &Path, port: u16) -> Command {
    let mut command = Command::new("sftp");
    let key = folder.join("key");
    command.args(["-q", "-b", "-", "-i", key.to_str().unwrap(), "-P", &port.to_string()]);
    for option in [
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "GlobalKnownHostsFile=/dev/null",
        "IdentitiesOnly=yes",
        "LogLevel=ERROR",
    ] {
        command.args(["-o", option]);
    }
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs commands in the client; the first that fails ends it.
fn sftp(folder: &Path, port: u16, batch: &str) -> Output {
    run(client(folder, port).arg("bos@127.0.0.1"), batch)
}

fn run(command: &mut Command, batch: &str) -> Output {
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(batch.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn is_done(output: &Output) -> bool {
    output.status.success()
}

/// Returns the names of Boston's files that were processed, and of those that were set aside as duplicates.
fn processed(folder: &Path) -> (Vec<String>, Vec<String>) {
    let journal = Connection::open(folder.join("flow.state/journal.db")).unwrap();
    let names = |condition: &str| {
        let sql = format!(
            "SELECT name FROM file WHERE network_element = 'msc-boston' AND {condition} ORDER BY name"
        );
        // The journal is created by the gateway's first run.
        let Ok(mut select) = journal.prepare(&sql) else { return Vec::new() };
        let names = select.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    (names("duplicate_of IS NULL"), names("duplicate_of IS NOT NULL"))
}

#[test]
fn a_file_that_is_pushed_is_processed_once_and_leaves_nothing_behind() {
    let folder = example("");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let pushed = sftp(
        folder,
        listening::port(&gateway, "SFTP"),
        "put in/boston/boston-00002.ber new.ber\nls -l\n",
    );
    assert!(is_done(&pushed), "{pushed:?}");
    gateway.says("\"/new.ber\" was pushed over SFTP");
    wait_for("the file", || buffer(folder).exists() && names(&buffer(folder)).is_empty());
    let out = folder.join("out");
    wait_for("the output", || {
        let mut folders = fs::read_dir(&out).into_iter().flatten().flatten();
        folders.any(|of| names(&of.path()).iter().any(|name| name.starts_with("msc-boston-new")))
    });
    let said = gateway.said();
    assert!(said.contains("msc-boston: \"bos\" at 127.0.0.1"), "{said}");
    assert!(!said.contains("sesame"), "{said}");
    let (_, shown) = tollgate(folder, "audit flow.toml --file new.ber");
    assert!(shown.contains("All records are accounted for"), "{shown}");
    let key = folder.join("flow.state/sftp-host-key");
    assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_came_for_a_network_element_that_was_renamed_is_told_and_waits_for_it() {
    let folder = example("");
    let folder = folder.path();
    fs::create_dir_all(buffer(folder)).unwrap();
    fs::copy(input(folder), buffer(folder).join("new.ber")).unwrap();
    fs::write(buffer(folder).join(".half.ber.part"), "half").unwrap();
    let rename = |from: &str, to: &str| {
        let text = fs::read_to_string(folder.join("flow.toml")).unwrap();
        fs::write(folder.join("flow.toml"), text.replace(from, to)).unwrap();
    };
    rename("msc-boston", "msc-other");
    tollgate(folder, "run flow.toml --once");
    let (_, alarms) = tollgate(folder, "alarms flow.toml");
    assert!(alarms.contains("files-orphaned"), "{alarms}");
    assert!(alarms.contains("1 file lies in") && alarms.contains("new.ber"), "{alarms}");
    rename("msc-other", "msc-boston");
    tollgate(folder, "run flow.toml --once");
    assert_eq!(processed(folder).0, ["new.ber"]);
    assert_eq!(tollgate(folder, "alarms flow.toml").1, "");
}

#[test]
fn who_does_not_know_the_password_does_not_come_in() {
    let folder = example("");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    for (user, password, comes_in) in [
        ("bos", "sesame", true),
        ("bos", "sesam", false),
        ("bos", "", false),
        ("root", "sesame", false),
    ] {
        let ask = folder.join("ask.sh");
        fs::write(&ask, format!("#!/bin/sh\necho '{password}'\n")).unwrap();
        fs::set_permissions(&ask, fs::Permissions::from_mode(0o700)).unwrap();
        let mut command = client(folder, port);
        // In batch mode the client asks for no password; the options that allow it come first, and the first value
        // counts.
        let mut with_password = Command::new("sftp");
        with_password.args(["-q", "-o", "BatchMode=no", "-o", "PubkeyAuthentication=no"]);
        with_password.args(["-o", "NumberOfPasswordPrompts=1"]).args(command.get_args());
        with_password.env("SSH_ASKPASS", &ask).env("SSH_ASKPASS_REQUIRE", "force");
        with_password.current_dir(folder).stdin(Stdio::piped());
        with_password.stdout(Stdio::piped()).stderr(Stdio::piped());
        with_password.arg(format!("{user}@127.0.0.1"));
        command.current_dir(folder);
        let output = run(&mut with_password, "ls\n");
        assert_eq!(is_done(&output), comes_in, "{user} {password}: {output:?}");
    }
    let said = gateway.said();
    assert!(said.contains("\"root\" at 127.0.0.1"), "{said}");
    assert!(!said.contains("sesam"), "{said}");
}

#[test]
fn nobody_leaves_his_folder_or_gets_anything_back() {
    // Nothing is collected while the test runs.
    let folder = example(", recursive = true, quiet = \"1 hour\"");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    let there = sftp(folder, port, "put in/boston/boston-00002.ber a.ber\n");
    assert!(is_done(&there), "{there:?}");
    std::os::unix::fs::symlink(folder, buffer(folder).join("link")).unwrap();
    let before: Vec<String> = names(folder).into_iter().filter(|name| name != "out").collect();
    for request in [
        "put in/boston/boston-00002.ber ../b.ber",
        "put in/boston/boston-00002.ber ../../../../b.ber",
        "put in/boston/boston-00002.ber /../b.ber",
        "put in/boston/boston-00002.ber x/../../b.ber",
        "put in/boston/boston-00002.ber /tmp/b.ber",
        "put in/boston/boston-00002.ber link/b.ber",
        "put in/boston/boston-00002.ber link",
        "put in/boston/boston-00002.ber .hidden.ber",
        "put in/boston/boston-00002.ber \"a\tb.ber\"",
        "put in/boston/boston-00002.ber a.ber.duplicate",
        "mkdir ../c",
        "mkdir link/c",
        "ls link/",
        "ls ../",
        "get a.ber",
        "get link/flow.toml",
        "rename a.ber b.ber",
        "rename a.ber ../b.ber",
        "rm a.ber",
        "rm link/flow.toml",
        "ln -s /etc/passwd c.ber",
        "ln a.ber c.ber",
    ] {
        let refused = sftp(folder, port, &format!("{request}\n"));
        // OpenSSH lists a folder above the root as the root, and reports that itself.
        let is_list = request == "ls ../" && !is_done(&refused);
        assert!(!is_done(&refused) || is_list, "{request}: {refused:?}");
    }
    // The outputs of New York's files are not the client's doing.
    let now: Vec<String> = names(folder).into_iter().filter(|name| name != "out").collect();
    assert_eq!(now, before);
    assert_eq!(names(&buffer(folder)), ["a.ber", "link"]);
    let made = sftp(
        folder,
        port,
        "mkdir x\nput in/boston/boston-00002.ber x/b.ber\ncd x\nls\ncd ..\npwd\n",
    );
    assert!(is_done(&made), "{made:?}");
    assert!(String::from_utf8_lossy(&made.stdout).contains("b.ber"), "{made:?}");
    assert_eq!(names(&buffer(folder).join("x")), ["b.ber"]);
    let said = gateway.said();
    assert!(said.contains("b.ber\" was refused: the path leads out of your folder"), "{said}");
}

#[test]
fn what_is_there_is_not_overwritten_and_what_is_renamed_is_taken_then() {
    let folder = example(", quiet = \"1 hour\"");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    fs::write(folder.join("other"), "other").unwrap();
    let own = "in/boston/boston-00002.ber";
    for (batch, is_taken) in [
        (format!("put {own} a.ber"), true),
        (format!("put {own} a.ber"), true),
        ("put other a.ber".to_owned(), false),
        (format!("put {own} b.ber.tmp\nrename b.ber.tmp b.ber"), true),
        ("put other c.ber.tmp\nrename c.ber.tmp b.ber".to_owned(), false),
        ("rm c.ber.tmp".to_owned(), true),
    ] {
        let output = sftp(folder, port, &format!("{batch}\n"));
        assert_eq!(is_done(&output), is_taken, "{batch}: {output:?}");
    }
    assert_eq!(names(&buffer(folder)), ["a.ber", "b.ber"]);
    for name in ["a.ber", "b.ber"] {
        assert_eq!(fs::read(buffer(folder).join(name)).unwrap(), fs::read(input(folder)).unwrap());
    }
}

#[test]
fn an_upload_that_breaks_off_is_nowhere_until_it_is_gone_on_with() {
    let folder = example(", quiet = \"1 hour\"");
    let folder = folder.path();
    let mut gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    let octets: Vec<u8> = (0..2_000_000_u32).flat_map(u32::to_be_bytes).collect();
    fs::write(folder.join("large"), &octets).unwrap();
    let mut slow = client(folder, port);
    let mut slow = slow.args(["-l", "8000", "bos@127.0.0.1"]).spawn().unwrap();
    slow.stdin.take().unwrap().write_all(b"put large a.ber\n").unwrap();
    let part = buffer(folder).join(".a.ber.part");
    wait_for("the first part", || part.metadata().is_ok_and(|part| part.len() > 300_000));
    slow.kill().unwrap();
    slow.wait().unwrap();
    assert_eq!(names(&buffer(folder)), [".a.ber.part"]);
    // The octets that came stay where they are, even if the gateway is killed.
    gateway.kill();
    let came = part.metadata().unwrap().len();
    let gateway = Gateway::start(folder);
    let output = sftp(folder, listening::port(&gateway, "SFTP"), "reput large a.ber\n");
    assert!(is_done(&output), "{output:?}");
    assert!(came < octets.len() as u64 && part.metadata().is_err());
    assert!(fs::read(buffer(folder).join("a.ber")).unwrap() == octets);
}

/// Returns the outputs of each receiver, by name.
fn made(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut made = BTreeMap::new();
    for of in fs::read_dir(folder.join("out")).unwrap().flatten() {
        for file in fs::read_dir(of.path()).unwrap().flatten() {
            let name = format!("{:?}/{:?}", of.file_name(), file.file_name());
            made.insert(name, fs::read(file.path()).unwrap());
        }
    }
    made
}

/// Returns the outputs when the pushed files are in a folder, and no gateway is killed.
fn undisturbed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let plain = changed::example(&[]);
    let boston = plain.path().join("in/boston");
    fs::remove_dir_all(&boston).unwrap();
    fs::rename(folder.join("made/boston"), boston).unwrap();
    tollgate(plain.path(), "run flow.toml --once");
    made(plain.path())
}

/// A client that does not know whether a file arrived pushes it again.
#[test]
fn files_that_are_pushed_while_gateways_die_are_processed_once() {
    let folder = example("");
    let folder = folder.path();
    let files = 12;
    let simulate =
        format!("simulate cdr --seed 7 --count 3000 --files {files} --centre boston:8 made");
    assert_eq!(tollgate(folder, &simulate).0, 0);
    let mut gateway = Gateway::start(folder);
    let (mut broken, mut kills) = (0, 0);
    for number in 1..=files {
        let name = format!("boston-{number:05}.ber");
        let mut attempts = 0;
        loop {
            let port = listening::port(&gateway, "SFTP");
            let is_first = number == 1 && attempts == 0;
            let mut pushing = client(folder, port);
            if is_first {
                // Slow and in small pieces, so that the kill hits the transfer.
                pushing.args(["-l", "200", "-B", "8192"]);
            }
            let mut pushing = pushing.arg("bos@127.0.0.1").spawn().unwrap();
            let batch = format!("put made/boston/{name} {name}\n");
            pushing.stdin.take().unwrap().write_all(batch.as_bytes()).unwrap();
            // The gateway is killed at another moment of each transfer: while the file arrives, or after it was taken.
            if attempts == 0 {
                match is_first {
                    true => {
                        let part = buffer(folder).join(format!(".{name}.part"));
                        wait_for("the first part", || part.exists());
                    }
                    false => std::thread::sleep(std::time::Duration::from_millis(40 * number)),
                }
                gateway.kill();
                gateway = Gateway::start(folder);
                kills += 1;
            }
            attempts += 1;
            if pushing.wait().unwrap().success() {
                break;
            }
            broken += 1;
            assert!(attempts < 20, "{}", gateway.said());
        }
    }
    let expected: Vec<String> = (1..=files).map(|n| format!("boston-{n:05}.ber")).collect();
    wait_for("all files", || processed(folder).0.len() >= expected.len());
    let (once, again) = processed(folder);
    assert_eq!(once, expected, "each file is processed once");
    assert!(broken > 0, "no kill met a client at work");
    drop(gateway);
    let (_, shown) = tollgate(folder, "audit flow.toml");
    assert!(shown.contains("All records are accounted for"), "{shown}");
    tollgate(folder, "run flow.toml --once");
    assert!(made(folder) == undisturbed(folder), "each record goes out once");
    println!(
        "{kills} kills, {broken} pushes broken off, {} files pushed twice and set aside",
        again.len()
    );
}

#[test]
fn a_buffer_that_is_full_takes_no_more_and_says_so() {
    let folder = example(", limit = \"100 kB\", quiet = \"1 hour\"");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    fs::write(folder.join("large"), vec![7; 100_001]).unwrap();
    fs::write(folder.join("fits"), vec![7; 100_000]).unwrap();
    assert!(!is_done(&sftp(folder, port, "put large a.ber\n")));
    assert!(is_done(&sftp(folder, port, "put fits b.ber\n")));
    assert!(!is_done(&sftp(folder, port, "put fits c.ber\n")));
    assert!(!buffer(folder).join("c.ber").exists());
    gateway.says("have reached its limit of 100.0 kB: no more are taken");
    let (status, said) = tollgate(folder, "alarms flow.toml");
    assert!(status == 1 && said.contains("buffer-full"), "{said}");
    fs::remove_file(buffer(folder).join("b.ber")).unwrap();
    gateway.says("alarm over");
    assert!(is_done(&sftp(folder, port, "put fits c.ber\n")));
}

#[test]
fn a_server_that_cannot_be_started_is_an_alarm_until_it_can() {
    let folder = example("");
    let folder = folder.path();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let flow = fs::read_to_string(folder.join("flow.toml")).unwrap();
    fs::write(folder.join("flow.toml"), flow.replace("127.0.0.1:0", &format!("127.0.0.1:{port}")))
        .unwrap();
    let gateway = Gateway::start(folder);
    gateway.says("alarm: files cannot be pushed to [listen.sftp]");
    drop(other);
    assert_eq!(listening::port(&gateway, "SFTP"), port);
    gateway.says("alarm over: files cannot be pushed");
    assert!(is_done(&sftp(folder, port, "ls\n")));
}

#[test]
fn who_may_push_changes_with_the_flow_while_it_runs() {
    let folder = example("");
    let folder = folder.path();
    let gateway = Gateway::start(folder);
    let port = listening::port(&gateway, "SFTP");
    assert!(is_done(&sftp(folder, port, "ls\n")));
    fs::write(folder.join("boston.keys"), "").unwrap();
    assert_eq!(tollgate(folder, "reload flow.toml").0, 0);
    wait_for("the change", || !is_done(&sftp(folder, port, "ls\n")));
    fs::copy(folder.join("key.pub"), folder.join("boston.keys")).unwrap();
    assert_eq!(tollgate(folder, "reload flow.toml").0, 0);
    wait_for("the change", || is_done(&sftp(folder, port, "ls\n")));
    assert_eq!(gateway.said().matches("files are taken over SFTP").count(), 1);
}

#[test]
fn what_is_wrong_with_who_may_push_is_a_mistake_and_no_secret_is_shown() {
    let folder = example("");
    let folder = folder.path();
    let flow = fs::read_to_string(folder.join("flow.toml")).unwrap();
    for (from, to, mistake) in [
        ("[listen.sftp]", "[listen.sftpp]", "nothing listens by the name of \"sftpp\""),
        ("address = \"127.0.0.1:0\"", "adress = \"127.0.0.1:0\"", "did you mean \"address\""),
        ("\"127.0.0.1:0\"", "\"localhost\"", "\"localhost\" is no address with a port"),
        ("[listen.sftp]\naddress = \"127.0.0.1:0\"\n", "", "write [listen.sftp] with an address"),
        ("user = \"bos\", ", "", "a login over SFTP needs a \"user\""),
        (
            "password-file = \"boston.password\"",
            "password = \"geheim\"",
            "a password does not stand in a flow file",
        ),
        ("boston.password", "no.password", "could not read"),
        ("boston.keys", "boston.password", "is no public key"),
        (
            "accept = {",
            "dir = \"in\", accept = {",
            "either collected from a folder, or fetched, or pushed",
        ),
        ("pattern", "done = \".x\", pattern", "processed files do not stay in an in buffer"),
    ] {
        assert!(flow.contains(from), "{from}");
        fs::write(
            folder.join("flow.toml"),
            flow.replacen(from, to, if from == "pattern" { 9 } else { 1 }),
        )
        .unwrap();
        let (status, said) = tollgate(folder, "check flow.toml");
        assert!(status != 0 && said.contains(mistake), "{to}: {said}");
    }
    // A mistake shows the text of the flow file where it is, but never the contents of another file.
    let both = flow.replace("dir = \"in/new-york\"", ACCEPT);
    fs::write(folder.join("flow.toml"), both).unwrap();
    let (status, said) = tollgate(folder, "check flow.toml");
    assert!(
        status != 0 && said.contains("has this user too") && !said.contains("sesame"),
        "{said}"
    );
}
