//! Limits of what is spent in a month: data abroad, 50 kronor without tax. A megabyte is 29.00 with 25 % of tax.

use charging::{
    EventKind, Grant, LegAnswer, LegRefusal, LegRequest, Notices, Phase, Quantity, Service,
    SpendLimit,
};
use ledger::Notice;
use proptest::prelude::*;

use crate::calls::HUNDREDTH;
use crate::network::{EVENING, Network, telephony};

const MONTH: i64 = 30 * 86_400;

fn with(hundredths: i64) -> Network {
    let mut network = Network::with(hundredths);
    network.charging.policy.spend_limits = vec![SpendLimit {
        name: "data abroad".into(),
        number: 7,
        services: vec!["data".into()],
        is_roaming: true,
        is_each_number: false,
        amount: 5_000 * HUNDREDTH,
    }];
    network
}

fn data(partner: &'static str, second: i64) -> Service<'static> {
    Service { name: "data", other: b"", partner, start: EVENING + second, ..telephony() }
}

/// A data session, at a second.
#[derive(Clone, Copy)]
struct Data(u128, &'static str, i64);

impl Data {
    fn send(
        self,
        network: &Network,
        (phase, number): (Phase, u32),
        used: Option<u64>,
    ) -> LegAnswer {
        let Data(session, partner, second) = self;
        let octets = |octets| Quantity { octets: Some(octets), ..Quantity::default() };
        let leg = LegRequest {
            leg: 0,
            service: Some(data(partner, second)),
            used: used.map(octets),
            wanted: matches!(phase, Phase::First | Phase::Next).then(Quantity::default),
        };
        network.send((session, phase, number), second, &[leg]).1.remove(0)
    }

    fn first(self, network: &Network) -> Result<Option<Grant>, LegRefusal> {
        self.send(network, (Phase::First, 0), None).grant
    }
}

fn granted(grant: Result<Option<Grant>, LegRefusal>) -> Option<(u64, bool)> {
    grant.unwrap().map(|grant| (grant.quantity, grant.is_final))
}

#[test]
fn nothing_that_is_rounded_to_zero_is_granted_without_money() {
    // A small part of a megabyte costs less than half of a hundredth.
    let network = with(0);
    assert_eq!(Data(1, "", 0).first(&network), Err(LegRefusal::NoMoney));
    let network = with(1);
    let data = Data(1, "", 0);
    let Grant { quantity: octets, is_final, is_limited, .. } =
        data.first(&network).unwrap().unwrap();
    assert!(octets > 0 && is_final && !is_limited, "money is the reason, not the limit");
    data.send(&network, (Phase::Final, 1), Some(octets));
    assert_eq!(network.balance(), (0, 0));
    assert_eq!(Data(2, "", 1).first(&network), Err(LegRefusal::NoMoney));
}

#[test]
fn there_is_a_notice_at_80_percent_and_an_end_at_100() {
    let mut network = with(100_000);
    let abroad = Data(1, "USAW6", 0);
    let none = Notices::default();
    assert_eq!(granted(abroad.first(&network)), Some((1_000_000, false)));
    let next = |network: &Network, number, used| {
        let answer = abroad.send(network, (Phase::Next, number), Some(used));
        (answer.grant, answer.notices)
    };
    // 23.20 without tax.
    let (grant, notices) = next(&network, 1, 1_000_000);
    assert_eq!((granted(grant), notices), (Some((1_000_000, false)), none));
    network.restart();
    // 46.40; the rest of 3.60 is 4.50 with its tax: 15 times 0.29.
    let (grant, notices) = next(&network, 2, 1_000_000);
    assert!(grant.as_ref().unwrap().unwrap().is_limited, "there is money for more");
    assert_eq!(granted(grant), Some((150_000, true)));
    assert_eq!(notices, Notices { is_spend_near: true, ..none });
    assert_eq!(next(&network, 2, 1_000_000).1, notices, "as it was answered");
    let (grant, notices) = next(&network, 3, 150_000);
    assert_eq!((grant, notices), (Err(LegRefusal::SpendLimit), none));
    assert_eq!(abroad.send(&network, (Phase::Final, 4), None).grant, Ok(None));
    assert_eq!(Data(2, "USAW6", 9).first(&network), Err(LegRefusal::SpendLimit));
    assert_eq!(network.balance(), ((100_000 - 2 * 2_900 - 435) * HUNDREDTH, 0));
    assert_eq!(
        network.notices(),
        [Notice::Spent { limit: 7, is_reached: false, number: 0 }],
        "once"
    );
}

#[test]
fn what_is_used_beyond_the_limit_is_paid_and_noted() {
    let network = with(100_000);
    let abroad = Data(1, "USAW6", 0);
    abroad.first(&network).unwrap();
    let last = abroad.send(&network, (Phase::Final, 1), Some(3_000_000));
    let both = Notices { is_spend_near: true, is_spend_reached: true, ..Notices::default() };
    assert_eq!((last.grant, last.notices), (Ok(None), both));
    assert_eq!(network.revenue(), i128::from(8_700 * HUNDREDTH));
    assert_eq!(network.notices(), [Notice::Spent { limit: 7, is_reached: true, number: 0 }]);
    assert_eq!(Data(2, "USAW6", 9).first(&network), Err(LegRefusal::SpendLimit));
}

#[test]
fn a_limit_is_for_its_services_and_its_month() {
    let network = with(100_000);
    let abroad = Data(1, "USAW6", 0);
    abroad.first(&network).unwrap();
    abroad.send(&network, (Phase::Final, 1), Some(3_000_000));
    assert!(Data(2, "USAW6", 9).first(&network).is_err());
    assert!(Data(3, "", 9).first(&network).is_ok(), "at home");
    assert!(network.call((Phase::First, 0), 9, None).is_ok());
    let july = Data(4, "USAW6", MONTH);
    assert_eq!(granted(july.first(&network)), Some((1_000_000, false)));
    july.send(&network, (Phase::Final, 1), Some(1_000_000));
    let answer = Data(5, "USAW6", MONTH + 9).send(&network, (Phase::First, 0), None);
    assert_eq!(granted(answer.grant), Some((1_000_000, false)), "23.20 of July");
}

#[test]
fn with_consent_there_is_no_limit_until_the_month_ends() {
    let mut network = with(100_000);
    let abroad = Data(1, "USAW6", 0);
    abroad.first(&network).unwrap();
    abroad.send(&network, (Phase::Final, 1), Some(3_000_000));
    assert!(Data(2, "USAW6", 9).first(&network).is_err());
    let consent = Data(3, "USAW6", 10);
    let phase = (Phase::Event(EventKind::SpendConsent), 0);
    assert_eq!(consent.send(&network, phase, None).grant, Ok(None));
    network.restart();
    assert!(consent.send(&network, phase, None).is_repeated);
    assert_eq!(granted(Data(4, "USAW6", 11).first(&network)), Some((1_000_000, false)));
    Data(4, "USAW6", 12).send(&network, (Phase::Final, 1), None);
    let july = Data(5, "USAW6", MONTH);
    july.first(&network).unwrap();
    july.send(&network, (Phase::Final, 1), Some(3_000_000));
    assert_eq!(Data(6, "USAW6", MONTH + 9).first(&network), Err(LegRefusal::SpendLimit));
    // The subscriber may agree at home, too.
    assert_eq!(Data(7, "", MONTH + 10).send(&network, phase, None).grant, Ok(None));
    assert!(Data(8, "USAW6", MONTH + 11).first(&network).is_ok());
}

#[test]
fn an_event_above_the_limit_is_refused_whole() {
    let network = with(100_000);
    let debit = (Phase::Event(EventKind::Debit), 0);
    let refused = Data(1, "USAW6", 0).send(&network, debit, Some(2_200_000));
    assert_eq!((refused.grant, refused.price), (Err(LegRefusal::SpendLimit), None));
    assert_eq!(network.revenue(), 0);
    let check = (Phase::Event(EventKind::BalanceCheck), 0);
    assert_eq!(Data(9, "USAW6", 0).send(&network, check, Some(2_000_000)).grant, Ok(None));
    assert_eq!(network.notices(), [], "nothing is spent");
    assert_eq!(Data(2, "USAW6", 0).send(&network, debit, Some(2_100_000)).grant, Ok(None));
    assert_eq!(
        Data(3, "USAW6", 0).send(&network, debit, Some(100_000)).grant,
        Err(LegRefusal::SpendLimit)
    );
}

#[test]
fn the_counters_of_the_plan_are_kept_with_what_is_spent() {
    let mut network = with(100_000);
    let message = |network: &Network, session| {
        let service = Some(Service { name: "sms", subscriber: "plus", ..telephony() });
        let used = Some(Quantity { events: Some(30), ..Quantity::default() });
        let leg = LegRequest { leg: 0, service, used, wanted: None };
        let answer = network.send((session, Phase::Event(EventKind::Debit), 0), 0, &[leg]);
        answer.1[0].price.unwrap().amount
    };
    assert_eq!(message(&network, 11), 0);
    let abroad = Data(1, "USAW6", 0);
    abroad.first(&network).unwrap();
    abroad.send(&network, (Phase::Final, 1), Some(1_000_000));
    network.restart();
    assert_eq!(message(&network, 12), 10 * 69 * HUNDREDTH, "20 of 50 were left");
    abroad.send(&network, (Phase::First, 7), None);
    let grant = abroad.send(&network, (Phase::Next, 8), Some(1_000_000)).grant;
    assert_eq!(granted(grant), Some((150_000, true)), "23.20 was counted before");
}

#[test]
fn each_number_has_a_limit_for_itself() {
    let mut network = with(100_000);
    network.charging.policy.spend_limits[0].is_each_number = true;
    let of = |network: &Network, number: &'static [u8], session, phase, used: Option<u64>| {
        let octets = |octets| Quantity { octets: Some(octets), ..Quantity::default() };
        let leg = LegRequest {
            leg: 0,
            service: Some(Service { served: number, ..data("USAW6", 0) }),
            used: used.map(octets),
            wanted: (phase == Phase::First).then(Quantity::default),
        };
        let number = u32::from(phase == Phase::Final);
        (network.send((session, phase, number), 0, &[leg]).1.remove(0)).grant
    };
    let (parent, child) = (&b"46701234567"[..], &b"46701234568"[..]);
    assert_eq!(granted(of(&network, child, 1, Phase::First, None)), Some((1_000_000, false)));
    of(&network, child, 1, Phase::Final, Some(3_000_000)).unwrap();
    assert_eq!(of(&network, child, 2, Phase::First, None), Err(LegRefusal::SpendLimit));
    assert_eq!(granted(of(&network, parent, 3, Phase::First, None)), Some((1_000_000, false)));
    // The open grant of this number leaves 21.00 of its limit, 26.25 with tax.
    assert_eq!(granted(of(&network, parent, 4, Phase::First, None)), Some((900_000, false)));
    of(&network, parent, 3, Phase::Final, Some(1_000_000)).unwrap();
    of(&network, parent, 4, Phase::Final, Some(500_000)).unwrap();
    let spent = network.spent();
    let expected = [(child.to_vec(), 6_960 * HUNDREDTH), (parent.to_vec(), 3_480 * HUNDREDTH)];
    assert_eq!(spent, expected);
    network.restart();
    assert_eq!(network.spent(), expected);
    let noticed = network.notices();
    let reached = Notice::Spent { limit: 7, is_reached: true, number: 46_701_234_568 };
    assert_eq!(noticed, [reached], "the parent has spent 34.80 of 50.00");
    let consent = Phase::Event(EventKind::SpendConsent);
    let leg = LegRequest {
        leg: 0,
        service: Some(Service { served: child, ..data("USAW6", 0) }),
        used: None,
        wanted: None,
    };
    network.send((9, consent, 0), 9, &[leg]);
    let leg = LegRequest { wanted: Some(Quantity::default()), ..leg };
    assert!(network.send((10, Phase::First, 0), 9, &[leg]).1[0].grant.is_ok());
    // The other number has agreed to nothing.
    of(&network, parent, 11, Phase::First, None).unwrap();
    of(&network, parent, 11, Phase::Final, Some(1_000_000)).unwrap();
    assert_eq!(of(&network, parent, 12, Phase::First, None), Err(LegRefusal::SpendLimit));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn clients_that_stay_within_their_grants_never_spend_more(
        steps in prop::collection::vec((1..4_u128, 1..=100_u64), 1..30),
    ) {
        let network = with(1_000_000);
        let mut open = std::collections::BTreeMap::<u128, (Data, u64)>::new();
        for (number, (place, share)) in (1..).zip(steps) {
            let (data, phase, used) = match open.get(&place) {
                None => (Data(number.into(), "USAW6", 0), Phase::First, None),
                Some((data, quantity)) => (*data, Phase::Next, Some(quantity * share / 100)),
            };
            match data.send(&network, (phase, number), used).grant {
                Ok(Some(grant)) => open.insert(place, (data, grant.quantity)),
                _ => open.remove(&place),
            };
        }
        for (data, quantity) in open.into_values() {
            data.send(&network, (Phase::Final, 99), Some(quantity));
        }
        // With tax: 62.50.
        prop_assert!(network.revenue() <= i128::from(6_250 * HUNDREDTH), "{}", network.revenue());
    }
}
