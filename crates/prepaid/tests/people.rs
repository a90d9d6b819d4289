use std::thread;
use std::time::Duration;

use prepaid::calls::{
    ActivateVouchers, AddNumber, AdjustAccount, AmountUnit, Authority, BlockVouchers, Call, Clerk,
    ExportBooks, ImportSubscribers, ListAccounts, ListChargingTrail, ListRefusals, MakeVouchers,
    NewBalance, NewSubscriber, OpenAccount, RefillAccount, RemoveNumber, ReverseEntry,
    SetBarredServices, SetSubscriberType, ShowAccount, ShowCharging, ShowHistory, ShowVoucher,
    SumBooks, SummedBooks, TransferAmount, UnitSums, UseVoucher,
};
use prepaid::{Client, Definition, PhaseName, Refused, answer_calls};
use runtime::shutdown::Shutdown;

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, refusal, request, seconds, shown};

fn refill(amount: &str, reference: &str) -> RefillAccount {
    let (account, because) = (ANNA.to_owned(), String::new());
    RefillAccount { account, amount: amount.to_owned(), reference: reference.to_owned(), because }
}

fn adjustment(amount: &str, reference: &str) -> AdjustAccount {
    AdjustAccount {
        account: ANNA.to_owned(),
        amount: amount.to_owned(),
        because: "a complaint".to_owned(),
        reference: reference.to_owned(),
        ..AdjustAccount::default()
    }
}

#[test]
fn a_refill_counts_once() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let first = call(&system, refill("50.50", "p-2"));
    assert_eq!((first.balance.as_str(), first.repeated), ("150.50", false));
    let again = call(&system, refill("50.50", "p-2"));
    assert_eq!((again.balance.as_str(), again.repeated), ("150.50", true));
    assert_eq!(again.entry, first.entry);
    let other = refusal(&system, refill("60", "p-2"));
    assert_eq!(other, Refused::ReferenceReused { reference: "p-2".to_owned() });
    for amount in ["0", "-5", "1.005", "5 SEK"] {
        let refused = refusal(&system, refill(amount, "p-3"));
        assert!(matches!(refused, Refused::AmountInvalid { .. }), "{amount}: {refused:?}");
    }
}

#[test]
fn a_client_has_references_of_its_own() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let refill_by = |who: &str, authority| {
        let clerk = Clerk { system: &system, who, authority };
        let done = refill("10", "p-2").perform(&clerk).unwrap();
        (done.balance, done.repeated)
    };
    assert_eq!(refill_by("anna", Authority::Person), ("110.00".to_owned(), false));
    assert_eq!(refill_by("berta", Authority::Person), ("110.00".to_owned(), true));
    let (shop, bank) = (Clerk::client("shop"), Clerk::client("bank"));
    assert_eq!(refill_by(&shop, Authority::Network), ("120.00".to_owned(), false));
    assert_eq!(refill_by(&bank, Authority::Network), ("130.00".to_owned(), false));
    assert_eq!(refill_by(&bank, Authority::Network), ("130.00".to_owned(), true));
}

#[test]
fn an_adjustment_adds_takes_and_sells_bundles() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    assert_eq!(call(&system, adjustment("-30", "a-1")).balance, "70.00");
    assert_eq!(refusal(&system, adjustment("-71", "a-2")), Refused::NotEnough);
    let new = NewBalance {
        unit: AmountUnit::Octets,
        services: vec!["data".to_owned()],
        classes: vec![],
        priority: None,
        until: Some("2999-01-01T00:00:00Z".to_owned()),
    };
    call(&system, AdjustAccount { new: Some(new.clone()), ..adjustment("5000000", "a-3") });
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    let bundle = &account.balances[0];
    assert_eq!((bundle.unit, bundle.available.as_str()), (AmountUnit::Octets, "5000000"));
    assert_eq!(bundle.services, ["data"]);
    assert!(bundle.until.is_some());
    let services = vec!["radio".to_owned()];
    let unknown =
        AdjustAccount { new: Some(NewBalance { services, ..new }), ..adjustment("1", "a-4") };
    assert!(matches!(refusal(&system, unknown), Refused::ServiceUnknown { .. }));
    let silent = AdjustAccount { because: " ".to_owned(), ..adjustment("1", "a-5") };
    assert!(matches!(refusal(&system, silent), Refused::TextInvalid { .. }));
}

