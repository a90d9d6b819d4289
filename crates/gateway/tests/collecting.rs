//! Tests the files in the folders of network elements: each is processed once, and others are reported.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use flow::Report;
use gateway::RunOptions;

use crate::run::{account, folder, mistakes, run, run_with};

/// Returns a flow of one network element and one system. `more` goes into the `collect` table.
fn flow(more: &str) -> String {
    format!(
        "[network-element.a]\n\
         collect = {{ dir = \"in\"{more} }}\n\
         decode = {{ type = \"Test.Call\" }}\n\
         [post-processing-system.all]\n\
         from = \"a\"\n\
         encode = {{}}\n\
         deliver = {{ dir = \"out\", name = \"{{file}}\" }}\n"
    )
}

fn site(name: &str, more: &str, files: &[(&str, &[u8])]) -> PathBuf {
    folder(&format!("collecting-{name}"), &flow(more), files)
}

/// Returns the raised alarms: the numbers, kinds and texts.
fn alarms(dir: &Path) -> Vec<(i64, String)> {
    let raised = operate::alarms::raised_alarms(&dir.join("flow.toml")).unwrap();
    let shown = |alarm: alarm::Alarm| (alarm.id, format!("{}: {}", alarm.kind, alarm.text));
    raised.into_iter().map(shown).collect()
}

fn told(dir: &Path) -> String {
    alarms(dir).into_iter().map(|(_, text)| text + "\n").collect()
}

/// Runs with a clock that is ten minutes ahead.
fn run_later(dir: &Path) -> Report {
    let clock = || SystemTime::now() + Duration::from_secs(600);
    run_with(dir, RunOptions { workers: 1, clock, ..RunOptions::once() })
}

fn set_modified(path: &Path, at: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

#[test]
fn what_is_added_to_a_file_after_it_was_marked_is_an_alarm_until_it_is_taken_away() {
    let add = |path: &Path| {
        File::options().append(true).open(path).unwrap().write_all(&[3]).unwrap();
    };
    let write_in_place = |path: &Path| {
        fs::write(path, [1, 4]).unwrap();
        set_modified(path, SystemTime::now() - Duration::from_secs(7));
    };
    type Write<'w> = &'w dyn Fn(&Path);
    let writers: [(&str, Write<'_>); 2] = [("grows", &add), ("in-place", &write_in_place)];
    for (name, write) in writers {
        for (mark, more) in [("in/f.x.done", ""), ("done/f.x", ", move = \"done\"")] {
            let dir = site(&format!("{name}-{}", more.len()), more, &[("f.x", &[1, 2])]);
            assert_eq!(account(&run(&dir, 1, false)), ["f.x 2 = 2 + 0 + 0", "f.x 2"]);
            assert_eq!(told(&dir), "");
            write(&dir.join(mark));
            assert_eq!(account(&run_later(&dir)), [""; 0]);
            let said = told(&dir);
            assert!(said.contains("files-added-to: a: 1 file written to after being"), "{said}");
            assert!(said.contains("its first 2 octets are processed"), "{said}");
            fs::remove_file(dir.join(mark)).unwrap();
            let even_later = || SystemTime::now() + Duration::from_secs(1_200);
            run_with(&dir, RunOptions { clock: even_later, ..RunOptions::once() });
            assert_eq!(told(&dir), "", "{name}");
        }
    }
}

#[test]
fn a_file_of_a_time_that_is_to_come_is_taken_when_it_was_quiet_for_so_long() {
    let dir = site("future", ", quiet = \"1 second\"", &[("f.x", &[1])]);
    set_modified(&dir.join("in/f.x"), SystemTime::now() + Duration::from_secs(100_000_000));
    assert_eq!(account(&run(&dir, 1, false)), ["f.x 1 = 1 + 0 + 0", "f.x 1"]);
}

#[test]
fn a_run_that_ends_says_which_files_it_leaves_since_they_are_written_to() {
    let dir = site("written", "", &[("f.x", &[1]), ("g.x", &[2])]);
    let is_over = AtomicBool::new(false);
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().append(true).open(dir.join("in/f.x")).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                file.write_all(&[1]).unwrap();
                thread::sleep(Duration::from_millis(2));
            }
        });
        let report = run(&dir, 1, false);
        is_over.store(true, Ordering::Relaxed);
        report
    });
    assert_eq!(account(&report), ["g.x 1 = 1 + 0 + 0", "g.x 1"]);
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    assert!(
        problem.contains("f.x\" is left for the next run: it may still be written"),
        "{problem}"
    );
}

