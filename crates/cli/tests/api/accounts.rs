//! Tests prepaid accounts in the API: the operations of the interface, beside a charging system that runs.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, example, tollgate};

/// A gateway that is served, with a charging system beside it.
struct Charged {
    served: Served,
    charging: Child,
}

impl Charged {
    fn start() -> Self {
        let folder = example();
        let tariff = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prepaid/tariff");
        let more = "[approval]\nabove = \"500\"\n[bundles.gift]\nprice = \"7\"\nevents = 5\n";
        let text = format!("plan = {tariff:?}\n{more}");
        std::fs::write(folder.path().join("charging.toml"), text).unwrap();
        let charging = run(&folder);
        Charged { served: Served::start(folder), charging }
    }

    /// Opens an account with an amount.
    fn account(&self, who: &As, number: &str, amount: &str) {
        self.served.done(who, "POST", "/api/accounts", Some(json!({"numbers": [number]})));
        let refill = json!({"amount": amount, "reference": format!("first of {number}")});
        let path = format!("/api/accounts/{number}/refill");
        self.served.done(who, "POST", &path, Some(refill));
    }
}

impl Drop for Charged {
    fn drop(&mut self) {
        let _ = self.charging.kill();
        let _ = self.charging.wait();
    }
}

/// Runs the charging system of a folder.
fn run(folder: &TempDir) -> Child {
    let mut command = tollgate(folder, "charge run");
    let mut process = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let begins = lines.next().expect("a line").unwrap();
    assert!(begins.starts_with("charging"), "{begins}");
    std::thread::spawn(move || lines.for_each(drop));
    process
}

#[test]
fn an_operator_opens_refills_corrects_and_blocks_accounts() {
    let charged = Charged::start();
    let served = &charged.served;
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    charged.account(&olaf, "46701000001", "100");
    charged.account(&olaf, "46701000002", "10");
    let path = "/api/accounts/46701000001";
    let post =
        |what: &str, body: Value| served.done(&olaf, "POST", &format!("{path}/{what}"), Some(body));
    let adjusted =
        post("adjust", json!({"amount": "-30", "because": "a complaint", "reference": "a-1"}));
    assert_eq!(adjusted["balance"], "70.00");
    let entry = adjusted["entry"].as_u64().unwrap();
    let reversed = post(&format!("entries/{entry}/reverse"), json!({"because": "it was right"}));
    assert_eq!(reversed["balance"], "100.00");
    let transfer =
        json!({"to": "46701000002", "amount": "5", "because": "a gift", "reference": "t-1"});
    assert_eq!(post("transfer", transfer)["balance"], "95.00");
    let new = json!({"unit": "octets", "services": ["data"]});
    let sold = json!({"amount": "1000", "because": "sold", "reference": "b-1", "new": new});
    post("adjust", sold);
    post("standing", json!({"standing": "suspended", "because": "stolen"}));
    post("numbers", json!({"number": "46701000003", "because": "a child"}));
    served.done(
        &olaf,
        "POST",
        "/api/numbers/46701000003/remove",
        Some(json!({"because": "moved"})),
    );
    let account = served.got(&olaf, path);
    assert_eq!(
        (&account["standing"], &account["numbers"]),
        (&json!("suspended"), &json!(["46701000001"]))
    );
    let history = served.got(&olaf, &format!("{path}/history?limit=2"));
    assert_eq!(
        (&history["entries"][0]["remark"]["because"], &history["more"]),
        (&json!("sold"), &json!(true))
    );
    let list = served.got(&olaf, "/api/accounts?begins=46701");
    assert_eq!(list["accounts"][1]["available"], "15.00");
    assert_eq!(served.got(&olaf, "/api/charging")["balanced"], true);
}

