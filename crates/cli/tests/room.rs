//! Tests that without room nothing is collected; an alarm reports it, and ends when there is room again.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use tempfile::TempDir;

/// Creates the example with a change in its flow file.
fn example(from: &str, to: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "init .").0, 0);
    change(folder.path(), from, to);
    folder
}

fn change(folder: &Path, from: &str, to: &str) {
    let path = folder.join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    assert!(flow.contains(from), "{flow}");
    fs::write(path, flow.replacen(from, to, 1)).unwrap();
}

/// Returns whether the gateway processes anything.
fn works(folder: &Path) -> bool {
    tollgate(folder, "run flow.toml --once").1.contains("records\n")
}

#[test]
fn a_disk_that_is_low_keeps_all_files_where_they_are() {
    let folder = example("[asn1]", "[state]\ndisk-free = \"99999 TB\"\n\n[asn1]");
    let (status, said) = tollgate(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("alarm: less than 99999.0 TB is free"), "{said}");
    assert!(!folder.path().join("out").exists());
    let (status, said) = tollgate(folder.path(), "alarms");
    assert!(status == 1 && said.contains("disk-low"), "{said}");
    change(folder.path(), "99999 TB", "1 MB");
    assert!(works(folder.path()));
    assert_eq!(tollgate(folder.path(), "alarms"), (0, String::new()));
}

#[test]
fn what_is_to_be_retried_where_there_is_no_room_waits_and_says_why() {
    let folder = example("[asn1]", "[state]\ndisk-free = \"1 MB\"\n\n[asn1]");
    assert!(works(folder.path()));
    change(folder.path(), "1 MB", "99999 TB");
    let (status, said) = tollgate(folder.path(), "suspense retry flow.toml 1");
    let left = "1 record left to be retried, by the gateway when it is started: less than 99999.0 TB is free";
    assert!(status == 1 && said.contains(left) && !said.contains("0 records"), "{said}");
}

#[test]
fn a_folder_that_is_full_keeps_files_away_until_somebody_takes_some() {
    let folder = example("dir = \"out/roaming\"", "dir = \"out/roaming\", limit = \"1 kB\"");
    assert!(works(folder.path()));
    let simulate = "simulate cdr --seed 9 --count 100 --files 1 --centre boston:8 made";
    assert_eq!(tollgate(folder.path(), simulate).0, 0);
    fs::rename(
        folder.path().join("made/boston/boston-00001.ber"),
        folder.path().join("in/boston/later.ber"),
    )
    .unwrap();
    let (status, said) = tollgate(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("have reached its limit of 1.0 kB"), "{said}");
    assert!(folder.path().join("in/boston/later.ber").exists());
    fs::remove_dir_all(folder.path().join("out/roaming")).unwrap();
    assert!(works(folder.path()));
    assert_eq!(tollgate(folder.path(), "alarms"), (0, String::new()));
}

#[test]
fn an_out_buffer_that_nobody_bounded_has_a_bound() {
    let folder = example("dir = \"out/roaming\"", "dir = \"out/roaming\", order = true");
    let buffer = folder.path().join("flow.state/out/roaming-billing");
    fs::create_dir_all(&buffer).unwrap();
    // A file that is being written, and has no octets on the disk.
    let large = fs::File::create(buffer.join(".large")).unwrap();
    large.set_len(10_000_000_000).unwrap();
    let (status, said) = tollgate(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("have reached its limit of 10.0 GB"), "{said}");
    large.set_len(1_000_000_000).unwrap();
    assert!(works(folder.path()));
}

#[test]
fn what_is_no_size_is_a_mistake() {
    let folder = example("[asn1]", "[state]\ndisk-free = \"much\"\n\n[asn1]");
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert!(status != 0 && said.contains("\"much\" is no number of octets"), "{said}");
}

#[test]
fn a_file_is_taken_when_nobody_has_written_to_it_for_as_long_as_the_flow_says() {
    let folder = example("pattern = \"*.ber\" }", "pattern = \"*.ber\", quiet = \"4 seconds\" }");
    let input = folder.path().join("in/new-york/new-york-00001.ber");
    let octets = fs::read(&input).unwrap();
    let (half, rest) = octets.split_at(octets.len() / 2);
    fs::write(&input, half).unwrap();
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let mut gateway =
        gateway.current_dir(folder.path()).args(["run", "flow.toml"]).spawn().unwrap();
    // Longer than the files of other network elements wait.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let mut file = fs::File::options().append(true).open(&input).unwrap();
    std::io::Write::write_all(&mut file, rest).unwrap();
    let done = input.with_extension("ber.done");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !done.exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    assert_eq!(fs::read(done).unwrap(), octets, "it is taken whole");
    let (_, shown) = tollgate(folder.path(), "audit flow.toml --file new-york-00001.ber");
    assert!(shown.contains("All records are accounted for"), "{shown}");
}

/// The file had been at rest when it was taken.
#[test]
fn a_file_that_grows_while_it_is_read_is_read_again_when_it_is_whole() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    assert_eq!(tollgate(here, "init .").0, 0);
    fs::remove_dir_all(here.join("in")).unwrap();
    assert_eq!(
        tollgate(here, "simulate cdr --seed 3 --count 60000 --files 1 --centre boston:8 in").0,
        0
    );
    fs::create_dir(here.join("in/new-york")).unwrap();
    let input = here.join("in/boston/boston-00001.ber");
    let octets = fs::read(&input).unwrap();
    let more = octets[..10_000].to_vec();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().write(true).open(&input).unwrap().set_modified(old).unwrap();
    let log = fs::File::create(here.join("log")).unwrap();
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let gateway = gateway.current_dir(here).args(["run", "flow.toml"]).stderr(log);
    let mut gateway = gateway.spawn().unwrap();
    // An output has a hidden name as long as the file is read.
    let home = here.join("out/home");
    wait_for("what is made of it", || fs::read_dir(&home).is_ok_and(|made| made.count() > 0));
    let mut file = fs::File::options().append(true).open(&input).unwrap();
    std::io::Write::write_all(&mut file, &more).unwrap();
    let done = input.with_extension("ber.done");
    wait_for("the file", || done.exists());
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    let said = fs::read_to_string(here.join("log")).unwrap();
    assert!(
        said.contains("boston-00001.ber\" was written to while it was read: it is read again"),
        "{said}"
    );
    assert_eq!(fs::read(done).unwrap().len(), octets.len() + more.len(), "it is taken whole");
    let (_, shown) = tollgate(here, "audit flow.toml --file boston-00001.ber");
    assert!(shown.contains("All records are accounted for"), "{shown}");
    assert_eq!(fs::read_dir(home).unwrap().count(), 1, "and delivered once");
}