#[test]
fn files_with_marks_that_no_gateway_gave_them_are_told() {
    let files: [(&str, &[u8]); 4] =
        [("own.x.done", &[1]), ("own.x.done.2", &[2]), ("own.x.duplicate", &[3]), ("f.x", &[4])];
    let dir = site("marks", "", &files);
    for expected in [["f.x 1 = 1 + 0 + 0", "f.x 1"].as_slice(), &[]] {
        assert_eq!(account(&run(&dir, 1, false)), expected);
        let said = told(&dir);
        assert!(said.starts_with("marks-unknown: a: 3 files not collected, such as"), "{said}");
        assert!(said.contains("own.x.done\""), "{said}");
    }
    let raised = alarms(&dir);
    fs::write(dir.join("in/own.x.poison"), [5]).unwrap();
    run(&dir, 1, false);
    let said = told(&dir);
    assert!(said.contains("poison-files: a: 1 file not collected"), "{said}");
    assert!(said.contains("this gateway did not do that"), "{said}");
    assert!(alarms(&dir).contains(&raised[0]), "it stands as it did");
    for (name, _) in &files[..3] {
        fs::remove_file(dir.join("in").join(name)).unwrap();
    }
    fs::remove_file(dir.join("in/own.x.poison")).unwrap();
    run(&dir, 1, false);
    assert_eq!(told(&dir), "");
}

#[test]
fn what_cannot_be_marked_is_an_alarm_and_is_not_processed_again() {
    let dir = site("unmarked", ", move = \"done/a\"", &[("f.x", &[1, 2])]);
    fs::write(dir.join("done"), "a file where a folder should be").unwrap();
    assert_eq!(account(&run(&dir, 1, false)), ["f.x 2 = 2 + 0 + 0", "f.x 2"]);
    let raised = alarms(&dir);
    let [(_, text)] = raised.as_slice() else { panic!("{raised:?}") };
    assert!(text.starts_with("inputs-unmarked: a: files are processed and could not be"), "{text}");
    assert_eq!(account(&run(&dir, 1, false)), [""; 0]);
    assert_eq!(alarms(&dir), raised, "it stands as it did");
    fs::remove_file(dir.join("done")).unwrap();
    assert_eq!(account(&run(&dir, 1, false)), [""; 0]);
    assert_eq!((told(&dir).as_str(), dir.join("done/a/f.x").exists()), ("", true));
}

#[test]
fn what_lies_in_the_place_of_a_file_that_could_not_be_marked_is_another_by_its_contents() {
    let dir = site("outlives", ", move = \"done/a\"", &[("f.x", &[1, 2])]);
    let path = dir.join("in/f.x");
    let written = SystemTime::now() - Duration::from_secs(60);
    set_modified(&path, written);
    fs::write(dir.join("done"), "a file where a folder should be").unwrap();
    assert_eq!(run(&dir, 1, false).files.len(), 1);
    fs::remove_file(&path).unwrap();
    fs::remove_file(dir.join("done")).unwrap();
    fs::write(&path, [3, 4]).unwrap();
    set_modified(&path, written);
    let report = run(&dir, 1, false);
    // The output waits until the receiver has taken that of the first file.
    assert!(report.problems[0].contains("an earlier file still lies"), "{:?}", report.problems);
    fs::remove_file(dir.join("out/f.x")).unwrap();
    assert_eq!(account(&run(&dir, 1, false)), ["f.x 2 = 2 + 0 + 0", "f.x 2"]);
}

#[test]
fn network_elements_whose_files_go_to_different_systems_do_not_wait_for_each_other() {
    let element = |name: &str| {
        format!(
            "[network-element.{name}]\n\
             collect = {{ dir = \"in/{name}\", pattern = \"*.x\" }}\n\
             decode = {{ type = \"Test.Call\" }}\n\
             [post-processing-system.of-{name}]\n\
             from = \"{name}\"\n\
             encode = {{}}\n\
             deliver = {{ dir = \"out/{name}\", name = \"{{stem}}.csv\" }}\n"
        )
    };
    let flow: String = ["a", "b", "c"].map(element).concat();
    let dir = folder("collecting-apart", &flow, &[]);
    for name in ["a", "b", "c"] {
        fs::create_dir(dir.join("in").join(name)).unwrap();
        for file in ["1.x", "2.x", "3.x"] {
            fs::write(dir.join("in").join(name).join(file), [1]).unwrap();
        }
    }
    let report = run(&dir, 3, false);
    assert_eq!((report.files.len(), report.problems.as_slice()), (9, [].as_slice()));
    assert_eq!(told(&dir), "");
}