#[test]
fn a_period_is_summed_from_what_accounts_had_to_what_they_have() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    call(&system, adjustment("-30", "a-1"));
    let sums = |from: Option<&str>, to: Option<&str>| {
        let [from, to] = [from, to].map(|at| at.map(str::to_owned));
        let SummedBooks { units, .. } = call(&system, SumBooks { from, to });
        let of = |UnitSums { before, changes, after, .. }: &UnitSums| {
            let changes = changes.iter().map(|of| (of.system.clone(), of.amount.clone()));
            (before.clone(), changes.collect::<Vec<_>>(), after.clone())
        };
        units.iter().map(of).collect::<Vec<_>>()
    };
    let change = |system: &str, amount: &str| (system.to_owned(), amount.to_owned());
    let both = vec![change("refill", "-100.00"), change("adjustment", "30.00")];
    assert_eq!(sums(None, None), [("0.00".to_owned(), both, "70.00".to_owned())]);
    let later = ("70.00".to_owned(), vec![], "70.00".to_owned());
    assert_eq!(sums(Some("2999-01-01"), None), [later]);
    assert_eq!(sums(None, Some("2000-01-01"))[0].2, "0.00");
    let [from, to] = ["2026-02-01", "2026-01-01"].map(|at| Some(at.to_owned()));
    let refused = refusal(&system, SumBooks { from, to });
    assert!(matches!(refused, Refused::TimeInvalid { .. }), "{refused:?}");
}

#[test]
fn an_export_has_who_made_an_entry_and_why() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    call(&system, adjustment("-30", "a-1"));
    let exported = call(&system, ExportBooks { limit: Some(1), ..ExportBooks::default() });
    assert_eq!((exported.entries.len(), exported.currency.as_str()), (1, "SEK"));
    let last = exported.last.expect("a page has a last entry");
    let (after_account, after_entry) = (last.account, last.entry);
    let next = ExportBooks { after_account, after_entry, ..ExportBooks::default() };
    let [entry] = &call(&system, next.clone()).entries[..] else { panic!("one is left") };
    let remark = entry.remark.clone().expect("an adjustment has one");
    let found = (remark.who.as_str(), remark.because.as_str(), remark.reference.as_str());
    assert_eq!(found, ("anna", "a complaint", "a-1"));
    let to = Some("2000-01-01".to_owned());
    let none = call(&system, ExportBooks { to, ..next });
    assert!(none.entries.is_empty() && none.last.is_some());
}

#[test]
fn numbers_move_between_accounts() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let open = |number: &str| OpenAccount {
        numbers: vec![number.to_owned()],
        standing: None,
        credit_limit: None,
    };
    let twice = vec!["46700000003".to_owned(), "+46 70 000 00 03".to_owned()];
    let opened =
        call(&system, OpenAccount { numbers: twice.clone(), standing: None, credit_limit: None });
    assert_eq!(opened.numbers, twice[..1], "a number that is given twice is one");
    let other = call(&system, open("46700000002"));
    assert_eq!(
        refusal(&system, open("+46 70 000 00 02")),
        Refused::NumberTaken { number: "46700000002".to_owned() }
    );
    let because = "moved".to_owned();
    let add = || AddNumber {
        account: ANNA.to_owned(),
        number: "46700000002".to_owned(),
        because: because.clone(),
    };
    assert!(matches!(refusal(&system, add()), Refused::NumberTaken { .. }));
    call(&system, RemoveNumber { number: "46700000002".to_owned(), because: because.clone() });
    assert_eq!(call(&system, add()).numbers, ["46700000002", ANNA]);
    drop(system);
    let system = set_up.system();
    let found = call(&system, ShowAccount { account: "46700000002".to_owned() });
    assert_eq!(found.balances[0].amount, "100.00");
    let left = call(&system, ShowAccount { account: format!("#{}", other.account) });
    assert_eq!(left.numbers, [""; 0]);
}

