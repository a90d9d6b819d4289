//! Tests a charging system as its users meet it: commands, and networks over HTTP.

mod import;
mod overload;
mod pauses;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use postgres_server::Server;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::memory::resident;
use crate::common::wait::wait_for;
use crate::crash::disk;

/// A charging system in a folder, with the example's tariff and a hundred subscribers.
pub(crate) struct Charging {
    folder: Folder,
    process: Option<Child>,
    pub(crate) url: String,
    /// What it has logged.
    log: Arc<Mutex<Vec<String>>>,
}

/// Where a charging system is.
enum Folder {
    Own(TempDir),
    /// On a disk of a test.
    Of(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Folder::Own(folder) => folder.path(),
            Folder::Of(path) => path,
        }
    }
}

pub(crate) const SUBSCRIBERS: u64 = 100;
pub(crate) const FIRST: u64 = 46_701_000_000;

/// More money than any load of these tests costs.
const ENDLESS: &str = "1000000";

impl Charging {
    pub(crate) fn new() -> Self {
        Self::within(Folder::Own(TempDir::new().unwrap()), "200")
    }

    /// Makes one whose subscribers never run out of money.
    pub(crate) fn endless() -> Self {
        Self::within(Folder::Own(TempDir::new().unwrap()), ENDLESS)
    }

    /// Makes one whose accounts are in a database, and another one on the same accounts. Subscribers never run out of money.
    pub(crate) fn two_in_a_database(server: &Server) -> [Self; 2] {
        let tables = format!("[database]\nserver = \"{}\"\n", server.address("postgres"));
        let folder = || Folder::Own(TempDir::new().unwrap());
        let one = Self::defined(folder(), ENDLESS, &tables);
        one.import();
        [one, Self::defined(folder(), ENDLESS, &tables)]
    }

    /// Makes one in a folder that stays, whose subscribers never run out of money.
    pub(crate) fn endless_at(folder: &Path) -> Self {
        Self::within(Folder::Of(folder.to_owned()), ENDLESS)
    }

    /// Returns that of a folder that has one.
    pub(crate) fn of(folder: &Path) -> Self {
        Charging {
            folder: Folder::Of(folder.to_owned()),
            process: None,
            url: String::new(),
            log: Arc::default(),
        }
    }

    fn within(folder: Folder, amount: &str) -> Self {
        let charging = Self::defined(folder, amount, "");
        charging.import();
        charging
    }

    /// Writes a definition with more tables, and the subscribers.
    fn defined(folder: Folder, amount: &str, tables: &str) -> Self {
        let tariff = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prepaid/tariff");
        let text = format!("plan = {tariff:?}\n[http]\nlisten = \"127.0.0.1:0\"\n{tables}");
        std::fs::write(folder.path().join("charging.toml"), text).unwrap();
        let subscriber = |at: u64| {
            let amount = if at.is_multiple_of(20) { "0.35" } else { amount };
            format!("{},{amount}\n", FIRST + at)
        };
        let subscribers: String = (0..SUBSCRIBERS).map(subscriber).collect();
        std::fs::write(folder.path().join("subscribers.csv"), subscribers).unwrap();
        Charging { folder, process: None, url: String::new(), log: Arc::default() }
    }

    fn import(&self) {
        let said = self.run("subscriber import subscribers.csv");
        assert!(said.starts_with("100 accounts are opened"), "{said}");
    }

    /// Adds tables to the definition.
    pub(crate) fn define(&self, tables: &str) {
        let path = self.folder.path().join("charging.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("{text}{tables}")).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(self.folder.path()).args(line.split(' '));
        command
    }

    /// Runs a command that must succeed, and returns its output.
    pub(crate) fn run(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {wrong}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.run(&format!("{line} --json"))).unwrap()
    }

    /// Starts the system, and waits until networks reach it.
    pub(crate) fn start(&mut self) {
        self.start_as(self.command("charge run"));
    }

    /// Returns the octets that its process has in memory.
    pub(crate) fn memory(&self) -> u64 {
        resident(self.process.as_ref().expect("it runs").id())
    }

