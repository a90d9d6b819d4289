//! Records that were rated elsewhere are debited, each once.

use prepaid::calls::{
    AccountHistory, AddNumber, CheckBooks, OpenAccount, RemoveNumber, SetStanding, ShowAccount,
    ShowCharging, ShowHistory,
};
use prepaid::{DebitedRecords, RatedRecords, System};
use serde_json::{Value, json};

use crate::set_up::{ANNA, OTHER, SetUp, call};

const BEA: &str = "46700000002";

/// Returns a record that began now.
fn record(number: &str, amount: &str) -> Value {
    let start = runtime::time::shown(runtime::time::now_ms());
    json!({ "number": number, "amount": amount, "start": start })
}

fn file(records: Vec<Value>) -> RatedRecords {
    let (file, digest) = ("rated-1.json".to_owned(), "d1".to_owned());
    RatedRecords { file, digest, first: 1, records }
}

fn debit(system: &System, records: &RatedRecords) -> DebitedRecords {
    system.debit("gateway", records).expect("an answer")
}

fn counts(of: &DebitedRecords) -> (u64, u64, usize) {
    (of.debited, of.repeated, of.refused.len())
}

fn balance(system: &System, account: &str) -> String {
    call(system, ShowAccount { account: account.to_owned() }).balances[0].amount.clone()
}

fn history(system: &System) -> AccountHistory {
    call(system, ShowHistory { account: ANNA.to_owned(), ..ShowHistory::default() })
}

#[test]
fn a_record_is_debited_once_and_says_where_it_came_from() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let mut sms = record(ANNA, "1.250000001");
    sms["service"] = "sms".into();
    sms["other"] = OTHER.into();
    sms["reference"] = "sms-17".into();
    let start = sms["start"].clone();
    let records = file(vec![record(ANNA, "0"), sms]);
    assert_eq!(counts(&debit(&system, &records)), (2, 0, 0));
    assert_eq!(balance(&system, ANNA), "98.749999999");
    drop(system);
    let system = set_up.system();
    // What costs nothing is not stored.
    assert_eq!(counts(&debit(&system, &records)), (1, 1, 0));
    assert_eq!(balance(&system, ANNA), "98.749999999");
    let entry = &history(&system).entries[0];
    assert_eq!((entry.amount.as_str(), entry.system.as_str()), ("-1.250000001", "revenue"));
    let remark = entry.remark.as_ref().unwrap();
    assert_eq!((remark.kind.as_str(), remark.who.as_str()), ("record", "client gateway"));
    assert_eq!(remark.reference, "sms-17");
    let origin = remark.record.as_ref().unwrap();
    assert_eq!((origin.file.as_str(), origin.line), ("rated-1.json", 2));
    assert_eq!((origin.service.as_str(), origin.other.as_str()), ("sms", OTHER));
    assert_eq!(start, origin.start.as_str());
    assert!(call(&system, ShowCharging {}).balanced);
    assert_eq!(call(&system, CheckBooks {}).fault_count, 0);
}

#[test]
fn the_same_record_of_another_line_file_or_client_is_another_one() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let one = record(ANNA, "1");
    let records = file(vec![one.clone(), one.clone()]);
    assert_eq!(counts(&debit(&system, &records)), (2, 0, 0));
    let of_line = RatedRecords { first: 2, ..file(vec![one.clone(), one]) };
    assert_eq!(counts(&debit(&system, &of_line)), (1, 1, 0));
    let of_contents = RatedRecords { digest: "d2".to_owned(), ..records.clone() };
    assert_eq!(counts(&debit(&system, &of_contents)), (2, 0, 0));
    let of_name = RatedRecords { file: "rated-2.json".to_owned(), ..records.clone() };
    assert_eq!(counts(&debit(&system, &of_name)), (2, 0, 0));
    let of_client = system.debit("gateway-2", &records).unwrap();
    assert_eq!(counts(&of_client), (2, 0, 0));
    assert_eq!(balance(&system, ANNA), "91.00");
}

