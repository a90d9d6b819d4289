//! Tests compressed files: they are unpacked as they are read, and those that were made to do harm are set aside.

use crate::common::changed;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::common::tollgate::tollgate;
use serde_json::Value;
use tempfile::TempDir;

/// Creates the example with its records alone in the folder of Boston, and these settings in its `collect` table.
fn example(more: &str) -> TempDir {
    let dir = "dir = \"in/boston\"";
    changed::example(&[(dir, &format!("{dir}{more}"))])
}

fn gzip(from: &Path, to: &Path) {
    let packed = Command::new("gzip")
        .arg("-9c")
        .stdin(File::open(from).unwrap())
        .stdout(File::create(to).unwrap())
        .status()
        .unwrap();
    assert!(packed.success());
}

/// Returns all delivered files, by folder and name.
fn delivered(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut delivered = BTreeMap::new();
    for out in fs::read_dir(folder.join("out")).unwrap().flatten() {
        for file in fs::read_dir(out.path()).unwrap().flatten() {
            let name = format!("{:?}/{:?}", out.file_name(), file.file_name());
            delivered.insert(name, fs::read(file.path()).unwrap());
        }
    }
    delivered
}

#[test]
fn what_is_compressed_gives_what_it_gives_when_it_is_not() {
    let plain = example("");
    tollgate(plain.path(), "run flow.toml --once --workers 2 --stretch-octets 4096");
    for kind in ["gzip", "auto"] {
        let packed = example(&format!(", compression = \"{kind}\""));
        for name in ["boston-00002.ber", "boston-00004.ber"] {
            let file = packed.path().join("in/boston").join(name);
            gzip(&file, &packed.path().join("made"));
            fs::rename(packed.path().join("made"), file).unwrap();
        }
        tollgate(packed.path(), "run flow.toml --once --workers 2 --stretch-octets 4096");
        assert!(delivered(plain.path()) == delivered(packed.path()), "{kind}");
        let (_, shown) = tollgate(packed.path(), "audit flow.toml");
        assert!(shown.contains("All records are accounted for"), "{shown}");
    }
}

