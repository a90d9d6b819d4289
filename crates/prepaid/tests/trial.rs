use prepaid::calls::{
    AmountUnit, Authority, Call as _, Clerk, EndSession, ListChargingTrail, ListRefusals,
    ListSessions, RemoveNumber, SendTrialRequest, ShowAccount, ShowCharging, ShowHistory,
    TrialAnswer, TrialPhase,
};
use prepaid::{Refused, System};

use crate::set_up::{ANNA, OTHER, SetUp, call};

fn request(phase: TrialPhase, request: u32, used: u64) -> SendTrialRequest {
    SendTrialRequest {
        account: ANNA.to_owned(),
        session: "web-1".to_owned(),
        request,
        phase,
        service: "telephony".to_owned(),
        called: format!("+{OTHER}"),
        partner: String::new(),
        unit: Some(AmountUnit::Seconds),
        used: (used > 0).then_some(used),
        wanted: (phase != TrialPhase::Final).then_some(60),
        because: "a look at prices".to_owned(),
    }
}

fn sent(system: &System, phase: TrialPhase, number: u32, used: u64) -> TrialAnswer {
    call(system, request(phase, number, used))
}

fn reserved(system: &System) -> String {
    call(system, ShowAccount { account: ANNA.to_owned() }).balances[0].reserved.clone()
}

#[test]
fn a_trial_call_reserves_and_charges_like_that_of_a_network_and_is_in_the_trail() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let first = sent(&system, TrialPhase::First, 0, 0);
    assert_eq!((first.granted, first.unit), (Some(60), Some(AmountUnit::Seconds)));
    assert_eq!((first.paid.as_str(), first.is_final), ("0.00", false));
    assert_eq!(reserved(&system), first.reserved);
    let [session] = &call(&system, ListSessions::default()).sessions[..] else { panic!("one") };
    assert_eq!((session.client.as_str(), &session.session), ("trial of anna", &first.session));
    let next = sent(&system, TrialPhase::Next, 1, 60);
    assert_eq!(sent(&system, TrialPhase::Next, 1, 60), next, "it comes again");
    assert_ne!(next.paid, "0.00");
    let last = sent(&system, TrialPhase::Final, 2, 30);
    assert_eq!((last.granted, last.reserved.as_str()), (None, "0.00"));
    assert_eq!(reserved(&system), "0.00");
    let history = call(&system, ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() });
    let charged = history.entries[0].charged.as_ref().expect("a charge");
    assert_eq!((charged.client.as_str(), &charged.total), ("trial of anna", &last.paid));
    assert!(call(&system, ShowCharging {}).balanced);
    let trail = call(&system, ListChargingTrail::default()).entries;
    let trials: Vec<&str> = trail
        .iter()
        .filter(|entry| entry.action == "account trial" && entry.reason == "a look at prices")
        .map(|entry| entry.subject.as_str())
        .collect();
    let of = |phase| format!("account 1: {phase} request of a trial call: telephony to {OTHER}");
    assert_eq!(trials, [of("final"), of("next"), of("first")], "one that comes again has none");
}

#[test]
fn a_trial_call_without_money_is_refused_and_does_not_begin() {
    let set_up = SetUp::new();
    let system = set_up.with("0.01");
    let first = sent(&system, TrialPhase::First, 0, 0);
    assert_eq!(first.refused.expect("a reason").code, "no-money");
    assert!(call(&system, ListSessions::default()).sessions.is_empty());
}

#[test]
fn a_trial_call_that_was_ended_or_has_mistakes_is_refused() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let first = sent(&system, TrialPhase::First, 0, 0);
    let because = "enough".to_owned();
    let (account, session) = ("#1".to_owned(), first.session);
    call(&system, EndSession { account, session, because });
    let next = sent(&system, TrialPhase::Next, 1, 30);
    assert_eq!(next.refused.expect("a reason").code, "session-unknown");
    let clerk = Clerk { system: &system, who: "anna", authority: Authority::Person };
    let refused = |request: SendTrialRequest| request.perform(&clerk).unwrap_err();
    let good = || request(TrialPhase::First, 0, 0);
    let other = SendTrialRequest { session: "web-2".to_owned(), ..request(TrialPhase::Next, 3, 1) };
    assert_eq!(refused(other), Refused::SessionUnknown);
    assert!(matches!(
        refused(SendTrialRequest { because: String::new(), ..good() }),
        Refused::TextInvalid { .. }
    ));
    assert!(matches!(
        refused(SendTrialRequest { unit: Some(AmountUnit::Money), ..good() }),
        Refused::AmountInvalid { .. }
    ));
    let refused_calls = call(&system, ListRefusals { account: ANNA.to_owned() }).refusals;
    assert_eq!(refused_calls[0].code, "session-unknown", "what a trial is refused is listed");
    call(&system, RemoveNumber { number: ANNA.to_owned(), because: "moved".to_owned() });
    let account = "#1".to_owned();
    assert_eq!(refused(SendTrialRequest { account, ..good() }), Refused::NoNumber { account: 1 });
}
