//! Tests with octets of the journal changed on the disk: the gateway refuses to start, or the change has no effect on
//! its decisions.

use std::fs;

use crate::crash::chance::{Chance, number};
use crate::crash::faults::Scene;
use crate::crash::site::Inputs;

/// Octets of each page that are changed, one at a time; `DAMAGE=100` tests more.
const DAMAGE: u64 = 1;

const PAGE_OCTETS: usize = 4096;

const INPUTS: Inputs = Inputs { files: 24, records: 480, damaged: 0.02, seed: 6 };

const JOURNAL: &str = "flow.state/journal.db";

/// Where the journal has the number of its transactions (`application_id`, with the highest octet first).
const TRANSACTIONS: std::ops::Range<usize> = 68..72;

/// Creates a flow in which only the journal knows what is done: no input could be marked, and the outputs were taken
/// away.
fn known_to_the_journal_alone() -> Scene {
    let mut scene = Scene::new(INPUTS);
    let flow = fs::read_to_string(scene.site.path("flow.toml")).unwrap();
    // The gateway does not know a file by its contents either.
    let off = "\"*.ber\", move = \"done\" }\nduplicates = { files = \"off\" }";
    let moves = flow.replace("\"*.ber\" }", off);
    fs::write(scene.site.path("flow.toml"), moves).unwrap();
    fs::write(scene.site.path("done"), "in the way of the folder").unwrap();
    let ended = scene.site.run("run flow.toml --once");
    assert!(ended.said.contains("could not mark"), "{}", ended.said);
    scene.receiver.take(&scene.site);
    fs::remove_file(scene.site.path("done")).unwrap();
    scene
}

/// Returns the places of some octets of each page, and one in each path of an input, as rows and indexes contain them.
fn places(journal: &[u8], chance: &mut Chance) -> Vec<usize> {
    let each = number("DAMAGE").unwrap_or(DAMAGE);
    let pages = (0..journal.len()).step_by(PAGE_OCTETS);
    let in_pages = pages.flat_map(|page| (0..each).map(move |_| page));
    let in_pages = in_pages.map(|page| page + chance.within(0..PAGE_OCTETS as u64) as usize);
    let in_pages: Vec<usize> = in_pages.collect();
    let paths = (0..journal.len()).filter(|at| journal[*at..].starts_with(b"in/"));
    let paths = paths.step_by(4 / each.min(4) as usize);
    in_pages.into_iter().chain(paths.map(|path| path + "in/".len())).collect()
}

#[test]
fn no_damage_to_the_journal_sends_a_record_twice() {
    let (scene, mut chance) = (known_to_the_journal_alone(), Chance::new());
    let octets = fs::read(scene.site.path(JOURNAL)).unwrap();
    let places = places(&octets, &mut chance);
    let mut refused = 0;
    for place in &places {
        let mut damaged = octets.clone();
        damaged[*place] ^= chance.within(1..256) as u8;
        refused += usize::from(is_refused(scene.clone(), &damaged, *place));
    }
    eprintln!("{refused} of {} were refused, the others decided nothing", places.len());
    assert!(refused > 0);
}

/// Returns whether a gateway refuses such a journal; if it does not, it must still know what is done.
fn is_refused(mut scene: Scene, journal: &[u8], place: usize) -> bool {
    fs::write(scene.site.path(JOURNAL), journal).unwrap();
    let ended = scene.site.run("run flow.toml --once");
    let what = format!("octet {place} was changed: {}", ended.said);
    let refused = ended.status == Some(2);
    assert!(!refused || ended.said.contains(JOURNAL), "{what}");
    let before = scene.receiver.count();
    scene.receiver.take(&scene.site);
    assert_eq!(scene.receiver.count(), before, "{what}");
    refused
}

