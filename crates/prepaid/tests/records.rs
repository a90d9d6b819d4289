//! Records of ended sessions: each is in one file, however it ended, and whenever the process ended.

use std::fs;
use std::path::{Path, PathBuf};

use prepaid::calls::{AccountStanding, EndSession, SetStanding, ShowAccount, ShowHistory};
use prepaid::records::{RecordError, Records};
use prepaid::{
    Definition, EventName, Interrogation, LegInterrogation, PhaseName, QuantityText,
    RecordSettings, System,
};
use serde_json::Value;

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, request, seconds};

const MINUTE: i64 = 60_000;

fn recording() -> SetUp {
    let set_up = SetUp::new();
    let definition = fs::read_to_string(set_up.path()).unwrap();
    set_up.write(&format!("{definition}[records]\nfolder = \"cdr\"\n"));
    set_up
}

fn folder(set_up: &SetUp) -> PathBuf {
    set_up.folder().join("cdr")
}

fn settings(system: &System) -> RecordSettings {
    system.rules().records.clone().expect("the definition has it")
}

/// Returns the names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Returns all records of the files that have their names.
fn records(folder: &Path) -> Vec<Value> {
    let named = names(folder).into_iter().filter(|name| !name.starts_with('.'));
    let text: String = named.map(|name| fs::read_to_string(folder.join(name)).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns some fields of each record, in a line.
fn fields(records: &[Value], names: &[&str]) -> Vec<String> {
    let word = |of: &Value| match of {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let line = |of: &Value| names.iter().map(|name| word(&of[*name])).collect::<Vec<_>>().join(" ");
    records.iter().map(line).collect()
}

fn of_session(session: &str, phase: PhaseName, number: u32, used: Option<u64>) -> Interrogation {
    let mut of = Interrogation { session: session.to_owned(), ..request(phase, number) };
    let is_last = matches!(phase, PhaseName::Final | PhaseName::Event);
    let begins = matches!(phase, PhaseName::First | PhaseName::Event);
    of.legs[0].service = begins.then(|| "telephony".to_owned());
    of.legs[0].used = used.and_then(seconds);
    of.legs[0].wanted = if is_last { None } else { Some(QuantityText::default()) };
    of
}

/// Makes a call of a minute for each session.
fn call_each(system: &System, sessions: impl IntoIterator<Item = u32>) {
    let requests = sessions.into_iter().flat_map(|session| {
        let session = format!("call-{session}");
        let first = of_session(&session, PhaseName::First, 0, None);
        [first, of_session(&session, PhaseName::Final, 1, Some(60))]
    });
    ask(system, requests.collect());
}

fn write(system: &System) -> usize {
    Records::new(system).step(system.now_ms() + MINUTE).expect("files are written")
}

#[test]
fn a_session_has_one_record_whichever_way_it_ended() {
    let set_up = recording();
    let system = set_up.with("100");
    let first = |session| of_session(session, PhaseName::First, 0, None);
    let next = |session| of_session(session, PhaseName::Next, 1, Some(60));
    let event = |session: &str, event, events| {
        let mut of = of_session(session, PhaseName::Event, 0, None);
        of.event = event;
        of.legs[0].service = Some("sms".to_owned());
        of.legs[0].used = Some(QuantityText { events: Some(events), ..QuantityText::default() });
        of
    };
    call_each(&system, [1]);
    ask(&system, vec![first("c-2"), next("c-2"), first("c-3"), next("c-3")]);
    // Again, and with another beginning.
    ask(&system, vec![next("c-2"), of_session("c-2", PhaseName::First, 7, None)]);
    ask(&system, vec![event("m-1", EventName::Debit, 2), event("m-2", EventName::PriceEnquiry, 1)]);
    ask(&system, vec![event("m-3", EventName::Refund, 1)]);
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    let open = account.sessions.iter().find(|of| !of.ended);
    let session = open.expect("calls go on").session.clone();
    let (account, because) = (ANNA.to_owned(), "a complaint".to_owned());
    call(
        &system,
        EndSession { account: account.clone(), session: session.clone(), because: because.clone() },
    );
    // The client learns that by its last request.
    for name in ["c-2", "c-3"] {
        ask(&system, vec![of_session(name, PhaseName::Next, 8, Some(60))]);
    }
    call(
        &system,
        SetStanding { account: account.clone(), standing: AccountStanding::Closed, because },
    );
    assert_eq!(write(&system), 1);
    let records = records(&folder(&set_up));
    let mut causes = fields(&records, &["cause"]);
    assert_eq!(causes.len(), 7, "{records:#?}");
    causes.sort_unstable();
    let all = ["closed", "ended", "ended", "ended", "ended", "late-usage", "replaced"];
    assert_eq!(causes, all, "{records:#?}");
    let service = ["record", "leg", "service", "duration", "events", "event", "currency"];
    let lines = fields(&records, &service);
    assert_eq!(lines[0], "1 0 telephony 60 - - SEK");
    assert_eq!(
        lines[1..4],
        ["2 0 telephony 60 - - SEK", "3 0 sms - 2 debit SEK", "5 0 sms - 1 refund SEK",]
    );
    let whole = &records[0];
    assert_eq!((&whole["served"], &whole["called"]), (&ANNA.into(), &OTHER.into()));
    assert_eq!(whole["session"].as_str().map(str::len), Some(32));
    assert!(whole["start"].as_str().unwrap().ends_with('Z') && whole["end"].is_string());
    // What all records cost is what the account paid.
    let history = call(&system, ShowHistory { account, ..ShowHistory::default() });
    let hundredths = |text: &str| text.replace('.', "").parse::<i64>().unwrap();
    let paid = history.entries.iter().filter(|entry| entry.system == "revenue");
    let paid: i64 = paid.map(|entry| -hundredths(&entry.amount)).sum();
    let recorded: i64 = records.iter().map(|of| hundredths(of["price"].as_str().unwrap())).sum();
    assert_eq!(recorded, paid);
}

#[test]
fn each_leg_has_a_record() {
    let set_up = recording();
    let system = set_up.with("100");
    let leg = |leg, octets| LegInterrogation {
        leg,
        service: Some("data".to_owned()),
        used: Some(QuantityText { octets: Some(octets), ..QuantityText::default() }),
        ..LegInterrogation::default()
    };
    let legs = vec![leg(10, 2_000_000), leg(20, 5_000_000)];
    ask(&system, vec![Interrogation { legs, ..request(PhaseName::Event, 0) }]);
    write(&system);
    let records = records(&folder(&set_up));
    let lines = fields(&records, &["record", "leg", "octets"]);
    assert_eq!(lines, ["1 10 2000000", "1 20 5000000"]);
    assert_eq!(records[0]["session_price"], records[1]["session_price"]);
}

#[test]
fn a_process_that_ends_between_two_steps_records_each_session_once() {
    for step in 0..4 {
        let set_up = recording();
        let system = set_up.with("100");
        call_each(&system, 0..3);
        let records_of = Records::new(&system);
        let file = records_of.write(&settings(&system)).unwrap().expect("sessions have ended");
        if step > 0 {
            records_of.commit(&file).unwrap();
        }
        if step > 1 {
            records_of.give_name(&file).unwrap();
        }
        if step > 2 {
            records_of.settle(&file).unwrap();
        }
        drop(records_of);
        drop(system);
        let system = set_up.system();
        // Until the commit, a retry may have more sessions.
        call_each(&system, 3..5);
        write(&system);
        let (folder, numbers) = (folder(&set_up), ["1", "2", "3", "4", "5"]);
        assert_eq!(fields(&records(&folder), &["record"]), numbers, "{step}");
        let files = match step {
            0 => vec!["charging-1-5.json"],
            _ => vec!["charging-1-3.json", "charging-4-5.json"],
        };
        assert_eq!(names(&folder), files, "{step}");
        assert_eq!(write(&system), 0, "{step}");
    }
}

#[test]
fn a_file_that_was_collected_before_the_end_of_its_steps_is_not_written_again() {
    let set_up = recording();
    let system = set_up.with("100");
    call_each(&system, [0]);
    let records_of = Records::new(&system);
    let file = records_of.write(&settings(&system)).unwrap().unwrap();
    records_of.commit(&file).unwrap();
    records_of.give_name(&file).unwrap();
    drop(records_of);
    drop(system);
    fs::remove_file(file.path()).unwrap();
    let system = set_up.system();
    assert_eq!(write(&system), 0);
    assert_eq!(names(&folder(&set_up)), [""; 0]);
}

#[test]
fn a_file_is_closed_when_it_is_full_or_has_waited() {
    let set_up = recording();
    drop(set_up.with("100"));
    let mut definition = Definition::read(&set_up.path()).unwrap();
    definition.terms.records.as_mut().unwrap().records_max = 2;
    let system = System::open(definition).unwrap();
    call_each(&system, 0..5);
    let now = system.now_ms();
    let mut writer = Records::new(&system);
    assert_eq!(writer.step(now).unwrap(), 2, "the last one waits");
    let full = ["charging-1-2.json", "charging-3-4.json"];
    assert_eq!(names(&folder(&set_up)), full);
    assert_eq!(writer.step(now + MINUTE / 2).unwrap(), 0);
    assert_eq!(writer.step(now + MINUTE + 1).unwrap(), 1);
    assert_eq!(names(&folder(&set_up))[2], "charging-5-5.json");
    assert_eq!(writer.step(now + 9 * MINUTE).unwrap(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_tried_again_and_charging_goes_on() {
    let set_up = recording();
    let system = set_up.with("100");
    fs::write(folder(&set_up), "a file").unwrap();
    call_each(&system, [0]);
    let mut writer = Records::new(&system);
    let now = system.now_ms() + MINUTE;
    for second in [0, 10] {
        let error = writer.step(now + second * 1_000).unwrap_err();
        assert!(matches!(error, RecordError::File { .. }), "{error:?}");
    }
    assert_eq!(writer.step(now + 11_000).unwrap(), 0, "not at once");
    call_each(&system, [1]);
    fs::remove_file(folder(&set_up)).unwrap();
    assert_eq!(writer.step(now + 20_000).unwrap(), 1);
    assert_eq!(fields(&records(&folder(&set_up)), &["record", "duration"]), ["1 60", "2 60"]);
}

#[test]
fn a_file_with_other_contents_is_never_overwritten() {
    let set_up = recording();
    let system = set_up.with("100");
    call_each(&system, [0]);
    let path = folder(&set_up).join("charging-1-1.json");
    fs::create_dir(folder(&set_up)).unwrap();
    fs::write(&path, "another").unwrap();
    let mut writer = Records::new(&system);
    let now = system.now_ms() + MINUTE;
    writer.step(now).unwrap_err();
    assert_eq!(names(&folder(&set_up)), ["charging-1-1.json"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "another");
    fs::remove_file(&path).unwrap();
    assert_eq!(writer.step(now + MINUTE).unwrap(), 1);
}

#[test]
fn without_a_folder_sessions_are_forgotten() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    call_each(&system, [0]);
    // The fold of the upkeep comes before.
    let account = ANNA.to_owned();
    call(&system, ShowHistory { account, ..ShowHistory::default() });
    assert_eq!(write(&system), 0);
    let mut definition = Definition::read(&set_up.path()).unwrap();
    let (every, records_max) = (MINUTE, 10);
    definition.terms.records = Some(RecordSettings { folder: folder(&set_up), every, records_max });
    system.replace(definition).unwrap();
    call_each(&system, [1]);
    assert_eq!(write(&system), 1);
    assert_eq!(names(&folder(&set_up)), ["charging-2-2.json"]);
}