    /// Starts the system by a command.
    pub(crate) fn start_as(&mut self, mut run: Command) {
        let mut process = run.stderr(Stdio::piped()).spawn().expect("a process");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let begins = lines.next().expect("a line").unwrap();
        // What it logs later must not block it.
        self.log = Arc::default();
        let log = Arc::clone(&self.log);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| log.lock().unwrap().push(line));
        });
        self.url = begins.rsplit(' ').next().expect("an address").to_owned();
        assert!(self.url.starts_with("http://127.0.0.1:"), "{begins}");
        self.process = Some(process);
    }

    /// Starts the system at an address that the next processes listen at, too.
    pub(crate) fn start_at_one_address(&mut self) {
        self.start();
        let address = self.address().to_owned();
        let path = self.folder.path().join("charging.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("127.0.0.1:0", &address)).unwrap();
        // A power cut must not take it back.
        std::fs::File::open(&path).unwrap().sync_all().unwrap();
    }

    /// Returns the address and port of a system that runs.
    fn address(&self) -> &str {
        self.url.strip_prefix("http://").expect("an address")
    }

    /// Returns where clients of Diameter reach a system that runs.
    pub(crate) fn diameter_address(&self) -> SocketAddr {
        self.diameter_addresses()[0]
    }

    /// Returns where they reach it with TLS.
    pub(crate) fn diameter_tls_address(&self) -> SocketAddr {
        self.diameter_addresses()[1]
    }

    fn diameter_addresses(&self) -> Vec<SocketAddr> {
        let mut found = Vec::new();
        wait_for("the server of Diameter", || {
            let log = self.log.lock().unwrap();
            let line = log.iter().find(|line| line.starts_with("peers of Diameter reach"));
            let words = line.iter().flat_map(|line| line.split(' '));
            found = words.filter_map(|word| word.parse().ok()).collect();
            !found.is_empty()
        });
        found
    }

    /// Waits for a line of the log with a text: the log comes by a pipe, so
    /// that what has happened may be read a moment later.
    pub(crate) fn expect_logged(&self, text: &str) {
        wait_for("the log", || self.has_logged(text));
    }

    /// Returns whether a line of the log that was read by now has a text.
    pub(crate) fn has_logged(&self, text: &str) -> bool {
        self.log.lock().unwrap().iter().any(|line| line.contains(text))
    }

    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().expect("it runs");
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Stops the system in order.
    pub(crate) fn stop(&mut self) {
        let mut process = self.process.take().expect("it runs");
        let pid = nix::unistd::Pid::from_raw(process.id().cast_signed());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        assert!(process.wait().unwrap().success());
    }

    /// Returns the metrics of a system that runs.
    pub(crate) fn metrics(&self) -> String {
        got(&format!("{}/metrics", self.url), None).1
    }

    pub(crate) fn ask(&self, body: &str) -> (u16, Value) {
        self.try_ask(body).expect("an answer")
    }

    fn try_ask(&self, body: &str) -> Option<(u16, Value)> {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build();
        let agent: ureq::Agent = agent.into();
        let post = agent.post(format!("{}/interrogations", self.url));
        let mut response = post.header("content-type", "application/json").send(body).ok()?;
        let text = response.body_mut().read_to_string().ok()?;
        Some((response.status().as_u16(), serde_json::from_str(&text).expect("JSON")))
    }

    /// Returns the money of subscribers, or of an account of the operator, in hundredths.
    fn money_of(&self, of: &str) -> i128 {
        let figures = self.json("charge show");
        let mut balances = figures["balances"].as_array().expect("balances").iter();
        let balance = balances.find(|balance| balance["of"] == of && balance["unit"] == "money");
        let amount = balance.map_or("0", |balance| balance["amount"].as_str().expect("an amount"));
        amount.replace('.', "").parse().expect("an amount")
    }

    pub(crate) fn is_balanced(&self) -> bool {
        let checked = self.json("ledger check");
        assert_eq!(checked["fault_count"], 0, "{checked}");
        let figures = self.json("charge show");
        assert_eq!(figures["open_sessions"], 0, "{figures}");
        figures["balanced"] == true
    }
}

impl Drop for Charging {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.kill();
        }
    }
}