/// Runs a gateway on a journal with a change in one of its files.
fn check(scene: &Scene, file: &str, damaged: std::ops::Range<usize>) {
    let mut octets = fs::read(scene.site.path(file)).unwrap();
    octets[damaged].iter_mut().for_each(|octet| *octet ^= 0xff);
    fs::write(scene.site.path(file), &octets).unwrap();
    // Commands that only read, or that cannot change the journal, leave it unchanged too.
    scene.site.run("suspense list flow.toml");
    scene.site.run("suspense discard flow.toml --all --because test --yes");
    let ended = scene.site.run("run flow.toml --once");
    assert_eq!(ended.status, Some(2), "{}", ended.said);
    for told in [file, "is damaged", "docs/how-to/recover-from-a-damaged-journal.md"] {
        assert!(ended.said.contains(told), "{}", ended.said);
    }
    assert!(fs::read(scene.site.path(file)).unwrap() == octets, "{file} is left as it was");
}

#[test]
fn a_damaged_journal_is_refused_and_left_as_it_is() {
    check(&known_to_the_journal_alone(), JOURNAL, PAGE_OCTETS..PAGE_OCTETS + 8);
}

/// Kills a gateway while its log has transactions that the journal does not have yet.
fn killed_with_a_log() -> Scene {
    let mut killed = (10..=20).rev().map(|marked| {
        let mut scene = Scene::new(INPUTS);
        scene.disturb("in", "KILL_AFTER", marked).expect("so many files are marked");
        scene
    });
    // A checkpoint may have copied all of the log.
    let needs_log = |scene: &Scene| {
        let journal = fs::read(scene.site.path(JOURNAL)).unwrap();
        let counted =
            journal[TRANSACTIONS].iter().fold(0, |sum, octet| sum << 8 | u32::from(*octet));
        let committed = fs::read_to_string(scene.site.path(&format!("{JOURNAL}-commits"))).unwrap();
        counted < committed.trim_end().parse().unwrap()
    };
    killed.find(needs_log).expect("a checkpoint is rarely made at the moment of a kill")
}

/// Returns how much of a log is valid: behind it may be frames of the log before it began at its start again. All frames
/// of a log have the two salts of its head (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
fn valid(log: &[u8]) -> usize {
    const HEAD_OCTETS: usize = 32;
    const FRAME_OCTETS: usize = 24 + PAGE_OCTETS;
    let frames = log[HEAD_OCTETS..].chunks_exact(FRAME_OCTETS);
    let count = frames.take_while(|frame| frame[8..16] == log[16..24]).count();
    assert!(count > 0, "the log has a transaction");
    HEAD_OCTETS + count * FRAME_OCTETS
}

/// SQLite alone would take the damage for the end of what was written before a power cut.
#[test]
fn damage_in_the_log_of_a_gateway_that_was_killed_is_no_power_cut() {
    let scene = killed_with_a_log();
    check(&scene, &format!("{JOURNAL}-wal"), PAGE_OCTETS..PAGE_OCTETS + 1);
}

/// SQLite alone would take the files for a journal in which nothing of the log was written.
#[test]
fn a_log_that_is_gone_blank_or_cut_short_is_missed() {
    let killed = killed_with_a_log();
    let log = format!("{JOURNAL}-wal");
    let octets = fs::read(killed.site.path(&log)).unwrap();
    let (blank, cut) = (vec![0; octets.len()], octets[..valid(&octets) / 2].to_vec());
    for damaged in [None, Some(Vec::new()), Some(blank), Some(cut)] {
        let scene = killed.clone();
        match damaged {
            Some(octets) => fs::write(scene.site.path(&log), octets).unwrap(),
            None => fs::remove_file(scene.site.path(&log)).unwrap(),
        }
        let ended = scene.site.run("run flow.toml --once");
        assert_eq!(ended.status, Some(2), "{}", ended.said);
        for told in ["are missing", "docs/how-to/recover-from-a-damaged-journal.md"] {
            assert!(ended.said.contains(told), "{}", ended.said);
        }
    }
}
