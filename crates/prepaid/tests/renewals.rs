//! Bundles that renew, and fees, over days that go by.

use std::time::SystemTime;

use prepaid::calls::{
    AccountStanding, AdjustAccount, BuyBundle, CancelBundle, ListNotices, RefillAccount,
    SetStanding, ShowCharging,
};
use prepaid::{Definition, Refused, System, begin_fees, settle};

use crate::set_up::{ANNA, SetUp, call, entries, refusal, shown};

const DAY: i64 = 86_400_000;

const BUNDLE: &str = "
[bundles.week]
price = \"30.00\"
octets = \"1 GB\"
services = [\"data\"]
valid = \"7 days\"
renews = true
retry = \"1 day\"
";

const FEE: &str = "
[fees.monthly]
amount = \"10.00\"
every = \"1 month\"
";

fn now() -> i64 {
    runtime::time::since_epoch_ns(SystemTime::now()) / 1_000_000
}

fn buy(system: &System) {
    let [account, bundle, reference] = [ANNA, "week", "o-1"].map(str::to_owned);
    call(system, BuyBundle { account, bundle, reference, because: String::new() });
}

fn refill(system: &System, amount: &str, reference: &str) {
    let [account, amount, reference] = [ANNA, amount, reference].map(str::to_owned);
    call(system, RefillAccount { account, amount, reference, because: String::new() });
}

fn cancellation(bundle: &str) -> CancelBundle {
    let [account, bundle, because] = [ANNA, bundle, "asked for it"].map(str::to_owned);
    CancelBundle { account, bundle, because }
}

/// Returns the main balance.
fn main_balance(system: &System) -> String {
    let balances = shown(system).balances;
    balances.into_iter().find(|of| of.bucket == 0).expect("a main balance").amount
}

/// Does what is due at a time. Returns how many periods were paid.
fn renewed(system: &System, at: i64) -> usize {
    settle(system, at).unwrap().periods
}

#[test]
fn a_bundle_renews_when_its_time_is_over() {
    let set_up = SetUp::defined(BUNDLE);
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    assert_eq!(renewed(&system, begin + 6 * DAY), 0);
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_000), 1);
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_001), 0, "a period is charged once");
    assert_eq!(main_balance(&system), "40.00");
    let account = shown(&system);
    assert_eq!(account.balances.len(), 2, "the bundle before is over");
    let next = &account.subscriptions[0];
    assert_eq!((next.offer.as_str(), next.is_fee, next.unpaid), ("week", false, false));
    let offers: Vec<_> = account.balances.iter().map(|of| of.offer.as_deref()).collect();
    assert_eq!(offers, [Some("week"), None], "the main balance is from many");
    let until = account.balances.iter().filter_map(|of| of.until.clone()).max();
    assert_eq!(until.as_ref(), Some(&next.due), "the next one begins when this one ends");
    let [expired, entry, ..] = &entries(&system)[..] else { panic!("entries") };
    assert_eq!(expired.system, "expired", "what is left ends when nothing of it has rolled over");
    assert_eq!((entry.offer.as_deref(), entry.system.as_str()), (Some("week"), "bundle"));
    assert_eq!(entry.remark.as_ref().map(|remark| remark.kind.as_str()), Some("renewal"));
    // The system was down for two weeks: bundles whose time is over are not sold.
    assert_eq!(renewed(&system, begin + 30 * DAY), 1);
    assert_eq!(main_balance(&system), "10.00");
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn a_bundle_that_cannot_be_paid_waits_for_money_and_the_account_stays_in_use() {
    let set_up = SetUp::defined(BUNDLE);
    let system = set_up.with("40");
    let begin = now();
    buy(&system);
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_000), 0);
    let account = shown(&system);
    assert!(account.subscriptions[0].unpaid);
    assert_eq!(account.standing, AccountStanding::Active);
    refill(&system, "20", "p-2");
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_001), 1);
    assert_eq!(main_balance(&system), "0.00");
    assert!(!shown(&system).subscriptions[0].unpaid);
}

#[test]
fn a_cancelled_bundle_is_not_bought_again() {
    let set_up = SetUp::defined(BUNDLE);
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    assert!(call(&system, cancellation("week")).subscriptions.is_empty());
    let not = |bundle: &str| Refused::NotSubscribed { bundle: bundle.to_owned() };
    assert_eq!(refusal(&system, cancellation("week")), not("week"));
    assert_eq!(refusal(&system, cancellation("month")), not("month"));
    assert_eq!(renewed(&system, begin + 8 * DAY), 0);
    assert_eq!((main_balance(&system), shown(&system).balances.len()), ("70.00".to_owned(), 1));
}

#[test]
fn a_bundle_that_is_no_longer_defined_ends() {
    let set_up = SetUp::defined(BUNDLE);
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    set_up.define("");
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    assert_eq!(renewed(&system, begin + 8 * DAY), 0);
    assert!(shown(&system).subscriptions.is_empty());
}