#[test]
fn a_network_charges_a_call_over_http() {
    let mut charging = Charging::new();
    charging.start();
    let first = r#"{"session":"a","phase":"first","subscriber":"+46701000001",
        "legs":[{"service":"telephony","other":"+46812345678","wanted":{"seconds":60}}]}"#;
    let (status, answer) = charging.ask(first);
    assert_eq!((status, &answer["legs"][0]["granted"]["seconds"]), (200, &60.into()), "{answer}");
    let account = charging.json("account show 46701000001");
    assert_eq!(account["balances"][0]["reserved"], "0.60");
    assert_eq!(account["sessions"][0]["services"][0], "telephony");
    let last = r#"{"session":"a","number":1,"phase":"final","subscriber":"46701000001",
        "legs":[{"used":{"seconds":45}}]}"#;
    assert_eq!(charging.ask(last).0, 200);
    let again = charging.ask(last).1;
    assert_eq!(again["legs"][0]["repeated"], true);
    let account = charging.json("account show 46701000001");
    assert_eq!(account["balances"][0]["amount"], "199.55");
    let explained = charging.run("account explain 46701000001 2");
    for part in ["telephony of 46701000001 to +46812345678", "45 seconds", "prices.csv"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    let enquiry = r#"{"session":"b","phase":"event","event":"price-enquiry","subscriber":"46701000001",
        "legs":[{"service":"sms","other":"46702000000","used":{"events":2}}]}"#;
    assert_eq!(charging.ask(enquiry).1["legs"][0]["price"]["amount"], "0.98");
    let unknown = first.replace("46701000001", "46709999999").replace("\"a\"", "\"c\"");
    assert_eq!(charging.ask(&unknown).1["code"], "subscriber-unknown");
    assert_eq!(charging.ask(&last.replace("\"a\"", "\"d\"")).0, 404);
    assert_eq!(charging.ask("{}").0, 422);
    charging.stop();
    assert!(charging.is_balanced());
}

#[test]
fn bundles_fees_and_bonuses_are_sold_charged_and_given() {
    let mut charging = Charging::new();
    charging.define(
        "[bundles.day]\nprice = \"15\"\nseconds = 60\nservices = [\"telephony\"]\nvalid = \"1 day\"\nrenews = true\n\
         [fees.monthly]\namount = \"10\"\nevery = \"1 month\"\n\
         [bonuses.large]\nat-least = \"50\"\nevents = 9\n",
    );
    let checked = charging.run("charge check");
    for part in ["bundles:  day", "fees:     monthly 10.00 SEK", "bonuses:  large"] {
        assert!(checked.contains(part), "{part}: {checked}");
    }
    charging.start();
    let account = "account show 46701000001";
    let main = |charging: &Charging| {
        let balances = charging.json(account)["balances"].take();
        balances.as_array().unwrap().last().unwrap()["amount"].clone()
    };
    // Accounts that are there begin with the fee, which upkeep charges.
    wait_for("the fee", || main(&charging) == "190.00");
    let buy = "account buy 46701000001 day --reference order-1";
    assert_eq!(charging.run(buy), "balance: 175.00 SEK\n");
    assert!(charging.run(buy).contains("it was bought before"));
    // A minute of the bundle pays for the call.
    let first = r#"{"session":"a","phase":"first","subscriber":"+46701000001",
        "legs":[{"service":"telephony","other":"+46812345678","wanted":{"seconds":60}}]}"#;
    assert_eq!(charging.ask(first).1["legs"][0]["granted"]["seconds"], 60);
    let last = r#"{"session":"a","number":1,"phase":"final","subscriber":"46701000001",
        "legs":[{"used":{"seconds":60}}]}"#;
    assert_eq!(charging.ask(last).0, 200);
    assert_eq!(main(&charging), "175.00");
    let refilled = charging.run("account refill 46701000001 50 --reference p-1");
    assert!(refilled.contains("bonus large: 9 events"), "{refilled}");
    let history = charging.run("account history 46701000001");
    for part in ["-15.00 SEK", "day, order-1", "monthly, the period from", "large, p-1"] {
        assert!(history.contains(part), "{part}: {history}");
    }
    assert!(charging.run("account explain 46701000001 3").contains("(bundle day)"));
    assert!(charging.run(account).contains("the bundle day is due at"));
    let cancelled = charging.run("account cancel 46701000001 day --because enough");
    assert!(!cancelled.contains("the bundle day") && cancelled.contains("the fee monthly"));
    charging.kill();
    charging.start();
    assert_eq!(main(&charging), "225.00", "a kill charges nothing again");
    charging.stop();
    assert!(charging.is_balanced());
}

