//! What was paid, refilled and corrected on an account, and why.

use operate::prepaid::calls::{
    ChargedUsage, HistoryEntry, RecordOrigin, Remark, ShowHistory, VoucherOrigin,
};

use super::named::{Named, unit_word};
use super::steps::print_steps;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// Arguments of `tollgate account history`.
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    #[command(flatten)]
    named: Named,
    /// So many at most
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Only entries before this one
    #[arg(long)]
    before: Option<u64>,
    /// Only what this session paid
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only entries from this moment on: 2026-10-31T23:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only entries before this moment
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Only what went to this account of the operator, or came from it: revenue, refill, adjustment, transfer, expired,
    /// bonus, fee, bundle, orphan
    #[arg(long, value_name = "SYSTEM")]
    of: Option<String>,
}

/// Arguments of `tollgate account explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    of: Named,
    /// The number of the entry, as `history` shows it
    entry: u64,
}

impl History {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let History { named, limit, before, session, from, to, of: system } = self;
        let Named { account, charging, json } = named;
        let limit = Some(limit);
        let request = ShowHistory { account, before, limit, session, from, to, system };
        let history = charge(&charging.path, request)?;
        let mut rows = Rows::begin(json, &HISTORY);
        for entry in &history.entries {
            rows.row(entry, |entry| entry_cells(entry, &history.currency))?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const HISTORY: [Column; 6] =
    [number("entry"), text("time"), number("amount"), number("balance"), text("of"), free("why")];

fn entry_cells(of: &HistoryEntry, currency: &str) -> [Cell; 6] {
    let unit = unit_word(of.unit, currency);
    let why = match (&of.remark, &of.charged) {
        (_, Some(charged)) => usage_words(of, charged),
        (Some(Remark { record: Some(record), .. }), None) => {
            format!("{}, {}:{}", record_words(record), record.file, record.line)
        }
        (Some(remark), None) => {
            let reverses = remark.reverses.map(|entry| format!("reverses entry {entry}"));
            let voucher = remark.voucher.as_ref().map(voucher_words);
            let parts =
                [of.offer.as_ref(), voucher.as_ref(), reverses.as_ref(), Some(&remark.because)];
            let others = [Some(&remark.reference), Some(&remark.who)];
            let parts: Vec<&str> = parts
                .into_iter()
                .chain(others)
                .flatten()
                .map(String::as_str)
                .filter(|part| !part.is_empty())
                .collect();
            parts.join(", ")
        }
        (None, None) => {
            of.bucket_offer.as_ref().map_or(String::new(), |offer| format!("of {offer}"))
        }
    };
    [
        cell(of.entry),
        cell(&of.at),
        cell(format!("{} {unit}", of.amount)),
        cell(&of.balance),
        cell(&of.system),
        cell(why),
    ]
}

impl Explain {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Explain { of: Named { account, charging, json }, entry } = self;
        let request = ShowHistory {
            account,
            before: entry.checked_add(1),
            limit: Some(1),
            ..Default::default()
        };
        let history = charge(&charging.path, request)?;
        let found = history.entries.iter().find(|found| found.entry == entry);
        let unknown = || CommandError::Mistakes(format!("the account has no entry {entry}"));
        let found = found.ok_or_else(unknown)?;
        if json {
            json::line(&mut output::lines(), found)?;
            return Ok(Outcome::Clean);
        }
        explain(found, &history.currency)
    }
}

/// Says why an entry was made.
fn explain(of: &HistoryEntry, currency: &str) -> Result<Outcome, CommandError> {
    let unit = unit_word(of.unit, currency);
    let offer = of.offer.as_ref().map_or(String::new(), |offer| format!(" {offer}"));
    say!("entry {} at {}: {} {unit} ({}{offer})", of.entry, of.at, of.amount, of.system)?;
    if of.bucket != 0 {
        let from = of.bucket_offer.as_ref().map_or(String::new(), |offer| format!(" of {offer}"));
        say!("balance {}{from} has {} {unit} after it", of.bucket, of.balance)?;
    }
    if let Some(remark) = &of.remark {
        let texts =
            [("who", &remark.who), ("why", &remark.because), ("reference", &remark.reference)];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            say!("{name}: {text}")?;
        }
        if let Some(entry) = remark.reverses {
            say!("it reverses entry {entry}")?;
        }
        if let Some(voucher) = &remark.voucher {
            say!("{}", voucher_words(voucher))?;
        }
        if let Some(record) = &remark.record {
            say!("{}, begun at {}", record_words(record), record.start)?;
            say!("line {} of {}", record.line, record.file)?;
        }
    }
    let Some(charged) = &of.charged else { return Ok(Outcome::Clean) };
    let to = if charged.other.is_empty() { "" } else { " to " };
    say!(
        "{}{} of {}{to}{}, begun at {}",
        refund_word(of),
        charged.service,
        charged.served,
        charged.other,
        charged.start
    )?;
    if !charged.partner.is_empty() {
        say!("roaming in {}", charged.partner)?;
    }
    say!("this request reported {}", charged.used)?;
    if is_refund(of) {
        return Ok(Outcome::Clean);
    }
    if charged.paid_by_balances > 0 {
        say!("balances of its unit paid {} of it", charged.paid_by_balances)?;
    }
    if let Some(part) = &charged.part {
        say!("this entry paid {part} of it")?;
    }
    if charged.priced == 0 {
        say!("the plan priced none of it so far")?;
        return Ok(Outcome::Clean);
    }
    say!(
        "so far {} units are priced, {} billed, {} of these free by bundles: {} {currency}",
        charged.priced,
        charged.billed,
        charged.free,
        charged.total
    )?;
    match is_orphan(of) {
        true => say!("it is not charged, since its session is not known")?,
        false => say!("other entries paid {} {currency} of it", charged.before)?,
    }
    say!("")?;
    print_steps(charged)?;
    Ok(Outcome::Clean)
}

