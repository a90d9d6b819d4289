//! `tollgate ledger`: checks and exports the books of prepaid accounts.

use operate::prepaid::calls::{CheckBooks, CheckedBooks, ExportBooks, ExportedEntry};

use crate::charging_file::ChargingFile;
use crate::execute::Execute;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Check and export the books of prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "ledger")]
pub(crate) enum Ledger {
    /// Check that each balance is the sum of its entries, and that all sums are zero
    #[command(after_help = "Example:\n  tollgate ledger check")]
    Check(Books),
    /// Write all entries of all accounts as CSV
    #[command(after_help = "Example:\n  tollgate ledger export > entries.csv")]
    Export(Books),
}

/// The books.
#[derive(Debug, clap::Args)]
pub(crate) struct Books {
    #[command(flatten)]
    charging: ChargingFile,
    /// JSON: one object with the result, or one a line for entries
    #[arg(long)]
    json: bool,
}

impl Execute for Ledger {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Ledger::Check(books) => books.check(),
            Ledger::Export(books) => books.export(),
        }
    }
}

impl Books {
    fn check(self) -> Result<Outcome, CommandError> {
        let checked = charge(&self.charging.path, CheckBooks {})?;
        let CheckedBooks { accounts, entries, faults, fault_count } = &checked;
        match self.json {
            true => json::line(&mut output::lines(), &checked)?,
            false => {
                say!("{entries} entries of {accounts} accounts")?;
                faults.iter().try_for_each(|fault| say!("{fault}"))?;
                match fault_count {
                    0 => say!("each balance is the sum of its entries, and all sums are zero")?,
                    count => say!("{count} faults")?,
                }
            }
        }
        Ok(if *fault_count == 0 { Outcome::Clean } else { Outcome::Faults })
    }

    fn export(self) -> Result<Outcome, CommandError> {
        if !self.json {
            say!("account,entry,at,unit,balance,amount,balance after,system")?;
        }
        let mut request = ExportBooks::default();
        loop {
            let page = charge(&self.charging.path, request)?.entries;
            let Some(last) = page.last() else { return Ok(Outcome::Clean) };
            (request.after_account, request.after_entry) = (last.account, last.entry);
            for of in &page {
                match self.json {
                    true => json::line(&mut output::lines(), of)?,
                    false => line(of)?,
                }
            }
        }
    }
}

fn line(of: &ExportedEntry) -> std::io::Result<()> {
    let ExportedEntry { account, entry, at, unit, bucket, amount, balance, system } = of;
    let unit = unit.word();
    say!("{account},{entry},{at},{unit},{bucket},{amount},{balance},{system}")
}
