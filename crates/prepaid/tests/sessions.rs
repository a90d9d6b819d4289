use std::time::{Duration, Instant};

use prepaid::calls::{
    AccountStanding, Authority, Call as _, Clerk, EndSession, ListChargingTrail, ListSessions,
    OpenSession, Sessions, SetStanding, ShowAccount, ShowHistory,
};
use prepaid::{Answered, Interrogation, PhaseName, Refused, System};

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, open, refusal, request, seconds};

const BERT: &str = "46702000000";

/// Returns the first request of a session of a number.
fn first(session: &str, subscriber: &str) -> Interrogation {
    let mut first = request(PhaseName::First, 0);
    (first.session, first.subscriber) = (session.to_owned(), subscriber.to_owned());
    first.legs[0].wanted = seconds(60);
    first
}

fn begin(system: &System, requests: Vec<Interrogation>) {
    for answer in ask(system, requests) {
        assert!(matches!(answer, Answered::Legs { .. }), "{answer:?}");
    }
}

fn listed(system: &System, list: ListSessions) -> Sessions {
    call(system, list)
}

fn numbers(sessions: &[OpenSession]) -> Vec<&str> {
    sessions.iter().map(|of| of.number.as_str()).collect()
}

#[test]
fn sessions_of_all_accounts_are_found_by_number_service_client_and_age() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    open(&system, BERT, "100");
    begin(&system, vec![first("call-1", ANNA), first("call-2", BERT)]);
    let mut next = request(PhaseName::Next, 1);
    (next.legs[0].used, next.legs[0].wanted) = (seconds(40), seconds(30));
    begin(&system, vec![next]);
    let found = listed(&system, ListSessions::default());
    assert_eq!((numbers(&found.sessions), found.more), (vec![ANNA, BERT], false));
    let [anna, bert] = &found.sessions[..] else { panic!("{found:?}") };
    assert_eq!((anna.used.as_str(), anna.granted.as_str()), ("40 seconds", "30 seconds"));
    assert_eq!((bert.used.as_str(), bert.granted.as_str()), ("", "60 seconds"));
    assert_eq!((anna.client.as_str(), anna.called.as_str()), ("msc1", OTHER));
    assert_eq!(anna.services, ["telephony"]);
    assert!(!anna.stuck && anna.start <= anna.valid_until && anna.valid_until < anna.until);
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    assert_eq!(&account.sessions[0], anna);
    assert_eq!(account.balances[0].reserved, anna.reserved);
    let filtered = |list: ListSessions| {
        listed(&system, list).sessions.into_iter().map(|of| of.number).collect::<Vec<_>>()
    };
    let none = ListSessions::default();
    assert_eq!(filtered(ListSessions { number: "+46 702".to_owned(), ..none.clone() }), [BERT]);
    assert_eq!(filtered(ListSessions { number: "1234".to_owned(), ..none.clone() }), [ANNA]);
    for (service, client, count) in
        [("telephony", "msc1", 2), ("sms", "", 0), ("", "msc2", 0), ("", "msc1", 2)]
    {
        let (service, client) = (service.to_owned(), client.to_owned());
        let list = ListSessions { service, client, ..none.clone() };
        assert_eq!(filtered(list.clone()).len(), count, "{list:?}");
    }
    assert_eq!(filtered(ListSessions { older_than: Some(0), ..none.clone() }).len(), 2);
    assert!(filtered(ListSessions { older_than: Some(3_600), ..none.clone() }).is_empty());
    assert!(filtered(ListSessions { stuck: true, ..none }).is_empty());
}

#[test]
fn a_list_of_sessions_has_pages() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    open(&system, BERT, "100");
    let anna = ["a", "b", "c"].map(|session| first(session, ANNA));
    begin(&system, anna.into_iter().chain([first("d", BERT)]).collect());
    let all = listed(&system, ListSessions::default()).sessions;
    let (mut paged, mut after) = (Vec::new(), String::new());
    loop {
        let limit = Some(1);
        let mut page = listed(&system, ListSessions { after, limit, ..ListSessions::default() });
        let last = page.sessions.last().expect("a session");
        after = format!("{}-{}", last.account, last.session);
        paged.append(&mut page.sessions);
        if !page.more {
            break;
        }
    }
    assert_eq!((paged.len(), paged), (4, all));
    let clerk = Clerk { system: &system, who: "anna", authority: Authority::Person };
    let wrong = ListSessions { after: "7".to_owned(), ..ListSessions::default() };
    assert_eq!(wrong.perform(&clerk).unwrap_err(), Refused::SessionUnknown);
}

#[test]
fn a_session_whose_client_is_gone_is_stuck_and_can_be_ended() {
    let set_up = SetUp::new();
    let plan = std::fs::read_to_string(set_up.path()).unwrap();
    set_up.write(&format!("{plan}[grants]\nvalidity = \"1 second\"\n"));
    let system = set_up.with("100");
    let begun = Instant::now();
    begin(&system, vec![first("call-1", ANNA)]);
    let stuck = loop {
        let list = ListSessions { stuck: true, ..ListSessions::default() };
        if let [stuck] = &listed(&system, list).sessions[..] {
            break stuck.clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it is never stuck");
    };
    assert!(stuck.stuck && begun.elapsed() >= Duration::from_millis(900), "{stuck:?}");
    assert_ne!(stuck.reserved, "0.00");
    let (account, session) = (format!("#{}", stuck.account), stuck.session);
    call(&system, EndSession { account, session, because: "it hangs".to_owned() });
    assert!(listed(&system, ListSessions::default()).sessions.is_empty());
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    assert_eq!((account.balances[0].reserved.as_str(), account.sessions[0].ended), ("0.00", true));
    assert!(!account.sessions[0].stuck && account.sessions[0].granted.is_empty());
}

#[test]
fn the_end_of_a_session_and_a_block_of_its_account_need_reasons_which_the_trail_has() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    begin(&system, vec![first("call-1", ANNA)]);
    let session = listed(&system, ListSessions::default()).sessions.remove(0).session;
    let end = |because: &str| EndSession {
        account: ANNA.to_owned(),
        session: session.clone(),
        because: because.to_owned(),
    };
    let block = |because: &str| SetStanding {
        account: ANNA.to_owned(),
        standing: AccountStanding::Suspended,
        because: because.to_owned(),
    };
    let missing = Refused::TextInvalid { what: "the reason".to_owned() };
    assert_eq!(refusal(&system, end(" ")), missing);
    assert_eq!(refusal(&system, block("")), missing);
    call(&system, end("it hangs"));
    call(&system, block("stolen"));
    let trail = call(&system, ListChargingTrail::default()).entries;
    let newest = trail.iter().take(2).map(|entry| (entry.action.as_str(), entry.reason.as_str()));
    assert!(
        newest.eq([("account standing", "stolen"), ("account session end", "it hangs")]),
        "{trail:?}"
    );
}

#[test]
fn an_entry_says_which_client_reported_it() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(30);
    begin(&system, vec![first("call-1", ANNA), last]);
    let history = call(&system, ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() });
    assert_eq!(history.entries[0].charged.as_ref().expect("a charge").client, "msc1");
}
