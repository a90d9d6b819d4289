use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use prepaid::calls::{
    AccountLimit, AccountStanding, Authority, Call as _, CheckBooks, Clerk, ExportBooks,
    RemoveNumber, SetStanding, ShowAccount, ShowCharging, ShowHistory,
};
use prepaid::{Answered, EventName, PhaseName, QuantityText, Queue, QueuedInterrogation, Refused};
use runtime::shutdown::Shutdown;

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, entries, request, seconds, shown};

/// Returns the seconds that are granted, and whether they are the last.
fn granted(answer: &Answered) -> (u64, bool) {
    let Answered::Legs { legs } = answer else { panic!("{answer:?}") };
    let granted = legs[0].granted.unwrap_or_else(|| panic!("{answer:?}"));
    (granted.quantity.seconds.expect("seconds"), granted.is_final)
}

fn refused(answer: &Answered) -> &str {
    let Answered::Legs { legs } = answer else { panic!("{answer:?}") };
    &legs[0].refused.as_ref().unwrap_or_else(|| panic!("{answer:?}")).code
}

#[test]
fn a_call_is_granted_charged_and_in_the_history() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    let mut next = request(PhaseName::Next, 1);
    (next.legs[0].used, next.legs[0].wanted) = (seconds(60), seconds(60));
    let mut last = request(PhaseName::Final, 2);
    last.legs[0].used = seconds(30);
    let answers = ask(&system, vec![first, next.clone(), next, last]);
    assert_eq!(granted(&answers[0]), (60, false));
    let Answered::Legs { legs } = &answers[2] else { panic!("{answers:?}") };
    assert!(legs[0].repeated);
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    assert_eq!(account.balances[0].reserved, "0.00");
    assert!(account.sessions[0].ended);
    let history = call(&system, ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() });
    let kinds: Vec<&str> = history.entries.iter().map(|entry| entry.system.as_str()).collect();
    assert_eq!(kinds, ["revenue", "revenue", "refill"]);
    assert_eq!(history.entries[2].remark.as_ref().unwrap().reference, "p-1");
    assert_eq!(history.entries[0].balance, account.balances[0].amount);
    let charged = history.entries[0].charged.as_ref().expect("it says what it is for");
    assert_eq!((charged.service.as_str(), charged.other.as_str()), ("telephony", OTHER));
    assert_eq!((charged.used.as_str(), charged.priced), ("30 seconds", 90));
    let charged_before = history.entries[1].charged.as_ref().unwrap();
    assert_eq!(charged.before, charged_before.total);
    assert!(charged.steps.iter().any(|step| step.step == "set-up"), "{:?}", charged.steps);
    assert!(call(&system, ShowCharging {}).balanced);
    let checked = call(&system, CheckBooks {});
    assert_eq!((checked.accounts, checked.entries, checked.fault_count), (1, 3, 0));
    let exported = call(&system, ExportBooks::default()).entries;
    assert_eq!(exported.iter().map(|of| of.entry).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn sessions_go_on_after_a_restart() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    ask(&system, vec![first]);
    drop(system);
    let system = set_up.system();
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(60);
    assert!(matches!(ask(&system, vec![last])[0], Answered::Legs { .. }));
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    assert_eq!(account.balances[0].reserved, "0.00");
    assert_ne!(account.balances[0].amount, "100.00");
}

#[test]
fn an_account_that_is_suspended_or_closed_pays_for_nothing() {
    for (amount, standing) in [
        ("100", AccountStanding::Suspended),
        ("0.01", AccountStanding::Suspended),
        ("100", AccountStanding::Closed),
    ] {
        let set_up = SetUp::new();
        let system = set_up.with(amount);
        let (account, because) = ("#1".to_owned(), "stolen".to_owned());
        call(&system, SetStanding { account, standing, because });
        let mut first = request(PhaseName::First, 0);
        first.legs[0].wanted = seconds(60);
        // The reason is not that there is no money: a refill would not help.
        let answer = ask(&system, vec![first]).remove(0);
        assert_eq!(refused(&answer), "barred", "{amount} {standing:?}");
    }
}

