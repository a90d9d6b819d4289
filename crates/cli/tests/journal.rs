//! Tests that a flow has one gateway, and what its journal knows of files that are done. Kills are tested in `crash`.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::example::{empty_flow, files, run, take_outputs, tollgate};
use tempfile::TempDir;

fn start(folder: &Path, line: &str) -> Child {
    tollgate(folder, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn the_second_gateway_on_a_flow_is_refused_and_told_who_runs_it() {
    let folder = empty_flow();
    let mut first = start(folder.path(), "run flow.toml");
    let lock = folder.path().join("flow.state/lock");
    let end = Instant::now() + Duration::from_secs(20);
    while fs::read_to_string(&lock).unwrap_or_default().is_empty() {
        assert!(Instant::now() < end, "the gateway does not start");
        thread::sleep(Duration::from_millis(5));
    }
    let (status, said) = run(folder.path(), "run flow.toml --once");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(&format!("process {}", first.id())), "{said}");
    // The lock of a killed gateway keeps no other out.
    let (_, said) = run(folder.path(), "run flow.toml --once");
    assert!(!said.contains("another gateway"), "{said}");
}

/// Creates a flow with one input, which moves to the folder `done` when it is marked; returns both.
fn flow_that_moves() -> (TempDir, PathBuf) {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 50 --files 1 --centre boston:8 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    let flow = fs::read_to_string(folder.path().join("flow.toml")).unwrap();
    let moves = "\"*.ber\", move = \"done\" }\nduplicates = { files = \"off\" }";
    let moves = flow.replace("\"*.ber\" }", moves);
    assert_ne!(flow, moves);
    fs::write(folder.path().join("flow.toml"), moves).unwrap();
    let input = folder.path().join("in/boston/boston-00001.ber");
    assert!(input.exists());
    (folder, input)
}

#[test]
fn an_input_that_could_not_be_marked_is_not_done_again() {
    let (folder, input) = flow_that_moves();
    fs::write(folder.path().join("done"), "in the way of the folder").unwrap();
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("could not mark"), "{said}");
    assert!(take_outputs(folder.path()) > 0 && input.exists());
    fs::remove_file(folder.path().join("done")).unwrap();
    run(folder.path(), "run flow.toml --once");
    assert_eq!(take_outputs(folder.path()), 0, "what is in the journal is not made again");
    assert!(!input.exists(), "and is marked");
}

#[test]
fn a_file_that_takes_the_place_of_a_marked_one_is_done_though_it_looks_like_it() {
    let (folder, input) = flow_that_moves();
    let written = fs::metadata(&input).unwrap().modified().unwrap();
    for _ in 0..2 {
        let octets = match fs::read(&input) {
            Ok(octets) => octets,
            Err(_) => fs::read(files(&folder.path().join("done")).remove(0)).unwrap(),
        };
        fs::write(&input, octets).unwrap();
        fs::File::options().write(true).open(&input).unwrap().set_modified(written).unwrap();
        run(folder.path(), "run flow.toml --once");
        assert!(take_outputs(folder.path()) > 0, "same path, size and time, and another file");
    }
}

#[test]
fn a_file_that_was_marked_by_one_who_was_killed_is_not_waited_for_and_known_when_it_is_back() {
    let (folder, input) = flow_that_moves();
    let here = folder.path();
    run(here, "run flow.toml --once");
    assert!(take_outputs(here) > 0);
    // As if killed after the mark, and before the mark was noted.
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    assert_eq!(journal.execute("UPDATE file SET marked = 0", []).unwrap(), 1);
    drop(journal);
    let audit = || {
        let shown = tollgate(here, "audit flow.toml").output().unwrap().stdout;
        String::from_utf8(shown).unwrap()
    };
    assert!(audit().contains("1 file is done and not marked yet"), "{}", audit());
    run(here, "run flow.toml --once");
    assert!(!audit().contains("not marked yet"), "{}", audit());
    // As if the disk of the inputs was missing for longer than files are kept.
    let flow = here.join("flow.toml");
    let keeps_short = fs::read_to_string(&flow).unwrap() + "\n[state]\nkeep = \"1 second\"\n";
    fs::write(&flow, keeps_short).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    run(here, "run flow.toml --once");
    fs::rename(files(&here.join("done")).remove(0), &input).unwrap();
    run(here, "run flow.toml --once");
    assert_eq!(take_outputs(here), 0, "it is not made again");
    assert!(!input.exists(), "and is marked");
}

#[test]
fn an_input_that_was_away_before_it_was_marked_is_not_done_again_however_late_it_is_back() {
    let (folder, input) = flow_that_moves();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("[state]\nkeep = \"1 ms\"\n{flow}")).unwrap();
    fs::write(folder.path().join("done"), "in the way of the folder").unwrap();
    run(folder.path(), "run flow.toml --once");
    assert!(take_outputs(folder.path()) > 0);
    // As with a disk that is missing when the gateway starts.
    let (boston, away) = (input.parent().unwrap(), folder.path().join("away"));
    fs::rename(boston, &away).unwrap();
    fs::create_dir(boston).unwrap();
    for _ in 0..2 {
        run(folder.path(), "run flow.toml --once");
    }
    fs::remove_dir(boston).unwrap();
    fs::rename(&away, boston).unwrap();
    fs::remove_file(folder.path().join("done")).unwrap();
    run(folder.path(), "run flow.toml --once");
    assert_eq!(take_outputs(folder.path()), 0);
}

