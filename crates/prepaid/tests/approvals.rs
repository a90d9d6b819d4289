//! Four eyes: what needs a second person, and how it is approved.

use prepaid::calls::{
    AddNumber, AdjustAccount, ApproveRequest, Authority, Call, Clerk, ListApprovals,
    ListChargingTrail, OpenAccount, RefillAccount, RejectRequest, RemoveNumber, ReverseEntry,
    TransferAmount,
};
use prepaid::{Refused, System};

use crate::set_up::{ANNA, OTHER, SetUp, call, entries, refusal, shown};

const APPROVAL: &str = "[approval]\nabove = \"100.00\"\n";

fn by<C: Call>(system: &System, who: &str, call: C) -> Result<C::Reply, Refused> {
    call.perform(&Clerk { system, who, authority: Authority::Person })
}

fn refill(amount: &str, reference: &str) -> RefillAccount {
    let [account, amount, reference] = [ANNA, amount, reference].map(str::to_owned);
    RefillAccount { account, amount, reference, because: "in the shop".to_owned() }
}

fn approval(request: i64) -> ApproveRequest {
    ApproveRequest { request, because: "it is paid".to_owned() }
}

fn rejection(request: i64) -> RejectRequest {
    RejectRequest { request, because: "a typing error".to_owned() }
}

fn waits(request: i64) -> Refused {
    Refused::ApprovalNeeded { above: "100.00".to_owned(), request }
}

fn waiting(system: &System) -> Vec<i64> {
    call(system, ListApprovals {}).requests.iter().map(|of| of.request).collect()
}

fn main_balance(system: &System) -> String {
    shown(system).balances.pop().expect("the main balance is the last").amount
}

#[test]
fn a_refill_above_the_amount_is_done_when_a_second_person_approves_it() {
    let set_up = SetUp::defined(APPROVAL);
    let system = set_up.with("100");
    assert_eq!(refusal(&system, refill("100.01", "p-2")), waits(1));
    assert_eq!(refusal(&system, refill("100.01", "p-2")), waits(1), "it is asked for once");
    assert_eq!(main_balance(&system), "100.00", "nothing moves before");
    let listed = call(&system, ListApprovals {});
    assert_eq!(listed.above.as_deref(), Some("100.00"));
    let asked = &listed.requests[0];
    let texts = [&asked.who, &asked.action, &asked.subject, &asked.because].map(String::as_str);
    assert_eq!(texts, ["anna", "account refill", "account 1: 100.01", "in the shop (p-2)"]);
    for who in ["anna", "root (anna)"] {
        let refused = by(&system, who, approval(1)).expect_err("no second person");
        assert_eq!(refused, Refused::SecondPersonNeeded { who: "anna".to_owned() });
    }
    assert!(by(&system, &people::token_author("deploy"), approval(1)).is_err());
    assert_eq!(by(&system, "bo", approval(1)).unwrap().request, 1);
    assert_eq!((main_balance(&system).as_str(), waiting(&system)), ("200.01", vec![]));
    assert_eq!(by(&system, "bo", approval(1)), Err(Refused::RequestUnknown { request: 1 }));
    let remark = entries(&system)[0].remark.clone().expect("a remark");
    assert_eq!((remark.who.as_str(), remark.because.as_str()), ("anna", "in the shop"));
    let trail = call(&system, ListChargingTrail::default()).entries;
    let of = |place: usize| (trail[place].who.as_str(), trail[place].reason.as_str());
    assert_eq!(of(0), ("bo", "it is paid (asked for by anna: p-2)"));
    assert_eq!(of(1), ("anna", "asked for: in the shop (p-2)"));
    assert_eq!((trail.len(), trail[0].action.as_str()), (5, "account refill"));
}

#[test]
fn adjustments_transfers_and_reversals_wait_too() {
    let set_up = SetUp::defined(APPROVAL);
    let system = set_up.with("100");
    call(&system, refill("100", "p-2"));
    let numbers = vec![OTHER.to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    let [account, because] = [ANNA, "a complaint"].map(str::to_owned);
    let adjustment = |amount: &str| AdjustAccount {
        account: account.clone(),
        amount: amount.to_owned(),
        because: because.clone(),
        reference: format!("a {amount}"),
        ..AdjustAccount::default()
    };
    assert_eq!(refusal(&system, adjustment("-150")), waits(1));
    let [to, amount, reference] = [OTHER, "120", "t-1"].map(str::to_owned);
    let (account, because) = (account.clone(), because.clone());
    let transfer = TransferAmount { account, to, amount, reference, because };
    assert_eq!(refusal(&system, transfer), waits(2));
    by(&system, "bo", approval(2)).unwrap();
    assert_eq!(main_balance(&system), "80.00");
    // There is not enough for it now: it goes on waiting.
    assert_eq!(by(&system, "bo", approval(1)), Err(Refused::NotEnough));
    assert_eq!(waiting(&system), [1]);
    let (account, because) = ("#2".to_owned(), "wrong".to_owned());
    call(&system, AdjustAccount { account, ..adjustment("100") });
    let reverse =
        |entry| ReverseEntry { account: ANNA.to_owned(), entry, because: because.clone() };
    call(&system, reverse(1));
    assert_eq!(main_balance(&system), "-20.00", "an entry of the amount itself needs no other");
}

#[test]
fn a_rejected_request_is_not_done_and_its_number_is_given_once() {
    let set_up = SetUp::defined(APPROVAL);
    let system = set_up.with("100");
    assert_eq!(refusal(&system, refill("500", "p-2")), waits(1));
    call(&system, rejection(1));
    assert_eq!(refusal(&system, rejection(1)), Refused::RequestUnknown { request: 1 });
    assert_eq!((main_balance(&system).as_str(), waiting(&system)), ("100.00", vec![]));
    assert_eq!(refusal(&system, refill("500", "p-2")), waits(2));
}

#[test]
fn a_request_stays_with_its_account_when_the_number_moves() {
    let set_up = SetUp::defined(APPROVAL);
    let system = set_up.with("100");
    assert_eq!(refusal(&system, refill("500", "p-2")), waits(1));
    let [number, because] = [ANNA, "moved"].map(str::to_owned);
    call(&system, RemoveNumber { number: number.clone(), because: because.clone() });
    let numbers = vec![OTHER.to_owned()];
    call(&system, OpenAccount { numbers, standing: None, credit_limit: None });
    call(&system, AddNumber { account: OTHER.to_owned(), number, because });
    by(&system, "bo", approval(1)).unwrap();
    assert_eq!((shown(&system).account, main_balance(&system).as_str()), (2, "0.00"));
}

#[test]
fn programs_need_no_approval_and_tokens_cannot_ask_for_it() {
    let set_up = SetUp::defined(APPROVAL);
    let system = set_up.with("100");
    let clerk = Clerk { system: &system, who: "client shop", authority: Authority::Network };
    refill("500", "p-2").perform(&clerk).unwrap();
    assert_eq!(main_balance(&system), "600.00");
    let token = people::token_author("deploy");
    let refused = by(&system, &token, refill("500", "p-3")).expect_err("a token is no person");
    assert_eq!(refused, Refused::PersonNeeded { above: "100.00".to_owned() });
    assert!(waiting(&system).is_empty());
}
