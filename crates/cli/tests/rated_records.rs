//! Records that a gateway rates are debited to prepaid accounts by a charging system, each once.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::charging::{Charging, FIRST, SUBSCRIBERS};
use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;

const TYPES: &str = "Rated DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Record ::= SEQUENCE { number IA5String, amount IA5String, start INTEGER, service IA5String }
Count ::= SEQUENCE { number OCTET STRING, amount INTEGER, start BOOLEAN }
END\n";

/// Returns a flow from files of records to a system, with more settings of the delivery.
fn flow(encode: &str, deliver: &str) -> String {
    format!(
        r#"[asn1]
modules = ["rated.asn1"]

[network-element.partner]
collect = {{ dir = "in", pattern = "*.csv" }}
decode  = {{ type = "Rated.Record", codec = "csv", columns = ["number", "amount", "start", "service"] }}

[post-processing-system.prepaid]
from    = "partner"
encode  = {{ {encode} }}
deliver = {{ {deliver} }}
"#
    )
}

const ENCODE: &str = "type = \"Rated.Record\", codec = \"json\"";

/// A file and a line in it.
type Place = (String, u64);

/// A number, and an amount in billionths.
type Debit = (u64, i64);

/// A charging system that runs, and the flow of a gateway beside it.
struct Site {
    charging: Charging,
    /// The records of all files.
    records: BTreeMap<Place, Debit>,
    random: Random,
}

struct Random(u64);

