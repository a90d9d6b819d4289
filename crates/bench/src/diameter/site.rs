//! A charging system with accounts of subscribers, by the plan of the example.

use std::fs;
use std::path::{Path, PathBuf};

use prepaid::calls::{Authority, Call as _, Clerk, ImportSubscribers, NewSubscriber};
use prepaid::{Definition, System};

use super::requests::{FIRST_NUMBER, REALM};
use crate::error::BenchError;

/// The plan, by the names of its files.
const PLAN: [(&str, &str); 7] = [
    ("analysis.csv", include_str!("../../../../examples/prepaid/tariff/analysis.csv")),
    ("bands.csv", include_str!("../../../../examples/prepaid/tariff/bands.csv")),
    ("classes.csv", include_str!("../../../../examples/prepaid/tariff/classes.csv")),
    ("prefixes.csv", include_str!("../../../../examples/prepaid/tariff/prefixes.csv")),
    ("prices.csv", include_str!("../../../../examples/prepaid/tariff/prices.csv")),
    ("tariff.toml", include_str!("../../../../examples/prepaid/tariff/tariff.toml")),
    ("taxes.csv", include_str!("../../../../examples/prepaid/tariff/taxes.csv")),
];

/// The money of each account: enough for all sessions.
const MONEY: &str = "1000000.00";

/// The subscribers of an import.
const IMPORTED_AT_ONCE: usize = 1_000;

/// Makes a charging system in a folder, with so many accounts. Returns its definition.
pub(super) fn make(folder: &Path, accounts: u64, settings: &str) -> Result<PathBuf, BenchError> {
    let tariff = folder.join("tariff");
    fs::create_dir_all(&tariff)?;
    for (name, text) in PLAN {
        fs::write(tariff.join(name), text)?;
    }
    let definition = folder.join("charging.toml");
    let text = format!(
        "plan = \"tariff\"\n\n[diameter]\nlisten = \"127.0.0.1:0\"\nhost = \"charging.{REALM}\"\n\
         realm = \"{REALM}\"\n{settings}\n[diameter.services.data]\ncontexts = [\"32251@3gpp.org\"]\n"
    );
    fs::write(&definition, text)?;
    let system = System::open(read(&definition)?).map_err(unusable)?;
    let subscriber = |number: u64| NewSubscriber {
        number: (FIRST_NUMBER + number).to_string(),
        amount: MONEY.to_owned(),
        subscriber_type: String::new(),
        line: None,
    };
    let clerk = Clerk { system: &system, who: "bench", authority: Authority::Network };
    for first in (0..accounts).step_by(IMPORTED_AT_ONCE) {
        let numbers = first..accounts.min(first + IMPORTED_AT_ONCE as u64);
        let subscribers = numbers.map(subscriber).collect();
        let import = ImportSubscribers { subscribers, only_check: false };
        import.perform(&clerk).map_err(unusable)?;
    }
    Ok(definition)
}

/// Reads a definition.
pub(super) fn read(definition: &Path) -> Result<Definition, BenchError> {
    Definition::read(definition).map_err(|mistakes| unusable(&mistakes[0]))
}

/// Returns why a charging system cannot be measured.
pub(super) fn unusable(why: impl ToString) -> BenchError {
    BenchError::Answer { answer: why.to_string() }
}
