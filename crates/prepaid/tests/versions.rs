//! Versions of a definition: what was in use stays known, and can be put back.

use std::fs;
use std::thread;
use std::time::Duration;

use prepaid::calls::{
    AmountUnit, ChargingVersion, EnquirePrice, ListChargingTrail, ListChargingVersions,
    RestoreChargingVersion, RestoredChargingVersion, ShowAccount, ShowCharging, ShowHistory,
    ShowVersionFile, ShownVersionFile,
};
use prepaid::{Answered, Client, Definition, Interrogation, PhaseName, Refused, System};

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, open, refusal, request, seconds, shown};

/// Goes by the definition as it is now.
fn used(set_up: &SetUp, system: &System) {
    let definition = Definition::read(&set_up.path()).expect("a definition");
    system.replace(definition).expect("it is used");
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

/// Makes calls dearer: their intervals of a minute become intervals of a second, at the same price.
fn make_dearer(set_up: &SetUp) {
    let prices = set_up.folder().join("tariff/prices.csv");
    let text = fs::read_to_string(&prices).unwrap();
    let dearer = text.lines().map(|line| line.replace(",min,", ",s,") + "\n").collect::<String>();
    assert_ne!(dearer, text);
    fs::write(&prices, dearer).unwrap();
}

fn price_of(seconds: u64) -> EnquirePrice {
    let (account, service) = (ANNA.to_owned(), "telephony".to_owned());
    let (called, partner) = (OTHER.to_owned(), String::new());
    EnquirePrice {
        account,
        service,
        called,
        partner,
        quantity: seconds,
        unit: Some(AmountUnit::Seconds),
    }
}

/// Waits until calls that begin go by the version of now.
fn wait_for_calls() {
    thread::sleep(Duration::from_millis(2_010));
}

fn begin(session: &str) -> Interrogation {
    let mut first = Interrogation { session: session.to_owned(), ..request(PhaseName::First, 0) };
    first.legs[0].wanted = seconds(180);
    first
}

/// Reports seconds of a call, and ends it if it says so.
fn used_seconds(session: &str, number: u32, phase: PhaseName, of: u64) -> Interrogation {
    let mut next = Interrogation { session: session.to_owned(), ..request(phase, number) };
    next.legs[0].used = seconds(of);
    next
}

/// Returns the price of a call of Anna so far, and the steps to it: the version, notes that they do not add up, and others.
fn explained(system: &System) -> (String, Vec<String>, Vec<(String, String)>) {
    let history =
        ShowHistory { account: ANNA.to_owned(), limit: Some(1), ..ShowHistory::default() };
    let charged = call(system, history).entries.remove(0).charged.expect("a charge");
    let (about, steps): (Vec<_>, Vec<_>) = charged
        .steps
        .into_iter()
        .map(|step| (step.step, step.found))
        .partition(|(step, _)| step == "version" || step == "note");
    let about = about.into_iter().map(|(_, found)| match found.split_once(", in use since 2") {
        // What follows the time says that the version cannot be read.
        Some((version, since)) if !since.contains(';') => version.to_owned(),
        _ => found,
    });
    (charged.total, about.collect(), steps)
}

#[test]
fn an_old_charge_is_explained_by_the_version_that_was_in_use() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "100");
    ask(&system, vec![begin("call-1"), used_seconds("call-1", 1, PhaseName::Final, 100)]);
    let before = explained(&system);
    assert_eq!(before.1, ["version 1"]);
    make_dearer(&set_up);
    used(&set_up, &system);
    for _ in 0..2 {
        assert_eq!(explained(&system), before);
    }
    wait_for_calls();
    ask(&system, vec![begin("call-2"), used_seconds("call-2", 1, PhaseName::Final, 1)]);
    assert_eq!(explained(&system).1, ["version 2"]);
}

#[test]
fn a_call_costs_what_its_first_grant_said_when_the_tariff_changes_during_it() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "5");
    let granted = ask(&system, vec![begin("call-1")]);
    let Answered::Legs { legs } = &granted[0] else { panic!("{granted:?}") };
    let granted = legs[0].granted.as_ref().expect("a grant").quantity.seconds.unwrap();
    make_dearer(&set_up);
    used(&set_up, &system);
    wait_for_calls();
    let next = used_seconds("call-1", 1, PhaseName::Next, granted / 2);
    ask(&system, vec![next]);
    let (_, about, _) = explained(&system);
    assert_eq!(about, ["version 1"], "all of the call has one price");
    // A system that was stopped meanwhile knows which prices were in use.
    drop(system);
    let system = set_up.system();
    ask(&system, vec![used_seconds("call-1", 2, PhaseName::Final, granted - granted / 2)]);
    let (total, about, _) = explained(&system);
    assert_eq!(about, ["version 1"]);
    let balance: f64 = shown(&system).balances[0].available.parse().unwrap();
    assert!(balance >= 0.0, "{granted} seconds cost {total}: more than there was for them");
    ask(&system, vec![begin("call-2"), used_seconds("call-2", 1, PhaseName::Final, 1)]);
    assert_eq!(explained(&system).1, ["version 2"]);
}

