use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

const GOOD: &str = "a quiet night of watching";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const HOUR: i64 = 60 * 60 * 1_000;

/// People of a new gateway, and a clock that is put forward by hand.
fn people() -> (People, Arc<AtomicI64>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
    let now = Arc::clone(&clock);
    let people = People::open_with(folder.path(), Box::new(move || now.load(Ordering::Relaxed)));
    (people.expect("a database"), clock, folder)
}

fn with_administrator() -> (People, Arc<AtomicI64>, tempfile::TempDir) {
    let (people, clock, folder) = people();
    let link = people.first_link().expect("a link").expect("nobody is there");
    people.welcome(&link, "anna", GOOD).expect("the first");
    (people, clock, folder)
}

#[test]
fn the_first_link_makes_one_administrator() {
    let (people, _, _folder) = people();
    let old = people.first_link().expect("a link").expect("nobody is there");
    let link = people.first_link().expect("a link").expect("nobody came in");
    assert!(matches!(people.welcome(&old, "eve", GOOD), Err(PeopleError::Link)), "the last holds");
    assert!(matches!(people.welcome(&link, "anna", "short"), Err(PeopleError::ShortPassword(_))));
    let begun = people.welcome(&link, "anna", GOOD).expect("it is not used up by a mistake");
    assert_eq!(begun.session.role, Role::Administrator);
    assert!(matches!(people.welcome(&link, "eve", GOOD), Err(PeopleError::Link)), "once");
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
    // That was noted, behind what is committed next.
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
    let link = people.invite("bo", Role::Operator).expect("a link");
    assert!(matches!(people.login("bo", GOOD, HERE), Err(PeopleError::Refused)), "no password yet");
    let bo = people.welcome(&link, "ignored", GOOD).expect("invited");
    assert_eq!((bo.session.name.as_str(), bo.session.role), ("bo", Role::Operator));
    people.set_role("bo", Role::Viewer).expect("known");
    let role = |secret: &str| people.session(secret).expect("an answer").map(|s| s.role);
    assert_eq!(role(&bo.secret), Some(Role::Viewer));
    people.remove("bo").expect("known");
    assert_eq!(role(&bo.secret), None);
    assert!(matches!(people.login("bo", GOOD, HERE), Err(PeopleError::Refused)));
}

#[test]
fn the_last_administrator_stays() {
    let (people, _, _folder) = with_administrator();
    let last = |result| assert!(matches!(result, Err(PeopleError::LastAdministrator(_))));
    last(people.remove("anna"));
    last(people.set_role("anna", Role::Operator));
    let link = people.invite("bo", Role::Administrator).expect("a link");
    last(people.remove("anna"));
    people.welcome(&link, "", GOOD).expect("invited");
    people.remove("anna").expect("bo is there");
}

#[test]
fn another_password_ends_the_other_sessions() {
    let (people, _, _folder) = with_administrator();
    let here = people.login("anna", GOOD, HERE).expect("the password");
    let there = people.login("anna", GOOD, HERE).expect("the password");
    let new = "something else altogether";
    let wrong = people.set_password("anna", "not this one, no", new, &here.secret);
    assert!(matches!(wrong, Err(PeopleError::Refused)));
    people.set_password("anna", GOOD, new, &here.secret).expect("the password");
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
        .set_password("anna", GOOD, "something else altogether", &here.secret)
        .expect("she is in");
}

#[test]
fn no_two_tokens_have_one_name() {
    let (people, _, _folder) = with_administrator();
    let (id, _) = people.make_token("grafana", Role::Viewer).expect("made");
    let other = people.make_token("grafana", Role::Administrator);
    assert!(matches!(other, Err(PeopleError::Taken(_))));
    assert_eq!(people.remove_token(id).expect("known"), "grafana");
    people.make_token("grafana", Role::Viewer).expect("the name is free");
}

#[test]
fn a_link_for_who_forgot_holds_a_day() {
    let (people, clock, _folder) = with_administrator();
    let late = people.link_for("anna").expect("known");
    clock.fetch_add(24 * HOUR, Ordering::Relaxed);
    assert!(matches!(people.welcome(&late, "", GOOD), Err(PeopleError::Link)));
    let link = people.link_for("anna").expect("known");
    people.welcome(&link, "", "something else altogether").expect("in time");
    assert!(matches!(people.link_for("eve"), Err(PeopleError::Unknown(_))));
}

#[test]
fn a_token_is_known_until_it_is_removed_and_lies_nowhere_as_it_is() {
    let (people, _, folder) = with_administrator();
    let (id, secret) = people.make_token("grafana", Role::Viewer).expect("made");
    let found = people.token(&secret).expect("an answer").expect("known");
    assert_eq!((found.id, found.name.as_str(), found.role), (id, "grafana", Role::Viewer));
    assert!(people.token("tollgate_other").expect("an answer").is_none());
    let begun = people.login("anna", GOOD, HERE).expect("the password");
    people.remove_token(id).expect("known");
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
