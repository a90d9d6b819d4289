//! Requests that are refused as a whole, and sessions that wait for a refill.

use charging::{Dialogue, LegRefusal, LegRequest, Phase, RefusedWhole};

use crate::calls::{HUNDREDTH, price};
use crate::network::{Network, seconds, telephony};

/// Reports the use of no seconds, wants nothing, and returns whether the leg goes on until there is money.
fn awaits_money(network: &Network, number: u32, second: i64) -> bool {
    let (service, used) = (Some(telephony()), seconds(Some(0)));
    let leg = LegRequest { leg: 0, service, used, wanted: None };
    let (_, legs) = network.send((1, Phase::Next, number), second, &[leg]);
    assert_eq!(legs[0].grant, Ok(None));
    legs[0].awaits_money
}

/// Returns a network whose clients take the refusal of all legs for one of the request, and a subscriber who can pay 60 seconds.
fn poor() -> Network {
    let mut network = Network::with(0);
    network.dialogue.refused_whole = RefusedWhole::Always;
    network.charging.grants.seconds = 60;
    network.refill(price(&network, 60) as i64 / HUNDREDTH);
    network
}

#[test]
fn an_update_that_is_refused_as_a_whole_pays_and_ends_its_session() {
    let network = poor();
    assert!(network.call((Phase::First, 0), 0, None).unwrap().is_some());
    let refused = network.call((Phase::Next, 1), 60, Some(60));
    assert_eq!(refused, Err(LegRefusal::NoMoney));
    assert_eq!((network.open_sessions(), network.balance()), (0, (0, 0)));
    let paid = network.revenue();
    // It comes again, and so does the end: nothing is paid twice.
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::NoMoney));
    assert_eq!(network.call((Phase::Final, 2), 61, None), Ok(None));
    assert_eq!(network.revenue(), paid);
    // What was used after the refusal is paid, too.
    assert_eq!(network.call((Phase::Final, 3), 62, Some(60)), Ok(None));
    assert_eq!(network.revenue(), price(&network, 120));
}

#[test]
fn a_leg_that_is_refused_by_itself_does_not_end_its_session() {
    let mut network = poor();
    network.dialogue = Dialogue::default();
    network.call((Phase::First, 0), 0, None).unwrap();
    assert_eq!(network.call((Phase::Next, 1), 60, Some(60)), Err(LegRefusal::NoMoney));
    assert_eq!(network.open_sessions(), 1);
}

#[test]
fn a_session_without_money_goes_on_until_a_refill_if_its_client_redirects() {
    let mut network = Network::with(0);
    (network.dialogue.redirects, network.dialogue.redirects_refused) = (true, true);
    assert_eq!(network.call((Phase::First, 0), 0, None), Err(LegRefusal::NoMoney));
    assert_eq!(network.open_sessions(), 1);
    assert!(awaits_money(&network, 1, 60), "nothing is wanted, and nothing is refused");
    assert_eq!(network.call((Phase::Next, 2), 120, None), Err(LegRefusal::NoMoney));
    network.refill(1_000);
    let grant = network.call((Phase::Next, 3), 180, None).unwrap().unwrap();
    assert!(!grant.is_final);
    assert!(!awaits_money(&network, 4, 240), "it was not the last");
    assert_eq!(network.call((Phase::Final, 5), 240, None), Ok(None));
    assert_eq!((network.open_sessions(), network.balance().1), (0, 0));
}

#[test]
fn after_its_last_grant_a_client_that_redirects_awaits_money_and_is_refused_more() {
    let mut network = poor();
    network.dialogue.redirects = true;
    let last = network.call((Phase::First, 0), 0, None).unwrap().unwrap();
    assert!(!awaits_money(&network, 1, 30), "it is not the last yet");
    network.charging.grants.seconds = 180;
    assert!(network.call((Phase::Next, 2), 30, None).unwrap().unwrap().is_final);
    assert_eq!(network.report((Phase::Next, 3), 60, Some(last.quantity)), Ok(None));
    assert!(awaits_money(&network, 4, 61) && network.open_sessions() == 1);
    assert_eq!(network.call((Phase::Next, 5), 62, None), Err(LegRefusal::NoMoney));
    assert_eq!(network.open_sessions(), 0);
}
