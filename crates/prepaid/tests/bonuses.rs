//! Bonuses for refills, by the rules of `charging.toml`.

use prepaid::Definition;
use prepaid::calls::{Moved, OpenAccount, RefillAccount, ReverseEntry, ShowCharging};

use crate::set_up::{ANNA, SetUp, call, entries, shown};

const RULES: &str = "
[bonuses.welcome]
first-refill = true
octets = \"1 GB\"
services = [\"data\"]
valid = \"30 days\"

[bonuses.summer]
at-least = \"100.00\"
from = \"2026-06-01\"
until = \"2999-09-01\"
money = \"15.00\"

[bonuses.past]
until = \"2020-01-01\"
events = 100
";

fn refill(amount: &str, reference: &str) -> RefillAccount {
    let [account, amount, reference] = [ANNA, amount, reference].map(str::to_owned);
    RefillAccount { account, amount, reference, because: String::new() }
}

fn names(moved: &Moved) -> Vec<(&str, &str)> {
    moved.bonuses.iter().map(|of| (of.bonus.as_str(), of.amount.as_str())).collect()
}

#[test]
fn a_refill_says_which_bonuses_it_got() {
    let set_up = SetUp::defined(RULES);
    let system = set_up.system();
    let numbers = vec![ANNA.to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    let first = call(&system, refill("100", "p-1"));
    assert_eq!(names(&first), [("welcome", "1000000000"), ("summer", "15.00")]);
    assert_eq!((first.bucket, first.balance.as_str(), first.entry), (0, "100.00", 1));
    let again = call(&system, refill("100", "p-1"));
    assert_eq!(again, Moved { repeated: true, ..first });
    assert_eq!(names(&call(&system, refill("99.99", "p-2"))), []);
    assert_eq!(names(&call(&system, refill("100", "p-3"))), [("summer", "15.00")]);
    let account = shown(&system);
    let balances: Vec<&str> = account.balances.iter().map(|of| of.amount.as_str()).collect();
    assert_eq!(balances, ["1000000000", "15.00", "15.00", "299.99"]);
    let entries = entries(&system);
    let of = |place: usize| (entries[place].system.as_str(), entries[place].offer.as_deref());
    assert_eq!([of(0), of(1)], [("bonus", Some("summer")), ("refill", None)]);
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn a_bonus_that_is_reversed_is_no_bonus() {
    let set_up = SetUp::defined(RULES);
    let system = set_up.system();
    let numbers = vec![ANNA.to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    call(&system, refill("100", "p-1"));
    let (account, because) = (ANNA.to_owned(), "by mistake".to_owned());
    let reversed = call(&system, ReverseEntry { account, entry: 3, because });
    assert_eq!((names(&reversed), reversed.balance.as_str()), (vec![], "0.00"));
}

#[test]
fn the_rules_follow_the_definition() {
    let set_up = SetUp::new();
    let system = set_up.with("20");
    set_up.define(RULES);
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    let later = call(&system, refill("200", "p-2"));
    assert_eq!(names(&later), [("summer", "15.00")], "the first refill was before");
}
