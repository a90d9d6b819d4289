//! Accounts that pay for nothing, or not for some services, and accounts with a type of subscriber.

use charging::{EventKind, Grant, LegAnswer, LegRefusal, LegRequest, Phase, Quantity, Service};
use ledger::{Action, Scopes, Standing, Unit};

use crate::calls::HUNDREDTH;
use crate::network::{Network, telephony};

/// A call to a number that costs nothing.
fn emergency() -> Service<'static> {
    Service { other: b"112", ..telephony() }
}

fn message() -> Service<'static> {
    Service { name: "sms", ..telephony() }
}

/// Sends the first request of a session.
fn first(
    network: &Network,
    session: u128,
    service: Service<'_>,
) -> Result<Option<Grant>, LegRefusal> {
    let wanted = Some(Quantity::default());
    let leg = LegRequest { leg: 0, service: Some(service), used: None, wanted };
    network.send((session, Phase::First, 0), 0, &[leg]).1.remove(0).grant
}

/// Sends an event of some messages.
fn event(network: &Network, session: u128, kind: EventKind, events: u64) -> LegAnswer {
    let used = Some(Quantity { events: Some(events), ..Quantity::default() });
    let leg = LegRequest { leg: 0, service: Some(message()), used, wanted: None };
    network.send((session, Phase::Event(kind), 0), 0, &[leg]).1.remove(0)
}

#[test]
fn an_account_in_grace_or_suspended_uses_what_is_free_and_nothing_else() {
    for standing in [Standing::Grace, Standing::Suspended] {
        let network = Network::with(10_000);
        network.operate(Action::SetStanding(standing));
        assert_eq!(first(&network, 1, telephony()), Err(LegRefusal::Barred), "{standing:?}");
        assert!(matches!(first(&network, 2, emergency()), Ok(Some(_))), "{standing:?}");
        for kind in [EventKind::Debit, EventKind::BalanceCheck] {
            let session = 3 + u128::from(kind == EventKind::Debit);
            let answer = event(&network, session, kind, 1);
            assert_eq!(answer.grant, Err(LegRefusal::Barred), "{standing:?} {kind:?}");
        }
        assert_eq!(network.balance(), (10_000 * HUNDREDTH, 0));
    }
}

#[test]
fn grace_that_begins_during_a_call_ends_it_and_what_was_used_is_paid() {
    let network = Network::with(10_000);
    network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    network.operate(Action::SetStanding(Standing::Grace));
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::Barred));
    assert!(network.revenue() > 0);
    assert_eq!(network.balance().1, 0, "nothing stays reserved");
}

#[test]
fn an_account_pays_for_no_service_that_it_is_barred_from() {
    let network = Network::with(10_000);
    network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    let sms = network.charging.services_of("sms");
    let telephony_only = network.charging.services_of("telephony");
    network.operate(Action::Bar(telephony_only));
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::Barred));
    assert!(network.revenue() > 0, "what was used is paid");
    assert_eq!(first(&network, 2, telephony()), Err(LegRefusal::Barred));
    assert!(matches!(first(&network, 3, emergency()), Ok(Some(_))));
    assert_eq!(event(&network, 4, EventKind::Debit, 1).grant, Ok(None));
    network.operate(Action::Bar(sms));
    assert_eq!(event(&network, 5, EventKind::Debit, 1).grant, Err(LegRefusal::Barred));
    assert!(first(&network, 6, telephony()).is_ok());
    network.operate(Action::Bar(Scopes::NONE));
    assert_eq!(event(&network, 7, EventKind::Debit, 1).grant, Ok(None));
}