#[test]
fn commands_while_no_system_runs_make_no_version() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "5");
    let before = versions(&system);
    drop(system);
    make_dearer(&set_up);
    let client = Client::new(&set_up.path());
    let price = |of: &Client| of.call("anna", price_of(10)).expect("a price").price;
    let dear = price(&client);
    let list = client.call("anna", ListChargingVersions::default()).expect("versions");
    assert_eq!((list.versions, list.used), (before, None), "no call went by what is in the files");
    let system = set_up.system();
    assert_eq!(versions(&system).len(), 2);
    wait_for_calls();
    assert_eq!(call(&system, price_of(10)).price, dear, "the price of the files was shown before");
}

/// Two processes change their files one after the other, and each keeps the price of the calls that it began.
#[test]
fn a_process_that_comes_to_a_version_later_changes_no_price_of_its_calls() {
    let (set_up, first) = with_own_tariff();
    let Some(other) = set_up.another() else { return };
    for entry in fs::read_dir(set_up.folder().join("tariff")).unwrap() {
        let entry = entry.unwrap();
        fs::create_dir_all(other.folder().join("tariff")).unwrap();
        fs::copy(entry.path(), other.folder().join("tariff").join(entry.file_name())).unwrap();
    }
    other.write(&fs::read_to_string(set_up.path()).unwrap());
    let second = other.system();
    open(&first, ANNA, "100");
    let price = call(&first, price_of(90)).price;
    make_dearer(&set_up);
    used(&set_up, &first);
    wait_for_calls();
    // The second one has the files of before.
    ask(&second, vec![begin("call-1"), used_seconds("call-1", 1, PhaseName::Next, 60)]);
    make_dearer(&other);
    used(&other, &second);
    wait_for_calls();
    ask(&second, vec![used_seconds("call-1", 2, PhaseName::Final, 30)]);
    assert_eq!(call(&second, ListChargingVersions::default()).used, Some(2));
    assert_eq!(explained(&second).0, price);
}

#[test]
fn plans_of_later_years_drive_out_no_plan_of_now() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "5");
    let text = fs::read_to_string(set_up.path()).unwrap();
    let later: Vec<String> =
        (2070..2090).map(|year| format!("\"{year}-01-01 Europe/Stockholm = later\"")).collect();
    fs::create_dir(set_up.folder().join("later")).unwrap();
    for file in fs::read_dir(set_up.folder().join("tariff")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), set_up.folder().join("later").join(file.file_name())).unwrap();
    }
    let prices = set_up.folder().join("later/prices.csv");
    let dear = fs::read_to_string(&prices).unwrap().replace(",min,", ",s,");
    fs::write(&prices, dear).unwrap();
    set_up.write(&text.replacen('\n', &format!("\nlater-plans = [{}]\n", later.join(", ")), 1));
    let price = || call(&system, price_of(10)).price;
    let before = price();
    used(&set_up, &system);
    used(&set_up, &system);
    wait_for_calls();
    assert_eq!(price(), before);
}

#[test]
fn commands_go_by_the_last_version_while_the_definition_has_mistakes() {
    let (set_up, system) = with_own_tariff();
    open(&system, ANNA, "5");
    drop(system);
    let client = Client::new(&set_up.path());
    let text = fs::read_to_string(set_up.path()).unwrap();
    let show = || client.call("anna", ShowAccount { account: ANNA.to_owned() });
    for broken in ["plan = 7", "[grants]\nseconds = \"many\""] {
        // The address of a database must be there, since it says where the accounts are.
        let (_, tables) = text.split_once('\n').unwrap();
        set_up.write(&format!("{broken}\n{tables}"));
        assert_eq!(show().expect("the account").balances[0].available, "5.00", "{broken}");
    }
    let last = Definition::last(&set_up.path()).expect("it can be read").expect("a version");
    assert_eq!(
        last.terms.charging.plans.all().count(),
        1,
        "a system that is opened again goes by it"
    );
    let back = RestoreChargingVersion { version: 1, file: None, because: "broken".to_owned() };
    let RestoredChargingVersion { changed } = client.call("anna", back).expect("it is back");
    assert_eq!(changed, ["charging.toml"]);
    assert_eq!(fs::read_to_string(set_up.path()).unwrap(), text);
    // A definition that cannot be read may have its accounts elsewhere.
    set_up.write(&format!("{text}\nstate = \"elsewhere"));
    assert!(matches!(show(), Err(Refused::Mistakes { .. })));
    // Without a version, there is nothing to go by.
    let other = SetUp::new();
    other.write("plan = 7");
    let refused = Client::new(&other.path()).call("anna", ShowAccount { account: ANNA.to_owned() });
    assert!(matches!(refused, Err(Refused::Mistakes { .. })));
    assert_eq!(fs::read_dir(other.folder()).unwrap().count(), 1, "no state is made");
}