#[test]
fn many_subscribers_are_imported_once() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let subscriber = |number: u64| NewSubscriber {
        number: number.to_string(),
        amount: if number.is_multiple_of(2) { "10".to_owned() } else { "0".to_owned() },
        subscriber_type: String::new(),
        line: None,
    };
    let subscribers: Vec<NewSubscriber> =
        (46_701_234_000..46_701_236_000).map(subscriber).collect();
    let import = || ImportSubscribers { subscribers: subscribers.clone(), only_check: false };
    let imported = call(&system, import());
    assert_eq!((imported.opened, imported.there), (1_999, 1));
    let again = call(&system, import());
    assert_eq!((again.opened, again.there), (0, 2_000));
    let list = |begins: &str, after: &str| ListAccounts {
        begins: begins.to_owned(),
        after: after.to_owned(),
        limit: Some(20),
        ..ListAccounts::default()
    };
    let page = call(&system, list("+46 70 123 45", ""));
    assert_eq!((page.accounts.len(), page.more), (20, true));
    assert_eq!(page.accounts[0].number, "46701234500");
    let last = call(&system, list("4670123450", "46701234507"));
    assert_eq!((last.accounts.len(), last.more), (2, false));
    assert_eq!(last.accounts[0].available, "10.00");
    let part = |part: &str, after: &str| {
        let (part, after) = (part.to_owned(), after.to_owned());
        let list = ListAccounts { part, after, limit: Some(2), ..ListAccounts::default() };
        let page = call(&system, list);
        let numbers = page.accounts.into_iter().map(|of| of.number).collect::<Vec<_>>();
        (numbers, page.more)
    };
    let of = |numbers: [&str; 2]| numbers.map(str::to_owned).to_vec();
    assert_eq!(part("234 55", ""), (of(["46701234550", "46701234551"]), true));
    assert_eq!(part("23455", "46701234557"), (of(["46701234558", "46701234559"]), false));
    let because = "moved".to_owned();
    call(&system, RemoveNumber { number: "46701234558".to_owned(), because });
    assert_eq!(part("234558", ""), (vec![], false));
    // More numbers than are looked at in order.
    let far = (46_800_000_000..46_800_002_500_u64).map(subscriber).collect();
    call(&system, ImportSubscribers { subscribers: far, only_check: false });
    assert_eq!(part("00249", "46800002497"), (of(["46800002498", "46800002499"]), false));
    assert_eq!(part("0024", ""), (of(["46800000024", "46800000240"]), true));
    assert_eq!(part("8", "46701235999"), (of(["46800000000", "46800000001"]), true));
}

#[test]
fn calls_reach_the_process_that_has_the_accounts() {
    let set_up = SetUp::new();
    drop(set_up.with("100"));
    let client = Client::new(&set_up.path());
    let show = || ShowAccount { account: ANNA.to_owned() };
    let refused = Client::of_running(&set_up.path()).call("anna", show());
    assert!(matches!(refused, Err(Refused::NotRunning { .. })), "{refused:?}");
    // Nothing runs: the client opens the accounts. A program that another test starts may have their lock for a moment.
    let shown = (0..100).find_map(|_| match client.call("anna", show()) {
        Err(Refused::Unusable { .. }) => {
            thread::sleep(Duration::from_millis(20));
            None
        }
        shown => Some(shown.unwrap()),
    });
    assert_eq!(shown.expect("it is free").balances[0].amount, "100.00");
    let state = Definition::read(&set_up.path()).unwrap().state;
    let (system, stop) = (set_up.system(), Shutdown::default());
    thread::scope(|scope| {
        let _stop = stop.set_on_drop();
        answer_calls(scope, (&system, &state), &stop).unwrap();
        let moved = client.call("anna", refill("1", "p-9")).unwrap();
        assert_eq!(moved.balance, "101.00");
        let refused = client.call("anna", ShowAccount { account: "1".to_owned() });
        assert_eq!(refused, Err(Refused::NumberUnknown { number: "1".to_owned() }));
        // A mistake in the definition keeps no one from a system that runs.
        set_up.write("plan = \"nowhere\"\n");
        assert_eq!(client.call("anna", show()).unwrap().balances[0].amount, "101.00");
    });
    let missing = Client::new(&set_up.folder().join("nothing.toml"));
    assert!(matches!(missing.call("anna", show()), Err(Refused::Missing { .. })));
}

