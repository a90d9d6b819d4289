//! What was used in sessions that are not known, and more than can have been used.

use charging::{Answer, LegAnswer, LegRefusal, LegRequest, OrphanUsage, Phase, Quantity};
use ledger::SystemKind;

use crate::calls::{HUNDREDTH, price};
use crate::network::{Network, seconds, telephony};

fn with(orphan_usage: OrphanUsage) -> Network {
    let mut network = Network::with(1_000);
    network.charging.policy.orphan_usage = orphan_usage;
    network
}

/// Ends a session that never began, after a minute of use.
fn end(network: &Network, number: u32) -> (Answer, Vec<LegAnswer>) {
    let (service, used) = (Some(telephony()), seconds(Some(60)));
    let leg = LegRequest { leg: 0, service, used, wanted: None };
    network.send((1, Phase::Final, number), 60, &[leg])
}

#[test]
fn the_usage_of_a_session_that_is_not_known_is_charged_once() {
    let mut network = with(OrphanUsage::Charge);
    let (answer, legs) = end(&network, 5);
    assert_eq!(
        (answer, &legs[0].grant),
        (Answer::SessionUnknown, &Err(LegRefusal::SessionUnknown))
    );
    let paid = price(&network, 60);
    assert_eq!(legs[0].price.map(|price| price.amount.into()), Some(paid));
    assert_eq!(network.revenue(), paid);
    network.restart();
    let (answer, again) = end(&network, 5);
    assert_eq!((answer, &again[0].grant), (Answer::SessionUnknown, &legs[0].grant));
    assert!(again[0].is_repeated && again[0].price == legs[0].price);
    assert_eq!(network.revenue(), paid);
    // Another request of the session is a part of the same usage: it pays no second set-up.
    assert_eq!(end(&network, 6).0, Answer::Legs);
    assert_eq!(network.revenue(), price(&network, 120));
    assert_eq!(network.balance().1, 0);
}

#[test]
fn a_session_that_is_not_known_gets_no_grant_even_when_its_usage_is_charged() {
    let network = with(OrphanUsage::Charge);
    let (service, used) = (Some(telephony()), seconds(Some(60)));
    let leg = LegRequest { leg: 0, service, used, wanted: Some(Quantity::default()) };
    let (answer, legs) = network.send((1, Phase::Next, 3), 60, &[leg]);
    assert_eq!(
        (answer, &legs[0].grant),
        (Answer::SessionUnknown, &Err(LegRefusal::SessionUnknown))
    );
    // The session is one that has ended.
    assert_eq!(network.call((Phase::Next, 4), 60, None), Err(LegRefusal::SessionUnknown));
    assert_eq!((network.revenue(), network.balance().1), (price(&network, 60), 0));
}

#[test]
fn usage_that_is_reported_or_dropped_pays_nothing() {
    let mut network = with(OrphanUsage::Report);
    let (answer, legs) = end(&network, 5);
    assert_eq!(
        (answer, &legs[0].grant),
        (Answer::SessionUnknown, &Err(LegRefusal::SessionUnknown))
    );
    assert_eq!(legs[0].price.map(|of| of.amount.into()), Some(price(&network, 60)));
    assert_eq!((network.revenue(), network.balance()), (0, (1_000 * HUNDREDTH, 0)));
    network.restart();
    let (answer, again) = end(&network, 5);
    assert_eq!((answer, &again[0].grant), (Answer::SessionUnknown, &legs[0].grant));
    assert!(again[0].is_repeated && again[0].price == legs[0].price);
    // Another report of the session is not charged either, and each has one entry.
    let (answer, more) = end(&network, 6);
    assert_eq!((answer, more[0].is_repeated), (Answer::SessionUnknown, false));
    let reported =
        || network.entries().into_iter().filter(|of| of.system.kind == SystemKind::Orphan);
    assert_eq!(reported().map(|of| of.amount).collect::<Vec<_>>(), [0, 0]);
    assert_eq!((network.revenue(), network.balance()), (0, (1_000 * HUNDREDTH, 0)));
    assert_eq!(network.ended_sessions(), [], "there is no record of it");
    // The session may begin after all, and is forgotten like others.
    network.call((Phase::First, 0), 60, None).unwrap();
    assert_eq!(network.call((Phase::Final, 7), 120, Some(60)), Ok(None));
    assert_eq!(network.revenue(), price(&network, 60));
    let network = with(OrphanUsage::Drop);
    assert_eq!(end(&network, 5), (Answer::SessionUnknown, Vec::new()));
    assert_eq!((network.revenue(), network.balance()), (0, (1_000 * HUNDREDTH, 0)));
}

#[test]
fn usage_without_a_service_cannot_be_charged() {
    let network = with(OrphanUsage::Charge);
    let leg = LegRequest { leg: 0, service: None, used: seconds(Some(60)), wanted: None };
    let (answer, legs) = network.send((1, Phase::Final, 3), 60, &[leg]);
    assert_eq!((answer, &legs[0].grant), (Answer::SessionUnknown, &Err(LegRefusal::NoService)));
    assert_eq!(network.revenue(), 0);
}

#[test]
fn more_seconds_than_went_by_are_not_charged() {
    let mut network = Network::with(100_000);
    network.charging.policy.excess_percent = Some(5);
    network.call((Phase::First, 0), 0, None).unwrap();
    let used = |number, second, used| {
        let leg = LegRequest { leg: 0, service: None, used: seconds(Some(used)), wanted: None };
        let (_, mut legs) = network.send((1, Phase::Next, number), second, &[leg]);
        legs.remove(0).notices.is_capped
    };
    assert!(!used(1, 1_000, 1_000));
    // After 2,000 seconds there may be 2,100 and a minute.
    assert!(used(2, 2_000, 71_582_788));
    assert_eq!(network.revenue(), price(&network, 2_160));
    assert!(used(2, 2_000, 71_582_788), "as it was answered");
    assert!(!used(3, 3_000, 1_050));
    assert_eq!(network.revenue(), price(&network, 3_210));
}
