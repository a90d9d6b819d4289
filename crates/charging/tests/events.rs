//! Events: messages that are paid, refunded, checked and priced.

use charging::{EventKind, LegAnswer, LegRefusal, LegRequest, Phase, Price, Quantity, Service};
use ledger::{Currency, Scopes, Standing, Unit as Of};

use crate::calls::HUNDREDTH;
use crate::network::{EVENING, Network, telephony};

/// Sends an event about messages.
fn messages(network: &Network, kind: EventKind, session: u128, events: u64) -> LegAnswer {
    send(network, kind, session, Quantity { events: Some(events), ..Quantity::default() })
}

fn send(network: &Network, kind: EventKind, session: u128, used: Quantity) -> LegAnswer {
    let service = Some(Service { name: "sms", ..telephony() });
    let leg = LegRequest { leg: 0, service, used: Some(used), wanted: None };
    network.send((session, Phase::Event(kind), 0), 0, &[leg]).1.remove(0)
}

fn price(hundredths: i64) -> Option<Price> {
    Some(Price { amount: hundredths * HUNDREDTH, currency: Currency(752) })
}

/// Checks that an answer is the same when its request comes again, also after a restart, and that nothing changes.
fn check_again(network: &mut Network, kind: EventKind, session: u128, events: u64) {
    let before = (network.balance(), network.revenue());
    let first = messages(network, kind, session, events);
    assert!(first.is_repeated);
    network.restart();
    network.refill(1_000);
    assert_eq!(messages(network, kind, session, events), first);
    let refilled = ((before.0.0 + 1_000 * HUNDREDTH, before.0.1), before.1);
    assert_eq!((network.balance(), network.revenue()), refilled);
}

#[test]
fn an_event_is_paid_at_once_or_not_at_all() {
    let mut network = Network::with(100);
    let paid = messages(&network, EventKind::Debit, 1, 1);
    assert_eq!((paid.grant, paid.price), (Ok(None), price(69)));
    assert_eq!(network.balance(), (31 * HUNDREDTH, 0));
    let refused = messages(&network, EventKind::Debit, 2, 1);
    assert_eq!((refused.grant, refused.price), (Err(LegRefusal::NoMoney), None));
    assert_eq!(network.balance(), (31 * HUNDREDTH, 0));
    check_again(&mut network, EventKind::Debit, 1, 1);
    check_again(&mut network, EventKind::Debit, 2, 1);
}

#[test]
fn a_refund_is_the_price_of_what_is_named() {
    let mut network = Network::with(200);
    messages(&network, EventKind::Debit, 1, 2);
    let refund = messages(&network, EventKind::Refund, 2, 1);
    assert_eq!((refund.grant, refund.price), (Ok(None), price(69)));
    assert_eq!(network.balance(), (131 * HUNDREDTH, 0));
    assert_eq!(network.revenue(), i128::from(69 * HUNDREDTH));
    check_again(&mut network, EventKind::Refund, 2, 1);
    // The session is forgotten, but the refund is not made twice.
    let late = (EVENING + 1_000) * 1_000;
    assert!(network.lapse(late) > 0);
    let again = messages(&network, EventKind::Refund, 2, 1);
    assert_eq!((again.grant, again.price), (Ok(None), price(69)));
    assert_eq!(network.revenue(), i128::from(69 * HUNDREDTH));
}

#[test]
fn refunds_of_one_session_are_apart() {
    let network = Network::with(0);
    let service = Some(Service { name: "sms", ..telephony() });
    let used = Some(Quantity { events: Some(1), ..Quantity::default() });
    let legs = [1, 2].map(|leg| LegRequest { leg, service, used, wanted: None });
    for number in [0, 1] {
        network.send((7, Phase::Event(EventKind::Refund), number), 0, &legs);
    }
    assert_eq!(network.balance().0, 4 * 69 * HUNDREDTH);
}

