//! Tests that set the clock forth and back while the gateway works.

use std::fs;
use std::path::Path;

use crate::crash::left_out;
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{Inputs, Site, wait_until};

/// The library that replaces the clock of the C library; Debian's package `faketime` contains it.
const LIBRARY: &str = "/usr/$LIB/faketime/libfaketimeMT.so.1";

/// Offsets of the clock in seconds, one after the other: an hour, a day, ten years, before 1970.
const JUMPS: [&str; 6] = ["-3600", "+86400", "-86400", "+315360000", "-1800000000", "+0"];

const INPUTS: Inputs = Inputs { files: 4 * JUMPS.len(), records: 1_000, damaged: 0.01, seed: 8 };

#[test]
fn a_clock_that_is_set_costs_no_record() {
    let (folder, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let made = Site::with_inputs(made.path(), INPUTS);
    let (wanted, site) = (Wanted::of(&made), Site::new(&folder.path().join("flow")));
    site.centres().for_each(|centre| fs::create_dir_all(centre).unwrap());
    let off_by = folder.path().join("off-by");
    fs::write(&off_by, "+0").unwrap();
    let settings = [
        ("LD_PRELOAD", LIBRARY.to_owned()),
        ("FAKETIME_TIMESTAMP_FILE", off_by.display().to_string()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("NO_FAKE_STAT", "1".to_owned()),
    ];
    let gateway = site.under(&settings).start("run flow.toml");
    let mut receiver = Receiver::default();
    for (files, jump) in made.inputs().chunks(4).zip(JUMPS) {
        fs::write(&off_by, jump).unwrap();
        files.iter().for_each(|input| assert!(site.put(&made, input)));
        wait_until(&format!("files are done while the clock is off by {jump} s"), || {
            receiver.take(&site);
            site.marked() == site.inputs().len()
        });
        if !has_loaded(gateway.id(), "libfaketime") {
            return left_out("a clock that is set", "the package faketime is not there");
        }
    }
    gateway.kill();
    receiver.take_the_rest(&site);
    wanted.check(&receiver);
}

fn has_loaded(process: u32, library: &str) -> bool {
    let loaded = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("maps"));
    loaded.unwrap().contains(library)
}
