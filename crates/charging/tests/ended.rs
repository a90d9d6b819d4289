//! What is stored of sessions that have ended: what each leg used, and what it paid.

use charging::{EventKind, LegRequest, Phase, Quantity, Service};
use ledger::{Action, EndCause, Scopes, SessionKey, Unit};

use crate::calls::HUNDREDTH;
use crate::network::{EVENING, Network, seconds, telephony};

const SECONDS: (Unit, Scopes) = (Unit::Seconds, Scopes::ALL);

/// Returns the legs of an ended session, in words: the service, what was used, and its price in hundredths.
fn shown(network: &Network) -> Vec<(EndCause, String)> {
    let ended = network.ended_sessions().into_iter().map(|ended| {
        let legs: Vec<_> = charging::session_legs(&ended.memo).map(Result::unwrap).collect();
        let sum: i128 = legs.iter().map(|leg| i128::from(leg.price)).sum();
        let is_whole = legs.iter().all(|leg| leg.event != Some(EventKind::Refund))
            && !matches!(ended.ended.cause, EndCause::LateUsage { .. });
        assert!(!is_whole || sum == ended.ended.paid, "{ended:?}");
        let legs = legs.iter().map(|leg| {
            assert_eq!((leg.service.served, leg.service.start), (telephony().served, EVENING));
            let Quantity { seconds, octets, events, .. } = leg.used;
            let used = [(seconds, "s"), (octets, "o"), (events, "e")].into_iter();
            let used = used.filter_map(|(used, unit)| Some(format!("{}{unit}", used?)));
            let used = used.collect::<Vec<_>>().join(" ");
            format!("{} {}: {used} for {}", leg.leg, leg.service.name, leg.price / HUNDREDTH)
        });
        (ended.ended.cause, legs.collect::<Vec<_>>().join(", "))
    });
    ended.collect()
}

fn check(network: &Network, expected: &[(EndCause, &str)]) {
    let shown = shown(network);
    let shown: Vec<_> = shown.iter().map(|(cause, text)| (*cause, text.as_str())).collect();
    assert_eq!(shown, expected);
}

fn event(network: &Network, kind: EventKind, session: u128, used: Quantity) {
    let service = Some(Service { name: "sms", ..telephony() });
    let leg = LegRequest { leg: 0, service, used: Some(used), wanted: None };
    network.send((session, Phase::Event(kind), 0), 0, &[leg]);
}

#[test]
fn a_leg_has_all_that_it_used_also_what_buckets_paid() {
    let mut network = Network::with(1_000);
    // A bundle pays the first seconds.
    network.bucket(SECONDS, 100, i64::MAX);
    network.call((Phase::First, 0), 0, None).unwrap();
    network.call((Phase::Next, 1), 90, Some(90)).unwrap();
    network.restart();
    check(&network, &[]);
    network.call((Phase::Final, 2), 130, Some(40)).unwrap();
    network.call((Phase::Final, 2), 130, Some(40)).unwrap();
    // 0.49, twenty seconds until seven o'clock at 0.60 and ten behind it at 0.30.
    check(&network, &[(EndCause::Ended, "0 telephony: 130s for 74")]);
}

#[test]
fn the_client_may_have_priced_what_was_used() {
    let network = Network::with(1_000);
    let money = |hundredths| Quantity {
        money: Some(hundredths * HUNDREDTH.unsigned_abs()),
        ..Quantity::default()
    };
    let leg = |leg, used| LegRequest { leg, service: Some(telephony()), used, wanted: None };
    network.send((1, Phase::First, 0), 0, &[leg(0, None), leg(7, None)]);
    let (call, fee) = (seconds(Some(60)).unwrap(), money(30));
    network.send((1, Phase::Next, 1), 60, &[leg(0, Some(call)), leg(7, Some(fee))]);
    network.send((1, Phase::Final, 2), 60, &[leg(7, Some(fee))]);
    check(&network, &[(EndCause::Ended, "0 telephony: 60s for 109, 7 telephony:  for 60")]);
}

#[test]
fn attempts_and_sessions_without_an_end_are_there_too() {
    let network = Network::with(1_000);
    network.call((Phase::First, 0), 0, None).unwrap();
    network.call((Phase::First, 7), 10, None).unwrap();
    network.lapse((EVENING + 10_000) * 1_000);
    let attempt = "0 telephony:  for 0";
    check(&network, &[(EndCause::Replaced, attempt), (EndCause::Lapsed, attempt)]);
    // What is refused ends at once.
    let network = Network::with(0);
    network.call((Phase::First, 0), 0, None).unwrap_err();
    check(&network, &[(EndCause::Ended, attempt)]);
}

#[test]
fn late_usage_is_recorded_by_itself() {
    let network = Network::with(1_000);
    network.call((Phase::First, 0), 0, None).unwrap();
    network.call((Phase::Next, 1), 60, Some(60)).unwrap();
    network.operate(Action::End { session: SessionKey(1), until: i64::MAX });
    network.call((Phase::Next, 2), 60, None).unwrap_err();
    network.call((Phase::Next, 3), 120, Some(60)).unwrap_err();
    network.call((Phase::Final, 4), 180, Some(60)).unwrap();
    let late = EndCause::LateUsage { leg: 0 };
    check(
        &network,
        &[
            (EndCause::Ended, "0 telephony: 60s for 109"),
            (late, "0 telephony: 60s for 60"),
            (late, "0 telephony: 60s for 30"),
        ],
    );
    let paid: i128 = network.ended_sessions().iter().map(|ended| ended.ended.paid).sum();
    assert_eq!(paid, network.revenue());
}

#[test]
fn a_refund_has_a_negative_price_and_an_enquiry_none() {
    let network = Network::with(1_000);
    let events = |events| Quantity { events: Some(events), ..Quantity::default() };
    event(&network, EventKind::Debit, 1, events(2));
    event(&network, EventKind::Debit, 2, Quantity::default());
    event(&network, EventKind::Refund, 3, events(1));
    event(&network, EventKind::PriceEnquiry, 4, events(1));
    // The session is forgotten; its refund is not.
    network.lapse((EVENING + 1_000) * 1_000);
    network.lapse((EVENING + 1_000) * 1_000);
    event(&network, EventKind::Refund, 3, events(1));
    let lines = ["2e for 138", "1e for 69", "1e for -69", " for 0", " for 0"];
    let lines = lines.map(|line| format!("0 sms: {line}"));
    check(&network, &lines.each_ref().map(|line| (EndCause::Ended, line.as_str())));
    let kinds = network
        .ended_sessions()
        .into_iter()
        .map(|ended| charging::session_legs(&ended.memo).next().unwrap().unwrap().event.unwrap());
    let (debit, refund) = (EventKind::Debit, EventKind::Refund);
    let all = [debit, debit, refund, EventKind::PriceEnquiry, refund];
    assert!(kinds.eq(all));
}
