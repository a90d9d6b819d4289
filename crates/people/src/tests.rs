use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

const GOOD: &str = "a quiet night of watching";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const HOUR: i64 = 60 * 60 * 1_000;

/// Returns the users of a new gateway, and a clock that the test sets.
fn people() -> (People, Arc<AtomicI64>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
    let now = Arc::clone(&clock);
    let people = People::open_with(folder.path(), Box::new(move || now.load(Ordering::Relaxed)));
    (people.expect("a database"), clock, folder)
}

/// Records nothing.
fn unrecorded(_: &str) -> Result<(), Unrecorded> {
    Ok(())
}

fn with_administrator() -> (People, Arc<AtomicI64>, tempfile::TempDir) {
    let (people, clock, folder) = people();
    let link = people.first_link().expect("a link").expect("no user exists");
    people.welcome(&link, "anna", GOOD, unrecorded).expect("the first");
    (people, clock, folder)
}

#[test]
fn the_first_link_makes_one_administrator() {
    let (people, _, _folder) = people();
    let old = people.first_link().expect("a link").expect("no user exists");
    let link = people.first_link().expect("a link").expect("no administrator has a password");
    assert!(
        matches!(people.welcome(&old, "eve", GOOD, unrecorded), Err(PeopleError::Link)),
        "the last holds"
    );
    assert!(matches!(
        people.welcome(&link, "anna", "short", unrecorded),
        Err(PeopleError::ShortPassword(_))
    ));
    let without_entry = people.welcome(&link, "anna", GOOD, |_| Err(Unrecorded));
    assert!(matches!(without_entry, Err(PeopleError::Unrecorded(_))), "{without_entry:?}");
    let begun =
        people.welcome(&link, "anna", GOOD, unrecorded).expect("it is not used up by a mistake");
    assert_eq!(begun.session.role, Role::Administrator);
    assert!(
        matches!(people.welcome(&link, "eve", GOOD, unrecorded), Err(PeopleError::Link)),
        "once"
    );
    assert_eq!(people.first_link().expect("an answer"), None);
    assert_eq!(people.session(&begun.secret).expect("an answer"), Some(begun.session));
}

#[test]
fn a_session_ends_when_nothing_is_asked_and_when_it_is_long() {
    let (people, clock, _folder) = with_administrator();
    let is_in = |secret: &str| people.session(secret).expect("an answer").is_some();
    let begun = people.login("anna", GOOD, HERE).expect("the password");
    clock.fetch_add(2 * HOUR - 1, Ordering::Relaxed);
    assert!(is_in(&begun.secret));
    // The use is noted together with the next commit.
    people.logout("nobody").expect("an answer");
    clock.fetch_add(2 * HOUR - 1, Ordering::Relaxed);
    assert!(is_in(&begun.secret));
    people.logout("nobody").expect("an answer");
    clock.fetch_add(2 * HOUR, Ordering::Relaxed);
    assert!(!is_in(&begun.secret), "nothing was asked");

    let begun = people.login("anna", GOOD, HERE).expect("the password");
    for _ in 0..11 {
        clock.fetch_add(HOUR, Ordering::Relaxed);
        assert!(is_in(&begun.secret));
        people.logout("nobody").expect("an answer");
    }
    clock.fetch_add(HOUR, Ordering::Relaxed);
    assert!(!is_in(&begun.secret), "it is long");
}

#[test]
fn who_is_removed_or_has_another_role_feels_it_at_once() {
    let (people, _, _folder) = with_administrator();
    let link = people.invite("bo", Role::Operator, unrecorded).expect("a link");
    assert!(matches!(people.login("bo", GOOD, HERE), Err(PeopleError::Refused)), "no password yet");
    let bo = people.welcome(&link, "ignored", GOOD, unrecorded).expect("invited");
    assert_eq!((bo.session.name.as_str(), bo.session.role), ("bo", Role::Operator));
    people.set_role("bo", Role::Viewer, unrecorded).expect("known");
    let role = |secret: &str| people.session(secret).expect("an answer").map(|s| s.role);
    assert_eq!(role(&bo.secret), Some(Role::Viewer));
    people.remove("bo", unrecorded).expect("known");
    assert_eq!(role(&bo.secret), None);
    assert!(matches!(people.login("bo", GOOD, HERE), Err(PeopleError::Refused)));
}

#[test]
fn the_last_administrator_stays() {
    let (people, _, _folder) = with_administrator();
    let last = |result| assert!(matches!(result, Err(PeopleError::LastAdministrator(_))));
    last(people.remove("anna", unrecorded));
    last(people.set_role("anna", Role::Operator, unrecorded));
    let link = people.invite("bo", Role::Administrator, unrecorded).expect("a link");
    last(people.remove("anna", unrecorded));
    people.welcome(&link, "", GOOD, unrecorded).expect("invited");
    people.remove("anna", unrecorded).expect("bo is there");
}