#[test]
fn an_account_is_closed_and_a_large_refill_waits_for_a_second_person() {
    let charging = Charging::new();
    charging.define("[approval]\nabove = \"100\"\n");
    let refill = charging.command("account refill 46701000001 150 --reference p-1").output();
    let refill = refill.unwrap();
    assert!(!refill.status.success());
    let why = String::from_utf8(refill.stderr).unwrap();
    assert!(why.contains("this is request 1 now"), "{why}");
    let asked = charging.run("account approvals");
    assert!(asked.contains("account refill") && asked.contains("150"), "{asked}");
    // The same user is no second person.
    let alone = charging.command("account approve 1 --because paid").output().unwrap();
    let why = String::from_utf8(alone.stderr).unwrap();
    assert!(why.contains("another user must approve it"), "{why}");
    let rejected = charging.run("account reject 1 --because mistake");
    assert!(rejected.contains("request 1 is rejected: account refill"), "{rejected}");
    let limited = charging.json("account limit 46701000001 25 --because trust");
    assert_eq!(limited["balances"][0]["available"], "225.00");
    let closed = charging.json("account close 46701000001 --because left");
    assert_eq!(
        (&closed["standing"], &closed["balances"][0]["amount"]),
        (&"closed".into(), &"0.00".into())
    );
    let again = charging.command("account unblock 46701000001 --because mistake").output().unwrap();
    assert!(String::from_utf8(again.stderr).unwrap().contains("closed for ever"));
    let other = charging.command("account open 46701000001").output().unwrap();
    assert!(String::from_utf8(other.stderr).unwrap().contains("another account has the number"));
    assert!(charging.is_balanced());
}

#[test]
fn a_check_names_each_secret_that_cannot_be_read() {
    let charging = Charging::new();
    charging.define(
        "[clients.msc1]\ntoken-file = \"msc1.token\"\n[vouchers]\nsecret-file = \"vouchers.secret\"\n\
         [notices]\nurl = \"http://127.0.0.1:9/\"\ntoken-file = \"notices.token\"\n",
    );
    std::fs::write(charging.folder().join("vouchers.secret"), "\n").unwrap();
    std::fs::write(charging.folder().join("notices.token"), "hush").unwrap();
    let checked = charging.command("charge check").output().unwrap();
    assert!(checked.status.success());
    let warnings = String::from_utf8(checked.stderr).unwrap();
    for part in [
        "charging.toml:5:15: warning: could not read \"msc1.token\"",
        "charging.toml:7:16: warning: \"vouchers.secret\" is empty",
    ] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
    assert!(!warnings.contains("notices.token\""), "{warnings}");
    let checked = charging.json("charge check");
    assert_eq!(checked["warnings"][1]["line"], 7, "{checked}");
    std::fs::write(charging.folder().join("vouchers.secret"), "grain of salt").unwrap();
    std::fs::write(charging.folder().join("msc1.token"), "hush").unwrap();
    assert_eq!(charging.json("charge check")["warnings"], serde_json::json!([]));
}

#[test]
fn what_subscribers_have_is_what_their_calls_left() {
    let mut charging = Charging::new();
    charging.start();
    let load =
        "--first-number 46701000000 --subscribers 100 --attempts 600 --second 0.01 --repeated 0.2";
    let report = charging.json(&format!("simulate calls --url {} {load}", charging.url));
    assert_eq!((&report["faults"], &report["failed"]), (&0.into(), &0.into()), "{report}");
    assert!(report["cut"].as_u64().unwrap() + report["refused"].as_u64().unwrap() > 0, "{report}");
    assert!(charging.is_balanced());
    charging.stop();
    let in_process = charging.json(&format!("simulate calls --charging charging.toml {load}"));
    assert_eq!(in_process["faults"], 0, "{in_process}");
    assert!(charging.is_balanced());
}

#[test]
fn the_sums_of_all_time_are_the_figures() {
    let charging = Charging::new();
    charging.run("account adjust 46701000001 -12.50 --because complaint");
    let sums = charging.json("ledger sums")["units"][0]["changes"].take();
    let sums = sums.as_array().unwrap().iter().map(|of| (of["system"].clone(), &of["amount"]));
    let figures = charging.json("charge show")["balances"].take();
    let of_figures = |system: &Value| {
        let all = figures.as_array().unwrap().iter();
        all.clone().find(|of| of["of"] == *system).unwrap()["amount"].clone()
    };
    let sums: Vec<(Value, Value)> = sums.map(|(system, amount)| (system, amount.clone())).collect();
    assert_eq!(sums.len(), 2, "{sums:?}");
    for (system, amount) in sums {
        assert_eq!(amount, of_figures(&system), "{system}");
    }
    assert_eq!(of_figures(&"adjustment".into()), "12.50");
}

#[test]
fn the_same_calls_are_made_again_at_once_and_charged_again() {
    let mut charging = Charging::endless();
    charging.start();
    let url = &charging.url;
    let calls = format!("simulate calls --url {url} --subscribers 100 --attempts 50 --seed 7");
    let first = charging.json(&calls);
    let second = charging.json(&calls);
    assert_eq!((&first["faults"], &second["faults"]), (&0.into(), &0.into()), "{second}");
    assert_ne!(second["taken"], "0");
}