#[test]
fn an_amount_that_the_client_says_is_debited_and_refunded_as_it_is() {
    let network = Network::with(100);
    let money = |hundredths: i64| Quantity {
        money: Some((hundredths * HUNDREDTH) as u64),
        events: Some(7),
        ..Quantity::default()
    };
    assert_eq!(send(&network, EventKind::Debit, 1, money(80)).price, price(80));
    assert_eq!(send(&network, EventKind::Debit, 2, money(21)).grant, Err(LegRefusal::NoMoney));
    assert_eq!(send(&network, EventKind::Refund, 3, money(30)).price, price(30));
    assert_eq!(network.balance().0, 50 * HUNDREDTH);
    let large = Quantity { money: Some(u64::MAX), ..Quantity::default() };
    for (session, kind) in [(4, EventKind::Debit), (5, EventKind::Refund)] {
        let refused = send(&network, kind, session, large);
        assert_eq!(refused.grant, Err(LegRefusal::AmountTooLarge));
    }
    assert_eq!(network.balance().0, 50 * HUNDREDTH);
}

#[test]
fn a_balance_check_says_whether_there_is_enough_and_changes_nothing() {
    let mut network = Network::with(139);
    network.bucket((Of::Events, Scopes(2)), 1, i64::MAX);
    for (session, events, enough) in [(1, 3, Ok(None)), (2, 4, Err(LegRefusal::NoMoney))] {
        let checked = messages(&network, EventKind::BalanceCheck, session, events);
        assert_eq!((checked.grant, checked.price), (enough, None));
    }
    assert_eq!((network.balance(), network.units(Of::Events)), ((139 * HUNDREDTH, 0), (1, 0)));
    assert_eq!(network.revenue(), 0);
    check_again(&mut network, EventKind::BalanceCheck, 1, 3);
    check_again(&mut network, EventKind::BalanceCheck, 2, 4);
}

#[test]
fn a_price_is_answered_whatever_the_balance() {
    let mut network = Network::with(0);
    network.bucket((Of::Events, Scopes(2)), 1, i64::MAX);
    let enquired = messages(&network, EventKind::PriceEnquiry, 1, 3);
    assert_eq!((enquired.grant, enquired.price), (Ok(None), price(207)));
    check_again(&mut network, EventKind::PriceEnquiry, 1, 3);
}

#[test]
fn an_enquiry_and_a_refund_count_nothing_of_a_bundle() {
    let network = Network::with(1_000);
    let plus = Service { name: "sms", subscriber: "plus", ..telephony() };
    let used = Some(Quantity { events: Some(40), ..Quantity::default() });
    let leg = LegRequest { leg: 0, service: Some(plus), used, wanted: None };
    let price_of =
        |kind, session| network.send((session, Phase::Event(kind), 0), 0, &[leg]).1.remove(0).price;
    // The bundle has fifty messages.
    assert_eq!(price_of(EventKind::PriceEnquiry, 1), price(0));
    assert_eq!(price_of(EventKind::Refund, 2), price(0));
    assert_eq!(price_of(EventKind::BalanceCheck, 3), None);
    assert_eq!(price_of(EventKind::Debit, 4), price(0));
    assert_eq!(price_of(EventKind::PriceEnquiry, 5), price(30 * 69));
}

#[test]
fn an_account_out_of_use_pays_no_events_and_gets_its_refunds() {
    let mut network = Network::with(1_000);
    network.operate(ledger::Action::SetStanding(Standing::Suspended));
    let cases = [
        (EventKind::Debit, Err(LegRefusal::Barred), None),
        (EventKind::BalanceCheck, Err(LegRefusal::Barred), None),
        (EventKind::Refund, Ok(None), price(69)),
        (EventKind::PriceEnquiry, Ok(None), price(69)),
    ];
    for (session, (kind, grant, price)) in (1..).zip(cases) {
        let answer = messages(&network, kind, session, 1);
        assert_eq!((answer.grant, answer.price), (grant, price), "{kind:?}");
    }
    network.operate(ledger::Action::SetStanding(Standing::Closed));
    let refused = messages(&network, EventKind::Refund, 9, 1);
    assert_eq!(refused.grant, Err(LegRefusal::Barred));
    // What was refused stays refused when the request comes again.
    network.operate(ledger::Action::SetStanding(Standing::Active));
    check_again(&mut network, EventKind::Debit, 1, 1);
    check_again(&mut network, EventKind::Refund, 9, 1);
    assert_eq!(messages(&network, EventKind::Debit, 1, 1).grant, Err(LegRefusal::Barred));
}