#[test]
fn a_large_refill_is_done_when_another_operator_approves_it() {
    let charged = Charged::start();
    let served = &charged.served;
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    let vera = served.invited(&anna, "vera", "viewer");
    charged.account(&olaf, "46701000001", "100");
    let path = "/api/accounts/46701000001";
    let post = |who: &As, path: &str, body: Value| {
        let answered = served.ask(who, "POST", path, Some(body));
        (answered.status, answered.json())
    };
    let refill = json!({"amount": "500.01", "reference": "p-1"});
    let (status, asked) = post(&olaf, &format!("{path}/refill"), refill);
    assert_eq!((status, &asked["code"]), (409, &json!("approval-needed")), "{asked}");
    let listed = served.got(&anna, "/api/charging/approvals");
    assert_eq!(
        (&listed["requests"][0]["who"], &listed["above"]),
        (&json!("olaf"), &json!("500.00"))
    );
    let because = json!({"because": "it is paid"});
    let approve = "/api/charging/approvals/1/approve";
    assert_eq!(post(&vera, approve, because.clone()).0, 403);
    assert_eq!(post(&olaf, approve, because.clone()).1["code"], "second-person-needed");
    assert_eq!(served.got(&olaf, path)["balances"][0]["amount"], "100.00");
    assert_eq!(post(&anna, approve, because.clone()).0, 200);
    assert_eq!(served.got(&olaf, path)["balances"][0]["amount"], "600.01");
    assert_eq!(
        post(&anna, "/api/charging/approvals/1/reject", because).1["code"],
        "request-unknown"
    );
    let bought = post(&olaf, &format!("{path}/buy"), json!({"bundle": "gift", "reference": "o-1"}));
    assert_eq!((bought.0, &bought.1["balance"]), (200, &json!("593.01")));
    assert_eq!(served.got(&vera, "/api/charging")["bundles"][0]["bundle"], "gift");
}

#[test]
fn accounts_are_shown_by_role_and_changed_by_operators() {
    let charged = Charged::start();
    let served = &charged.served;
    let anna = served.first();
    let (olaf, vera) =
        (served.invited(&anna, "olaf", "operator"), served.invited(&anna, "vera", "viewer"));
    charged.account(&olaf, "46701000001", "100");
    // Viewers do not see subscriber data here, and accounts are found by numbers.
    let hidden = served.ask(&vera, "GET", "/api/accounts/46701000001", None);
    assert_eq!((hidden.status, &hidden.json()["code"]), (403, &json!("subscriber-data-hidden")));
    assert_eq!(served.got(&vera, "/api/charging")["accounts"], 1);
    let refill = Some(json!({"amount": "1", "reference": "r"}));
    assert_eq!(served.ask(&vera, "POST", "/api/accounts/46701000001/refill", refill).status, 403);
    let trial = json!({"session": "web-1", "request": 0, "phase": "first", "service": "telephony",
        "called": "46812345678", "unit": "seconds", "wanted": 60, "because": "a look"});
    let path = "/api/accounts/46701000001/trial";
    assert_eq!(served.ask(&vera, "POST", path, Some(trial.clone())).status, 403);
    assert_eq!(served.done(&olaf, "POST", path, Some(trial))["granted"], 60);
    // A list of calls shows masked numbers to viewers, and finds none by its number.
    let sessions =
        |who, query: &str| served.ask(who, "GET", &format!("/api/charging/sessions{query}"), None);
    let masked = sessions(&vera, "").json();
    let session = &masked["sessions"][0];
    assert_eq!(
        (&masked["masked"], &session["number"], &session["called"]),
        (&json!(true), &json!("4670•••01"), &json!("4681•••78"))
    );
    assert_eq!(session["client"], "trial of olaf");
    assert_eq!(sessions(&vera, "?number=1000").json()["code"], "subscriber-data-hidden");
    assert_eq!(sessions(&olaf, "?number=1000").json()["sessions"][0]["number"], "46701000001");
    let price = "/api/accounts/46701000001/price?service=telephony&called=46812345678&quantity=60&unit=seconds";
    assert_eq!(served.got(&olaf, price)["charged"]["used"], "60 seconds");
    assert_eq!(served.ask(&vera, "GET", price, None).status, 403);
    served.got(&olaf, "/api/accounts/46701000001");
    let trail = served.got(&olaf, "/api/trail?limit=5");
    assert!(trail["entries"].as_array().unwrap().iter().any(|of| of["action"] == "account show"));
}

#[test]
fn a_charging_system_that_is_not_there_or_does_not_run_is_refused() {
    let served = Served::start(example());
    let anna = served.first();
    let missing = served.ask(&anna, "GET", "/api/charging", None);
    assert_eq!((missing.status, &missing.json()["code"]), (404, &json!("charging-missing")));
    let tariff = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prepaid/tariff");
    std::fs::write(served.folder.path().join("charging.toml"), format!("plan = {tariff:?}\n"))
        .unwrap();
    let stopped = served.ask(&anna, "GET", "/api/charging", None);
    assert_eq!((stopped.status, &stopped.json()["code"]), (503, &json!("charging-not-running")));
}