impl Random {
    /// Returns a number below a limit (splitmix64).
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

fn amount(nanos: i64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

/// Reads an amount that was taken.
fn nanos(amount: &str) -> i64 {
    let taken = amount.strip_prefix('-').expect("it is taken");
    let (whole, part) = taken.split_once('.').unwrap_or((taken, "0"));
    whole.parse::<i64>().unwrap() * 1_000_000_000 + format!("{part:0<9}").parse::<i64>().unwrap()
}

impl Site {
    fn new(seed: u64) -> Self {
        let mut charging = Charging::new();
        charging.start_at_one_address();
        let folder = charging.folder();
        fs::create_dir(folder.join("in")).unwrap();
        fs::write(folder.join("rated.asn1"), TYPES).unwrap();
        let retry = "retry = { shortest = \"1 second\", longest = \"1 second\" }, at-once = 3";
        let deliver = format!("kind = \"charging\", url = \"{}\", {retry}", charging.url);
        fs::write(folder.join("flow.toml"), flow(ENCODE, &deliver)).unwrap();
        Site { charging, records: BTreeMap::new(), random: Random(seed) }
    }

    fn start_gateway(&self) -> Gateway {
        Gateway::start(self.charging.folder())
    }

    fn tollgate(&self, line: &str) -> (i32, String) {
        tollgate(self.charging.folder(), line)
    }

    /// Writes a file of records for the gateway, and notes what each must debit.
    fn write(&mut self, name: &str, debits: &[Debit]) {
        let start = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let mut text = "number,amount,start,service\n".to_owned();
        for (line, (number, nanos)) in (1..).zip(debits) {
            text += &format!("{number},{},{start},telephony\n", amount(*nanos));
            self.records.insert((format!("partner-{name}.json"), line), (*number, *nanos));
        }
        let folder = self.charging.folder().join("in");
        fs::write(folder.join(".hidden"), text).unwrap();
        fs::rename(folder.join(".hidden"), folder.join(name)).unwrap();
    }

    /// Returns random debits.
    fn debits(&mut self, count: usize) -> Vec<Debit> {
        let random = &mut self.random;
        let mut debit = || {
            let nanos = 1 + random.below(3_000_000_000).cast_signed();
            (FIRST + random.below(SUBSCRIBERS), nanos)
        };
        (0..count).map(|_| debit()).collect()
    }

    /// Waits until a file is to be delivered. With 8,000 records it takes eight requests.
    fn wait_for_an_output(&self) {
        let buffer = self.charging.folder().join("flow.state/out/prepaid");
        wait_for("an output", || {
            let mut files = fs::read_dir(&buffer).into_iter().flatten();
            files.any(|file| !file.unwrap().file_name().to_string_lossy().starts_with('.'))
        });
    }

    /// Waits until all files are processed, and none waits for delivery.
    fn wait(&self) {
        let folder = self.charging.folder().join("in");
        wait_for("the delivery", || {
            let names = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name());
            let mut names = names.map(|name| name.to_string_lossy().into_owned());
            names.all(|name| name.ends_with(".done"))
                && !self.tollgate("deliveries list flow.toml").1.contains("waiting")
        });
    }

    /// Returns what was debited for records, by the entries of all accounts. A record that overdraws an account has two.
    fn debited(&self, numbers: impl Iterator<Item = u64>) -> BTreeMap<Place, Debit> {
        let mut debited = BTreeMap::<Place, Debit>::new();
        for number in numbers {
            for entry in self.history(number) {
                let record = &entry["remark"]["record"];
                if record.is_null() {
                    continue;
                }
                assert_eq!((&entry["system"], &entry["bucket"]), (&"revenue".into(), &0.into()));
                let place =
                    (record["file"].as_str().unwrap().to_owned(), record["line"].as_u64().unwrap());
                let (of, sum) = debited.entry(place).or_insert((number, 0));
                assert_eq!(*of, number, "two accounts have paid: {entry}");
                *sum += nanos(entry["amount"].as_str().unwrap());
            }
        }
        debited
    }

    /// Returns all entries of an account.
    fn history(&self, number: u64) -> Vec<Value> {
        let mut entries = Vec::<Value>::new();
        loop {
            let before = entries.last().map_or(u64::MAX >> 1, |of| of["entry"].as_u64().unwrap());
            let line = format!("account history {number} --limit 500 --before {before} --json");
            let page = self.charging.run(&line);
            if page.is_empty() {
                return entries;
            }
            entries.extend(page.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        }
    }

    /// Asserts that each record is debited once, to the billionth.
    fn assert_debited(&mut self, numbers: impl Iterator<Item = u64>) {
        let debited = self.debited(numbers);
        self.charging.stop();
        let wrong = self.records.iter().find(|(place, debit)| debited.get(*place) != Some(debit));
        let wrong = wrong.map(|(place, debit)| (place, debit, debited.get(place)));
        assert_eq!(wrong, None, "a record is not debited, or not once");
        assert_eq!(debited.len(), self.records.len(), "there are no others");
        assert!(self.charging.is_balanced());
    }
}

fn subscribers() -> impl Iterator<Item = u64> {
    FIRST..FIRST + SUBSCRIBERS
}

#[test]
fn each_record_is_debited_once_though_either_process_is_killed() {
    let seed = u64::from(std::process::id());
    eprintln!("seed {seed}");
    let mut site = Site::new(seed);
    let mut gateway = site.start_gateway();
    for round in 0..6 {
        for (file, count) in [8_000, 150].into_iter().enumerate() {
            let debits = site.debits(count);
            site.write(&format!("{round}-{file}.csv"), &debits);
        }
        site.wait_for_an_output();
        thread::sleep(Duration::from_millis(site.random.below(400)));
        if site.random.below(2) == 0 {
            gateway.kill();
            gateway = site.start_gateway();
        } else {
            site.charging.kill();
            thread::sleep(Duration::from_millis(site.random.below(200)));
            site.charging.start();
        }
    }
    site.wait();
    assert_eq!(site.tollgate("deliveries list flow.toml"), (0, String::new()));
    drop(gateway);
    site.assert_debited(subscribers());
}

#[test]
fn a_record_that_is_refused_is_debited_when_its_delivery_is_put_back() {
    const NEW: u64 = FIRST + 900_000;
    let mut site = Site::new(1);
    let mut debits = site.debits(20);
    debits[4].0 = NEW;
    site.write("a.csv", &debits);
    let gateway = site.start_gateway();
    wait_for("the refusal", || site.tollgate("alarms flow.toml").1.contains("delivery-given-up"));
    let (_, alarms) = site.tollgate("alarms flow.toml");
    let why = "1 of 20 records are not debited: no account has the number (line 5)";
    assert!(alarms.contains(why) && !alarms.contains(&NEW.to_string()), "{alarms}");
    let listed = site.tollgate("deliveries list flow.toml --json --code remote-charging-refused").1;
    assert!(listed.contains(why), "{listed}");
    assert_eq!(site.debited(subscribers()).len(), 19);
    let explained = site.charging.run(&format!("account explain {} 2", debits[0].0));
    for part in ["telephony of", "line 1 of partner-a.csv.json", "client local"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    let exported = site.charging.run("ledger export");
    let is_first = |line: &&str| line.contains(",record,client local,partner-a.csv.json:1,");
    let first = exported.lines().find(is_first).expect("it is exported");
    assert!(first.ends_with(&format!(",telephony,{},,", debits[0].0)), "{first}");
    site.charging.run(&format!("account open {NEW}"));
    assert_eq!(site.tollgate("deliveries retry flow.toml --all").0, 0);
    site.wait();
    drop(gateway);
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
    site.assert_debited(subscribers().chain([NEW]));
}

#[test]
fn what_a_charging_system_cannot_read_is_a_mistake_of_the_flow_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let charging = "kind = \"charging\", url = \"http://127.0.0.1:8090\"";
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("rated.asn1"), TYPES).unwrap();
    let check = |encode: &str, deliver: &str| {
        fs::write(folder.path().join("flow.toml"), flow(encode, deliver)).unwrap();
        tollgate(folder.path(), "check flow.toml")
    };
    let (status, said) = check(ENCODE, charging);
    assert_eq!(status, 0, "{said}");
    let csv = "type = \"Rated.Record\", codec = \"csv\"";
    let takes_records = "is for files, and this place takes records";
    for (encode, deliver, expected) in [
        (
            csv,
            charging.to_owned(),
            &["takes records as lines of JSON", "write codec = \"json\""][..],
        ),
        (ENCODE, "kind = \"charging\", dir = \"out\"".to_owned(), &["\"kind\" needs \"url\""]),
        (ENCODE, charging.replace("charging", "chargin"), &["did you mean \"charging\"?"]),
        (ENCODE, charging.to_owned() + ", compress = \"gzip\"", &["\"compress\"", takes_records]),
        (ENCODE, charging.to_owned() + ", checksum = \"sha256\"", &["\"checksum\"", takes_records]),
        (ENCODE, charging.to_owned() + ", temporary = \"x{name}\"", &["no temporary name"]),
    ] {
        let (status, said) = check(encode, &deliver);
        assert_eq!(status, 2, "{said}");
        expected.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
    }
    let formatted = flow(&ENCODE.replace("Record", "Count"), charging)
        .replace("from    = \"partner\"", "from    = \"reduced\"")
        + "[formatter.reduced]\nfrom = \"partner\"\nscript = \"reduced.dup\"\n";
    fs::write(folder.path().join("flow.toml"), formatted).unwrap();
    let script = "NULL reduced(record CONST Record, result Count) { result.amount := 1; }";
    fs::write(folder.path().join("reduced.dup"), script).unwrap();
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert_eq!(status, 2, "{said}");
    for name in ["number", "amount", "start"] {
        assert!(said.contains(&format!("the component \"{name}\" is no text")), "{said}");
    }
}
