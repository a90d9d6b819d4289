//! Buckets of octets, seconds and events, as a bundle that was sold gives them.

use charging::{EventKind, LegAnswer, LegRefusal, LegRequest, Phase, Quantity, Scope, Service};
use ledger::{Scopes, Unit as Of};
use proptest::prelude::*;

use crate::calls::{HUNDREDTH, price, usage};
use crate::network::{EVENING, Network, seconds, telephony};

const TELEPHONY: Scopes = Scopes(1);
const SMS: Scopes = Scopes(2);
const DATA: Scopes = Scopes(4);

/// For buckets that do not end during a test.
const LATE: i64 = (EVENING + 1_000_000) * 1_000;

fn with(hundredths: i64, unit: Of, amount: i64, scopes: Scopes) -> Network {
    let network = Network::with(hundredths);
    network.bucket((unit, scopes), amount, LATE);
    network
}

/// Returns the price of the seconds of a call that begin at a moment, in billionths.
fn price_from(network: &Network, start: i64, seconds: u64) -> i128 {
    let call = rating::Usage { start, duration: Some(seconds), ..usage() };
    let plan = network.charging.plans.at(EVENING).unwrap();
    plan.rate(&call, &mut rating::State::default()).unwrap().total.nanos
}

fn message(network: &Network, session: u128, events: u64) -> LegAnswer {
    let leg = LegRequest {
        leg: 0,
        service: Some(Service { name: "sms", ..telephony() }),
        used: Some(Quantity { events: Some(events), ..Quantity::default() }),
        wanted: None,
    };
    network.send((session, Phase::Event(EventKind::Debit), 0), 0, &[leg]).1.remove(0)
}

#[test]
fn seconds_of_a_bucket_are_used_first_and_the_plan_prices_the_rest() {
    let network = with(1_000, Of::Seconds, 100, TELEPHONY);
    let grant = network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    assert_eq!((grant.quantity, grant.is_final), (180, false));
    assert_eq!(network.units(Of::Seconds), (100, 100));
    // The eighty seconds begin at 18:59:40, so sixty of them are of the evening.
    let rest = price_from(&network, EVENING + 100, 80);
    assert_eq!(rest, i128::from((49 + 20 + 30) * HUNDREDTH));
    assert_eq!(network.balance().1, rest as i64);
    network.call((Phase::Final, 1), 150, Some(150)).unwrap();
    assert_eq!(network.units(Of::Seconds), (0, 0));
    assert_eq!(network.revenue(), price_from(&network, EVENING + 100, 50));
}

#[test]
fn a_call_that_a_bucket_pays_costs_no_money_and_needs_none() {
    let network = with(0, Of::Seconds, 1_000, TELEPHONY);
    let grant = network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    assert_eq!((grant.quantity, grant.is_final), (180, false));
    assert!(grant.validity_seconds >= 540, "no price changes: {grant:?}");
    network.call((Phase::Final, 1), 170, Some(170)).unwrap();
    assert_eq!(network.units(Of::Seconds), (830, 0));
    assert_eq!(network.revenue(), 0);
}

#[test]
fn the_last_units_are_granted_to_their_end() {
    let network = with(0, Of::Seconds, 100, TELEPHONY);
    let grant = network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    assert_eq!((grant.quantity, grant.is_final), (100, true));
    assert_eq!(network.call((Phase::Next, 1), 100, Some(100)), Err(LegRefusal::NoMoney));
}

#[test]
fn a_bucket_pays_only_for_its_services_and_only_in_its_unit() {
    for (unit, scopes) in [(Of::Seconds, SMS), (Of::Octets, TELEPHONY), (Of::Events, TELEPHONY)] {
        let network = with(1_000, unit, 1_000, scopes);
        network.call((Phase::First, 0), 0, None).unwrap();
        network.call((Phase::Final, 1), 60, Some(60)).unwrap();
        assert_eq!(network.revenue(), price(&network, 60), "{unit:?} {scopes:?}");
        assert_eq!(network.units(unit), (1_000, 0));
    }
}

#[test]
fn a_grant_is_valid_until_the_bucket_ends_that_pays_for_it_also_if_it_comes_again() {
    let network = Network::with(1_000);
    network.bucket((Of::Octets, DATA), 5_000_000, (EVENING + 3_000) * 1_000);
    network.bucket((Of::Octets, DATA), 1_500_000, (EVENING + 30) * 1_000);
    let leg = |used| LegRequest {
        leg: 0,
        service: Some(Service { name: "data", other: b"", ..telephony() }),
        used,
        wanted: Some(Quantity::default()),
    };
    let validity = |number, phase, used| {
        let (_, mut legs) = network.send((1, phase, number), 10, &[leg(used)]);
        legs.remove(0).grant.unwrap().unwrap().validity_seconds
    };
    assert_eq!(validity(0, Phase::First, None), 20);
    let octets = |octets| Some(Quantity { octets: Some(octets), ..Quantity::default() });
    // 700,000 of it are left, so that both pay.
    assert_eq!(validity(1, Phase::Next, octets(800_000)), 20);
    validity(2, Phase::Next, octets(1_000_000));
    assert!(validity(3, Phase::Next, octets(1_000_000)) > 500, "the first one is used up");
    assert_eq!(validity(1, Phase::Next, octets(800_000)), 20, "as it was answered");
    assert_eq!(network.revenue(), 0);
}