#[test]
fn a_version_is_put_back_with_all_its_files() {
    let (set_up, system) = with_own_tariff();
    let first = versions(&system).remove(0).version;
    let prices = set_up.folder().join("tariff/prices.csv");
    let before = fs::read_to_string(&prices).unwrap();
    let dates = set_up.folder().join("tariff/dates.csv");
    let had_dates = dates.exists();
    make_dearer(&set_up);
    let text = fs::read_to_string(set_up.path()).unwrap();
    let renamed = set_up.folder().join("new-tariff");
    fs::rename(set_up.folder().join("tariff"), &renamed).unwrap();
    set_up.write(&text.replace("\"tariff\"", "\"new-tariff\""));
    used(&set_up, &system);
    let back =
        |version| RestoreChargingVersion { version, file: None, because: "too dear".to_owned() };
    let changed = call(&system, back(first)).changed;
    assert!(changed.iter().any(|file| file == "tariff/prices.csv"), "{changed:?}");
    assert!(changed.iter().any(|file| file == "new-tariff/prices.csv"), "{changed:?}");
    assert_eq!(fs::read_to_string(&prices).unwrap(), before);
    assert_eq!(fs::read_to_string(set_up.path()).unwrap(), text);
    assert!(!renamed.join("prices.csv").exists() && dates.exists() == had_dates);
    let trail = call(&system, ListChargingTrail::default()).entries.remove(0);
    assert_eq!((trail.who.as_str(), trail.reason.as_str()), ("anna", "too dear"));
    assert!(trail.subject.starts_with(&format!("version {first}: ")), "{}", trail.subject);
    assert_eq!(call(&system, back(first)).changed, [""; 0], "they are back already");
    used(&set_up, &system);
    let list = call(&system, ListChargingVersions::default());
    assert_eq!((list.used, list.versions.len()), (Some(first + 2), 3));
    assert_eq!(list.versions[0].files, list.versions[2].files);
    let missing = refusal(&system, back(first + 3));
    assert_eq!(missing, Refused::VersionUnknown { version: first + 3 });
    let without = RestoreChargingVersion { version: first, file: None, because: " ".to_owned() };
    assert!(matches!(refusal(&system, without), Refused::TextInvalid { .. }));
}

#[test]
fn one_file_of_a_version_is_put_back_and_the_others_stay() {
    let (set_up, system) = with_own_tariff();
    let first = call(&system, ListChargingVersions::default()).versions[0].version;
    let prices = set_up.folder().join("tariff/prices.csv");
    let before = fs::read_to_string(&prices).unwrap();
    make_dearer(&set_up);
    let text = format!("{}[approval]\nabove = \"5\"\n", fs::read_to_string(set_up.path()).unwrap());
    set_up.write(&text);
    used(&set_up, &system);
    let back = |file: &str| RestoreChargingVersion {
        version: first,
        file: Some(file.to_owned()),
        because: "too dear".to_owned(),
    };
    assert_eq!(call(&system, back("tariff/prices.csv")).changed, ["tariff/prices.csv"]);
    assert_eq!(fs::read_to_string(&prices).unwrap(), before);
    assert_eq!(fs::read_to_string(set_up.path()).unwrap(), text);
    let subject = call(&system, ListChargingTrail::default()).entries.remove(0).subject;
    assert_eq!(subject, format!("version {first}: tariff/prices.csv"));
    let (version, file) = (first, "tariff/price.csv".to_owned());
    assert_eq!(refusal(&system, back(&file)), Refused::VersionFileUnknown { version, file });
}

#[test]
fn mistakes_of_a_definition_are_shown_until_another_one_is_used() {
    let (set_up, system) = with_own_tariff();
    let mistakes = || call(&system, ShowCharging {}).unused;
    assert_eq!(mistakes(), None);
    system.note_unused(Some("line 7 is wrong".to_owned()));
    assert_eq!(mistakes().as_deref(), Some("line 7 is wrong"));
    used(&set_up, &system);
    assert_eq!(mistakes(), None);
}
