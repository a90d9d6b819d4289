//! Balances that pay for tariff classes of a plan, and accounts that are barred from them.

use prepaid::PhaseName;
use prepaid::calls::{BuyBundle, ListRefusals, SetBarredServices, ShowCharging};
use prepaid::{Interrogation, Refused};

use crate::set_up::{ANNA, SetUp, ask, call, refusal, request, seconds, shown};

const DEFINITION: &str = "
[bundles.calls-home]
price = \"0\"
seconds = 1000
classes = [\"on-net\", \"mobile\", \"fixed\"]

[barring]
classes = [\"world-1\"]
";

/// A number of the class world-1.
const NEW_YORK: &str = "12125550100";

fn bar(classes: &[&str]) -> SetBarredServices {
    SetBarredServices {
        account: ANNA.to_owned(),
        services: vec![],
        classes: Some(classes.iter().map(|name| (*name).to_owned()).collect()),
        because: "a child".to_owned(),
    }
}

/// The requests of a call of two minutes.
fn two_minutes(session: &str, other: &str) -> Vec<Interrogation> {
    let [mut first, mut last] = [request(PhaseName::First, 0), request(PhaseName::Final, 1)];
    first.legs[0].wanted = seconds(180);
    last.legs[0].used = seconds(120);
    for request in [&mut first, &mut last] {
        request.session = session.to_owned();
        request.legs[0].other = other.to_owned();
    }
    vec![first, last]
}

#[test]
fn a_bundle_of_tariff_classes_pays_for_calls_of_these_classes_alone() {
    let set_up = SetUp::defined(DEFINITION);
    let system = set_up.with("100");
    let on_sale = call(&system, ShowCharging {}).bundles.remove(0);
    assert_eq!((on_sale.services.len(), on_sale.classes.len()), (0, 3));
    let (account, bundle) = (ANNA.to_owned(), "calls-home".to_owned());
    let (reference, because) = ("o-1".to_owned(), String::new());
    call(&system, BuyBundle { account, bundle, reference, because });
    let balances = || shown(&system).balances.into_iter().map(|of| of.amount).collect::<Vec<_>>();
    assert_eq!(shown(&system).balances[0].classes, ["on-net", "mobile", "fixed"]);
    ask(&system, two_minutes("to a mobile", "46731234567"));
    assert_eq!(balances(), ["880", "100.00"]);
    ask(&system, two_minutes("abroad", NEW_YORK));
    let [seconds, money] = balances().try_into().unwrap();
    assert_eq!(seconds, "880");
    assert_ne!(money, "100.00", "the call abroad is paid with money");
}

#[test]
fn an_account_is_barred_from_calls_of_a_tariff_class_and_from_no_others() {
    let set_up = SetUp::defined(DEFINITION);
    let system = set_up.with("100");
    assert_eq!(call(&system, bar(&["world-1"])).barred_classes, ["world-1"]);
    ask(&system, two_minutes("at home", "46731234567"));
    let refusals = || call(&system, ListRefusals { account: ANNA.to_owned() }).refusals;
    assert!(refusals().is_empty());
    ask(&system, two_minutes("abroad", NEW_YORK));
    assert_eq!(refusals()[0].code, "barred");
    let services = vec!["sms".to_owned()];
    let only_services = SetBarredServices { services, classes: None, ..bar(&[]) };
    let barred = call(&system, only_services);
    assert_eq!(
        (barred.barred, barred.barred_classes),
        (vec!["sms".to_owned()], vec!["world-1".to_owned()])
    );
    assert!(call(&system, bar(&[])).barred_classes.is_empty());
    let class = "satellite".to_owned();
    assert_eq!(refusal(&system, bar(&["satellite"])), Refused::ClassUnknown { class });
}

#[test]
fn places_of_classes_stay_when_the_definition_changes() {
    let set_up = SetUp::defined(DEFINITION);
    let system = set_up.with("100");
    call(&system, bar(&["world-1"]));
    drop(system);
    set_up.define("[barring]\nclasses = [\"satellite\", \"world-1\"]\n");
    assert_eq!(shown(&set_up.system()).barred_classes, ["world-1"]);
}
