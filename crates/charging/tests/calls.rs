//! Calls, as a subscriber and a network see them.

use charging::{Answer, Grant, LegRefusal, LegRequest, Phase, Quantity, Service};
use ledger::{
    Action, Begin, Charge, LifeCycle, Note, Scopes, SessionKey, Standing, SystemAccount, SystemKind,
};
use proptest::prelude::*;
use rating::{State, Unit};

use crate::network::{EVENING, Network, telephony};

/// A hundredth in billionths.
pub(crate) const HUNDREDTH: i64 = 10_000_000;

/// Returns the price of a whole call, in billionths.
pub(crate) fn price(network: &Network, seconds: u64) -> i128 {
    let quantity = Some(seconds);
    let call = rating::Usage { duration: quantity, ..usage() };
    let plan = network.charging.plans.at(EVENING).unwrap();
    plan.rate(&call, &mut State::default()).unwrap().total.nanos
}

pub(crate) fn usage() -> rating::Usage<'static> {
    let Service { name, served, other, start, .. } = telephony();
    let number = |digits| Some(rating::Number::unknown(digits));
    rating::Usage {
        service: Some(name),
        served: number(served),
        other: number(other),
        ..rating::Usage::at(start)
    }
}

fn granted(quantity: u64, is_final: bool) -> impl Fn(&Result<Option<Grant>, LegRefusal>) -> bool {
    move |grant| {
        let of = |grant: &Option<Grant>| grant.map(|grant| (grant.quantity, grant.is_final));
        grant.as_ref().ok().and_then(of) == Some((quantity, is_final))
    }
}

#[test]
fn a_call_costs_what_its_seconds_cost_and_the_rest_is_given_back() {
    let network = Network::with(1_000);
    let grant = network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    assert_eq!((grant.quantity, grant.unit, grant.is_final), (180, Unit::Seconds, false));
    assert_eq!(grant.validity_seconds, 120, "a price may change at seven o'clock");
    let reserved = price(&network, 180);
    assert_eq!(network.balance(), (1_000 * HUNDREDTH, reserved as i64));
    let grant = network.call((Phase::Next, 1), 120, Some(120)).unwrap().unwrap();
    assert_eq!(grant.quantity, 180);
    assert!((540..=660).contains(&grant.validity_seconds), "{grant:?}");
    assert_eq!(network.call((Phase::Final, 2), 150, Some(30)), Ok(None));
    let price = price(&network, 150);
    assert_eq!(network.revenue(), price);
    assert_eq!(network.balance(), (1_000 * HUNDREDTH - price as i64, 0));
}

#[test]
fn a_session_is_valid_until_the_end_of_its_last_grant() {
    let network = Network::with(1_000);
    let first = network.call((Phase::First, 0), 0, None).unwrap();
    assert_eq!(network.valid(1), (first, 120), "a price may change at seven o'clock");
    let next = network.call((Phase::Next, 1), 130, Some(120)).unwrap();
    assert_eq!(network.valid(1), (next, 130 + i64::from(next.unwrap().validity_seconds)));
}

#[test]
fn the_last_money_is_granted_to_its_end_and_then_the_call_is_cut() {
    // 0.49 and two minutes at 0.60, and then 30 seconds at 0.30: 184 hundredths.
    let network = Network::with(184);
    assert!(granted(150, true)(&network.call((Phase::First, 0), 0, None)));
    assert_eq!(network.call((Phase::Next, 1), 150, Some(150)), Err(LegRefusal::NoMoney));
    assert_eq!(network.call((Phase::Final, 2), 150, None), Ok(None));
    assert_eq!(network.balance(), (0, 0));
    // Nothing is left for another one.
    assert_eq!(network.call((Phase::First, 7), 200, None), Err(LegRefusal::NoMoney));
}

