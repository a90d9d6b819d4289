//! The optimised dialogue: grants without a reservation, while there is enough money for all.

use charging::{EventKind, Grant, LegRefusal, LegRequest, Phase, Quantity, Service};
use ledger::{
    Action, Cost, Debit, Key, Limit, Scopes, Standing, SystemAccount, SystemKind, Unit as Of,
};
use proptest::prelude::*;

use crate::calls::{HUNDREDTH, begin, price};
use crate::network::{Network, seconds, telephony};

/// Grants are reserved if less than three kronor are left.
fn with(hundredths: i64) -> Network {
    let mut network = Network::with(hundredths);
    network.charging.policy.reserve_below = Some(300 * HUNDREDTH);
    network
}

fn next(
    network: &Network,
    (session, number): (u128, u32),
    used: u64,
) -> Result<Option<Grant>, LegRefusal> {
    let (service, used) = (None, seconds(Some(used)));
    let leg = LegRequest { leg: 0, service, used, wanted: Some(Quantity::default()) };
    network.send((session, Phase::Next, number), 100, &[leg]).1.remove(0).grant
}

fn fee(hundredths: i64) -> Action<'static> {
    Action::Debit(Debit {
        key: Key(7),
        scopes: Scopes::ALL,
        bucket: None,
        cost: Cost { unit: Of::Money, amount: hundredths * HUNDREDTH },
        limit: Limit::Available,
        to: SystemAccount { kind: SystemKind::Fee, number: 0 },
        remark: &[],
    })
}

#[test]
fn a_grant_is_reserved_only_if_less_than_the_limit_is_left_behind_all_grants() {
    let mut network = with(300 + 2 * 199);
    for session in [1, 2] {
        assert!(begin(&network, session).is_ok());
        assert_eq!(network.balance().1, 0, "{session}");
        network.restart();
    }
    // Two calls may cost 398 of 698.
    let third = begin(&network, 3).unwrap().unwrap();
    assert_eq!(i128::from(network.balance().1), price(&network, third.quantity));
    network.send((1, Phase::Final, 1), 0, &[]);
    network.send((2, Phase::Final, 1), 0, &[]);
    begin(&network, 4).unwrap();
    assert_eq!(i128::from(network.balance().1), price(&network, third.quantity), "none is open");
}

#[test]
fn what_is_not_reserved_is_paid_and_goes_on() {
    let network = with(1_000);
    begin(&network, 1).unwrap();
    next(&network, (1, 1), 100).unwrap();
    assert_eq!(network.balance().1, 0);
    assert_eq!(network.revenue(), price(&network, 100));
    network.call((Phase::Final, 2), 150, Some(50)).unwrap();
    assert_eq!(network.revenue(), price(&network, 150));
}

#[test]
fn other_grants_and_events_do_not_take_what_is_not_reserved() {
    let network = with(300 + 199 + 100);
    begin(&network, 1).unwrap();
    assert_eq!(network.balance().1, 0);
    let message = |session, events| {
        let service = Some(Service { name: "sms", ..telephony() });
        let used = Some(Quantity { events: Some(events), ..Quantity::default() });
        let leg = LegRequest { leg: 0, service, used, wanted: None };
        network.send((session, Phase::Event(EventKind::Debit), 0), 0, &[leg]).1.remove(0).grant
    };
    // 400 are left behind the call.
    assert_eq!(message(2, 6), Err(LegRefusal::NoMoney));
    assert_eq!(message(3, 5), Ok(None));
}

#[test]
fn operations_from_outside_overdraw_by_the_open_grants_at_most() {
    let network = with(300 + 199);
    begin(&network, 1).unwrap();
    network.operate(fee(499));
    network.call((Phase::Final, 1), 180, Some(180)).unwrap();
    assert_eq!(network.balance(), (-199 * HUNDREDTH, 0));
}

#[test]
fn an_account_out_of_use_and_a_session_that_has_ended_get_no_grant() {
    let network = with(1_000);
    begin(&network, 1).unwrap();
    network.operate(Action::SetStanding(Standing::Suspended));
    assert_eq!(next(&network, (1, 1), 60), Err(LegRefusal::Barred));
    network.operate(Action::SetStanding(Standing::Active));
    network.send((1, Phase::Final, 2), 100, &[]);
    assert_eq!(next(&network, (1, 3), 60), Err(LegRefusal::SessionUnknown));
    assert_eq!(next(&network, (1, 3), 60), Err(LegRefusal::SessionUnknown));
    assert_eq!(network.revenue(), price(&network, 120));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn clients_that_stay_within_their_grants_never_overdraw(
        hundredths in 0..1_500_i64,
        steps in prop::collection::vec((1..5_u128, 1..=100_u64), 1..40),
    ) {
        let network = with(hundredths);
        let mut open = std::collections::BTreeMap::<u128, (u128, u64)>::new();
        for (number, (place, share)) in (1..).zip(steps) {
            let (session, grant) = match open.get(&place).copied() {
                None => (number.into(), begin(&network, number.into())),
                Some((session, quantity)) => {
                    (session, next(&network, (session, number), quantity * share / 100))
                }
            };
            if let Ok(Some(Grant { quantity, .. })) = grant {
                open.insert(place, (session, quantity));
            } else {
                open.remove(&place);
                network.send((session, Phase::Final, 99), 100, &[]);
            }
        }
        for (session, quantity) in open.into_values() {
            let leg = LegRequest { leg: 0, service: None, used: seconds(Some(quantity)), wanted: None };
            network.send((session, Phase::Final, 99), 100, &[leg]);
        }
        let (balance, reserved) = network.balance();
        prop_assert!(balance >= 0 && reserved == 0, "{} {}", balance, reserved);
    }
}