#[test]
fn a_bomb_is_set_aside_with_its_reason_and_the_rest_is_processed() {
    let folder = example(", compression = \"auto\", unpacked-limit = \"60 MB\"");
    let folder = folder.path();
    let zeros = folder.join("zeros");
    for (octets, name) in [(50_000_000, "ratio.ber"), (61_000_000, "large.ber")] {
        File::create(&zeros).unwrap().set_len(octets).unwrap();
        gzip(&zeros, &folder.join("in/boston").join(name));
    }
    // A file that is large without being compressed.
    fs::rename(&zeros, folder.join("in/boston/plain.ber")).unwrap();
    let (status, said) = tollgate(folder, "run flow.toml --once");
    assert_eq!(status, 1);
    for (name, reason) in [
        ("ratio.ber", "unpacked, it is more than 200 times as large"),
        ("large.ber", "unpacked, it"),
        ("plain.ber", "unpacked, it has more than 60.0 MB"),
    ] {
        let told = said.lines().find(|line| line.contains(name) && line.contains("set aside as"));
        assert!(told.is_some_and(|told| told.contains(reason)), "{name}: {said}");
        assert!(folder.join("in/boston").join(format!("{name}.poison")).exists());
        assert!(!delivered(folder).keys().any(|out| out.contains(name)));
    }
    assert!(folder.join("in/boston/boston-00002.ber.done").exists());
    let (status, alarms) = tollgate(folder, "alarms flow.toml");
    assert!(status == 1 && alarms.contains("poison-files"), "{alarms}");
    let refused = |more: &str| -> Vec<Value> {
        let (_, listed) = tollgate(folder, &format!("files refused flow.toml --json{more}"));
        listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(refused("").len(), 3);
    let too_large = refused(" --code unpack-too-large");
    let plain = too_large.iter().find(|file| file["file"] == "plain.ber.poison").unwrap();
    assert_eq!(plain["reason"], "unpacked, it has more than 60.0 MB");
    assert_eq!(plain["values"], serde_json::json!([{"name": "limit", "value": "60.0 MB"}]));
    assert_eq!((&plain["kind"], &plain["is_there"]), (&"set-aside".into(), &true.into()));
    assert_eq!(plain["network_element"], "msc-boston");
    let too_dense = refused(" --code unpack-too-dense --network-element msc-boston");
    assert!(too_dense.iter().any(|file| file["path"] == "in/boston/ratio.ber.poison"));
    assert_eq!(refused(" --network-element msc-new-york"), Vec::<Value>::new());
    assert!(
        tollgate(folder, "run flow.toml --once").1.contains("3 files set aside"),
        "it stays so"
    );
    File::create(&zeros).unwrap().set_len(50_000_000).unwrap();
    gzip(&zeros, &folder.join("in/boston/another.ber"));
    tollgate(folder, "run flow.toml --once");
    let alarms = tollgate(folder, "alarms flow.toml").1;
    assert!(alarms.contains("4 files set aside"), "{alarms}");
}

#[test]
fn what_lies_behind_the_last_member_is_passed_over_where_it_is_zeros_and_told_otherwise() {
    let folder = example(", compression = \"auto\"");
    let folder = folder.path();
    let (first, second) = ("in/boston/boston-00002.ber", "in/boston/boston-00004.ber");
    let packed = folder.join("packed");
    let mut size = 0;
    for (name, behind) in [(first, vec![0; 446]), (second, b"\r\nEOF\r\n".to_vec())] {
        gzip(&folder.join(name), &packed);
        let octets = fs::read(&packed).unwrap();
        size = octets.len();
        fs::write(folder.join(name), [octets, behind].concat()).unwrap();
    }
    let (status, said) = tollgate(folder, "run flow.toml --once");
    assert_eq!(status, 1);
    assert!(folder.join(format!("{first}.done")).exists(), "{said}");
    assert!(folder.join(format!("{second}.poison")).exists(), "{said}");
    let (_, alarms) = tollgate(folder, "alarms flow.toml");
    let reason = format!("7 octets lie behind the last member, at octet {size}");
    assert!(alarms.contains("poison-files") && alarms.contains(&reason), "{alarms}");
}

#[test]
fn half_of_a_compressed_file_waits_until_it_is_whole() {
    let folder = example(", compression = \"gzip\"");
    let folder = folder.path();
    let (first, second) = ("in/boston/boston-00002.ber", "in/boston/boston-00004.ber");
    let whole = folder.join("whole");
    for name in [first, second] {
        gzip(&folder.join(name), &whole);
        fs::copy(&whole, folder.join(name)).unwrap();
    }
    let octets = fs::read(&whole).unwrap();
    fs::write(folder.join(second), &octets[..octets.len() / 2]).unwrap();
    let (status, said) = tollgate(folder, "run flow.toml --once");
    assert!(status == 1 && said.contains("could not unpack"), "{said}");
    assert!(folder.join(second).exists() && !folder.join(first).exists());
    fs::write(folder.join(second), octets).unwrap();
    tollgate(folder, "run flow.toml --once");
    assert!(!folder.join(second).exists());
    let (_, shown) = tollgate(folder, "audit flow.toml");
    assert!(shown.contains("All records are accounted for"), "{shown}");
}

#[test]
fn who_has_seen_that_a_file_waits_is_told_of_one_of_another_network_element() {
    let [boston, new_york] =
        ["boston", "new-york"].map(|element| format!("dir = \"in/{element}\""));
    let packed = |dir: &str| format!("{dir}, compression = \"gzip\"");
    let folder = changed::example(&[(&boston, &packed(&boston)), (&new_york, &packed(&new_york))]);
    let folder = folder.path();
    for element in ["in/boston", "in/new-york"] {
        for file in fs::read_dir(folder.join(element)).unwrap().flatten() {
            fs::remove_file(file.path()).unwrap();
        }
    }
    let (text, whole) = (folder.join("flow.toml"), folder.join("whole"));
    gzip(&text, &whole);
    let half = |name: &str| {
        let octets = fs::read(&whole).unwrap();
        fs::write(folder.join(name), &octets[..octets.len() / 2]).unwrap();
        tollgate(folder, "run flow.toml --once").1
    };
    half("in/boston/first.ber");
    tollgate(folder, "alarms acknowledge flow.toml --all --because seen");
    // As the alarm was once raised, without a subject.
    let old = "INSERT INTO alarm (kind, subject, text, raised_ms, raised, change)
               SELECT 'files-waiting', '', 'files', 1, next, next FROM (SELECT max(change) + 1 AS next FROM alarm)";
    let journal = rusqlite::Connection::open(folder.join("flow.state/journal.db")).unwrap();
    assert_eq!(journal.execute(old, []).unwrap(), 1);
    drop(journal);
    let said = half("in/new-york/second.ber");
    assert!(said.contains("alarm: msc-new-york: files could not be processed"), "{said}");
    let raised = || -> Vec<(String, bool)> {
        let (_, listed) = tollgate(folder, "alarms flow.toml --json");
        let each = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let shown = |alarm: Value| (alarm["subject"].to_string(), alarm["acknowledged"].is_null());
        each.map(shown).collect()
    };
    let [boston, new_york] = ["\"msc-boston\"", "\"msc-new-york\""].map(str::to_owned);
    assert_eq!(raised(), [(boston.clone(), false), (new_york.clone(), true)]);
    half("in/boston/another.ber");
    assert_eq!(raised(), [(boston, false), (new_york.clone(), true)]);
    let alarms = tollgate(folder, "alarms flow.toml").1;
    assert!(alarms.contains("another.ber") && alarms.contains("; and others"), "{alarms}");
    for file in ["first.ber", "another.ber"] {
        fs::remove_file(folder.join("in/boston").join(file)).unwrap();
    }
    tollgate(folder, "run flow.toml --once");
    assert_eq!(raised(), [(new_york, true)]);
}

#[test]
fn what_is_wrong_with_how_files_are_compressed_is_a_mistake() {
    for (more, mistake) in [
        (", compression = \"zip\"", "\"compression\" is not \"zip\""),
        (", compression = \"gzip\", unpacked-limit = \"much\"", "\"much\" is no number of octets"),
        (", unpacked-limit = \"1 GB\"", "nothing is unpacked without a \"compression\""),
        (", limit = \"1 GB\"", "\"limit\" applies only to an in buffer"),
    ] {
        let folder = example(more);
        let (status, said) = tollgate(folder.path(), "check flow.toml");
        assert!(status != 0 && said.contains(mistake), "{more}: {said}");
    }
}
