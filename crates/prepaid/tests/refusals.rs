//! What networks were refused, for the subscriber who asks why.

use prepaid::calls::{AccountRefusal, ListRefusals};
use prepaid::{PhaseName, System};

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, open, request, seconds};

/// A number of another account.
const BERT: &str = "46701234568";

fn refusals(system: &System, account: &str) -> Vec<AccountRefusal> {
    call(system, ListRefusals { account: account.to_owned() }).refusals
}

fn codes(of: &[AccountRefusal]) -> Vec<&str> {
    of.iter().map(|refusal| refusal.code.as_str()).collect()
}

#[test]
fn what_is_refused_and_the_last_grant_are_listed_by_account() {
    let set_up = SetUp::new();
    let system = set_up.with("1.00");
    open(&system, BERT, "100");
    let list = |account: &str| call(&system, ListRefusals { account: account.to_owned() });
    assert_eq!(list(ANNA).since, None, "no networks are answered yet");
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(3_600);
    let mut next = request(PhaseName::Next, 1);
    (next.legs[0].used, next.legs[0].wanted) = (seconds(1), seconds(3_600));
    let mut other = request(PhaseName::First, 0);
    other.session = "call-2".to_owned();
    other.legs[0].wanted = seconds(60);
    let mut rich = other.clone();
    rich.subscriber = BERT.to_owned();
    ask(&system, vec![first.clone(), first, other.clone(), other, rich]);
    assert!(list(ANNA).since.is_some());
    let of = refusals(&system, ANNA);
    // A request that comes again is no new refusal.
    assert_eq!(codes(&of), ["no-money", "last-grant"]);
    let AccountRefusal { client, served, service, other, session, text, .. } = &of[1];
    assert_eq!([client, served, service, other], ["msc1", ANNA, "telephony", OTHER]);
    assert!(text.contains("seconds were granted, and the account pays for no more"), "{text}");
    assert_ne!(*session, of[0].session);
    assert_eq!(refusals(&system, BERT), []);
    ask(&system, vec![next]);
    let of = refusals(&system, ANNA);
    assert_eq!(
        codes(&of),
        ["last-grant", "no-money"],
        "the newest grant of a session stands for those before"
    );
    let mut orphan = request(PhaseName::Final, 7);
    orphan.session = "call-9".to_owned();
    orphan.legs[0].used = seconds(10);
    orphan.legs[0].service = Some("telephony".to_owned());
    ask(&system, vec![orphan]);
    let of = refusals(&system, ANNA);
    assert_eq!((of[0].code.as_str(), of[0].service.as_str()), ("session-unknown", "telephony"));
    assert!(of[0].text.contains("there is no such session; what was used costs"), "{:?}", of[0]);
}