#[test]
fn a_transfer_moves_money_once() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let numbers = vec!["46700000002".to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    let transfer = |amount: &str, to: &str| TransferAmount {
        account: ANNA.to_owned(),
        to: to.to_owned(),
        amount: amount.to_owned(),
        reference: "t-1".to_owned(),
        because: "a gift".to_owned(),
    };
    let moved = call(&system, transfer("30", "46700000002"));
    assert_eq!((moved.balance.as_str(), moved.repeated), ("70.00", false));
    assert!(call(&system, transfer("30", "46700000002")).repeated);
    let other = call(&system, ShowAccount { account: "46700000002".to_owned() });
    assert_eq!(other.balances[0].amount, "30.00");
    let too_much = TransferAmount { reference: "t-2".to_owned(), ..transfer("71", "46700000002") };
    assert_eq!(refusal(&system, too_much), Refused::NotEnough);
    let own = TransferAmount { reference: "t-3".to_owned(), ..transfer("1", ANNA) };
    assert!(matches!(refusal(&system, own), Refused::ReceiverInvalid { .. }));
}

#[test]
fn a_transfer_has_a_fee_and_a_day_has_a_limit() {
    let set_up = SetUp::defined("[transfers]\nfee = \"1.50\"\nper-day = \"50\"\n");
    let system = set_up.with("100");
    let numbers = vec!["46700000002".to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    let transfer = |amount: &str, reference: &str| TransferAmount {
        account: ANNA.to_owned(),
        to: "46700000002".to_owned(),
        amount: amount.to_owned(),
        reference: reference.to_owned(),
        because: "a gift".to_owned(),
    };
    let moved = call(&system, transfer("30", "t-1"));
    assert_eq!((moved.fee.as_deref(), moved.balance.as_str()), (Some("1.50"), "68.50"));
    let (most, currency) = ("50.00".to_owned(), "SEK".to_owned());
    let beyond = Refused::DayLimit { most, currency };
    assert_eq!(refusal(&system, transfer("20.01", "t-2")), beyond);
    assert!(call(&system, transfer("30", "t-1")).repeated, "a retry is no second transfer");
    assert_eq!(call(&system, transfer("20", "t-2")).balance, "47.00");
    drop(system);
    let system = set_up.system();
    assert_eq!(refusal(&system, transfer("0.01", "t-3")), beyond, "also after a start");
    let entry = &crate::set_up::entries(&system)[0];
    assert_eq!((entry.system.as_str(), entry.offer.as_deref()), ("fee", Some("transfer")));
    set_up.define("[transfers]\nfee = \"2\"\n");
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    let again = call(&system, transfer("20", "t-2"));
    assert_eq!((again.repeated, again.fee), (true, None), "the fee is no part of what it is");
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn an_entry_is_reversed_once() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let wrong = call(&system, adjustment("-30", "a-1"));
    let reverse = |entry| ReverseEntry {
        account: ANNA.to_owned(),
        entry,
        because: "it was right".to_owned(),
    };
    assert_eq!(call(&system, reverse(wrong.entry)).balance, "100.00");
    let again = call(&system, reverse(wrong.entry));
    assert!(again.repeated);
    assert!(matches!(refusal(&system, reverse(99)), Refused::EntryNotReversible { .. }));
    let account = ANNA.to_owned();
    let history = call(&system, ShowHistory { account, ..ShowHistory::default() });
    let remark = history.entries[0].remark.as_ref().unwrap();
    assert_eq!((history.entries.len(), remark.reverses), (3, Some(wrong.entry)));
}

#[test]
fn vouchers_are_used_once_and_guesses_lock_the_account() {
    let set_up = SetUp::new();
    let definition = std::fs::read_to_string(set_up.path()).unwrap();
    set_up.write(&format!("{definition}[vouchers]\nsecret-file = \"secret\"\n"));
    std::fs::write(set_up.folder().join("secret"), "sesame\n").unwrap();
    let system = set_up.with("100");
    let because = "for the shops".to_owned();
    let until = "2999-01-01T00:00:00Z".to_owned();
    let make = MakeVouchers {
        batch: 7,
        count: 3,
        amount: "50".to_owned(),
        until,
        because: because.clone(),
    };
    let made = call(&system, make.clone()).vouchers;
    assert!(matches!(refusal(&system, make), Refused::VoucherRefused { .. }));
    let used = |pin: &str| UseVoucher { account: ANNA.to_owned(), pin: pin.to_owned() };
    assert!(matches!(refusal(&system, used(&made[0].pin)), Refused::VoucherRefused { .. }));
    assert_eq!(call(&system, ActivateVouchers { batch: 7, because: because.clone() }).changed, 3);
    let one = Some(made[2].serial);
    let other = BlockVouchers { batch: 8, first: one, last: None, because: because.clone() };
    assert!(matches!(refusal(&system, other), Refused::VoucherRefused { .. }));
    call(&system, BlockVouchers { batch: 7, first: one, last: one, because: because.clone() });
    // What is blocked stays so.
    assert_eq!(call(&system, ActivateVouchers { batch: 7, because }).changed, 0);
    assert_eq!(call(&system, used(&made[0].pin)).amount, "50.00");
    assert!(call(&system, used(&made[0].pin)).repeated);
    let account = call(&system, ShowAccount { account: ANNA.to_owned() });
    assert_eq!(account.balances[0].amount, "150.00");
    let shown = call(&system, ShowVoucher { serial: made[0].serial });
    assert_eq!((shown.state.as_str(), shown.account), ("used", Some(account.account)));
    assert_eq!(call(&system, ShowVoucher { serial: made[2].serial }).state, "blocked");
    refusal(&system, used(&made[2].pin));
    refusal(&system, used("00000000000000"));
    refusal(&system, used("00000000000001"));
    let locked = refusal(&system, used(&made[1].pin));
    assert!(matches!(locked, Refused::VoucherLocked { .. }), "{locked:?}");
    let history = call(&system, ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() });
    let remark = serde_json::to_string(&history).unwrap();
    assert!(!remark.contains(&made[0].pin), "no PIN is stored");
}