#[test]
fn the_history_names_the_service_of_a_refund_and_the_voucher_of_a_refill() {
    let mut charging = Charging::new();
    std::fs::write(charging.folder().join("vouchers.secret"), "grain of salt").unwrap();
    charging.define("[vouchers]\nsecret-file = \"vouchers.secret\"\n");
    let make = "voucher make 7 --count 1 --amount 5 --until 2100-01-01T00:00:00Z --because shops";
    let made = charging.json(make);
    charging.run("voucher activate 7 --because sold");
    let pin = made["pin"].as_str().unwrap();
    let used = charging.json(&format!("voucher use 46701000001 {pin}"));
    charging.start();
    let refund = r#"{"session":"a","phase":"event","event":"refund","subscriber":"46701000001",
        "legs":[{"service":"sms","other":"+46702000000","used":{"events":2}}]}"#;
    assert_eq!(charging.ask(refund).1["legs"][0]["price"]["amount"], "0.98");
    let history = charging.run("account history 46701000001");
    let voucher = format!("voucher {} of batch 7", used["serial"]);
    for part in ["refund of sms to +46702000000: 2 events", &voucher] {
        assert!(history.contains(part), "{part}: {history}");
    }
    let explained = charging.run("account explain 46701000001 3");
    for part in ["0.98 SEK (revenue)", "refund of sms of 46701000001 to +46702000000"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    assert!(!explained.contains("other entries paid"), "{explained}");
    assert!(charging.run("account explain 46701000001 2").contains(&voucher));
}

/// The four cases of paper V: calls with requests in the middle or without (NO I, NO), each reserved or not (O I, O).
#[test]
fn in_each_dialogue_the_revenue_is_what_the_clients_have_used() {
    for (tables, intermediates) in [
        ("", 2),
        ("", 0),
        ("[grants]\nreserve-below = \"20.00\"\n", 2),
        ("[grants]\nreserve-below = \"20.00\"\n", 0),
    ] {
        let mut charging = Charging::new();
        charging.define(tables);
        charging.start();
        let report = charging.json(&format!(
            "simulate calls --url {} --subscribers 100 --attempts 300 --intermediates {intermediates} --repeated 0.1",
            charging.url
        ));
        let case = format!("{tables} {intermediates}: {report}");
        assert_eq!((&report["faults"], &report["failed"]), (&0.into(), &0.into()), "{case}");
        // Billionths, at the clients and at the balances.
        let cost: i128 = report["cost"].as_str().expect("a sum").parse().unwrap();
        assert_eq!(report["cost"], report["taken"], "{case}");
        let of = |of: &str| charging.money_of(of) * 10_000_000;
        assert_eq!(of("revenue"), cost, "{case}");
        assert_eq!(of("subscribers") + of("revenue") + of("refill"), 0, "{case}");
        assert!(charging.is_balanced(), "{case}");
    }
}

#[test]
fn nothing_is_open_two_validity_times_after_the_clients_are_gone() {
    let mut charging = Charging::endless();
    charging.define("[grants]\nvalidity = \"2 seconds\"\nremembered = \"1 second\"\n");
    charging.start();
    let calls =
        format!("simulate calls --url {} --subscribers 100 --attempts 1000000", charging.url);
    let mut clients =
        charging.command(&calls).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let open = |charging: &Charging| {
        charging.json("charge show")["open_sessions"].as_u64().expect("a count")
    };
    wait_for("calls", || open(&charging) > 0);
    clients.kill().unwrap();
    clients.wait().unwrap();
    // Validity times differ by a tenth, so that sessions do not come back together.
    std::thread::sleep(std::time::Duration::from_millis(2 * 2_200 + 1_000));
    let figures = charging.json("charge show");
    assert_eq!((&figures["open_sessions"], &figures["reserved"]), (&0.into(), &"0.00".into()));
    assert!(charging.is_balanced());
}

/// A request that is not answered may be charged or not; sent again, it is charged once.
#[test]
fn a_full_disk_is_refused_and_charging_goes_on_when_there_is_room() {
    let folder = TempDir::new().unwrap();
    let disk = match disk::Small::new(&folder.path().join("charging.state"), 8 << 10) {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("LEFT OUT: a full disk under the accounts: {reason}"),
    };
    let mut charging = Charging::within(Folder::Own(folder), "200");
    charging.start_at_one_address();
    let event = |number: u32| {
        format!(
            r#"{{"session":"{number}","phase":"event","subscriber":"46701000001",
            "legs":[{{"service":"sms","other":"46702000000","used":{{"events":1}}}}]}}"#
        )
    };
    assert_eq!(charging.ask(&event(0)).0, 200);
    disk.fill();
    let refused = (1..1_000).find(|number| charging.ask(&event(*number)).0 == 503);
    let refused = refused.expect("there is no room for a thousand events");
    disk.free();
    wait_for("charging goes on", || matches!(charging.try_ask(&event(refused)), Some((200, _))));
    let paid = 0.49 * f64::from(refused + 1);
    let account = charging.json("account show 46701000001");
    let amount: f64 = account["balances"][0]["amount"].as_str().unwrap().parse().unwrap();
    assert!((200.0 - paid - amount).abs() < 0.001, "{refused} {account}");
    charging.stop();
    assert!(charging.is_balanced());
    // Before its folder.
    drop(disk);
}

