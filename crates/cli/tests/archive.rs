//! Tests the archive: collected files can be fetched from it unchanged when no one else has them any more, and at every
//! moment each file is in its folder or in the archive.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Creates the example with these settings of the archive.
fn example(archive: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    run(folder.path(), "init .");
    set(folder.path(), archive);
    folder
}

fn set(folder: &Path, archive: &str) {
    let text = fs::read_to_string(folder.join("flow.toml")).unwrap();
    let text = text.split("\n[archive]").next().unwrap();
    fs::write(folder.join("flow.toml"), format!("{text}\n[archive]\n{archive}\n")).unwrap();
}

/// Returns the files of the centres in their folders, by name without the mark of files that are done.
fn inputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for centre in ["new-york", "boston"] {
        for entry in fs::read_dir(folder.join("in").join(centre)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if !name.ends_with(".expected.json") {
                let name = name.strip_suffix(".done").unwrap_or(&name).to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn listed(folder: &Path) -> Vec<Value> {
    let (status, out, said) = run(folder, "archive list flow.toml --json");
    assert_eq!(status, 0, "{said}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the files that the archive gives back, by name; each name occurs once.
fn fetched(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let to = TempDir::new().unwrap();
    let fetch = format!("archive fetch flow.toml --into {}", to.path().display());
    let (status, out, said) = run(folder, &fetch);
    assert_eq!(status, 0, "{said}");
    out.lines()
        .map(|path| {
            let path = PathBuf::from(path);
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

fn alarms(folder: &Path) -> String {
    run(folder, "alarms flow.toml").1
}

#[test]
fn what_was_collected_is_in_the_archive_and_removed_where_the_flow_says_so() {
    for (archive, stay) in [("source = \"remove\"", false), ("source = \"keep\"", true), ("", true)]
    {
        let folder = example(archive);
        let here = folder.path();
        let came = inputs(here);
        run(here, "run flow.toml --once");
        assert_eq!(inputs(here), if stay { came.clone() } else { BTreeMap::new() }, "{archive}");
        let all = listed(here);
        assert_eq!(all.len(), 4);
        for file in &all {
            assert_eq!(file["state"], "archived", "{file}");
            let octets = file["octets"].as_u64().unwrap();
            assert!(octets < file["size"].as_u64().unwrap() * 2 / 3, "{file}");
        }
        assert_eq!(fetched(here), came);
        let (status, out, _) = run(here, "archive verify flow.toml");
        assert_eq!((status, out.as_str()), (0, "4 right, 0 wrong\n"));
    }
}

/// Puts compressed files into an in buffer, and returns them by name.
fn pushed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let path = folder.join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let flow = flow.replacen("[asn1]", "[listen.http]\naddress = \"127.0.0.1:0\"\n\n[asn1]", 1);
    let accept =
        "accept = { token-file = \"boston.token\" }, pattern = \"*.done\", compression = \"auto\"";
    let changed = flow.replacen("dir = \"in/boston\", pattern = \"*.ber\"", accept, 1);
    assert_ne!(changed, flow);
    fs::write(path, changed).unwrap();
    fs::write(folder.join("boston.token"), "sesame\n").unwrap();
    let buffer = folder.join("flow.state/in/msc-boston");
    fs::create_dir_all(&buffer).unwrap();
    let mut came = BTreeMap::new();
    for (name, octets) in inputs(folder).into_iter().filter(|(name, _)| name.contains("boston")) {
        let path = folder.join("in/boston").join(&name);
        let packed = Command::new("gzip").arg("-c").arg(&path).output().unwrap().stdout;
        assert!(packed.len() < octets.len());
        // Network elements may name their files as they like.
        let name = format!("{name}.done");
        fs::write(buffer.join(&name), &packed).unwrap();
        came.insert(name, packed);
    }
    came
}

#[test]
fn what_came_compressed_into_an_in_buffer_is_archived_as_it_came_and_leaves_the_buffer() {
    let folder = example("");
    let here = folder.path();
    let came = pushed(here);
    assert_eq!(came.len(), 2);
    let (status, out, said) = run(here, "run flow.toml --once --json");
    assert_eq!(status, 1, "{said}");
    let report: Value = serde_json::from_str(&out).unwrap();
    let files = report["files"].as_array().unwrap();
    let records: u64 = files.iter().map(|file| file["records"].as_u64().unwrap()).sum();
    let left = fs::read_dir(here.join("flow.state/in/msc-boston")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    let archived = fetched(here);
    for (name, octets) in &came {
        assert_eq!(&archived[name], octets, "{name}");
    }
    let (status, out, _) = run(here, "archive verify flow.toml");
    assert_eq!((status, out.as_str()), (0, "4 right, 0 wrong\n"));
    let (status, out, said) = run(here, "replay flow.toml --with flow.toml --json");
    assert_eq!(status, 0, "{said}");
    let all: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let replayed = serde_json::json!({"what": "records", "before": records, "after": records});
    assert_eq!(all["report"]["counts"][0], replayed, "it reads them as the gateway did");
}

#[test]
fn a_file_of_the_archive_that_is_not_what_it_was_is_named() {
    let folder = example("dir = \"kept\"");
    let here = folder.path();
    run(here, "run flow.toml --once");
    let path = PathBuf::from(listed(here)[1]["path"].as_str().unwrap());
    assert!(path.starts_with("kept"), "{}", path.display());
    let whole = fs::read(here.join(&path)).unwrap();
    let name = listed(here)[1]["file"].as_str().unwrap().to_owned();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&flipped[..], &whole[..whole.len() / 2], b""] {
        fs::write(here.join(&path), damaged).unwrap();
        let (status, out, _) = run(here, "archive verify flow.toml");
        assert!(status == 1 && out.contains(&name) && out.contains("3 right, 1 wrong"), "{out}");
        let (status, _, said) =
            run(here, &format!("archive fetch flow.toml --files {name} --into again"));
        assert!(status == 2 && said.contains("could not fetch"), "{said}");
        let left = fs::read_dir(here.join("again")).unwrap().map(|entry| entry.unwrap().path());
        let left: Vec<PathBuf> = left
            .flat_map(|folder| fs::read_dir(folder).unwrap())
            .map(|e| e.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn work_goes_on_where_the_archive_cannot_be_written_and_it_is_made_up_for() {
    let folder = example("dir = \"kept\"\nsource = \"remove\"");
    let here = folder.path();
    let came = inputs(here);
    fs::write(here.join("kept"), "no folder").unwrap();
    let (status, out, said) = run(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    assert!(out.contains("-> home-billing: "), "{out}");
    assert!(said.contains("could not archive"), "{said}");
    assert_eq!(inputs(here), came, "the only copy stays");
    assert!(alarms(here).contains("files stay where they are"), "{}", alarms(here));
    assert!(listed(here).iter().all(|file| file["state"] == "due"));

    fs::remove_file(here.join("kept")).unwrap();
    run(here, "run flow.toml --once");
    assert_eq!(fetched(here), came);
    assert!(inputs(here).is_empty());
    assert_eq!(alarms(here), "");
}

#[test]
fn files_of_a_network_element_that_was_renamed_wait_for_it() {
    let folder = example("dir = \"kept\"\nsource = \"remove\"");
    let here = folder.path();
    let came = inputs(here);
    fs::write(here.join("kept"), "no folder").unwrap();
    run(here, "run flow.toml --once");
    fs::remove_file(here.join("kept")).unwrap();
    let rename = |from: &str, to: &str| {
        let text = fs::read_to_string(here.join("flow.toml")).unwrap();
        fs::write(here.join("flow.toml"), text.replace(from, to)).unwrap();
    };
    rename("msc-boston", "msc-other");
    run(here, "run flow.toml --once");
    let told = alarms(here);
    assert!(told.contains("files-orphaned") && told.contains("to be archived"), "{told}");
    rename("msc-other", "msc-boston");
    run(here, "run flow.toml --once");
    assert_eq!(fetched(here), came);
    assert_eq!(alarms(here), "");
}

#[test]
fn what_is_not_what_was_processed_is_not_archived_and_stays() {
    let folder = example("dir = \"kept\"\nsource = \"remove\"");
    let here = folder.path();
    fs::write(here.join("kept"), "no folder").unwrap();
    run(here, "run flow.toml --once");
    let changed = here.join("in/boston/boston-00002.ber.done");
    let written = fs::metadata(&changed).unwrap().modified().unwrap();
    let mut octets = fs::read(&changed).unwrap();
    octets[1000] ^= 1;
    fs::write(&changed, octets).unwrap();
    fs::File::options().write(true).open(&changed).unwrap().set_modified(written).unwrap();
    fs::remove_file(here.join("in/boston/boston-00004.ber.done")).unwrap();
    fs::remove_file(here.join("kept")).unwrap();
    let (_, _, said) = run(here, "run flow.toml --once");
    assert!(said.contains("not what was processed") && said.contains("not known where"), "{said}");
    assert!(changed.exists());
    let states: Vec<Value> = listed(here).iter().map(|file| file["state"].clone()).collect();
    assert_eq!(states.iter().filter(|state| **state == "gone").count(), 2, "{states:?}");
    let (status, out, _) = run(here, "archive verify flow.toml");
    assert!(status == 1 && out.ends_with("2 right, 2 wrong\n"), "{out}");
}

#[test]
fn files_are_kept_for_a_time_and_up_to_a_size() {
    let folder = example("");
    let here = folder.path();
    run(here, "run flow.toml --once");
    let all = listed(here);
    let two: u64 = all[2..].iter().map(|file| file["octets"].as_u64().unwrap()).sum();
    set(here, &format!("limit = \"{} kB\"", two / 1000 + 1));
    run(here, "run flow.toml --once");
    assert_eq!(listed(here), all[2..], "the newest are kept");
    set(here, "keep = \"1 ms\"");
    run(here, "run flow.toml --once");
    assert!(listed(here).is_empty());
    for file in all {
        assert!(!here.join(file["path"].as_str().unwrap()).exists(), "{file}");
    }
}

/// Returns a generator of pseudorandom numbers with a seed.
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    }
}

#[test]
fn whenever_the_gateway_is_killed_each_file_is_archived_once_or_still_lies_there() {
    let folder = example("source = \"remove\"");
    let here = folder.path();
    for centre in ["new-york", "boston"] {
        fs::remove_dir_all(here.join("in").join(centre)).unwrap();
        fs::create_dir(here.join("in").join(centre)).unwrap();
    }
    run(here, "simulate cdr --count 12000 --files 60 --centre boston:8 made");
    let mut came = BTreeMap::new();
    let mut waiting: Vec<PathBuf> = fs::read_dir(here.join("made/boston"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "ber"))
        .collect();
    waiting.sort();
    let mut random = random(11);
    let mut kills = 0;
    while !waiting.is_empty() || kills < 20 {
        for path in waiting.split_off(waiting.len().saturating_sub(4)) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            fs::File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
            came.insert(name.clone(), fs::read(&path).unwrap());
            fs::rename(&path, here.join("in/boston").join(name)).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(here).args(["run", "flow.toml"]);
        let mut gateway = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Counted from the moment when the gateway is ready for work.
        let begun = Instant::now();
        while !here.join("flow.state/socket").exists() && begun.elapsed() < Duration::from_secs(30)
        {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(random(700)));
        gateway.kill().unwrap();
        gateway.wait().unwrap();
        let _ = fs::remove_file(here.join("flow.state/socket"));
        kills += 1;
        // Each file is complete, in its folder or in the archive.
        let lie = inputs(here);
        let archived = listed(here);
        for name in came.keys().filter(|name| !lie.contains_key(*name)) {
            let is =
                archived.iter().any(|file| file["file"] == **name && file["state"] == "archived");
            assert!(is, "{name} is nowhere after {kills} kills");
        }
    }
    let (status, _, said) = run(here, "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    assert_eq!(inputs(here), BTreeMap::new());
    let archived = listed(here);
    assert_eq!(archived.len(), came.len());
    assert!(archived.iter().all(|file| file["state"] == "archived"), "{archived:?}");
    assert_eq!(fetched(here), came);
    let days = fs::read_dir(here.join("flow.state/archive/msc-boston")).unwrap();
    let files = days.flat_map(|day| fs::read_dir(day.unwrap().path()).unwrap());
    assert_eq!(files.count(), came.len(), "nothing that was begun is left");
}
