//! Tests that let each call by which the gateway changes the disk fail once, in each possible way: the gateway reports
//! it and does nothing wrong, and continues when it is started again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::SystemTime;

use tempfile::TempDir;

use crate::crash::chance::{Chance, number};
use crate::crash::receiver::{Receiver, Wanted, differences};
use crate::crash::site::{Ended, Inputs, Site, files_of};

/// The ways in which a call can fail; `fault.c` describes each.
pub(crate) const KINDS: [&str; 6] = ["ENOSPC", "EIO", "SHORT", "TORN", "KILL_BEFORE", "KILL_AFTER"];

/// The average distance between calls that fail; with `FAULT_STRIDE=1` each call fails once.
const STRIDE: u64 = 32;

const INPUTS: Inputs = Inputs { files: 3, records: 90, damaged: 0.05, seed: 3 };

/// The factor of the stride for flows whose nodes remember records: most of their calls are those of a flow without
/// such nodes.
const REMEMBERING: u64 = 3;
const REMEMBERED: Inputs = Inputs { files: 4, ..INPUTS };

fn stride() -> u64 {
    number("FAULT_STRIDE").unwrap_or(STRIDE)
}

/// The library `fault.c`, which lets a call of the processes that load it fail.
pub(crate) struct Shim {
    folder: TempDir,
}

impl Shim {
    pub(crate) fn new() -> Self {
        Shim { folder: tempfile::tempdir().unwrap() }
    }

    /// Returns the library that a process loads; the first use compiles it.
    fn library() -> &'static Path {
        static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash/fault.c");
            let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fault.so");
            let part = library.with_extension(std::process::id().to_string());
            let arguments = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"];
            let mut compiler = Command::new("cc");
            let compiled = compiler.args(arguments).args([&part, &source]).arg("-ldl").status();
            assert!(compiled.unwrap().success(), "tests/crash/fault.c is compiled");
            fs::rename(part, &library).unwrap();
            library
        });
        &LIBRARY
    }

    /// Returns when a call failed; `None` if none did.
    fn when_it_went_wrong(&self) -> Option<SystemTime> {
        fs::metadata(self.folder.path().join("log")).and_then(|log| log.modified()).ok()
    }

    /// Returns which call failed; `None` if none did.
    pub(crate) fn went_wrong(&self) -> Option<String> {
        let log = self.folder.path().join("log");
        let told = fs::read_to_string(&log).ok();
        let _ = fs::remove_file(log);
        told
    }

    /// Returns the environment of a process in which one of the calls within a folder fails.
    pub(crate) fn environment(
        &self,
        folder: &Path,
        kind: &str,
        at: u64,
    ) -> [(&'static str, String); 5] {
        let text = |path: &Path| path.display().to_string();
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        [
            ("LD_PRELOAD", text(Self::library())),
            ("FAULT_FOLDER", format!("{}/", text(&folder))),
            ("FAULT_KIND", kind.into()),
            ("FAULT_AT", at.to_string()),
            ("FAULT_LOG", text(&self.folder.path().join("log"))),
        ]
    }
}

/// A flow, what its receiver already has, and what the receiver must have in the end.
pub(crate) struct Scene {
    pub(crate) site: Site,
    _folder: TempDir,
    pub(crate) receiver: Receiver,
    pub(crate) wanted: Wanted,
}

impl Scene {
    pub(crate) fn new(inputs: Inputs) -> Self {
        Self::of(Site::with_inputs, inputs)
    }

    fn of(site: fn(&Path, Inputs) -> Site, inputs: Inputs) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path(), inputs);
        let wanted = Wanted::of(&site);
        Scene { site, _folder: folder, receiver: Receiver::default(), wanted }
    }

    /// Runs the flow until a call within a folder fails; returns the call, if one failed.
    pub(crate) fn disturb(&mut self, within: &str, kind: &str, at: u64) -> Option<String> {
        let shim = Shim::new();
        let disturbed = self.site.under(&shim.environment(&self.site.path(within), kind, at));
        let ended = disturbed.run("run flow.toml --once --workers 1");
        let call = shim.went_wrong()?;
        let what = format!("{kind} at call {at} within {within}, {call}{}", ended.said);
        ended_well(&ended, kind, &what);
        self.receiver.take(&self.site);
        Some(what)
    }

    /// Runs the flow to its end; the result must be right.
    fn end(mut self, what: &str) {
        let Scene { site, receiver, wanted, .. } = &mut self;
        let ended = receiver.beside(site, Receiver::take, || site.run("run flow.toml --once"));
        assert!(matches!(ended.status, Some(0 | 1)), "{what}\n{:?} {}", ended.status, ended.said);
        receiver.take_the_rest(site);
        let wrong = differences(site, std::mem::take(wanted), std::mem::take(receiver));
        assert!(wrong.is_empty(), "{what}\n{}\n{}", ended.said, wrong.join("\n"));
        assert_eq!(site.marked(), site.inputs().len(), "{what}\n{}", ended.said);
        assert!(site.parts().is_empty(), "{what}\nleft {:?}", site.parts());
    }
}

impl Clone for Scene {
    fn clone(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = self.site.copied(folder.path());
        let (receiver, wanted) = (self.receiver.clone(), self.wanted.clone());
        Scene { site, _folder: folder, receiver, wanted }
    }
}

/// Asserts that the process ended by itself if the call only failed, and was killed if the fault kills.
fn ended_well(ended: &Ended, kind: &str, what: &str) {
    let killed = kind.starts_with("KILL") || kind == "TORN";
    let right = match ended.status {
        None => killed,
        Some(status) => !killed && matches!(status, 0..=2),
    };
    assert!(right && !ended.said.contains("panicked"), "{what}{:?}", ended.status);
}

