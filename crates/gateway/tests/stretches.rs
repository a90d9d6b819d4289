//! Tests that a large file has the same results whether one thread or several read it: with refused records, octets
//! that are no records, and a format that often does not know where records end.

use crate::common;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::ThreadId;
use std::time::{Duration, SystemTime};

use crate::common::octets::{ALONE, IS_MENDED, Octets, WRITERS};
use flow::Report;
use gateway::{Parts, RunOptions};
use operate::AuditQuery;
use suspense::{Filter, Suspended, list};

const FLOW: &str = r#"
[network-element.a]
collect = { dir = "in" }
decode = { type = "Test.Call" }
[odd.isOdd]
from = "a"
[double.twice]
from = "isOdd.false"
[post-processing-system.all]
from = "a"
encode = {}
deliver = { dir = "out/all" }
[post-processing-system.odds]
from = "isOdd"
encode = {}
deliver = { dir = "out/odds" }
[post-processing-system.twice-evens]
from = "twice"
encode = {}
deliver = { dir = "out/evens" }
"#;

fn folder(name: &str, octets: &[u8]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("in")).unwrap();
    fs::write(dir.join("flow.toml"), FLOW).unwrap();
    let file = dir.join("in/f.x");
    fs::write(&file, octets).unwrap();
    // A new file would wait until its writer is surely done.
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    fs::File::options().write(true).open(file).unwrap().set_modified(yesterday).unwrap();
    dir
}

fn run(dir: &Path, workers: usize, stretch_octets: usize) -> Report {
    let kinds = common::kinds();
    let parts = Parts {
        kinds: &kinds,
        formats: &Octets,
        language: &node::NoLanguage,
        schemes: &[],
        codes: &[],
        listeners: &[],
        certificate: |_| None,
        channels: &[],
    };
    let options = RunOptions { workers, stretch_octets, ..RunOptions::once() };
    Report { seconds: 0.0, ..gateway::run(&dir.join("flow.toml"), parts, &options).unwrap() }
}

/// Returns the files in a folder and below, with their contents.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => drop(found.insert(path.clone(), fs::read(path).unwrap())),
        }
    }
    found
}

/// Returns the results of a file: its outputs, its suspense, and its audit.
fn outcome(dir: &Path) -> (Vec<Vec<u8>>, Vec<String>, String) {
    let mut aside = Vec::new();
    let listed = list(&dir.join("flow.toml"), &Filter::default(), |record| {
        let Suspended { record, offset, node, reason, octets, .. } = record;
        aside.push(format!("{record} {offset} {node} {reason} {octets:?}"));
        Ok::<_, ()>(())
    });
    assert_eq!(listed.unwrap(), Ok(()));
    let query = AuditQuery {
        network_element: None,
        file: None,
        period: 0..i64::MAX,
        by_day: false,
        by_file: false,
    };
    let audit = operate::audit(&dir.join("flow.toml"), &query).unwrap();
    assert!(audit.differences.is_empty(), "{:?}", audit.differences);
    (contents(&dir.join("out")).into_values().collect(), aside, format!("{:?}", audit.counts))
}

/// Returns random octets, without the one that makes writers panic.
fn octets(mut seed: u64, length: usize) -> Vec<u8> {
    let octet = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        match (seed >> 33) as u8 {
            66 => 67,
            octet => octet,
        }
    };
    (0..length).map(octet).collect()
}

fn writers() -> Vec<ThreadId> {
    let mut writers = std::mem::take(&mut *WRITERS.lock().unwrap_or_else(PoisonError::into_inner));
    writers.sort_unstable_by_key(|writer| format!("{writer:?}"));
    writers.dedup();
    writers
}

/// A single test, so that the writers are known.
#[test]
fn whoever_reads_it_a_file_is_the_same() {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    IS_MENDED.store(false, Ordering::Relaxed);
    let _ = writers();
    let mut helped = 0;
    for seed in 1..=8 {
        let file = octets(seed, 80_000);
        let one = folder("alone", &file);
        let alone = run(&one, 1, 1_000);
        assert_eq!(writers().len(), 1);
        let many = folder("together", &file);
        let together = run(&many, 4, 300 * seed as usize);
        helped += writers().len() - 1;
        assert_eq!((together.files, together.outputs), (alone.files, alone.outputs), "seed {seed}");
        assert!(outcome(&one) == outcome(&many), "seed {seed}");
    }
    assert!(helped > 0, "no worker helped with any of eight files");

    // A file with a deadly record is set aside, whichever thread meets that record.
    let mut file = octets(77, 80_000);
    file[79_000..].fill(66);
    let dir = folder("poison-in-a-stretch", &file);
    let report = run(&dir, 4, 1_000);
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    assert!(problem.contains("its worker broke off twice; it is set aside as"), "{problem}");
    assert_eq!(report.files, []);
    assert!(!dir.join("out").exists(), "nothing is left of it");
    IS_MENDED.store(true, Ordering::Relaxed);
    fs::rename(dir.join("in/f.x.poison"), dir.join("in/f.x")).unwrap();
    assert_eq!(run(&dir, 4, 1_000).files.len(), 1);
}