#[test]
fn the_history_says_which_entry_is_reversed() {
    let charging = Charging::new();
    charging.run("account adjust 46701000001 -5.00 --because mistake");
    charging.run("account reverse 46701000001 2 --because twice");
    let lines = charging.run("account history 46701000001");
    let newest = lines.lines().next().expect("a line");
    assert!(newest.contains("reverses entry 2") && newest.contains("twice"), "{lines}");
}

#[test]
fn only_clients_with_a_token_are_answered() {
    let mut charging = Charging::new();
    let path: PathBuf = charging.folder.path().join("charging.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "[clients.msc1]\ntoken-file = \"msc1.token\"\n").unwrap();
    std::fs::write(charging.folder.path().join("msc1.token"), "sesame\n").unwrap();
    charging.start();
    let body = r#"{"session":"a","phase":"event","subscriber":"46701000001","legs":[{"leg":0}]}"#;
    assert_eq!(charging.ask(body).1["code"], "token-missing");
    let metrics = format!("{}/metrics", charging.url);
    assert_eq!((got(&metrics, None).0, got(&metrics, Some("sesame")).0), (401, 200));
    let load = "--subscribers 10 --attempts 20 --token-file msc1.token";
    let report = charging.json(&format!("simulate calls --url {} {load}", charging.url));
    assert_eq!(report["faults"], 0, "{report}");
}

#[test]
fn what_is_in_use_from_the_next_start_on_is_named() {
    let mut charging = Charging::new();
    charging.start();
    std::fs::write(charging.folder.path().join("secret"), "sesame\n").unwrap();
    charging
        .define("[vouchers]\nsecret-file = \"secret\"\n[clients.msc1]\ntoken-file = \"secret\"\n");
    let named = "[vouchers], [http] or [clients]: in use from the next start of the system on";
    let is_named = || charging.log.lock().unwrap().iter().any(|line| line.contains(named));
    wait_for("the log", is_named);
}

#[test]
fn a_changed_tariff_is_used_while_it_runs_and_a_wrong_one_is_not() {
    let mut charging = Charging::new();
    let folder = charging.folder.path().to_owned();
    let tariff = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prepaid/tariff");
    let copied = Command::new("cp").arg("-r").arg(tariff).arg(&folder).status().unwrap();
    assert!(copied.success());
    let text = "plan = \"tariff\"\n[http]\nlisten = \"127.0.0.1:0\"\n";
    std::fs::write(folder.join("charging.toml"), text).unwrap();
    charging.start();
    let price = |charging: &Charging, session: usize| {
        let body = format!(
            r#"{{"session":"{session}","phase":"event","event":"price-enquiry","subscriber":"46701000001",
            "legs":[{{"service":"sms","other":"46702000000","used":{{"events":1}}}}]}}"#
        );
        charging.ask(&body).1["legs"][0]["price"]["amount"].as_str().unwrap().to_owned()
    };
    assert_eq!(price(&charging, 0), "0.49");
    let prices = folder.join("tariff/prices.csv");
    let before = std::fs::read_to_string(&prices).unwrap();
    std::fs::write(&prices, before.replace(",0.49,", ",zero,")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(price(&charging, 1), "0.49");
    std::fs::write(&prices, before.replace(",0.49,", ",0.59,")).unwrap();
    let mut sessions = 2..;
    let mut becomes = |expected: &str| {
        let is_it = sessions.by_ref().take(200).any(|session| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            price(&charging, session) == expected
        });
        assert!(is_it, "{expected}");
    };
    becomes("0.59");
    // What was in use is a version, what had a mistake is none.
    let list = charging.run("charge versions list");
    let changed = |version: &str| {
        let cells: Vec<&str> = version.split('\t').collect();
        (cells[0].parse::<u32>().unwrap(), cells[2] == "in use", cells[3].to_owned())
    };
    let versions: Vec<(u32, bool, String)> = list.lines().map(changed).collect();
    let [(newest, true, changed), (first, false, _), ..] = &versions[..] else { panic!("{list}") };
    assert_eq!((*newest, &changed[..]), (first + 1, "tariff/prices.csv"), "{list}");
    let shown = charging.run(&format!("charge versions show {first} tariff/prices.csv"));
    assert_eq!(shown, before);
    let files = charging.run(&format!("charge versions show {first}"));
    assert!(files.lines().any(|file| file == "tariff/prices.csv"), "{files}");
    // Another definition, which has a mistake: it is shown, and what was in use can be put back.
    let definition = folder.join("charging.toml");
    std::fs::write(&definition, "plan = 7\n").unwrap();
    let is_shown = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        charging.run("charge show").contains("IS NOT IN USE")
    });
    assert!(is_shown);
    let restore = format!("charge versions restore {first} --because dear");
    let restored = charging.json(&restore);
    assert_eq!(restored["changed"], serde_json::json!(["tariff/prices.csv", "charging.toml"]));
    becomes("0.49");
    assert_eq!(std::fs::read_to_string(&prices).unwrap(), before);
    // A tariff with a mistake that is mended in a file which only the new definition names.
    let copied = Command::new("cp").args(["-r", "tariff", "new"]).current_dir(&folder).status();
    assert!(copied.unwrap().success());
    let new_prices = folder.join("new/prices.csv");
    std::fs::write(&new_prices, before.replace(",0.49,", ",zero,")).unwrap();
    std::fs::write(&definition, text.replace("\"tariff\"", "\"new\"")).unwrap();
    let is_shown = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        charging.run("charge show").contains("new/prices.csv")
    });
    assert!(is_shown);
    std::fs::write(&new_prices, before.replace(",0.49,", ",0.69,")).unwrap();
    becomes("0.69");
    assert!(!charging.run("charge show").contains("NOT IN USE"));
}