/// Returns what a record was about: `sms of 46701234567 to 46812345678`.
fn record_words(RecordOrigin { number, service, other, .. }: &RecordOrigin) -> String {
    let service = if service.is_empty() { "record" } else { service };
    let to = if other.is_empty() { "" } else { " to " };
    format!("{service} of {number}{to}{other}")
}

/// Returns the voucher of a refill.
fn voucher_words(VoucherOrigin { serial, batch }: &VoucherOrigin) -> String {
    format!("voucher {serial} of batch {batch}")
}

/// Returns whether an entry is of a session that is not known, and so not charged.
fn is_orphan(of: &HistoryEntry) -> bool {
    of.system == "orphan"
}

/// Returns whether an entry is what a network refunded: a usage that is charged has a session.
fn is_refund(of: &HistoryEntry) -> bool {
    of.charged.is_some() && of.session.is_none()
}

fn refund_word(of: &HistoryEntry) -> &'static str {
    if is_refund(of) { "refund of " } else { "" }
}

/// Returns what was charged: `call to 46812345678: 40 seconds of 63 seconds, paid by week`.
fn usage_words(
    of: &HistoryEntry,
    ChargedUsage { service, other, partner, used, part, total, .. }: &ChargedUsage,
) -> String {
    let refund = refund_word(of);
    let to = if other.is_empty() { "" } else { " to " };
    let roaming = if partner.is_empty() { String::new() } else { format!(" in {partner}") };
    let part = part.as_ref().map_or(String::new(), |part| format!("{part} of "));
    let paid_by = match &of.bucket_offer {
        _ if is_orphan(of) => format!(", not charged: the session is not known; it costs {total}"),
        Some(offer) => format!(", paid by {offer}"),
        None => String::new(),
    };
    format!("{refund}{service}{to}{other}{roaming}: {part}{used}{paid_by}")
}