#[test]
fn a_request_that_comes_again_has_the_same_answer_also_after_a_restart() {
    let mut network = Network::with(184);
    let first = network.call((Phase::First, 0), 0, None);
    let more = network.call((Phase::Next, 1), 100, Some(100));
    let balance = network.balance();
    for _ in 0..2 {
        let quantity = |of: Result<Option<Grant>, _>| of.unwrap().map(|grant| grant.quantity);
        assert_eq!(quantity(network.call((Phase::First, 0), 0, None)), quantity(first.clone()));
        assert_eq!(
            quantity(network.call((Phase::Next, 1), 100, Some(100))),
            quantity(more.clone())
        );
        let other = network.call((Phase::Next, 1), 100, Some(7));
        assert_eq!(other, Err(LegRefusal::NumberReused));
        assert_eq!(network.balance(), balance);
        network.restart();
    }
    // It goes on where it was.
    network.call((Phase::Final, 2), 130, Some(30)).unwrap();
    assert_eq!(network.revenue(), price(&network, 130));
    assert_eq!(network.call((Phase::Final, 2), 130, Some(30)), Ok(None));
    assert_eq!(network.call((Phase::Next, 3), 130, None), Err(LegRefusal::SessionUnknown));
    assert_eq!(network.revenue(), price(&network, 130));
}

#[test]
fn a_prefix_of_the_traffic_that_comes_again_changes_nothing() {
    let network = Network::with(1_000);
    let requests: Vec<_> = (0..14_u32)
        .map(|number| match number {
            0 => ((Phase::First, 0), 0, None),
            13 => ((Phase::Final, 13), 130, Some(10)),
            _ => ((Phase::Next, number), i64::from(number) * 10, Some(10)),
        })
        .collect();
    for (place, (of, second, used)) in requests.iter().copied().enumerate() {
        network.call(of, second, used).unwrap();
        let (balance, sessions) = (network.balance(), network.open_sessions());
        for (of, second, used) in requests[..=place].iter().copied() {
            let _ = network.call(of, second, used);
            assert_eq!(network.balance(), balance, "{of:?} again behind {place}");
        }
        assert_eq!(network.open_sessions(), sessions);
    }
    assert_eq!(network.revenue(), price(&network, 130));
    assert_eq!(network.ended_sessions().len(), 1, "it was not replaced");
}

#[test]
fn what_was_used_beyond_the_grant_is_paid_too() {
    let network = Network::with(184);
    network.call((Phase::First, 0), 0, None).unwrap();
    assert_eq!(network.call((Phase::Final, 1), 400, Some(400)), Ok(None));
    let price = price(&network, 400);
    assert_eq!(network.balance(), (184 * HUNDREDTH - price as i64, 0));
    assert!(network.balance().0 < 0);
}

/// Begins a call of its own session.
pub(crate) fn begin(network: &Network, session: u128) -> Result<Option<Grant>, LegRefusal> {
    let (service, wanted) = (Some(telephony()), Some(Quantity::default()));
    let leg = LegRequest { leg: 0, service, used: None, wanted };
    network.send((session, Phase::First, 0), 0, &[leg]).1.remove(0).grant
}

#[test]
fn calls_of_one_account_share_what_is_not_reserved() {
    let network = Network::with(589);
    assert!(granted(180, false)(&begin(&network, 1)));
    // The second one gets a half of what is left, and the third one a third of that; neither is the last.
    let mut left = 589 * HUNDREDTH - network.balance().1;
    for (session, sessions) in [(2, 2), (3, 3)] {
        let grant = begin(&network, session).unwrap().unwrap();
        assert!(!grant.is_final);
        assert!(price(&network, grant.quantity) <= i128::from(left / sessions));
        assert!(price(&network, grant.quantity + 1) > i128::from(left / sessions));
        left = 589 * HUNDREDTH - network.balance().1;
    }
    // A fourth is below the smallest useful one, which is granted then.
    assert!(price(&network, 10) > i128::from(left / 4));
    assert!(granted(10, false)(&begin(&network, 4)));
    assert!(network.balance().1 <= 589 * HUNDREDTH);
}

#[test]
fn the_last_grant_is_less_than_the_smallest_useful_one_and_is_all_that_is_left() {
    let network = Network::with(199 + 55);
    assert!(granted(180, false)(&begin(&network, 1)));
    assert!(granted(6, true)(&begin(&network, 2)));
    assert_eq!(begin(&network, 3), Err(LegRefusal::NoMoney));
}

#[test]
fn a_session_that_begins_again_may_take_what_all_its_legs_had_reserved() {
    let network = Network::with(2 * 199);
    let wanted = Some(Quantity::default());
    let legs = [0, 1].map(|leg| LegRequest { leg, service: Some(telephony()), used: None, wanted });
    for (number, legs) in [(0, &legs[..]), (1, &legs[1..]), (2, &legs[..])] {
        for answer in network.send((1, Phase::First, number), 0, legs).1 {
            assert!(granted(180, false)(&answer.grant), "{number}: {answer:?}");
        }
    }
    assert_eq!(network.balance().1, 2 * 199 * HUNDREDTH);
}