/// Returns the answer to a request of another path.
fn got(url: &str, token: Option<&str>) -> (u16, String) {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build();
    let mut get = ureq::Agent::from(agent).get(url);
    if let Some(token) = token {
        get = get.header("authorization", format!("Bearer {token}"));
    }
    let mut response = get.call().expect("an answer");
    let text = response.body_mut().read_to_string().expect("a text");
    (response.status().as_u16(), text)
}

#[test]
fn a_price_is_said_and_a_trial_call_is_charged_and_recorded() {
    let charging = Charging::new();
    let number = FIRST + 7;
    let call = format!("{number} --service telephony --to 46812345678 --quantity 90");
    let price = charging.json(&format!("account price {call}"));
    assert_eq!((&price["affordable_unit"], &price["free"]), (&"seconds".into(), &false.into()));
    let said = charging.run(&format!("account price {call}"));
    assert!(said.contains("the account pays for") && said.contains("number analysis"), "{said}");
    let said = charging.run(&format!("account trial {call} --every 60 --because test"));
    assert_eq!(said.lines().count(), 3, "{said}");
    let of = |line: &str| said.lines().any(|of| of.starts_with(line));
    assert!(of("first") && of("next") && of("final"), "{said}");
    let history = charging.run(&format!("account history {number} --limit 1 --json"));
    let entry: Value = serde_json::from_str(&history).unwrap();
    assert_eq!(entry["charged"]["total"], price["price"]);
    assert!(entry["charged"]["client"].as_str().unwrap().starts_with("trial of "), "{entry}");
    let trail = charging.run("account trail --limit 1");
    assert!(trail.contains("account trial") && trail.contains("test"), "{trail}");
    assert!(charging.is_balanced());
}

