//! Every record goes out once, whenever the gateway is killed, and however fast the receiver takes files away.
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::suspense;
use tempfile::TempDir;

const FILES: usize = 400;
const RECORDS: usize = 20_000;

/// Kills that must have met the gateway at work; `KILLS=1000` asks for more.
const KILLS: usize = 20;

const CENTRES: [&str; 2] = ["in/new-york", "in/boston"];
const OUTPUTS: [&str; 3] = ["out/home", "out/roaming", "out/statistics"];

fn tollgate(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder, line).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn start(folder: &Path, line: &str) -> Child {
    tollgate(folder, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn empty_flow() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(folder.path(), "init .").0, 0);
    fs::remove_dir_all(folder.path().join("in")).unwrap();
    folder
}

/// The files of a folder, those hidden left out; none where there is no folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let shown = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    paths.filter(shown).collect()
}

/// What a run that nobody disturbs makes of the same inputs.
fn undisturbed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let other = empty_flow();
    for centre in CENTRES {
        fs::create_dir_all(other.path().join(centre)).unwrap();
        for path in files(&folder.join(centre)) {
            fs::copy(&path, other.path().join(centre).join(path.file_name().unwrap())).unwrap();
        }
    }
    run(other.path(), "run flow.toml --once");
    let made = OUTPUTS.iter().flat_map(|made| files(&other.path().join(made)));
    let made = made.map(|path| (name(&path), fs::read(path).unwrap()));
    made.chain([set_aside(other.path())]).collect()
}

/// The records in suspense, as if they were a file.
fn set_aside(folder: &Path) -> (String, Vec<u8>) {
    ("suspense".into(), suspense(folder).join("\n").into())
}

/// Its folder's name and its own.
fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    format!("{}-{}", folder.to_string_lossy(), path.file_name().unwrap().to_string_lossy())
}

/// A receiver that takes every file away as soon as it sees it. It must never see one again.
fn receive(folder: &Path, received: &Path) {
    for path in OUTPUTS.iter().flat_map(|made| files(&folder.join(made))) {
        let target = received.join(name(&path));
        assert!(!target.exists(), "{} was delivered twice", path.display());
        fs::rename(path, target).unwrap();
    }
}

fn marked(folder: &Path) -> usize {
    let all = CENTRES.iter().flat_map(|centre| files(&folder.join(centre)));
    all.filter(|path| path.extension().is_some_and(|extension| extension == "done")).count()
}

fn kills() -> usize {
    std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)
}

#[test]
fn no_kill_loses_a_record_or_sends_one_twice() {
    let mut effective = 0;
    let mut seed = u64::from(std::process::id());
    eprintln!("seed {seed}");
    while effective < kills() {
        let folder = empty_flow();
        let simulate = format!("simulate cdr --count {RECORDS} --files {FILES} --flipped 0.001 in");
        assert_eq!(run(folder.path(), &simulate).0, 0);
        let wanted = undisturbed(folder.path());
        let received = folder.path().join("received");
        fs::create_dir(&received).unwrap();
        // Files written to just now may be written to still.
        thread::sleep(Duration::from_millis(500));
        while marked(folder.path()) < FILES {
            let before = (marked(folder.path()), files(&received).len());
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let end = Instant::now() + Duration::from_millis(8 + (seed >> 33) % 60);
            let mut child = start(folder.path(), "run flow.toml --once");
            let over = AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        receive(folder.path(), &received);
                    }
                });
                while Instant::now() < end && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
                let killed = child.try_wait().unwrap().is_none();
                child.kill().unwrap();
                child.wait().unwrap();
                over.store(true, Ordering::Relaxed);
                let moved = (marked(folder.path()), files(&received).len()) != before;
                effective += usize::from(killed && moved);
            });
        }
        // What was named behind the journal's word, and not yet before the last kill.
        run(folder.path(), "run flow.toml --once");
        receive(folder.path(), &received);
        let found: BTreeMap<String, Vec<u8>> = files(&received)
            .into_iter()
            .map(|path| {
                (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
            })
            .chain([set_aside(folder.path())])
            .collect();
        assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (name, octets) in &wanted {
            assert!(found[name] == *octets, "{name} differs from that of a run nobody disturbed");
        }
    }
    eprintln!("{effective} kills met the gateway at work");
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
    // The lock of one that was killed keeps nobody out.
    let (_, said) = run(folder.path(), "run flow.toml --once");
    assert!(!said.contains("another gateway"), "{said}");
}

/// A flow with one input, which goes to the folder `done` when it is marked; and the input.
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

fn take_outputs(folder: &Path) -> usize {
    let made: Vec<_> = OUTPUTS.iter().flat_map(|made| files(&folder.join(made))).collect();
    made.iter().for_each(|path| fs::remove_file(path).unwrap());
    made.len()
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