#[test]
fn an_account_has_what_it_spent_within_each_limit() {
    let set_up = SetUp::defined("[limits.calls]\nservices = [\"telephony\"]\namount = \"50\"\n");
    let system = set_up.with("100");
    let limit = || shown(&system).limits.remove(0);
    let AccountLimit { limit: name, spent, most, consent, .. } = limit();
    assert_eq!((name.as_str(), spent.as_str(), most.as_str()), ("calls", "0.00", "50.00"));
    assert!(!consent);
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(60);
    ask(&system, vec![first, last]);
    let paid = entries(&system)[0].amount.clone();
    assert_eq!((paid.as_str(), limit().spent.as_str()), ("-0.84", "0.67"), "without 25 % of tax");
    let mut consent = request(PhaseName::Event, 0);
    (consent.session, consent.event) = ("consent".to_owned(), EventName::SpendConsent);
    ask(&system, vec![consent]);
    assert!(limit().consent);
}

#[test]
fn requests_with_mistakes_are_answered() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut unknown = request(PhaseName::First, 0);
    unknown.subscriber = "46700000000".to_owned();
    let mut damaged = request(PhaseName::First, 0);
    damaged.subscriber = "anna".to_owned();
    let mut twice = request(PhaseName::First, 0);
    twice.legs.push(twice.legs[0].clone());
    let mut empty = request(PhaseName::First, 0);
    empty.legs.clear();
    let event = request(PhaseName::Event, 0);
    let next = request(PhaseName::Next, 1);
    let answers = ask(&system, vec![unknown, damaged, twice, empty, next, event]);
    assert_eq!(answers[0], Answered::SubscriberUnknown);
    assert!(matches!(answers[5], Answered::Invalid { .. }), "an event without a quantity");
    assert!(answers[1..4].iter().all(|of| matches!(of, Answered::Invalid { .. })), "{answers:?}");
    assert_eq!(answers[4], Answered::SessionUnknown);
}

#[test]
fn an_event_is_charged_whether_it_says_used_or_wanted() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let event = |session: &str| {
        let mut event = request(PhaseName::Event, 0);
        session.clone_into(&mut event.session);
        event.legs[0].service = Some("sms".to_owned());
        event
    };
    let one = Some(QuantityText { events: Some(1), ..QuantityText::default() });
    let (mut used, mut wanted) = (event("sms-1"), event("sms-2"));
    (used.legs[0].used, wanted.legs[0].wanted) = (one, one);
    let price = |answer: &Answered| {
        let Answered::Legs { legs } = answer else { panic!("{answer:?}") };
        legs[0].price.as_ref().expect("a price").amount.clone()
    };
    let answers = ask(&system, vec![used, wanted]);
    assert_eq!(price(&answers[0]), price(&answers[1]));
    assert_ne!(price(&answers[0]), "0.00");
}

/// What must be true of money ends the process: a system without workers would leave all requests without an answer.
#[test]
fn a_worker_that_panics_is_noted() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let (queue, stop) = (Queue::new(1), Shutdown::default());
    let work = || {
        thread::scope(|scope| {
            queue.work(scope, &system, &stop).expect("threads");
            let panics = Box::new(|_| panic!("a fault"));
            queue.add(Box::new(QueuedInterrogation::new(
                "msc1".into(),
                request(PhaseName::Next, 1),
                panics,
            )));
        });
    };
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    assert!(queue.has_panicked());
}

#[test]
fn a_number_is_not_removed_during_its_call() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    ask(&system, vec![first]);
    let remove = || RemoveNumber { number: ANNA.to_owned(), because: "moved".to_owned() };
    let clerk = Clerk { system: &system, who: "anna", authority: Authority::Person };
    let refused = remove().perform(&clerk).expect_err("its usage would be lost");
    assert_eq!(refused, Refused::NumberInUse { number: ANNA.to_owned() });
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(60);
    ask(&system, vec![last]);
    assert!(remove().perform(&clerk).expect("the call has ended").numbers.is_empty());
}