#[test]
fn services_are_barred_and_types_are_changed_as_the_plan_names_them() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let bar = |services: &[&str]| SetBarredServices {
        account: ANNA.to_owned(),
        services: services.iter().map(|name| (*name).to_owned()).collect(),
        classes: None,
        because: "a child".to_owned(),
    };
    assert_eq!(call(&system, bar(&["telephony", "data"])).barred, ["telephony", "data"]);
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    ask(&system, vec![first]);
    let refused = call(&system, ListRefusals { account: ANNA.to_owned() }).refusals;
    assert_eq!(refused[0].code, "barred");
    let service = "telegraphy".to_owned();
    assert_eq!(refusal(&system, bar(&["telegraphy"])), Refused::ServiceUnknown { service });
    assert_eq!(call(&system, bar(&[])).barred, [""; 0]);
    let kind = |name: &str| SetSubscriberType {
        account: ANNA.to_owned(),
        subscriber_type: name.to_owned(),
        because: "a new contract".to_owned(),
    };
    assert_eq!(call(&system, kind("plus")).subscriber_type.as_deref(), Some("plus"));
    let subscriber_type = "minus".to_owned();
    assert_eq!(refusal(&system, kind("minus")), Refused::SubscriberTypeUnknown { subscriber_type });
    // Other names have places beside those of types.
    set_up.define("[limits.gold]\nservices = [\"data\"]\namount = \"5\"\n");
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    let subscriber_type = "gold".to_owned();
    assert_eq!(refusal(&system, kind("gold")), Refused::SubscriberTypeUnknown { subscriber_type });
    drop(system);
    let system = set_up.system();
    assert_eq!(shown(&system).subscriber_type.as_deref(), Some("plus"));
    assert_eq!(call(&system, kind("")).subscriber_type, None);
    let mut trail = call(&system, ListChargingTrail::default()).entries;
    trail.retain(|entry| entry.action != "charging version");
    let actions: Vec<&str> = trail.iter().map(|entry| entry.action.as_str()).take(4).collect();
    assert_eq!(actions, ["account type", "account type", "account bar", "account bar"]);
    let subjects = [&trail[0].subject, &trail[1].subject, &trail[2].subject];
    assert_eq!(
        subjects,
        ["account 1: the type of the number", "account 1: plus", "account 1: barred from nothing"]
    );
}