/// Lets one call after the other within a folder fail, each in a flow of its own, until there are none left; returns
/// how many failed.
fn sweep(scene: &Scene, within: &str, kind: &str, mut step: impl FnMut() -> u64) -> u64 {
    let (mut at, mut faults) = (step(), 0);
    loop {
        let mut scene = scene.clone();
        let Some(what) = scene.disturb(within, kind, at) else { return faults };
        scene.end(&what);
        faults += 1;
        at += step();
    }
}

/// Lets one in `stride` calls fail on average, in each way.
fn sweep_all(scene: &Scene, stride: u64) {
    let mut chance = Chance::new();
    for kind in KINDS {
        let faults = sweep(scene, ".", kind, || chance.within(1..2 * stride));
        eprintln!("{faults} calls went wrong by {kind}");
        assert!(faults > 0);
    }
}

#[test]
fn whichever_call_on_the_disk_goes_wrong_each_record_goes_out_once() {
    sweep_all(&Scene::new(INPUTS), stride());
}

#[test]
fn whichever_call_goes_wrong_no_record_is_let_through_twice() {
    sweep_all(&Scene::of(Site::with_duplicates, REMEMBERED), REMEMBERING * stride());
}

#[test]
fn whichever_call_goes_wrong_no_unit_of_a_subscriber_is_lost_or_doubled() {
    sweep_all(&Scene::of(Site::with_counters, REMEMBERED), REMEMBERING * stride());
}

#[test]
fn whichever_call_goes_wrong_no_group_is_split_or_doubled() {
    let inputs = Inputs { records: 480, damaged: 0.0, ..REMEMBERED };
    sweep_all(&Scene::of(Site::with_matching, inputs), REMEMBERING * stride());
}

/// If the sync of a folder failed, a second sync succeeds though nothing was written, unless the folder was changed in
/// between.
#[test]
fn a_folder_whose_sync_failed_is_changed_before_it_is_synced_again() {
    let scene = Scene::new(Inputs { files: 1, records: 20, ..INPUTS });
    // Outputs are synced by several threads, so a run need not have the calls of the run before in their order.
    let failed = (0..5).find(|_| failed_syncs(&scene) > 0);
    assert!(failed.is_some(), "no sync of the folder failed when it had an output's name");
}

/// Lets each call fail in a run of its own. Returns how often a sync of a folder failed that had an output's name; the folder
/// must have changed then before it was synced again.
fn failed_syncs(scene: &Scene) -> usize {
    let mut failed = 0;
    for at in 1.. {
        let (scene, shim) = (scene.clone(), Shim::new());
        let folder = scene.site.path("out/home");
        let environment = shim.environment(&scene.site.path("out"), "EIO", at);
        scene.site.under(&environment).run("run flow.toml --once --workers 1");
        let Some(failed_at) = shim.when_it_went_wrong() else { break };
        let call = shim.went_wrong().unwrap_or_default();
        let is_named = !files_of(&folder).is_empty();
        if call.starts_with("fsync") && call.trim().ends_with("out/home") && is_named {
            scene.site.run("run flow.toml --once");
            let changed_at = fs::metadata(&folder).unwrap().modified().unwrap();
            assert!(changed_at > failed_at, "{call}");
            failed += 1;
        }
    }
    failed
}

/// A power cut removes a folder, and everything in it, if the name of the folder is not on the disk.
#[test]
fn the_names_of_folders_that_the_gateway_makes_are_on_the_disk() {
    let scene = Scene::new(Inputs { files: 1, records: 4, ..INPUTS });
    let flow = fs::read_to_string(scene.site.path("flow.toml")).unwrap();
    let moves = flow.replace("\"*.ber\" }", "\"*.ber\", move = \"moved/done\" }");
    assert_ne!(flow, moves);
    let flow = format!("[state]\ndir = \"kept/state\"\n{moves}");
    fs::write(scene.site.path("flow.toml"), flow).unwrap();
    let shim = Shim::new();
    let environment = shim.environment(&scene.site.folder, "LIST", 0);
    scene.site.under(&environment).run("run flow.toml --once --workers 1");
    let calls = shim.went_wrong().expect("it writes to the disk");
    let folder = scene.site.folder.canonicalize().unwrap().display().to_string();
    let synced = calls.lines().filter_map(|call| call.strip_prefix("fsync "));
    let synced: Vec<String> = synced.map(|path| path.trim().replace(&folder, "")).collect();
    for folder in ["/kept", "/moved", "/out"] {
        assert!(synced.iter().any(|path| path == folder), "{folder} is not among {synced:?}");
    }
}

/// If the gateway is killed as soon as it has marked a file, the journal may not know yet that the outputs have their
/// names. A file that arrives under the same name then is another file, and its unfinished outputs are not those that
/// the journal knows.
#[test]
fn half_of_a_file_whose_name_came_again_is_not_delivered() {
    let (mut scene, next) = (Scene::new(INPUTS), Scene::new(Inputs { seed: 4, ..INPUTS }));
    scene.disturb("in", "KILL_AFTER", 1).expect("a file is marked");
    for input in next.site.inputs() {
        if scene.site.put(&next.site, &input) {
            scene.wanted.and(next.wanted.of_input(&input));
        }
    }
    for kind in ["TORN", "KILL_AFTER"] {
        assert!(sweep(&scene, "out", kind, || 1) > 0);
    }
}