#[test]
fn sessions_that_have_ended_have_no_share() {
    let network = Network::with(250);
    for session in 2..9 {
        begin(&network, session).unwrap();
        network.send((session, Phase::Final, 1), 0, &[]);
    }
    assert!(granted(180, false)(&begin(&network, 1)));
}

#[test]
fn a_grant_holds_until_the_stage_of_the_account_ends() {
    let network = Network::with(10_000);
    let ends = EVENING * 1_000 + 30_000;
    let dates = LifeCycle { active_until: ends, ..LifeCycle::ENDLESS };
    network.operate(Action::SetLifeCycle(dates));
    let leg = LegRequest {
        leg: 0,
        service: Some(telephony()),
        used: None,
        wanted: Some(Quantity::default()),
    };
    let (_, answer) = network.send((1, Phase::First, 0), 0, &[leg]);
    let grant = answer[0].grant.clone().unwrap().unwrap();
    assert_eq!(grant.validity_seconds, 30, "{grant:?}");
}

#[test]
fn the_legs_of_a_data_session_are_priced_apart() {
    let network = Network::with(10_000);
    let octets = |octets| Some(Quantity { octets: Some(octets), ..Quantity::default() });
    let data = |leg, used, partner| LegRequest {
        leg,
        service: Some(Service { name: "data", partner, other: b"", ..telephony() }),
        used,
        wanted: Some(Quantity::default()),
    };
    let legs = [data(100, None, ""), data(200, None, "")];
    let (answer, first) = network.send((7, Phase::First, 0), 0, &legs);
    assert_eq!(answer, Answer::Legs);
    let quantities: Vec<_> =
        first.iter().map(|leg| leg.grant.clone().unwrap().unwrap().quantity).collect();
    assert_eq!(quantities, [1_000_000, 1_000_000]);
    // Only one of them comes back, with half of it used, and without its service.
    let mut more = data(200, octets(500_000), "");
    more.service = None;
    let (_, next) = network.send((7, Phase::Next, 1), 60, &[more]);
    assert!(next[0].grant.is_ok(), "{next:?}");
    assert_eq!(network.revenue(), 50_000_000, "0.10 a megabyte");
    // The other leg is still there, though it was not in that request.
    let mut other = data(100, octets(500_000), "");
    other.service = None;
    let (_, next) = network.send((7, Phase::Next, 9), 60, &[other]);
    assert!(next[0].grant.is_ok(), "{next:?}");
    assert_eq!(network.revenue(), 100_000_000);
    let unknown = LegRequest { leg: 300, service: None, used: None, wanted: None };
    let (_, refused) = network.send((7, Phase::Next, 2), 60, &[unknown]);
    assert_eq!(refused[0].grant, Err(LegRefusal::NoService));
    network.send((7, Phase::Final, 3), 60, &[]);
    assert_eq!(network.balance().1, 0, "all legs give back");
}

#[test]
fn a_service_that_could_not_be_stored_whole_is_refused_and_pays_nothing() {
    let network = Network::with(1_000);
    let long = "ö".repeat(128);
    for (length, is_refused) in [(127, false), (128, true)] {
        let subscriber = &long[..length * 2];
        let service = Some(Service { subscriber, ..telephony() });
        let used = Some(Quantity { seconds: Some(60), ..Quantity::default() });
        let leg = LegRequest { leg: 0, service, used, wanted: None };
        let session = length as u128;
        let grant = network.send((session, Phase::First, 0), 0, &[leg]).1.remove(0).grant;
        assert_eq!(grant == Err(LegRefusal::ServiceTooLong), is_refused, "{length}: {grant:?}");
    }
    assert_eq!(network.revenue(), 0);
}

