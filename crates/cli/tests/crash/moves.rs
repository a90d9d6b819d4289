//! Tests that move done inputs to another disk: whatever goes wrong there, an input is on one of the two disks.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use crate::crash::faults::Shim;
use crate::crash::left_out;
use crate::crash::site::{Inputs, Site};

const INPUTS: Inputs = Inputs { files: 1, records: 30, damaged: 0.0, seed: 8 };

/// A disk in memory that every Linux has.
const OTHER_DISK: &str = "/dev/shm";

#[test]
fn an_input_is_removed_when_its_copy_on_another_disk_is_there_to_stay() {
    let what = "moving inputs to another disk";
    let archive = match tempfile::tempdir_in(OTHER_DISK) {
        Ok(archive) => archive,
        Err(error) => return left_out(what, &error.to_string()),
    };
    let folder = tempfile::tempdir().unwrap();
    let disk = |path| fs::metadata(path).unwrap().dev();
    if disk(archive.path()) == disk(folder.path()) {
        return left_out(what, "there is one disk");
    }
    let mut calls = String::new();
    for at in 1.. {
        let site = Site::with_inputs(&folder.path().join(at.to_string()), INPUTS);
        let input = site.inputs().remove(0);
        let done = archive.path().join(format!("{at}/done"));
        fs::create_dir_all(&done).unwrap();
        let flow = fs::read_to_string(site.path("flow.toml")).unwrap();
        let moves = format!("\"*.ber\", move = \"{}\" }}", done.display());
        fs::write(site.path("flow.toml"), flow.replace("\"*.ber\" }", &moves)).unwrap();
        let shim = Shim::new();
        let within = done.parent().unwrap();
        let ended = site.under(&shim.environment(within, "EIO", at)).run("run flow.toml --once");
        let moved = fs::read_dir(&done)
            .unwrap()
            .any(|entry| !entry.unwrap().file_name().to_string_lossy().starts_with('.'));
        let Some(call) = shim.went_wrong() else { break };
        assert!(input.exists() || moved, "{call}{}", ended.said);
        calls.push_str(&call);
        // The first sync of the folder that the input is moved to; later syncs belong to inputs that are done.
        if call.contains("sync ") && call.trim_end().ends_with("/done") {
            return assert!(input.exists(), "its copy may not be on the disk yet: {calls}");
        }
    }
    panic!("no sync of the folder: {calls}");
}
