//! Bundles of `charging.toml`, as they are sold.

use prepaid::calls::{
    AmountUnit, BoughtBundle, BuyBundle, ExportBooks, ReverseEntry, ShowCharging,
};
use prepaid::{Definition, Refused};

use crate::set_up::{ANNA, SetUp, call, entries, refusal, shown};

const BUNDLES: &str = "
[bundles.data-1gb]
price = \"49.00\"
octets = \"1 GB\"
services = [\"data\"]
valid = \"30 days\"
priority = 7

[bundles.hello]
price = \"0\"
events = 20
money = \"5.00\"
";

fn purchase(bundle: &str, reference: &str) -> BuyBundle {
    BuyBundle {
        account: ANNA.to_owned(),
        bundle: bundle.to_owned(),
        reference: reference.to_owned(),
        because: String::new(),
    }
}

#[test]
fn a_bundle_is_paid_and_given_together_and_once() {
    let set_up = SetUp::defined(BUNDLES);
    let system = set_up.with("100");
    let first = call(&system, purchase("data-1gb", "o-1"));
    assert_eq!((first.balance.as_str(), first.repeated), ("51.00", false));
    let account = shown(&system);
    let bundle = &account.balances[0];
    assert_eq!((bundle.unit, bundle.available.as_str()), (AmountUnit::Octets, "1000000000"));
    assert_eq!((&bundle.services[..], bundle.priority), (&["data".to_owned()][..], 7));
    assert!(bundle.from.is_some() && bundle.until.is_some());
    let again = call(&system, purchase("data-1gb", "o-1"));
    assert_eq!(again, BoughtBundle { repeated: true, ..first });
    let reused = Refused::ReferenceReused { reference: "o-1".to_owned() };
    assert_eq!(refusal(&system, purchase("hello", "o-1")), reused);
    let other = call(&system, purchase("data-1gb", "o-2"));
    assert_eq!((other.balance.as_str(), shown(&system).balances.len()), ("2.00", 3));
    assert_eq!(refusal(&system, purchase("data-1gb", "o-3")), Refused::NotEnough);
    assert_eq!(shown(&system).balances.len(), 3, "nothing is given that is not paid");
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn the_price_of_a_bundle_goes_back_only_after_what_it_gave() {
    let set_up = SetUp::defined(BUNDLES);
    let system = set_up.with("200");
    call(&system, purchase("data-1gb", "o-1"));
    call(&system, purchase("data-1gb", "o-2"));
    let reverse = |entry| {
        let (account, because) = (ANNA.to_owned(), "sold by mistake".to_owned());
        ReverseEntry { account, entry, because }
    };
    // Entry 1 is a refill; each purchase has two.
    for (price, octets, left) in [(2, 3, "151.00"), (4, 5, "200.00")] {
        let refused = refusal(&system, reverse(price)).to_string();
        assert!(refused.ends_with(&format!("reverse their entries first: {octets}")), "{refused}");
        call(&system, reverse(octets));
        assert_eq!(call(&system, reverse(price)).balance, left);
    }
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn entries_say_which_bundle_was_bought_for_which_price() {
    let set_up = SetUp::defined(BUNDLES);
    let system = set_up.with("100");
    call(&system, purchase("data-1gb", "o-1"));
    call(&system, purchase("hello", "o-2"));
    let entries = entries(&system);
    let of_each: Vec<_> = entries
        .iter()
        .map(|of| (of.offer.as_deref().unwrap_or(""), of.amount.as_str(), of.system.as_str()))
        .collect();
    let expected = [
        ("hello", "20", "bundle"),
        ("hello", "5.00", "bundle"),
        ("data-1gb", "1000000000", "bundle"),
        ("data-1gb", "-49.00", "bundle"),
        ("", "100.00", "refill"),
    ];
    assert_eq!(of_each, expected);
    let remark = entries[3].remark.as_ref().expect("a remark");
    let texts = [&remark.kind, &remark.who, &remark.reference].map(String::as_str);
    assert_eq!(texts, ["purchase", "anna", "o-1"]);
    let exported = call(&system, ExportBooks::default()).entries;
    let offers: Vec<_> = exported.iter().map(|of| of.offer.as_deref()).collect();
    assert_eq!(offers, [None, Some("data-1gb"), Some("data-1gb"), Some("hello"), Some("hello")]);
}

#[test]
fn what_is_on_sale_follows_the_definition_and_old_entries_keep_their_names() {
    let set_up = SetUp::defined(BUNDLES);
    let system = set_up.with("100");
    let on_sale = call(&system, ShowCharging {}).bundles;
    assert_eq!((on_sale[0].bundle.as_str(), on_sale[0].price.as_str()), ("data-1gb", "49.00"));
    assert_eq!(on_sale[0].gives[0].amount, "1000000000");
    assert!(on_sale[0].until.is_some() && on_sale[1].until.is_none());
    call(&system, purchase("hello", "o-1"));
    set_up.define("[bundles.new]\nprice = \"1.00\"\nevents = 1\n");
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    let unknown = Refused::BundleUnknown { bundle: "hello".to_owned() };
    assert_eq!(refusal(&system, purchase("hello", "o-2")), unknown);
    call(&system, purchase("new", "o-3"));
    let names: Vec<_> = entries(&system).into_iter().map(|of| of.offer).collect();
    let names: Vec<_> = names.iter().map(|of| of.as_deref().unwrap_or("")).collect();
    assert_eq!(names, ["new", "new", "hello", "hello", ""]);
}