#[test]
fn what_is_stored_and_cannot_be_read_is_not_taken_for_nothing() {
    let stored = |memo, counters| {
        let network = Network::with(1_000);
        network.operate(Action::Charge(Charge {
            session: SessionKey(1),
            number: 0,
            leg: 0,
            digest: 0,
            begin: Begin::IfMissing,
            scopes: Scopes::ALL,
            used: &[],
            wanted: &[],
            until: i64::MAX,
            memo: Some(memo),
            counters: Some(counters),
            note: Note::default(),
            to: SystemAccount { kind: SystemKind::Revenue, number: 0 },
            remark: b"",
        }));
        let answer = network.call((Phase::Next, 1), 60, Some(60));
        assert_eq!(network.revenue(), 0);
        answer
    };
    assert_eq!(stored(b"damaged", b""), Err(LegRefusal::Damaged));
    assert_eq!(stored(b"", b"damaged"), Err(LegRefusal::Damaged));
}

#[test]
fn an_account_out_of_use_gets_no_grant_and_pays_what_it_used() {
    let network = Network::with(1_000);
    network.call((Phase::First, 0), 0, None).unwrap();
    network.operate(Action::SetStanding(Standing::Suspended));
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::Barred));
    assert_eq!(network.revenue(), price(&network, 60));
    network.call((Phase::Final, 2), 60, None).unwrap();
    assert_eq!(network.balance().1, 0);
}

