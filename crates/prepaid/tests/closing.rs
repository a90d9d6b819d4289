//! Accounts that are closed, and limits of credit.

use prepaid::calls::{
    AccountStanding, AddNumber, OpenAccount, RemoveNumber, SetCreditLimit, SetStanding,
    ShowAccount, ShowCharging,
};
use prepaid::{PhaseName, Refused};

use crate::set_up::{ANNA, OTHER, SetUp, ask, call, entries, refusal, request, shown};

fn stand(standing: AccountStanding) -> SetStanding {
    SetStanding { account: "#1".to_owned(), standing, because: "the contract ended".to_owned() }
}

fn limit(amount: &str) -> SetCreditLimit {
    let [account, credit_limit, because] = ["#1", amount, "a good customer"].map(str::to_owned);
    SetCreditLimit { account, credit_limit, because }
}

fn open(number: &str) -> OpenAccount {
    OpenAccount { numbers: vec![number.to_owned()], standing: None, credit_limit: None }
}

#[test]
fn a_closed_account_has_nothing_left_and_stays_closed() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    ask(&system, vec![request(PhaseName::First, 0)]);
    let account = call(&system, stand(AccountStanding::Closed));
    assert_eq!((account.standing, account.balances.len()), (AccountStanding::Closed, 1));
    let main = &account.balances[0];
    assert_eq!((main.amount.as_str(), main.reserved.as_str()), ("0.00", "0.00"));
    assert!(account.sessions.iter().all(|session| session.ended));
    let entry = &entries(&system)[0];
    assert_eq!((entry.amount.as_str(), entry.system.as_str()), ("-100.00", "expired"));
    for standing in [AccountStanding::Active, AccountStanding::Closed] {
        assert_eq!(refusal(&system, stand(standing)), Refused::AccountClosed);
    }
    assert_eq!(refusal(&system, limit("5")), Refused::AccountClosed);
    let (account, number) = ("#1".to_owned(), OTHER.to_owned());
    let more = AddNumber { account, number, because: "more".to_owned() };
    assert_eq!(refusal(&system, more), Refused::AccountClosed);
    assert!(call(&system, ShowCharging {}).balanced);
}

#[test]
fn a_number_of_a_closed_account_is_in_quarantine() {
    let set_up = SetUp::defined("[numbers]\nquarantine = \"1 day\"\n");
    let system = set_up.with("100");
    call(&system, stand(AccountStanding::Closed));
    let taken = Refused::NumberTaken { number: ANNA.to_owned() };
    assert_eq!(refusal(&system, open(ANNA)), taken);
    assert_eq!(shown(&system).account, 1);
    // A person may free it earlier.
    call(&system, RemoveNumber { number: ANNA.to_owned(), because: "it is hers".to_owned() });
    assert_eq!(call(&system, open(ANNA)).account, 2);
}

#[test]
fn after_the_quarantine_another_account_gets_the_number() {
    let set_up = SetUp::defined("[numbers]\nquarantine = \"1 ms\"\n");
    let system = set_up.with("100");
    call(&system, stand(AccountStanding::Closed));
    std::thread::sleep(std::time::Duration::from_millis(3));
    assert_eq!(call(&system, open(ANNA)).account, 2);
    assert_eq!(shown(&system).account, 2);
    drop(system);
    let system = set_up.system();
    assert_eq!(shown(&system).account, 2);
    assert!(call(&system, ShowAccount { account: "#1".to_owned() }).numbers.is_empty());
}

#[test]
fn a_limit_of_credit_lets_an_account_be_overdrawn() {
    let set_up = SetUp::new();
    let system = set_up.with("1");
    let account = call(&system, limit("50.00"));
    let available = account.balances[0].available.as_str();
    assert_eq!((account.credit_limit.as_str(), available), ("50.00", "51.00"));
    assert_eq!(call(&system, limit("0")).balances[0].available, "1.00");
    assert!(matches!(refusal(&system, limit("-5")), Refused::AmountInvalid { .. }));
}