#[test]
fn sessions_in_progress_are_listed_and_requests_counted() {
    let mut charging = Charging::new();
    charging.start();
    let call = |session: &str, number: u64| {
        format!(
            r#"{{"session": "{session}", "phase": "first", "subscriber": "{number}",
               "legs": [{{"service": "telephony", "other": "46812345678", "wanted": {{"seconds": 60}}}}]}}"#
        )
    };
    assert_eq!(charging.ask(&call("c-1", FIRST + 1)).0, 200);
    assert_eq!(charging.ask(&call("c-1", FIRST + 1)).0, 200);
    assert_eq!(charging.ask(&call("c-2", FIRST + 2)).0, 200);
    assert_eq!(charging.ask(&call("c-3", 4)).0, 404);
    let listed = charging.run("charge sessions");
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let session = charging.json(&format!("charge sessions --number {}", FIRST + 2));
    assert_eq!((&session["client"], &session["granted"]), (&"local".into(), &"60 seconds".into()));
    assert_eq!(charging.run("charge sessions --stuck --json"), "");
    let first = |figures: &Value| figures["traffic"]["requests"][0]["count"] == 4;
    wait_for("the requests to be counted", || first(&charging.json("charge show")));
    let figures = charging.json("charge show");
    assert_eq!(
        (&figures["open_sessions"], &figures["traffic"]["repeated"]),
        (&2.into(), &1.into())
    );
    let said = charging.run("charge show");
    for line in ["refused:         1 subscriber-unknown", "answers:         p50 "] {
        assert!(said.contains(line), "{said}");
    }
    let (status, metrics) = got(&format!("{}/metrics", charging.url), None);
    assert_eq!(status, 200);
    for line in [
        "tollgate_charging_requests_total{kind=\"first\"} 4",
        "tollgate_charging_refused_total{code=\"subscriber-unknown\"} 1",
        "tollgate_charging_repeated_total 1",
        "tollgate_charging_open_sessions 2",
        "tollgate_charging_answer_seconds_count 4",
        "tollgate_charging_balanced 1",
    ] {
        assert!(metrics.lines().any(|of| of == line), "{line} is not in\n{metrics}");
    }
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/charging.md");
    let reference = std::fs::read_to_string(reference).unwrap();
    for name in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = name.split(' ').next().unwrap();
        assert!(reference.contains(&format!("`{name}`")), "{name} is not in the reference");
    }
}

/// A program that gets notices or alarms, and writes them to a folder.
pub(crate) struct NoticeReceiver {
    folder: TempDir,
    process: Child,
    pub(crate) port: u16,
}

impl NoticeReceiver {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("mode"), "up").unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/notify/receiver.py");
        let mut python = Command::new("python3");
        let python = python.arg(script).arg(folder.path()).stdout(Stdio::piped());
        let mut process = python.spawn().expect("python starts");
        let mut port = String::new();
        let says = process.stdout.take().expect("it is piped");
        BufReader::new(says).read_line(&mut port).unwrap();
        let port = port.trim().parse().expect("the server says its port");
        NoticeReceiver { folder, process, port }
    }

    /// Returns the keys and bodies of all that came.
    pub(crate) fn received(&self) -> Vec<(String, Value)> {
        let text = std::fs::read_to_string(self.folder.path().join("requests")).unwrap_or_default();
        // The last line may be half written.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let request = |line: &str| {
            let mut request: Value = serde_json::from_str(line).expect("JSON");
            (request["key"].as_str().expect("a key").to_owned(), request["body"].take())
        };
        whole.lines().map(request).collect()
    }
}

impl Drop for NoticeReceiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn each_notice_reaches_its_receiver_though_the_system_is_killed_while_it_sends() {
    let receiver = NoticeReceiver::new();
    let mut charging = Charging::new();
    charging.define(&format!(
        "[thresholds.low]\nbelow = \"180.00\"\n[fees.monthly]\namount = \"50.00\"\nevery = \"1 month\"\n\
         [notices]\nurl = \"http://127.0.0.1:{}/\"\nallow = [\"127.0.0.1\"]\n",
        receiver.port
    ));
    let mut kills = 0;
    for delay in [2_020, 2_060, 2_120, 2_200] {
        charging.start();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        charging.kill();
        kills += 1;
    }
    charging.start();
    let waiting = |charging: &Charging| charging.json("charge show")["notices"]["waiting"].clone();
    wait_for("the last notice", || {
        receiver.received().last().is_some_and(|(_, body)| body["notice"] == 100)
    });
    wait_for("nothing that waits", || waiting(&charging) == 0);
    let received = receiver.received();
    let mut numbers: Vec<u64> =
        received.iter().map(|(_, body)| body["notice"].as_u64().expect("a number")).collect();
    assert!(numbers.is_sorted(), "they come in order: {numbers:?}");
    numbers.dedup();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    let repeated = received.len() - numbers.len();
    assert!(repeated <= kills, "{repeated} of {kills} kills were while one was sent");
    for pair in received.windows(2).filter(|pair| pair[0].1["notice"] == pair[1].1["notice"]) {
        assert_eq!(pair[0], pair[1], "the same message with the same key");
    }
    let low = received.iter().filter(|(_, body)| body["kind"] == "low").count();
    assert!(low >= 95, "{low}; five have no money for the fee");
    let lines = charging.run(&format!("account notices {}", FIRST + 1));
    assert!(lines.contains("less than 180.00 SEK is left: 150.00 SEK"), "{lines}");
    charging.stop();
}
