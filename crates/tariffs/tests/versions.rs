//! Versions of a plan: when each is valid, and which operations are refused.

use std::fs;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use rating::{Moment, Number, Plans, State, Usage, moment};
use tariffs::{Deed, LoadablePlan, TariffsError, Version, read, take_out, versions};
use tempfile::TempDir;

const NOW: Moment = 1_780_000_000;

fn deed(now: Moment) -> Deed<'static> {
    Deed { who: "tester", reason: "test", now }
}

fn load(
    database: &Path,
    folder: &Path,
    valid_from: Moment,
    deed: Deed<'_>,
) -> Result<(Version, Vec<Diagnostic>), TariffsError> {
    let plan = LoadablePlan::of_folder(folder)?;
    let version = tariffs::load::<TariffsError>(database, &plan, valid_from, deed, |_| Ok(()))?;
    Ok((version, plan.warnings))
}

fn withdraw(database: &Path, version: i64, deed: Deed<'_>) -> Result<Version, TariffsError> {
    tariffs::withdraw(database, version, deed, |_| Ok(()))
}

/// Returns a folder with a database and a copy of the example's plan to change.
fn work() -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().unwrap();
    let plan = folder.path().join("tariff");
    fs::create_dir(&plan).unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    for entry in fs::read_dir(example).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), plan.join(entry.file_name())).unwrap();
    }
    let database = folder.path().join("tariffs.db");
    (folder, database, plan)
}

/// Renames the plan, so that the test can recognize it.
fn rename(plan: &Path, name: &str) {
    let path = plan.join("tariff.toml");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with("name = ")).unwrap().to_owned();
    fs::write(&path, text.replace(&line, &format!("name = \"{name}\""))).unwrap();
}

fn valid(plans: &Plans, at: Moment) -> Option<&str> {
    plans.at(at).map(|plan| plan.name())
}

#[test]
fn a_usage_is_priced_by_the_version_that_was_valid_when_it_started() {
    let (_folder, database, plan) = work();
    for (name, from, now) in
        [("first", 1_000, NOW), ("third", NOW + 200, NOW), ("second", NOW + 100, NOW)]
    {
        rename(&plan, name);
        load(&database, &plan, from, deed(now)).unwrap();
    }
    let plans = read(&database).unwrap().plans.unwrap();
    for (at, name) in [
        (999, None),
        (1_000, Some("first")),
        (NOW + 99, Some("first")),
        (NOW + 100, Some("second")),
        (NOW + 200, Some("third")),
        (NOW * 2, Some("third")),
    ] {
        assert_eq!(valid(&plans, at), name, "{at}");
    }
    let start = moment("2026-06-01 18:59:30 Europe/Stockholm").unwrap();
    let call = Usage {
        service: Some("telephony"),
        served: Some(Number::unknown(b"0701234567")),
        other: Some(Number::unknown(b"0721234567")),
        duration: Some(60),
        ..Usage::at(start)
    };
    let priced = plans.at(start).unwrap().rate(&call, &mut State::default()).unwrap();
    assert_eq!(priced.total.to_string(), "0.94 SEK", "as from the folder");
}

#[test]
fn what_has_begun_stays_and_what_has_not_can_be_withdrawn() {
    let (_folder, database, plan) = work();
    assert_eq!(load(&database, &plan, 1_000, deed(NOW)).unwrap().0.id, 1);
    let past = load(&database, &plan, NOW, deed(NOW));
    assert!(matches!(past, Err(TariffsError::Past)), "{past:?}");
    assert_eq!(load(&database, &plan, NOW + 10, deed(NOW)).unwrap().0.id, 2);
    let taken = load(&database, &plan, NOW + 10, deed(NOW));
    assert!(matches!(taken, Err(TariffsError::Taken(2))), "{taken:?}");
    let begun = withdraw(&database, 2, deed(NOW + 10));
    assert!(matches!(begun, Err(TariffsError::Stays(2, "has begun"))), "{begun:?}");
    assert!(withdraw(&database, 2, deed(NOW)).unwrap().withdrawn.is_some());
    let again = withdraw(&database, 2, deed(NOW));
    assert!(matches!(again, Err(TariffsError::Stays(2, _))), "{again:?}");
    assert!(matches!(withdraw(&database, 7, deed(NOW)), Err(TariffsError::Unknown(7))));
    assert_eq!(load(&database, &plan, NOW + 10, deed(NOW)).unwrap().0.id, 3, "its moment is free");
    let listed: Vec<_> = versions(&database).unwrap().iter().map(|version| version.id).collect();
    assert_eq!(listed, [1, 2, 3], "what was withdrawn is still to be seen");
    assert_eq!(read(&database).unwrap().plans.unwrap().all().count(), 2);
}

#[test]
fn versions_are_in_one_currency() {
    let (_folder, database, plan) = work();
    load(&database, &plan, 1_000, deed(NOW)).unwrap();
    let path = plan.join("tariff.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"SEK\"", "\"EUR\"")).unwrap();
    let other = load(&database, &plan, NOW + 10, deed(NOW));
    assert!(matches!(other, Err(TariffsError::Currency { .. })), "{other:?}");
}

#[test]
fn a_plan_with_mistakes_is_not_loaded_and_what_is_loaded_comes_out_as_it_was() {
    let (folder, database, plan) = work();
    load(&database, &plan, 1_000, deed(NOW)).unwrap();
    let before = fs::read(plan.join("prices.csv")).unwrap();
    fs::write(plan.join("prices.csv"), "nonsense\n").unwrap();
    let wrong = load(&database, &plan, NOW + 10, deed(NOW));
    assert!(matches!(wrong, Err(TariffsError::Mistakes(_))), "{wrong:?}");
    assert_eq!(versions(&database).unwrap().len(), 1);
    let out = folder.path().join("out");
    take_out(&database, 1, &out).unwrap();
    assert_eq!(fs::read(out.join("prices.csv")).unwrap(), before);
    assert!(rating::Plan::read(&out).plan.is_some());
    assert!(matches!(take_out(&database, 1, &out), Err(TariffsError::File { .. })), "it is there");
    assert!(matches!(
        take_out(&database, 5, &folder.path().join("5")),
        Err(TariffsError::Unknown(5))
    ));
}

#[test]
fn a_change_that_is_not_recorded_is_not_made() {
    let (_folder, database, plan) = work();
    load(&database, &plan, 1_000, deed(NOW)).unwrap();
    let next = LoadablePlan::of_folder(&plan).unwrap();
    let unrecorded = |_: &Version| Err(TariffsError::NoReason);
    let loaded = tariffs::load(&database, &next, NOW + 10, deed(NOW), unrecorded);
    assert!(matches!(loaded, Err(TariffsError::NoReason)), "{loaded:?}");
    assert_eq!(versions(&database).unwrap().len(), 1);
    load(&database, &plan, NOW + 10, deed(NOW)).unwrap();
    let withdrawn = tariffs::withdraw(&database, 2, deed(NOW), unrecorded);
    assert!(matches!(withdrawn, Err(TariffsError::NoReason)), "{withdrawn:?}");
    assert_eq!(versions(&database).unwrap()[1].withdrawn, None);
}