#[test]
fn a_session_without_a_request_times_out_after_two_times_its_validity() {
    let mut network = Network::with(1_000);
    network.call((Phase::First, 0), 0, None).unwrap();
    let until = network.session_until(SessionKey(1)).unwrap();
    let validity = (until / 1_000 - EVENING) / 2;
    assert!((540..=660).contains(&validity), "{validity}");
    network.call((Phase::Next, 1), 60, Some(60)).unwrap();
    assert_eq!(network.lapse(until), 0, "it went on");
    let until = network.session_until(SessionKey(1)).unwrap();
    network.restart();
    assert!(network.balance().1 > 0);
    assert_eq!((network.lapse(until - 1), network.lapse(until)), (0, 1));
    assert_eq!(network.balance().1, 0);
    assert_eq!(network.revenue(), price(&network, 60));
    // It is remembered for a while, so that its last request is answered and pays nothing twice.
    assert!(network.call((Phase::Next, 1), 60, Some(60)).is_ok());
    assert_eq!(network.call((Phase::Final, 2), 90, Some(30)), Ok(None));
    assert_eq!(network.revenue(), price(&network, 90), "its last seconds are paid");
    assert_eq!(network.lapse(until + 300_000), 1);
    assert_eq!(network.session_until(SessionKey(1)), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_call_costs_the_same_in_any_number_of_parts(parts in prop::collection::vec(0..200_u64, 0..9), last in 0..100_u64) {
        let network = Network::with(100_000);
        network.call((Phase::First, 0), 0, None).unwrap();
        let mut total = 0;
        for (number, part) in (1..).zip(&parts) {
            total += part;
            network.call((Phase::Next, number), total as i64, Some(*part)).unwrap();
        }
        total += last;
        network.call((Phase::Final, 99), total as i64, Some(last)).unwrap();
        prop_assert_eq!(network.revenue(), price(&network, total));
        prop_assert_eq!(network.balance().1, 0);
    }

    #[test]
    fn a_client_that_stays_within_its_grants_never_overdraws(hundredths in 0..600_i64, share in 1..=100_u64) {
        let network = Network::with(hundredths);
        let (mut number, mut total) = (0, 0);
        let mut grant = network.call((Phase::First, 0), 0, None);
        while let Ok(Some(Grant { quantity, is_final, .. })) = grant {
            let (balance, reserved) = network.balance();
            prop_assert!(reserved <= balance && balance >= 0);
            let used = if is_final { quantity } else { (quantity * share / 100).max(1) };
            (number, total) = (number + 1, total + used);
            grant = network.call((Phase::Next, number), total as i64, Some(used));
        }
        prop_assert_eq!(grant, Err(LegRefusal::NoMoney));
        let (balance, reserved) = network.balance();
        prop_assert!(balance >= 0 && reserved == 0);
        prop_assert_eq!(network.revenue(), i128::from(hundredths * HUNDREDTH - balance));
        // One second more could not be paid.
        prop_assert!(price(&network, total + 1) > i128::from(hundredths * HUNDREDTH));
    }
}

/// A leg without a price is not stored. The request that comes again must not end the session for it.
#[test]
fn a_first_whose_first_leg_has_no_price_comes_again() {
    let network = Network::with(1_000);
    let session = 5;
    let unknown = Service { name: "fax", ..telephony() };
    let leg = |leg, service| LegRequest {
        leg,
        service: Some(service),
        used: None,
        wanted: Some(Quantity::default()),
    };
    let legs = [leg(1, unknown), leg(2, telephony())];
    let (_, first) = network.send((session, Phase::First, 0), 0, &legs);
    let (_, again) = network.send((session, Phase::First, 0), 0, &legs);
    assert_eq!(first[1].grant, again[1].grant);
    assert!(again[1].is_repeated);
    let (_, reserved) = network.balance();
    assert!(reserved > 0, "the session goes on");
}

#[test]
fn a_call_that_is_refused_is_no_open_session() {
    let network = Network::with(0);
    let leg = LegRequest {
        leg: 1,
        service: Some(telephony()),
        used: None,
        wanted: Some(Quantity::default()),
    };
    let (_, refused) = network.send((6, Phase::First, 0), 0, &[leg]);
    assert_eq!(refused[0].grant, Err(LegRefusal::NoMoney));
    assert_eq!(network.open_sessions(), 0);
    let (_, again) = network.send((6, Phase::First, 0), 0, &[leg]);
    assert_eq!((again[0].is_repeated, &again[0].grant), (true, &Err(LegRefusal::NoMoney)));
}

#[test]
fn an_account_has_so_many_sessions_and_a_session_so_many_legs() {
    let network = Network::with(100_000);
    let leg = |leg| LegRequest { leg, service: Some(telephony()), used: None, wanted: None };
    let legs: Vec<LegRequest<'_>> = (0..=charging::LEGS_MAX as u32).map(leg).collect();
    let (_, answers) = network.send((1, Phase::First, 0), 0, &legs);
    let (last, others) = answers.split_last().unwrap();
    assert!(others.iter().all(|answer| answer.grant == Ok(None)));
    assert_eq!(last.grant, Err(LegRefusal::TooMany));
    let (_, known) = network.send((1, Phase::Next, 1), 1, &legs[..1]);
    assert_eq!(known[0].grant, Ok(None), "a leg that is there goes on");

    network.begin_many(charging::SESSIONS_MAX - 1);
    let (_, one_more) = network.send((2, Phase::First, 0), 2, &legs[..1]);
    assert_eq!(one_more[0].grant, Err(LegRefusal::TooMany));
    let used = LegRequest { used: crate::network::seconds(Some(1)), ..leg(0) };
    let (_, ended) = network.send((1, Phase::Final, 2), 3, &[used]);
    assert_eq!(ended[0].grant, Ok(None), "what was used is paid");
    assert!(network.revenue() > 0);
}

#[test]
fn a_clock_that_jumps_changes_no_price_and_ends_no_call() {
    let expected = {
        let network = Network::with(10_000);
        network.call((Phase::First, 0), 0, None).unwrap();
        network.call((Phase::Next, 1), 60, Some(60)).unwrap();
        network.call((Phase::Final, 2), 120, Some(60)).unwrap();
        network.revenue()
    };
    let (hour, day) = (3_600, 86_400);
    for jumps in [[-hour, hour], [hour, -hour], [-30 * day, 0], [0, 30 * day], [day, day]] {
        let network = Network::with(10_000);
        network.call((Phase::First, 0), 0, None).unwrap().unwrap();
        let again = network.call((Phase::Next, 1), 60 + jumps[0], Some(60)).unwrap();
        assert!(again.is_some(), "{jumps:?}");
        assert_eq!(
            network.call((Phase::Final, 2), 120 + jumps[1], Some(60)),
            Ok(None),
            "{jumps:?}"
        );
        assert_eq!((network.revenue(), network.balance().1), (expected, 0), "{jumps:?}");
    }
}

#[test]
fn a_clock_that_was_ahead_for_a_moment_leaves_no_session_open_for_ever() {
    let network = Network::with(10_000);
    let year = 365 * 86_400;
    network.call((Phase::First, 0), year, None).unwrap().unwrap();
    // The clock is right again. The account's time does not go back, and its session is over by the time of the request.
    network.call((Phase::Next, 1), 60, Some(60)).unwrap().unwrap();
    assert_eq!(network.lapse((EVENING + 60) * 1_000), 0);
    assert_eq!(network.lapse((EVENING + 3_600) * 1_000), 1);
    assert_eq!((network.open_sessions(), network.balance().1), (0, 0));
}
