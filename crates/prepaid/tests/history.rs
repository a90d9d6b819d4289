//! The entries of an account.

use prepaid::calls::{AdjustAccount, AmountUnit, HistoryEntry, NewBalance, ShowHistory};
use prepaid::{PhaseName, Refused};

use crate::set_up::{ANNA, SetUp, ask, call, refusal, request, seconds};

fn all() -> ShowHistory {
    ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() }
}

fn parts<'e>(entries: &'e [HistoryEntry]) -> Vec<(AmountUnit, Option<&'e str>)> {
    let part = |entry: &'e HistoryEntry| entry.charged.as_ref()?.part.as_deref();
    entries.iter().map(|entry| (entry.unit, part(entry))).collect()
}

/// Anna calls for three minutes, of which a balance of seconds pays two, and for another minute.
fn two_calls(set_up: &SetUp) -> prepaid::System {
    let system = set_up.with("100");
    let new = NewBalance {
        unit: AmountUnit::Seconds,
        services: vec!["telephony".to_owned()],
        classes: vec![],
        priority: None,
        until: None,
    };
    let (account, amount) = (ANNA.to_owned(), "120".to_owned());
    let (because, reference) = ("a bundle".to_owned(), "b-1".to_owned());
    call(&system, AdjustAccount { account, amount, because, reference, bucket: 0, new: Some(new) });
    for (session, used) in [("call-1", 180), ("call-2", 60)] {
        let mut first = request(PhaseName::First, 0);
        first.legs[0].wanted = seconds(used);
        let mut last = request(PhaseName::Final, 1);
        last.legs[0].used = seconds(used);
        (first.session, last.session) = (session.to_owned(), session.to_owned());
        ask(&system, vec![first, last]);
    }
    system
}

#[test]
fn each_entry_says_how_much_of_a_usage_it_paid() {
    let set_up = SetUp::new();
    let system = two_calls(&set_up);
    let entries = call(&system, all()).entries;
    let mut of_calls = parts(&entries[..3]);
    of_calls.sort_by_key(|(unit, part)| (*unit == AmountUnit::Money, part.is_some()));
    let expected = [
        (AmountUnit::Seconds, Some("120 seconds")),
        (AmountUnit::Money, None),
        (AmountUnit::Money, Some("60 seconds")),
    ];
    assert_eq!(of_calls, expected);
}

#[test]
fn two_balances_of_money_share_a_price_and_no_part_is_said() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let new = NewBalance {
        unit: AmountUnit::Money,
        services: vec![],
        classes: vec![],
        priority: Some(0),
        until: None,
    };
    let [account, amount, because, reference] = [ANNA, "0.50", "a gift", "g-1"].map(str::to_owned);
    call(&system, AdjustAccount { account, amount, because, reference, bucket: 0, new: Some(new) });
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(600);
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(600);
    ask(&system, vec![first, last]);
    let history = ShowHistory { limit: Some(2), ..all() };
    assert_eq!(parts(&call(&system, history).entries), [(AmountUnit::Money, None); 2]);
    // The entry beside it may be on another page.
    for before in [None, Some(3), Some(4)] {
        let page = call(&system, ShowHistory { limit: Some(1), before, ..all() });
        assert_eq!(parts(&page.entries), [(AmountUnit::Money, None)], "{before:?}");
    }
}

#[test]
fn entries_are_found_by_session_by_system_and_by_time() {
    let set_up = SetUp::new();
    let system = two_calls(&set_up);
    let entries = call(&system, all()).entries;
    assert_eq!(entries.len(), 5);
    let of_session = |session: &Option<String>| {
        let found = call(&system, ShowHistory { session: session.clone(), ..all() });
        (found.entries, found.more)
    };
    let (second, first) = (&entries[0].session, &entries[1].session);
    assert_eq!(of_session(second), (entries[..1].to_vec(), false));
    assert_eq!(of_session(first), (entries[1..3].to_vec(), false));
    let page = call(&system, ShowHistory { session: first.clone(), limit: Some(1), ..all() });
    assert_eq!((page.entries, page.more), (entries[1..2].to_vec(), true));
    let (limit, before) = (Some(1), Some(entries[1].entry));
    let page = call(&system, ShowHistory { session: first.clone(), limit, before, ..all() });
    assert_eq!((page.entries, page.more), (entries[2..3].to_vec(), false));
    let damaged = ShowHistory { session: Some("call-1".to_owned()), ..all() };
    assert_eq!(refusal(&system, damaged), Refused::SessionUnknown);

    let of_system = |system: &str| ShowHistory { system: Some(system.to_owned()), ..all() };
    let charges = call(&system, of_system("revenue"));
    assert_eq!((charges.entries, charges.more), (entries[..3].to_vec(), false));
    let refills = call(&system, ShowHistory { limit: Some(1), ..of_system("refill") });
    assert_eq!((refills.entries, refills.more), (entries[4..].to_vec(), false));
    let unknown = Refused::SystemUnknown { system: "charges".to_owned() };
    assert_eq!(refusal(&system, of_system("charges")), unknown);

    let newest = entries[0].at.clone();
    let from = call(&system, ShowHistory { from: Some(newest.clone()), ..all() }).entries;
    assert!(!from.is_empty() && from.iter().all(|entry| entry.at == newest));
    let to = call(&system, ShowHistory { to: Some(newest.clone()), ..all() }).entries;
    assert_eq!([from, to].concat(), entries);
    let (from, to) = (Some("2030-01-02T00:00:00Z".to_owned()), Some("2030-01-01".to_owned()));
    assert!(matches!(
        refusal(&system, ShowHistory { from, to, ..all() }),
        Refused::TimeInvalid { .. }
    ));
}