#[test]
fn another_password_ends_the_other_sessions() {
    let (people, _, _folder) = with_administrator();
    let here = people.login("anna", GOOD, HERE).expect("the password");
    let there = people.login("anna", GOOD, HERE).expect("the password");
    let new = "something else altogether";
    let wrong = people.set_password("anna", "not this one, no", new, &here.secret, unrecorded);
    assert!(matches!(wrong, Err(PeopleError::Refused)));
    let without_entry = people.set_password("anna", GOOD, new, &here.secret, |_| Err(Unrecorded));
    assert!(matches!(without_entry, Err(PeopleError::Unrecorded(_))), "{without_entry:?}");
    people.set_password("anna", GOOD, new, &here.secret, unrecorded).expect("the password");
    assert!(people.session(&here.secret).expect("an answer").is_some());
    assert!(people.session(&there.secret).expect("an answer").is_none());
    assert!(people.login("anna", GOOD, HERE).is_err());
    people.login("anna", new, HERE).expect("the new one");
}

#[test]
fn wrong_passwords_of_a_stranger_keep_nobody_out() {
    let (people, _, _folder) = with_administrator();
    let stranger = IpAddr::from([10, 0, 0, 2]);
    let guess = || people.login("anna", "not this one, no", stranger);
    let refused =
        (0..20).find_map(|_| guess().err().filter(|e| !matches!(e, PeopleError::Refused)));
    assert!(matches!(refused, Some(PeopleError::Later(_))), "{refused:?}");
    let here = people.login("anna", GOOD, HERE).expect("she is somewhere else");
    while matches!(people.login("anna", "not this one, no", HERE), Err(PeopleError::Refused)) {}
    people
        .set_password("anna", GOOD, "something else altogether", &here.secret, unrecorded)
        .expect("she is in");
}

#[test]
fn no_two_tokens_have_one_name() {
    let (people, _, _folder) = with_administrator();
    let Made { id, .. } =
        people.make_token("grafana", (Role::Viewer, TOKEN_DAYS), unrecorded).expect("made");
    let other = people.make_token("grafana", (Role::Administrator, TOKEN_DAYS), unrecorded);
    assert!(matches!(other, Err(PeopleError::Taken(_))));
    assert_eq!(people.remove_token(id, unrecorded).expect("known"), "grafana");
    people.make_token("grafana", (Role::Viewer, TOKEN_DAYS), unrecorded).expect("the name is free");
}

#[test]
fn a_link_for_who_forgot_holds_a_day() {
    let (people, clock, _folder) = with_administrator();
    let late = people.link_for("anna", unrecorded).expect("known");
    clock.fetch_add(24 * HOUR, Ordering::Relaxed);
    assert!(matches!(people.welcome(&late, "", GOOD, unrecorded), Err(PeopleError::Link)));
    let link = people.link_for("anna", unrecorded).expect("known");
    people.welcome(&link, "", "something else altogether", unrecorded).expect("in time");
    assert!(matches!(people.link_for("eve", unrecorded), Err(PeopleError::Unknown(_))));
}

#[test]
fn a_token_is_known_until_it_is_removed_and_lies_nowhere_as_it_is() {
    let (people, _, folder) = with_administrator();
    let Made { id, secret, .. } =
        people.make_token("grafana", (Role::Viewer, TOKEN_DAYS), unrecorded).expect("made");
    let found = people.token(&secret).expect("an answer").expect("known");
    assert_eq!((found.id, found.name.as_str(), found.role), (id, "grafana", Role::Viewer));
    assert!(people.token("tollgate_other").expect("an answer").is_none());
    let begun = people.login("anna", GOOD, HERE).expect("the password");
    people.remove_token(id, unrecorded).expect("known");
    assert!(people.token(&secret).expect("an answer").is_none());
    drop(people);
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let octets = std::fs::read(entry.expect("an entry").path()).expect("a file");
        for secret in [secret.as_str(), GOOD, &begun.secret] {
            let is_there = octets.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!is_there, "a secret lies in the database");
        }
    }
}

#[test]
fn a_token_has_an_end_and_its_name_is_free_behind_that() {
    let (people, clock, _folder) = with_administrator();
    for days in [0, TOKEN_DAYS_MAX + 1, u32::MAX] {
        let made = people.make_token("grafana", (Role::Viewer, days), unrecorded);
        assert!(matches!(made, Err(PeopleError::TokenDays(_))), "{days}");
    }
    let made = people.make_token("grafana", (Role::Viewer, 2), unrecorded).expect("made");
    let now = || clock.load(Ordering::Relaxed);
    assert_eq!(made.until_ms, now() + 48 * HOUR);
    clock.fetch_add(48 * HOUR - 1, Ordering::Relaxed);
    assert!(people.token(&made.secret).expect("an answer").is_some());
    assert!(people.token_holds(&made.secret).expect("an answer"));
    assert!(people.make_token("grafana", (Role::Viewer, 1), unrecorded).is_err(), "it is taken");
    clock.fetch_add(1, Ordering::Relaxed);
    assert!(people.token(&made.secret).expect("an answer").is_none());
    assert!(!people.token_holds(&made.secret).expect("an answer"));
    assert_eq!(people.tokens().expect("an answer").len(), 1, "it is listed, so that it is missed");
    people.make_token("grafana", (Role::Viewer, 1), unrecorded).expect("the name is free");
    assert_eq!(people.tokens().expect("an answer").len(), 1);
}