#[test]
fn an_event_is_paid_by_a_bucket_and_money_together_or_not_at_all() {
    let network = with(100, Of::Events, 2, SMS);
    assert_eq!(message(&network, 1, 4).grant, Err(LegRefusal::NoMoney));
    assert_eq!((network.units(Of::Events), network.revenue()), ((2, 0), 0));
    assert_eq!(message(&network, 2, 3).grant, Ok(None));
    assert_eq!(network.units(Of::Events), (0, 0));
    assert_eq!(network.revenue(), i128::from(69 * HUNDREDTH));
    assert!(message(&network, 2, 3).is_repeated);
    assert_eq!(network.revenue(), i128::from(69 * HUNDREDTH));
}

#[test]
fn sessions_share_what_is_left_of_a_bucket() {
    let network = with(0, Of::Seconds, 250, TELEPHONY);
    let leg = LegRequest {
        leg: 0,
        service: Some(telephony()),
        used: None,
        wanted: Some(Quantity::default()),
    };
    let first = |session| network.send((session, Phase::First, 0), 0, &[leg]).1.remove(0).grant;
    let quantities: Vec<_> = [1, 2].map(|session| first(session).unwrap().unwrap().quantity).into();
    assert!(quantities.iter().sum::<u64>() <= 250, "{quantities:?}");
    // What the first uses beyond its grant is not taken from what the second has reserved.
    let used = LegRequest { used: seconds(Some(240)), wanted: None, ..leg };
    network.send((1, Phase::Final, 1), 240, &[used]);
    let (amount, reserved) = network.units(Of::Seconds);
    assert!(amount >= reserved && reserved == quantities[1] as i64, "{amount} {reserved}");
    assert!(network.revenue() > 0);
}

#[test]
fn a_session_that_begins_again_has_nothing_of_a_bucket_that_has_ended() {
    let network = Network::with(1_000);
    network.bucket((Of::Seconds, TELEPHONY), 100, (EVENING + 50) * 1_000);
    network.call((Phase::First, 0), 0, None).unwrap();
    assert_eq!(network.units(Of::Seconds), (100, 100));
    network.call((Phase::First, 7), 60, Some(80)).unwrap();
    assert_eq!(network.units(Of::Seconds), (100, 0));
    assert_eq!(network.revenue(), price(&network, 80));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_usage_costs_the_same_in_any_number_of_parts(
        parts in prop::collection::vec(0..120_u64, 0..9),
        last in 0..100_u64,
        bucket in 1..500_i64,
    ) {
        let network = with(100_000, Of::Seconds, bucket, TELEPHONY);
        network.call((Phase::First, 0), 0, None).unwrap();
        let mut total = 0;
        for (number, part) in (1..).zip(&parts) {
            total += part;
            network.call((Phase::Next, number), total as i64, Some(*part)).unwrap();
        }
        total += last;
        network.call((Phase::Final, 99), total as i64, Some(last)).unwrap();
        let rest = total.saturating_sub(bucket as u64);
        prop_assert_eq!(network.revenue(), price_from(&network, EVENING + bucket, rest));
        prop_assert_eq!(network.units(Of::Seconds), ((bucket - total as i64).max(0), 0));
        prop_assert_eq!(network.balance().1, 0);
    }

    #[test]
    fn a_client_that_stays_within_its_grants_never_overdraws(
        hundredths in 0..300_i64,
        bucket in 1..400_i64,
        share in 1..=100_u64,
    ) {
        let network = with(hundredths, Of::Seconds, bucket, TELEPHONY);
        let (mut number, mut total) = (0, 0);
        let mut grant = network.call((Phase::First, 0), 0, None);
        while let Ok(Some(of)) = grant {
            let used = if of.is_final { of.quantity } else { (of.quantity * share / 100).max(1) };
            (number, total) = (number + 1, total + used);
            grant = network.call((Phase::Next, number), total as i64, Some(used));
            let ((balance, reserved), units) = (network.balance(), network.units(Of::Seconds));
            prop_assert!(0 <= reserved && reserved <= balance && units.1 <= units.0);
        }
        prop_assert_eq!(grant, Err(LegRefusal::NoMoney));
        prop_assert_eq!(network.units(Of::Seconds), (0, 0), "all units are used before money is out");
        let rest = total - bucket as u64;
        prop_assert_eq!(network.revenue(), price_from(&network, EVENING + bucket, rest));
    }
}

/// A call of two minutes to a number, in its session.
fn call_to(network: &Network, (session, other): (u128, &'static [u8])) -> LegAnswer {
    let leg = |used, wanted| LegRequest {
        leg: 0,
        service: Some(Service { other, ..telephony() }),
        used,
        wanted,
    };
    network.send((session, Phase::First, 0), 0, &[leg(None, Some(Quantity::default()))]);
    network.send((session, Phase::Final, 1), 120, &[leg(seconds(Some(120)), None)]).1.remove(0)
}

#[test]
fn a_bucket_of_a_tariff_class_pays_for_no_other_class_of_its_service() {
    let plan = |network: &Network| network.charging.plans.at(EVENING).unwrap().clone();
    let mut network = Network::with(10_000);
    let to_sweden = plan(&network).class(&usage()).unwrap().to_owned();
    network.charging.scopes.push(Scope::Class(to_sweden));
    network.bucket((Of::Seconds, Scopes(8)), 1_000, LATE);
    call_to(&network, (1, usage().other.unwrap().digits));
    assert_eq!((network.units(Of::Seconds), network.revenue()), ((880, 0), 0));
    call_to(&network, (2, b"4930123456"));
    assert_eq!(network.units(Of::Seconds), (880, 0));
    assert!(network.revenue() > 0, "the call abroad is paid with money");
}
