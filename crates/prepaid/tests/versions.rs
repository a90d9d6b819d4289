//! Versions of a definition: what was in use stays known, and can be put back.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use prepaid::calls::{
    ChargingVersion, ListChargingTrail, ListChargingVersions, ShowHistory, ShowVersionFile,
    ShownVersionFile,
};
use prepaid::{Definition, DefinitionFiles, PhaseName, Refused, RestoreError, System, restore};

use crate::set_up::{ANNA, SetUp, ask, call, open, refusal, request, seconds};

/// Goes by the definition as it is now.
fn used(set_up: &SetUp, system: &System) {
    let definition = Definition::read(&set_up.path()).expect("a definition");
    let files = DefinitionFiles::read(&set_up.path(), &definition.files).expect("its files");
    system.replace(definition).expect("it is used");
    system.note_version(files).expect("it is stored");
}

/// Brings the tariff into the folder of the definition.
fn with_own_tariff() -> (SetUp, System) {
    let set_up = SetUp::new();
    let tariff = set_up.folder().join("tariff");
    fs::create_dir(&tariff).unwrap();
    for file in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff")).unwrap()
    {
        let file = file.unwrap();
        fs::copy(file.path(), tariff.join(file.file_name())).unwrap();
    }
    let text = fs::read_to_string(set_up.path()).unwrap();
    let (_, tables) = text.split_once('\n').unwrap();
    set_up.write(&format!("plan = \"tariff\"\n{tables}"));
    let system = set_up.system();
    used(&set_up, &system);
    (set_up, system)
}

fn versions(system: &System) -> Vec<ChargingVersion> {
    call(system, ListChargingVersions::default()).versions
}

fn text(system: &System, version: i64, file: &str) -> String {
    let file = file.to_owned();
    let ShownVersionFile { text } = call(system, ShowVersionFile { version, file });
    text
}

#[test]
fn each_change_that_came_into_use_is_a_version_with_its_files() {
    let (set_up, system) = with_own_tariff();
    used(&set_up, &system);
    let first = versions(&system);
    assert_eq!(first.len(), 1, "without a change, there is no other one");
    assert!(first[0].files.iter().any(|file| file == "charging.toml"));
    assert_eq!(first[0].changed, first[0].files, "all of it is new");
    let prices = set_up.folder().join("tariff/prices.csv");
    let before = fs::read_to_string(&prices).unwrap();
    fs::write(&prices, before.replace("0.49", "0.59")).unwrap();
    used(&set_up, &system);
    let all = versions(&system);
    assert_eq!((all.len(), &all[0].changed[..]), (2, &["tariff/prices.csv".to_owned()][..]));
    assert_eq!(text(&system, first[0].version, "tariff/prices.csv"), before);
    assert_eq!(text(&system, all[0].version, "tariff/prices.csv"), before.replace("0.49", "0.59"));
    let trail = call(&system, ListChargingTrail::default()).entries;
    assert_eq!(
        (trail[0].action.as_str(), trail[0].subject.as_str()),
        ("charging version", "tariff/prices.csv")
    );
    let page = ListChargingVersions { before: Some(all[0].version), limit: Some(1) };
    let page = call(&system, page);
    assert_eq!((page.versions, page.more), (first, false));
    let missing = ShowVersionFile { version: all[0].version, file: "other.csv".to_owned() };
    assert!(matches!(refusal(&system, missing), Refused::VersionFileUnknown { .. }));
}

#[test]
fn an_old_charge_is_explained_by_the_version_that_was_in_use() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "100");
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(100);
    ask(&system, vec![request(PhaseName::First, 0), last]);
    let steps = || {
        let history = ShowHistory { account: ANNA.to_owned(), before: None, limit: Some(1) };
        let charged = call(&system, history).entries.remove(0).charged.expect("a charge");
        let texts = charged.steps.into_iter().map(|step| (step.step, step.found));
        texts.collect::<Vec<_>>()
    };
    let before = steps();
    thread::sleep(Duration::from_millis(5));
    let prices = set_up.folder().join("tariff/prices.csv");
    let text = fs::read_to_string(&prices).unwrap();
    let dearer = text.lines().map(|line| line.replace(",min,", ",s,") + "\n").collect::<String>();
    assert_ne!(dearer, text);
    fs::write(&prices, dearer).unwrap();
    used(&set_up, &system);
    for _ in 0..2 {
        let mut after = steps();
        assert_eq!(after.remove(0).1, "version 1 of the tariff was in use then");
        assert_eq!(after, before);
    }
    // What is charged from now on goes by the version of now.
    let mut next = [request(PhaseName::First, 0), request(PhaseName::Final, 1)];
    next.iter_mut().for_each(|request| request.session = "call-2".to_owned());
    next[1].legs[0].used = seconds(1);
    ask(&system, next.to_vec());
    assert!(steps().iter().all(|(step, _)| step != "version" && step != "note"), "{:?}", steps());
}

#[test]
fn a_version_is_put_back_whole_or_not_at_all() {
    let (set_up, system) = with_own_tariff();
    let first = versions(&system).remove(0);
    let files: BTreeMap<String, String> =
        first.files.iter().map(|file| (file.clone(), text(&system, first.version, file))).collect();
    let prices = set_up.folder().join("tariff/prices.csv");
    let changed = files["tariff/prices.csv"].replace("0.49", "0.59");
    fs::write(&prices, &changed).unwrap();
    fs::write(set_up.folder().join("later.csv"), "a file that a later version had").unwrap();
    // What would not be read is not put back.
    let broken = BTreeMap::from([
        ("charging.toml".to_owned(), "plan = 7".to_owned()),
        ("tariff/prices.csv".to_owned(), String::new()),
    ]);
    assert!(matches!(restore(&set_up.path(), &broken, &[]), Err(RestoreError::Mistakes(_))));
    assert_eq!(fs::read_to_string(&prices).unwrap(), changed);
    let other = BTreeMap::from([("other.toml".to_owned(), String::new())]);
    assert!(matches!(restore(&set_up.path(), &other, &[]), Err(RestoreError::OtherDefinition(_))));
    let restored = restore(&set_up.path(), &files, &["later.csv".to_owned()]).unwrap();
    assert_eq!(restored, ["tariff/prices.csv", "later.csv"]);
    assert_eq!(fs::read_to_string(&prices).unwrap(), files["tariff/prices.csv"]);
    assert!(!set_up.folder().join("later.csv").exists());
    used(&set_up, &system);
    assert_eq!(versions(&system).len(), 1, "what was in use was the first version all the time");
}