#[test]
fn what_was_used_is_paid_beyond_the_balance_unless_the_account_is_closed() {
    let set_up = SetUp::new();
    let system = set_up.with("1");
    let standing = |of: &str| SetStanding {
        account: ANNA.to_owned(),
        standing: serde_json::from_value(of.into()).unwrap(),
        because: "a test".to_owned(),
    };
    call(&system, standing("suspended"));
    let mut records = file(vec![record(ANNA, "3.50")]);
    assert_eq!(counts(&debit(&system, &records)), (1, 0, 0));
    assert_eq!(balance(&system, ANNA), "-2.50");
    call(&system, standing("closed"));
    records.records.push(record(ANNA, "1"));
    let answer = debit(&system, &records);
    assert_eq!((counts(&answer), answer.refused[0].code.as_str()), ((0, 1, 1), "account-closed"));
}

#[test]
fn a_record_that_cannot_be_debited_is_refused_alone_and_debited_when_it_can_be() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let records = RatedRecords {
        first: 1_001,
        ..file(vec![json!("x"), record(BEA, "1"), record(ANNA, "2"), record(ANNA, "-1")])
    };
    let answer = debit(&system, &records);
    assert_eq!(counts(&answer), (1, 0, 3));
    let refused: Vec<_> = answer.refused.iter().map(|of| (of.line, of.code.as_str())).collect();
    let expected =
        [(1_001, "record-invalid"), (1_002, "number-unknown"), (1_004, "amount-invalid")];
    assert_eq!(refused, expected);
    assert!(answer.refused.iter().all(|of| !of.text.contains(BEA)), "{answer:?}");
    call(
        &system,
        OpenAccount { numbers: vec![BEA.to_owned()], standing: None, credit_limit: None },
    );
    assert_eq!(counts(&debit(&system, &records)), (1, 1, 2));
    assert_eq!((balance(&system, ANNA), balance(&system, BEA)), ("98.00".into(), "-1.00".into()));
}

#[test]
fn a_number_that_moves_to_another_account_takes_no_record_with_it() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let records = file(vec![record(ANNA, "2")]);
    assert_eq!(counts(&debit(&system, &records)), (1, 0, 0));
    call(
        &system,
        OpenAccount { numbers: vec![BEA.to_owned()], standing: None, credit_limit: None },
    );
    let (number, because) = (ANNA.to_owned(), "it moves".to_owned());
    call(&system, RemoveNumber { number: number.clone(), because: because.clone() });
    assert_eq!(counts(&debit(&system, &records)), (0, 1, 0), "no account has the number");
    call(&system, AddNumber { account: BEA.to_owned(), number, because });
    assert_eq!(counts(&debit(&system, &records)), (0, 1, 0));
    assert_eq!((balance(&system, BEA), balance(&system, "#1")), ("0.00".into(), "98.00".into()));
}

#[test]
fn records_that_come_at_the_same_time_are_debited_once() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let records = file((0..200).map(|_| record(ANNA, "0.01")).collect());
    let answers = std::thread::scope(|scope| {
        let debits: Vec<_> = (0..4).map(|_| scope.spawn(|| debit(&system, &records))).collect();
        debits.into_iter().map(|debit| debit.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(answers.iter().map(|of| of.debited).sum::<u64>(), 200);
    assert_eq!(answers.iter().map(|of| of.repeated).sum::<u64>(), 600);
    assert_eq!(balance(&system, ANNA), "98.00");
}

#[test]
fn a_request_without_a_file_or_with_too_many_records_is_refused() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    let records = file(vec![record(ANNA, "2")]);
    for refused in [
        RatedRecords { file: String::new(), ..records.clone() },
        RatedRecords { digest: "d".repeat(301), ..records.clone() },
        RatedRecords { first: 0, ..records.clone() },
        RatedRecords { first: u64::MAX, ..records.clone() },
        file(vec![record(ANNA, "2"); 10_001]),
    ] {
        assert!(system.debit("gateway", &refused).is_err());
    }
    assert_eq!(balance(&system, ANNA), "100.00");
}
