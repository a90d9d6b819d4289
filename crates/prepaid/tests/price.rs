use prepaid::calls::{
    AccountStanding, AdjustAccount, AmountUnit, Authority, Call as _, Clerk, EnquirePrice,
    ListSessions, NewBalance, PriceEnquiry, SetStanding, ShowAccount,
};
use prepaid::{Refused, System};

use crate::set_up::{ANNA, OTHER, SetUp, call};

fn enquiry(seconds: u64) -> EnquirePrice {
    EnquirePrice {
        account: ANNA.to_owned(),
        service: "telephony".to_owned(),
        called: format!("+{OTHER}"),
        partner: String::new(),
        quantity: seconds,
        unit: Some(AmountUnit::Seconds),
    }
}

fn asked(system: &System, seconds: u64) -> PriceEnquiry {
    call(system, enquiry(seconds))
}

#[test]
fn a_price_is_said_with_its_steps_and_nothing_is_charged() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let before = call(&system, ShowAccount { account: ANNA.to_owned() });
    let found = asked(&system, 180);
    assert_eq!(found.price, found.charged.total);
    assert_ne!(found.price, "0.00");
    assert_eq!(
        (found.charged.used.as_str(), found.charged.before.as_str()),
        ("180 seconds", "0.00")
    );
    assert!(found.charged.steps.iter().any(|step| step.step == "set-up"), "{found:?}");
    assert_eq!(
        (found.affordable_unit, found.free, found.refused.is_none()),
        (AmountUnit::Seconds, false, true)
    );
    assert_eq!(call(&system, ShowAccount { account: ANNA.to_owned() }), before);
    assert!(call(&system, ListSessions::default()).sessions.is_empty());
}

#[test]
fn what_an_account_can_afford_is_what_its_money_pays_for() {
    let set_up = SetUp::new();
    let system = set_up.with("7.30");
    let affordable = asked(&system, 1).affordable;
    let price = |seconds| asked(&system, seconds).price.parse::<f64>().unwrap();
    assert!(price(affordable) <= 7.30 && price(affordable + 1) > 7.30, "{affordable}");
}

#[test]
fn balances_of_seconds_are_used_before_money() {
    let set_up = SetUp::new();
    let system = set_up.with("7.30");
    let of_money = asked(&system, 1).affordable;
    let new = NewBalance {
        unit: AmountUnit::Seconds,
        services: vec!["telephony".to_owned()],
        classes: vec![],
        priority: None,
        until: None,
    };
    let (account, amount) = (ANNA.to_owned(), "600".to_owned());
    let (because, reference) = ("a bundle".to_owned(), "b-1".to_owned());
    call(&system, AdjustAccount { account, amount, because, reference, bucket: 0, new: Some(new) });
    let found = asked(&system, 180);
    assert_eq!((found.price.as_str(), found.charged.paid_by_balances), ("0.00", 180));
    assert_eq!(found.affordable, of_money + 600);
    assert_eq!(asked(&system, 601).charged.priced, 1);
}

#[test]
fn an_account_that_cannot_pay_says_why() {
    let set_up = SetUp::new();
    let system = set_up.with("0.01");
    let found = asked(&system, 60);
    assert_eq!(found.affordable, 0);
    assert_eq!(found.refused.expect("a reason").code, "no-money");
    let (standing, because) = (AccountStanding::Suspended, "stolen".to_owned());
    call(&system, SetStanding { account: ANNA.to_owned(), standing, because });
    assert_eq!(asked(&system, 60).refused.expect("a reason").code, "barred");
}

#[test]
fn what_has_no_price_is_refused() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let clerk = Clerk { system: &system, who: "anna", authority: Authority::Person };
    let wrong = EnquirePrice { service: "telegraphy".to_owned(), ..enquiry(60) };
    assert!(matches!(wrong.perform(&clerk).unwrap_err(), Refused::NoPrice { .. }));
    let by_default = EnquirePrice { unit: None, ..enquiry(60) };
    let (by_default, given) = (call(&system, by_default), call(&system, enquiry(60)));
    assert_eq!(by_default, given, "the plan counts calls in seconds");
    let wrong = EnquirePrice { unit: Some(AmountUnit::Octets), ..enquiry(60) };
    assert!(matches!(wrong.perform(&clerk).unwrap_err(), Refused::UnitNeeded { .. }));
    let wrong = EnquirePrice { unit: Some(AmountUnit::Money), ..enquiry(60) };
    assert!(matches!(wrong.perform(&clerk).unwrap_err(), Refused::AmountInvalid { .. }));
    let wrong = EnquirePrice { called: "anna".to_owned(), ..enquiry(60) };
    assert!(matches!(wrong.perform(&clerk).unwrap_err(), Refused::NumberInvalid { .. }));
}