#[test]
fn tokens_that_had_no_end_are_given_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(DATABASE);
    let before = store::Store::open(&path, &MIGRATIONS[..1]).expect("a database");
    let secret = "tollgate_of_before";
    let digest = secret::digest(secret);
    before
        .commit(move |db| {
            let insert =
                "INSERT INTO token (secret, name, role, since_ms) VALUES (?, 'wall', 'viewer', 1)";
            db.execute(insert, [digest])
        })
        .expect("it is written");
    drop(before);
    let people = People::open(folder.path()).expect("it is brought to the last version");
    let token = people.token(secret).expect("an answer").expect("it holds");
    let days = (token.until_ms - now_ms()) / (24 * HOUR);
    assert!((364..=365).contains(&days), "{days}");
}

#[test]
fn somebody_has_so_many_sessions_and_one_more_ends_the_one_that_was_not_used() {
    let (people, clock, _folder) = with_administrator();
    let link = people.invite("bo", Role::Viewer, unrecorded).expect("a link");
    let bo = people.welcome(&link, "", GOOD, unrecorded).expect("invited");
    let sessions = || people.sessions().expect("an answer")["anna"];
    let all: Vec<String> = (0..30)
        .map(|_| {
            clock.fetch_add(61_000, Ordering::Relaxed);
            people.login("anna", GOOD, HERE).expect("the password").secret
        })
        .collect();
    assert_eq!(sessions(), 10);
    let is_in = |secret: &str| people.session_holds(secret).expect("an answer");
    assert!(all[20..].iter().all(|secret| is_in(secret)), "the last ones stay");
    assert!(!all[..20].iter().any(|secret| is_in(secret)));
    // A session that is used stays open.
    assert!(people.session(&all[20]).expect("an answer").is_some());
    clock.fetch_add(61_000, Ordering::Relaxed);
    people.login("anna", GOOD, HERE).expect("the password");
    assert!(is_in(&all[20]) && !is_in(&all[21]));
    assert!(is_in(&bo.secret), "sessions of other users stay");
}

#[test]
fn what_is_tried_of_somebody_is_not_counted_of_who_is_called_nearly_so() {
    let (people, _, _folder) = with_administrator();
    let link = people.invite("Anna", Role::Viewer, unrecorded).expect("another one");
    people.welcome(&link, "", "something else altogether", unrecorded).expect("invited");
    while matches!(people.login("Anna", "not this one, no", HERE), Err(PeopleError::Refused)) {}
    people.login("anna", GOOD, HERE).expect("no attempt failed for her name");
    // Attempts with an invalid name are not counted, so they take no memory.
    for name in ["", "a b", &"a".repeat(1 << 20)] {
        for _ in 0..20 {
            assert!(matches!(people.login(name, GOOD, HERE), Err(PeopleError::Refused)));
        }
    }
}

#[test]
fn a_change_without_an_entry_in_the_audit_trail_is_undone() {
    let (people, _, _folder) = with_administrator();
    let fails = |_: &str| Err(Unrecorded);
    people.invite("bo", Role::Operator, unrecorded).expect("a link");
    let before = people.list().expect("a list");
    let is_refused = |refused| matches!(refused, Err(PeopleError::Unrecorded(Unrecorded)));
    assert!(is_refused(people.set_role("bo", Role::Viewer, fails)));
    assert!(is_refused(people.remove("bo", fails)));
    assert!(is_refused(people.invite("cleo", Role::Viewer, fails).map(drop)));
    assert!(is_refused(people.make_token("grafana", (Role::Viewer, 1), fails).map(drop)));
    assert_eq!(people.list().expect("a list"), before);
    assert_eq!(people.tokens().expect("a list"), []);
}

#[test]
fn a_refused_change_changes_nothing() {
    let (people, clock, _folder) = with_administrator();
    let link = people.invite("bo", Role::Operator, unrecorded).expect("a link");
    let begun = people.welcome(&link, "", GOOD, unrecorded).expect("a session");
    people.remove("bo", unrecorded).expect("known");
    clock.fetch_add(3 * HOUR, Ordering::Relaxed);
    // The session of a user who is gone is not begun, and idle sessions of others are not deleted by the attempt.
    let count = || {
        let count = "SELECT count(*) FROM session";
        people.look(|db| db.query_row(count, [], |row| row.get::<_, i64>(0))).expect("a count")
    };
    let before = count();
    assert!(matches!(people.begin_session("bo"), Err(PeopleError::Refused)));
    assert_eq!((count(), before), (1, 1), "{begun:?}");
}