#[test]
fn a_fee_is_charged_for_each_month_also_for_those_that_were_missed() {
    let set_up = SetUp::defined(FEE);
    let system = set_up.with("100");
    let begin = now();
    assert_eq!(renewed(&system, begin + 1_000), 1, "a new account pays its first month");
    assert_eq!(renewed(&system, begin + 95 * DAY), 3);
    assert_eq!(main_balance(&system), "60.00");
    drop(system);
    let system = set_up.system();
    assert_eq!(renewed(&system, begin + 95 * DAY), 0, "a restart charges nothing again");
    assert_eq!(renewed(&system, begin + 130 * DAY), 1, "and forgets nothing");
    let entry = &entries(&system)[0];
    let texts = [entry.amount.as_str(), entry.system.as_str(), entry.offer.as_deref().unwrap()];
    assert_eq!(texts, ["-10.00", "fee", "monthly"]);
    // Nothing is owed for the months of an account that is not in use.
    let (account, because) = (ANNA.to_owned(), "stolen".to_owned());
    call(&system, SetStanding { account, standing: AccountStanding::Suspended, because });
    assert_eq!(renewed(&system, begin + 400 * DAY), 0);
    assert_eq!(main_balance(&system), "50.00");
}

#[test]
fn accounts_that_are_there_begin_with_a_new_fee_from_its_day() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    set_up.define(&format!("{FEE}from = \"2999-01-01\"\n"));
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    begin_fees(&system, now()).unwrap();
    begin_fees(&system, now()).unwrap();
    let account = shown(&system);
    assert_eq!(account.subscriptions.len(), 1);
    let fee = &account.subscriptions[0];
    assert_eq!((fee.due.as_str(), fee.is_fee), ("2999-01-01T00:00:00Z", true));
    assert_eq!(renewed(&system, now()), 0);
}

#[test]
fn what_is_left_of_a_bundle_rolls_over_once_and_is_used_first() {
    let set_up = SetUp::defined(&format!("{BUNDLE}rolls-over = true\n"));
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    let balances = || {
        let octets = shown(&system).balances.into_iter().filter(|of| of.bucket != 0);
        octets.map(|of| (of.bucket, of.until, of.rolled_over)).collect::<Vec<_>>()
    };
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_000), 1);
    let [(first, until, true), (second, until_too, false)] = &balances()[..] else {
        panic!("the first one has rolled over");
    };
    assert_eq!((first, second, until), (&1, &2, until_too), "the older one is used first");
    assert_eq!(renewed(&system, begin + 14 * DAY + 60_000), 1);
    let left: Vec<u32> = balances().into_iter().map(|(bucket, ..)| bucket).collect();
    assert_eq!(left, [2, 3], "the first one has rolled over once already");
    assert_eq!(main_balance(&system), "10.00");
    // There is no money for the next period: nothing is left of the bundle.
    assert_eq!(renewed(&system, begin + 21 * DAY + 60_000), 0);
    assert_eq!(balances(), []);
    refill(&system, "50", "p-2");
    assert_eq!(renewed(&system, begin + 21 * DAY + 120_000), 1);
    assert_eq!(balances().len(), 1);
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn a_bundle_of_a_day_waits_for_a_refill_until_its_day_is_over() {
    let day = BUNDLE.replace("7 days", "1 day");
    let set_up = SetUp::defined(&day);
    let system = set_up.with("35");
    let begin = now();
    buy(&system);
    assert_eq!(renewed(&system, begin + DAY + 60_000), 0, "5.00 is not enough");
    refill(&system, "30", "p-2");
    assert_eq!(renewed(&system, begin + DAY + 120_000), 1, "it is paid as soon as there is money");
    assert_eq!(main_balance(&system), "5.00");
    assert_eq!(renewed(&system, begin + 2 * DAY + 60_000), 0);
    assert_eq!(renewed(&system, begin + 3 * DAY + 60_000), 0);
    let unpaid = call(&system, ListNotices { account: ANNA.to_owned() }).notices;
    assert_eq!(unpaid.len(), 3, "one a period");
}

#[test]
fn what_is_left_rolls_over_into_a_period_of_another_length() {
    let set_up = SetUp::defined(&format!("{BUNDLE}rolls-over = true\n"));
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    let longer = BUNDLE.replace("7 days", "1 month");
    set_up.define(&format!("{longer}rolls-over = true\n"));
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_000), 1);
    let balances = shown(&system).balances.into_iter().filter(|of| of.bucket != 0);
    let rolled_over: Vec<bool> = balances.map(|of| of.rolled_over).collect();
    assert_eq!(rolled_over, [true, false]);
}

#[test]
fn a_threshold_in_percent_counts_what_has_rolled_over_and_not_what_was_used() {
    let rules = "rolls-over = true\n[thresholds.data]\nunit = \"octets\"\nbelow = \"80 %\"\n";
    let set_up = SetUp::defined(&format!("{BUNDLE}{rules}"));
    let system = set_up.with("100");
    let begin = now();
    buy(&system);
    let take = |bucket: u32, amount: &str| {
        let [account, amount, because] = [ANNA, amount, "a test"].map(str::to_owned);
        let reference = format!("a-{bucket}{amount}");
        let take = AdjustAccount { account, amount, because, reference, bucket, new: None };
        call(&system, take);
    };
    let notices = || call(&system, ListNotices { account: ANNA.to_owned() }).notices.len();
    take(1, "-900000000");
    assert_eq!(notices(), 1);
    // 1.1 GB of what is 1.1 GB now.
    assert_eq!(renewed(&system, begin + 7 * DAY + 60_000), 1);
    assert_eq!(notices(), 1, "nothing of the new period is used");
    take(1, "-100000000");
    take(2, "-1000000");
    assert_eq!(notices(), 1, "999 MB of 1.1 GB are 90 %");
    // What was used before the renewal does not count, or there would never be another notice.
    take(2, "-300000000");
    assert_eq!(notices(), 2, "699 MB of 1.1 GB are 63 %");
}