#[test]
fn subscribers_are_imported_with_their_types() {
    let set_up = SetUp::new();
    let system = set_up.system();
    let new = |number: &str, subscriber_type: &str| NewSubscriber {
        number: number.to_owned(),
        amount: "10".to_owned(),
        subscriber_type: subscriber_type.to_owned(),
        line: None,
    };
    let subscribers = vec![new(ANNA, "plus"), new(OTHER, "")];
    call(&system, ImportSubscribers { subscribers, only_check: false });
    assert_eq!(shown(&system).subscriber_type.as_deref(), Some("plus"));
    let of = call(&system, ShowAccount { account: OTHER.to_owned() });
    assert_eq!(of.subscriber_type, None);
    let wrong =
        ImportSubscribers { subscribers: vec![new("46701112223", "minus")], only_check: false };
    let subscriber_type = "minus".to_owned();
    assert_eq!(refusal(&system, wrong), Refused::SubscriberTypeUnknown { subscriber_type });
}

#[test]
fn an_import_that_is_only_checked_opens_nothing_and_names_all_mistakes() {
    let set_up = SetUp::new();
    let system = set_up.system();
    let import = |rows: [(&str, &str); 3], only_check| {
        let new = |(line, (number, amount)): (u64, (&str, &str))| NewSubscriber {
            number: number.to_owned(),
            amount: amount.to_owned(),
            subscriber_type: String::new(),
            line: Some(line),
        };
        ImportSubscribers { subscribers: (2..).zip(rows).map(new).collect(), only_check }
    };
    let right = [("46701234567", "10"), ("46701234568", "0"), ("46701234569", "1")];
    let checked = call(&system, import(right, true));
    assert_eq!((checked.opened, call(&system, ShowCharging {}).accounts), (0, 0));
    let wrong = [("0701234567", "10"), ("46701234568", "0"), ("46701234569", "ten")];
    let mistakes = call(&system, import(wrong, true)).mistakes;
    let lines: Vec<u64> = mistakes.iter().map(|mistake| mistake.line).collect();
    assert_eq!(lines, [2, 4]);
    assert!(mistakes[0].why.contains("has no country code"), "{mistakes:?}");
    assert!(mistakes[1].why.contains("\"ten\" is no amount"), "{mistakes:?}");
    let refused = refusal(&system, import(wrong, false));
    assert!(matches!(refused, Refused::NumberRefused { .. }), "{refused}");
    assert_eq!(call(&system, ShowCharging {}).accounts, 0);
    assert_eq!(call(&system, import(right, false)).opened, 3);
}