#[test]
fn a_file_that_is_larger_than_any_is_set_aside_before_it_is_read() {
    let dir = site("large", "", &[("f.x", &[1])]);
    File::create(dir.join("in/holes.x")).unwrap().set_len(1 << 40).unwrap();
    let report = run(&dir, 1, false);
    assert_eq!(account(&report), ["f.x 1 = 1 + 0 + 0", "f.x 1"]);
    let said = told(&dir);
    assert!(said.contains("holes.x.poison\": it has 1.1 TB, and \"size-limit\" lets"), "{said}");
    let dir = site("limit", ", size-limit = \"2 kB\"", &[("f.x", &[1; 2_001])]);
    run(&dir, 1, false);
    assert!(told(&dir).contains("\"size-limit\" lets a file have 2.0 kB"), "{}", told(&dir));
}

#[test]
fn a_file_of_which_too_much_goes_to_suspense_is_set_aside_as_a_whole() {
    let octets = [255; 5_000];
    let dir = site("suspense", ", suspense-limit = \"4 kB\"", &[("f.x", &octets)]);
    assert_eq!(account(&run(&dir, 1, false)), [""; 0]);
    let said = told(&dir);
    assert!(said.contains("more than 4.0 kB of it cannot be processed, first 255 is no"), "{said}");
    assert!(dir.join("in/f.x.poison").exists());
    let mut suspended = 0;
    let listed = suspense::list(&dir.join("flow.toml"), &suspense::Filter::default(), |_| {
        suspended += 1;
        Ok::<_, ()>(())
    });
    assert_eq!((listed.unwrap(), suspended), (Ok(()), 0));
}

#[test]
fn the_same_contents_are_a_duplicate_however_they_are_packed() {
    let gzip = |level: u32, name: Option<&str>, octets: &[u8]| {
        let builder = flate2::GzBuilder::new().mtime(level);
        let builder = name.into_iter().fold(builder, flate2::GzBuilder::filename);
        let mut writer = builder.write(Vec::new(), flate2::Compression::new(level));
        writer.write_all(octets).unwrap();
        writer.finish().unwrap()
    };
    let octets: Vec<u8> = (0..60_000_u32).map(|at| (at % 50) as u8).collect();
    let packed: [(&str, Vec<u8>); 7] = [
        ("a.x", octets.clone()),
        ("b.x.gz", gzip(1, None, &octets)),
        ("c.x.gz", gzip(9, None, &octets)),
        ("d.x.gz", gzip(9, Some("cdr.x"), &octets)),
        ("e.x.gz", [gzip(6, None, &octets[..30_000]), gzip(6, None, &octets[30_000..])].concat()),
        ("f.x.gz", [gzip(6, None, &octets), vec![0; 512]].concat()),
        ("g.x.zst", zstd::encode_all(&octets[..], 3).unwrap()),
    ];
    for first in 0..packed.len() {
        let dir = site(&format!("packed-{first}"), ", compression = \"auto\"", &[]);
        let put = |(name, octets): &(&str, Vec<u8>)| fs::write(dir.join("in").join(name), octets);
        put(&packed[first]).unwrap();
        assert_eq!(run(&dir, 1, false).files[0].delivered, 60_000);
        packed.iter().enumerate().filter(|(place, _)| *place != first).for_each(|(_, file)| {
            put(file).unwrap();
        });
        let report = run(&dir, 2, false);
        let all = |file: &flow::FileAccount| (file.delivered, file.duplicate) == (0, 60_000);
        assert!(report.files.len() == 6 && report.files.iter().all(all), "{:?}", report.files);
    }
}

#[test]
fn a_pattern_that_means_less_than_it_looks_is_warned_of() {
    let said = |pattern: &str| mistakes("patterns", &flow(&format!(", pattern = \"{pattern}\"")));
    for (pattern, sign) in [("a[0-9].csv", "["), ("*.{csv,txt}", "{"), ("a|b", "|"), ("^a*", "^")] {
        let warning =
            format!("(warning) \"{sign}\" in a pattern means itself: only names that have it fit");
        assert_eq!(said(pattern), [warning], "{pattern}");
    }
    assert_eq!(said("a-?_*.csv"), [""; 0]);
    assert_eq!(
        said("sub/*.csv"),
        [
            "no file is ever collected: a pattern is for names, which have no slash; recursive = true searches subfolders"
        ]
    );
}

#[test]
fn a_pipe_is_told_and_nobody_waits_for_it() {
    let dir = site("pipe", "", &[("f.x", &[1])]);
    let made = std::process::Command::new("mkfifo").arg(dir.join("in/p.x")).status().unwrap();
    assert!(made.success());
    let report = run(&dir, 1, false);
    assert_eq!(report.files.len(), 1);
    let said = told(&dir);
    assert!(said.starts_with("files-left-alone: a: 1 pipe, socket or device, such as"), "{said}");
    fs::remove_file(dir.join("in/p.x")).unwrap();
    run(&dir, 1, false);
    assert_eq!(told(&dir), "");
}