#[test]
fn a_journal_that_is_gone_or_empty_is_begun_anew_and_said_to_be() {
    let (folder, input) = flow_that_moves();
    let octets = fs::read(&input).unwrap();
    let told = "so a new one is begun";
    let (_, said) = run(folder.path(), "run flow.toml --once");
    assert!(!said.contains(told), "{said}");
    let journal = folder.path().join("flow.state/journal.db");
    for gone in [|path: &Path| fs::remove_file(path), |path: &Path| fs::write(path, "")] {
        gone(&journal).unwrap();
        fs::write(&input, &octets).unwrap();
        let (_, said) = run(folder.path(), "run flow.toml --once");
        assert!(said.contains(told) && said.contains("was done before"), "{said}");
    }
}

/// Runs a command as a user who may read the flow and not write it; returns `None` if this machine has no such user.
fn of_another(folder: &Path, line: &str) -> Option<(i32, String, String)> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65_534;
    let state = folder.join("flow.state");
    let mut command = tollgate(folder, line);
    let readable = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    readable(folder, 0o755).unwrap();
    if fs::metadata(folder).unwrap().uid() == 0 {
        // As a user in a group that may read.
        let given = |path: &Path, mode| {
            std::os::unix::fs::chown(path, None, Some(NOBODY)).unwrap();
            readable(path, mode).unwrap();
        };
        files(&state).iter().for_each(|file| given(file, 0o640));
        given(&state, 0o750);
        command.uid(NOBODY).gid(NOBODY);
    } else {
        files(&state).iter().for_each(|file| readable(file, 0o444).unwrap());
        readable(&state, 0o555).unwrap();
    }
    let output = command.output().ok()?;
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    let status = output.status.code().unwrap();
    Some((status, text(&output.stdout), text(&output.stderr)))
}

#[test]
fn who_may_not_write_the_journal_reads_it_and_is_told_whose_it_is() {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 50 --files 2 --flipped 0.1 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    run(folder.path(), "run flow.toml --once");
    for line in ["suspense list --json", "suspense show flow.toml 1", "audit --csv", "alarms"] {
        let own = tollgate(folder.path(), line).output().unwrap();
        let Some((status, shown, said)) = of_another(folder.path(), line) else {
            return eprintln!("LEFT OUT: this machine has no other user who may run the program");
        };
        assert_eq!(Some(status), own.status.code(), "{line}: {said}");
        assert_eq!(shown, String::from_utf8_lossy(&own.stdout), "{line}");
    }
    let discard = "suspense discard flow.toml 1 --because test --yes";
    let (status, _, said) = of_another(folder.path(), discard).unwrap();
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("only ") && said.contains(" may write to \""), "{said}");
}

/// Octets from which on a journal is large: checking all of it takes long.
const LARGE: u64 = 80_000_000;

/// The file that records when the whole journal was last checked.
const LOOKED: &str = "flow.state/journal.db-looked";

/// Returns when a journal was last checked, in seconds since 1970.
fn looked_at(folder: &Path) -> u64 {
    let mark = fs::read_to_string(folder.join(LOOKED)).unwrap();
    mark.split(' ').next().unwrap().parse().unwrap()
}

/// Changes the contents of the file.
fn say(folder: &Path, then: &str, now: &str) {
    let mark = fs::read_to_string(folder.join(LOOKED)).unwrap();
    assert!(mark.contains(then), "{mark}");
    fs::write(folder.join(LOOKED), mark.replacen(then, now, 1)).unwrap();
}

/// Moves the last check of a journal an hour back; returns the new time.
fn an_hour_before(folder: &Path) -> u64 {
    let (then, before) = (looked_at(folder), looked_at(folder) - 3_600);
    say(folder, &then.to_string(), &before.to_string());
    before
}

fn change_journal(folder: &Path, change: &str) {
    let journal = rusqlite::Connection::open(folder.join("flow.state/journal.db")).unwrap();
    journal.execute_batch(change).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_journal_that_a_kill_left_is_not_looked_at_as_a_whole_unless_others_wrote_to_it() {
    let (folder, input) = flow_that_moves();
    let here = folder.path();
    let octets = fs::read(&input).unwrap();
    run(here, "run flow.toml --once");
    change_journal(
        here,
        &format!(
            "INSERT INTO alarm (kind, subject, text, raised_ms, cleared_ms, raised, change)
             VALUES ('disk-low', 'a', printf('%.*c', {LARGE}, 'a'), 0, 0, 0, 0)"
        ),
    );
    let does_a_file_and_is_killed = |name: &str| {
        let mut gateway = start(here, "run flow.toml");
        let input = input.with_file_name(name);
        fs::write(&input, &octets).unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while input.exists() {
            assert!(Instant::now() < end, "{name} is not done");
            thread::sleep(Duration::from_millis(5));
        }
        gateway.kill().unwrap();
        gateway.wait().unwrap();
    };
    does_a_file_and_is_killed("1.ber");
    let before = an_hour_before(here);
    does_a_file_and_is_killed("2.ber");
    does_a_file_and_is_killed("3.ber");
    assert_eq!(looked_at(here), before, "a kill is no reason to look");
    assert!(fs::metadata(here.join("flow.state/journal.db")).unwrap().len() > LARGE);
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    say(here, boot.trim(), "another");
    does_a_file_and_is_killed("4.ber");
    assert!(looked_at(here) > before, "a power cut is");
    let before = an_hour_before(here);
    change_journal(here, "UPDATE alarm SET subject = 'b'");
    // Some time after the kill, which may have been during a commit.
    let earlier = std::time::SystemTime::now() - Duration::from_secs(60);
    let mark = fs::File::options().write(true).open(here.join(LOOKED)).unwrap();
    mark.set_modified(earlier).unwrap();
    does_a_file_and_is_killed("5.ber");
    assert!(looked_at(here) > before, "and that another wrote to it");
}
