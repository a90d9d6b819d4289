//! `tollgate ledger`: checks, sums and exports the books of prepaid accounts.

use operate::prepaid::calls::{
    AmountUnit, CheckBooks, CheckedBooks, ExportBooks, ExportedEntry, SumBooks, SummedBooks,
    SystemSum, UnitSums,
};

use crate::charging_file::ChargingFile;
use crate::csv;
use crate::execute::Execute;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::progress::Aside;
use crate::table::{Column, Table, cell, number, text};

/// Check, sum and export the books of prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "ledger")]
pub(crate) enum Ledger {
    /// Check that each balance is the sum of its entries, and that all sums are zero
    #[command(after_help = "Example:\n  tollgate ledger check")]
    Check(Books),
    /// Write all entries of all accounts as CSV
    #[command(
        after_help = "Example:\n  tollgate ledger export --from 2026-11-01 --to 2026-12-01 > entries.csv"
    )]
    Export(Entries),
    /// Sum the entries of a period: what accounts had before it, what came and went, and what they have after it
    #[command(after_help = "Example:\n  tollgate ledger sums --from 2026-11-01 --to 2026-12-01")]
    Sums(Entries),
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

/// The entries of a period.
#[derive(Debug, clap::Args)]
pub(crate) struct Entries {
    #[command(flatten)]
    books: Books,
    #[command(flatten)]
    period: Period,
}

impl Execute for Ledger {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Ledger::Check(books) => books.check(),
            Ledger::Export(entries) => entries.export(),
            Ledger::Sums(entries) => entries.sum(),
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
}

/// The columns of an export. Those from `currency` on were added later, so that the others stay where they were.
const COLUMNS: &str = "account,entry,at,unit,balance,amount,balance after,system,currency,kind,by,\
                       reason,reference,session,service,number,other,offer";

const SUMS: [Column; 4] = [text("what"), text("unit"), number("entries"), number("amount")];

impl Entries {
    fn export(self) -> Result<Outcome, CommandError> {
        let Entries { books: Books { charging, json }, period } = self;
        let (from, to) = period.texts()?;
        if !json {
            say!("{COLUMNS}")?;
        }
        let mut request = ExportBooks { from, to, ..ExportBooks::default() };
        loop {
            let page = charge(&charging.path, request.clone())?;
            let Some(last) = page.last else { return Ok(Outcome::Clean) };
            (request.after_account, request.after_entry) = (last.account, last.entry);
            for entry in &page.entries {
                match json {
                    true => json::line(&mut output::lines(), entry)?,
                    false => say!("{}", line(entry, &page.currency))?,
                }
            }
        }
    }

    fn sum(self) -> Result<Outcome, CommandError> {
        let Entries { books: Books { charging, json }, period } = self;
        let (from, to) = period.texts()?;
        let SummedBooks { currency, units } = charge(&charging.path, SumBooks { from, to })?;
        if json {
            json::line(&mut output::lines(), &SummedBooks { currency, units })?;
            return Ok(Outcome::Clean);
        }
        let mut table = Table::report(Aside(std::io::stdout()), &SUMS);
        for UnitSums { unit, before, changes, after } in units {
            let unit = match unit {
                AmountUnit::Money => currency.as_str(),
                unit => unit.word(),
            };
            table.row(&[cell("before"), cell(unit), cell(""), cell(before)])?;
            for SystemSum { system, entries, amount } in changes {
                table.row(&[cell(system), cell(unit), cell(entries), cell(amount)])?;
            }
            table.row(&[cell("after"), cell(unit), cell(""), cell(after)])?;
        }
        table.end()?;
        Ok(Outcome::Clean)
    }
}

/// Returns the line of an entry.
fn line(of: &ExportedEntry, currency: &str) -> String {
    let ExportedEntry { account, entry, at, unit, bucket, amount, balance, system, .. } = of;
    let remark = of.remark.clone().unwrap_or_default();
    let (name, served, other) = match (&of.service, &remark.record) {
        (Some(of), _) => (of.name.as_str(), of.served.as_str(), of.other.as_str()),
        (None, Some(of)) => (of.service.as_str(), of.number.as_str(), of.other.as_str()),
        (None, None) => ("", "", ""),
    };
    let place = remark.record.as_ref().map(|of| format!("{}:{}", of.file, of.line));
    let because = place.as_ref().unwrap_or(&remark.because);
    let currency = if *unit == AmountUnit::Money { currency } else { "" };
    let session = of.session.as_deref().unwrap_or_default();
    let texts = [&remark.kind, &remark.who, because, &remark.reference];
    let texts = texts.map(|text| csv::field(text)).join(",");
    let offer = of.offer.as_deref().unwrap_or_default();
    let [name, served, other, offer] = [name, served, other, offer].map(csv::field);
    let unit = unit.word();
    format!(
        "{account},{entry},{at},{unit},{bucket},{amount},{balance},{system},{currency},{texts},{session},{name},\
         {served},{other},{offer}"
    )
}