#[test]
fn the_bar_and_the_type_outlive_a_restart() {
    let mut network = Network::with(10_000);
    network.operate(Action::Bar(network.charging.services_of("telephony")));
    network.operate(Action::SetSubscriberType(Some(1)));
    network.restart();
    assert_eq!(first(&network, 1, telephony()), Err(LegRefusal::Barred));
    assert_eq!(event(&network, 2, EventKind::Debit, 50).price.unwrap().amount, 0, "of 50");
    // Its 100 minutes a month are not free: they are paid for.
    network.operate(Action::Bar(network.charging.services_of("sms")));
    assert_eq!(event(&network, 3, EventKind::Debit, 1).grant, Err(LegRefusal::Barred));
}

#[test]
fn a_call_is_priced_by_the_type_of_its_account() {
    let network = Network::with(100_000);
    let price =
        |session, events| event(&network, session, EventKind::Debit, events).price.unwrap().amount;
    assert_eq!(price(1, 1), 69 * HUNDREDTH);
    // "plus" has 50 messages a month.
    network.operate(Action::SetSubscriberType(Some(1)));
    assert_eq!(price(2, 49), 0);
    assert_eq!(price(3, 2), 69 * HUNDREDTH);
    network.operate(Action::SetSubscriberType(None));
    assert_eq!(price(4, 1), 69 * HUNDREDTH);
    // A number that the caller does not know is as none.
    network.operate(Action::SetSubscriberType(Some(300)));
    assert_eq!(price(5, 1), 69 * HUNDREDTH);
}

#[test]
fn a_session_stays_with_the_type_with_which_it_began() {
    let network = Network::with(100_000);
    let message = |number, phase, used: Option<u64>| {
        let used = used.map(|events| Quantity { events: Some(events), ..Quantity::default() });
        let service = Some(message());
        let wanted = (phase != Phase::Final).then(Quantity::default);
        let leg = LegRequest { leg: 0, service, used, wanted };
        network.send((1, phase, number), i64::from(number), &[leg]).1.remove(0)
    };
    network.operate(Action::SetSubscriberType(Some(1)));
    message(0, Phase::First, None).grant.unwrap().unwrap();
    network.operate(Action::SetSubscriberType(None));
    message(1, Phase::Next, Some(1)).grant.unwrap().unwrap();
    message(2, Phase::Final, Some(1));
    assert_eq!(network.revenue(), 0);
}

#[test]
fn what_is_free_takes_nothing_from_balances_of_a_barred_account() {
    let network = Network::with(10_000);
    network.bucket((Unit::Seconds, Scopes::ALL), 600, i64::MAX);
    network.bucket((Unit::Events, Scopes::ALL), 10, i64::MAX - 1);
    network.operate(Action::SetStanding(Standing::Suspended));
    assert_eq!(first(&network, 1, telephony()), Err(LegRefusal::Barred));
    first(&network, 2, emergency()).unwrap().unwrap();
    let used = Some(Quantity { seconds: Some(60), ..Quantity::default() });
    let leg = LegRequest { leg: 0, service: None, used, wanted: None };
    assert_eq!(network.send((2, Phase::Final, 1), 60, &[leg]).1[0].grant, Ok(None));
    assert_eq!(event(&network, 3, EventKind::Debit, 1).grant, Err(LegRefusal::Barred));
    assert_eq!((network.units(Unit::Seconds).0, network.units(Unit::Events).0), (600, 10));
}

#[test]
fn what_was_reserved_before_the_bar_pays_for_what_was_used() {
    let network = Network::with(0);
    network.bucket((Unit::Seconds, Scopes::ALL), 600, i64::MAX);
    network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    network.operate(Action::Bar(Scopes::ALL));
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::Barred));
    assert_eq!((network.units(Unit::Seconds), network.balance().0), ((540, 0), 0));
}

#[test]
fn a_type_that_the_plan_does_not_have_is_left_out() {
    let mut network = Network::with(10_000);
    network.charging.subscriber_types.push("gold".to_owned());
    network.operate(Action::SetSubscriberType(Some(2)));
    assert_eq!(event(&network, 1, EventKind::Debit, 1).price.unwrap().amount, 69 * HUNDREDTH);
    assert!(matches!(first(&network, 2, emergency()), Ok(Some(_))));
}
