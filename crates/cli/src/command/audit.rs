//! `tollgate audit`: checks that every record that came in is accounted for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufWriter, Write};

use diagnostics::visible_lines;
use flow::csv;
use operate::audit::ReportAudit;
use operate::{AuditAmount, AuditCount, AuditDifference, AuditReport, ForgottenFiles};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output::Visible;
use crate::period::Period;
use crate::progress::Aside;
use crate::table::{Column, Table, cell, number, text};

/// Prove that all that came in is accounted for, record by record and sum by sum
#[derive(Debug, clap::Parser)]
#[command(
    name = "audit",
    after_help = "Example:\n  tollgate audit flow.toml --from 2026-11-01 --to 2026-12-01 --csv"
)]
pub(crate) struct Audit {
    #[command(flatten)]
    flow: FlowFile,
    /// Files of this network element alone
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// Files of this name alone
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    #[command(flatten)]
    period: Period,
    /// Each file by itself
    #[arg(long)]
    files: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// A line for each day and place, for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// The message where no file matches: without it, a mistyped name or day would look like a clean audit.
const NOTHING: &str = "No file was done then that is asked for: nothing is audited.";

impl Execute for Audit {
    fn run(self) -> Result<Outcome, CommandError> {
        let request = ReportAudit {
            by_file: self.files || self.file.is_some(),
            by_day: self.csv,
            network_element: self.network_element,
            file: self.file,
            period: self.period.request()?,
        };
        let report = perform(&self.flow, request)?;
        let mut out = BufWriter::new(Aside(io::stdout()));
        match (self.json, self.csv) {
            (true, _) => json::line(&mut Visible::new(&mut out), &report)?,
            (_, true) => csv_lines(&report, &mut out)?,
            _ => show(&report, &mut out)?,
        }
        out.flush()?;
        if self.csv {
            if let Some(forgotten) = &report.forgotten {
                tell!("{}", of_forgotten(forgotten));
            }
            report.differences.iter().for_each(|difference| tell!("{difference}"));
            if report.is_of_nothing() {
                tell!("{NOTHING}");
            }
        }
        Ok(if report.is_clean() { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Returns the warning about files that the journal has forgotten: the audit does not cover them.
fn of_forgotten(ForgottenFiles { files, until }: &ForgottenFiles) -> String {
    let files = diagnostics::counted(*files as usize, "file");
    format!(
        "The journal has forgotten {files}, the last done at {until}: nothing is said of these."
    )
}

fn of_unmarked(files: i64) -> String {
    let are = if files == 1 { "is" } else { "are" };
    format!("{} {are} done and not marked yet", diagnostics::counted(files as usize, "file"))
}

const COUNTS: [Column; 12] = [
    text("network element"),
    number("files"),
    number("records"),
    number("delivered"),
    number("filtered"),
    number("held"),
    number("suspended"),
    number("duplicate"),
    number("waiting"),
    number("dropped"),
    number("open"),
    number("discarded"),
];

/// Prints the report as text.
fn show(report: &AuditReport, out: &mut impl Write) -> io::Result<()> {
    let of = format!("Audit of {}, as of {}\n", report.flow, report.as_of);
    writeln!(out, "{}", visible_lines(&of))?;
    let mut table = Table::report(&mut *out, &COUNTS);
    for count in &report.counts {
        let AuditCount { network_element, file, retried, node, .. } = count;
        let retried = if *retried { ", retried" } else { "" };
        let name = match (node, file) {
            (Some(node), _) => format!("  {node}"),
            (None, Some(file)) => format!("{network_element}/{file}{retried}"),
            (None, None) => format!("{network_element}{retried}"),
        };
        let numbers = [
            count.files,
            count.records,
            count.delivered,
            count.filtered,
            count.held,
            count.suspended,
            count.duplicate,
            count.waiting,
            count.dropped,
            count.open,
            count.discarded,
        ];
        table.row([&[cell(name)], &numbers.map(cell)[..]].concat())?;
    }
    table.end()?;
    let out = &mut Visible::new(out);
    let mut before = None;
    for AuditAmount { network_element, file, retried, system, side, name, sum, records, .. } in
        &report.amounts
    {
        let at = (network_element, file, retried, system, name);
        if before.replace(at) != Some(at) {
            let file = file.as_ref().map_or(String::new(), |file| format!("/{file}"));
            let system = system.as_ref().map_or(String::new(), |system| format!(" to {system}"));
            let retried = if *retried { ", retried" } else { "" };
            writeln!(out, "\n{name} of {network_element}{file}{system}{retried}")?;
        }
        writeln!(out, "  {side:<12} {sum:>20} of {records} records")?;
    }
    if report.in_work > 0 {
        writeln!(out, "\n{}", of_unmarked(report.in_work))?;
    }
    report.gathered.iter().try_for_each(|gathered| writeln!(out, "\n{gathered}"))?;
    report.not_taken.iter().try_for_each(|reason| writeln!(out, "\nNot audited: {reason}"))?;
    if let Some(forgotten) = &report.forgotten {
        writeln!(out, "\n{}", of_forgotten(forgotten))?;
    }
    match report.differences.as_slice() {
        [] if report.is_of_nothing() => writeln!(out, "\n{NOTHING}"),
        [] => writeln!(out, "\nAll records are accounted for."),
        differences => {
            writeln!(out, "\nDifferences:")?;
            differences.iter().try_for_each(|difference| writeln!(out, "  {difference}"))
        }
    }
}

/// The place that records are counted for: day, network element, file, whether they were retried, node.
type Place<'r> = (&'r Option<String>, &'r String, &'r Option<String>, &'r bool, &'r Option<String>);

/// The columns of the CSV. Those of the sums come before the last one.
const COLUMNS: [&str; 20] = [
    "day",
    "kind",
    "network_element",
    "file",
    "node",
    "retried",
    "files",
    "duplicate_files",
    "records",
    "delivered",
    "filtered",
    "held",
    "suspended",
    "duplicate",
    "made",
    "open",
    "discarded",
    "waiting",
    "dropped",
    "remark",
];

/// The number of leading columns that say what a line is about.
const OF_WHAT: usize = 6;

/// Writes the report as CSV: a line for each day and place, and one for each remark. Each sum has a column.
fn csv_lines(report: &AuditReport, out: &mut impl Write) -> io::Result<()> {
    let sums: BTreeSet<(&str, &str)> =
        report.amounts.iter().map(|amount| (amount.name.as_str(), amount.side.as_str())).collect();
    let mut amounts: HashMap<Place<'_>, BTreeMap<(&str, &str), i128>> = HashMap::new();
    for amount in &report.amounts {
        let AuditAmount { day, network_element, file, retried, system, name, side, sum, .. } =
            amount;
        let place = (day, network_element, file, retried, system);
        amounts.entry(place).or_default().insert((name, side), *sum);
    }
    let [columns @ .., remark] = &COLUMNS;
    let of_sums = sums.iter().map(|(name, side)| csv::cell(&format!("{name} {side}")));
    let header = columns.iter().map(|column| (*column).to_owned()).chain(of_sums);
    writeln!(out, "{},{remark}", header.collect::<Vec<_>>().join(","))?;
    for count in &report.counts {
        let AuditCount { day, network_element, file, retried, node, .. } = count;
        let kind = match (node, count.is_system) {
            (None, _) => "network-element",
            (Some(_), false) => "node",
            (Some(_), true) => "system",
        };
        let numbers = [
            count.files,
            count.duplicate_files,
            count.records,
            count.delivered,
            count.filtered,
            count.held,
            count.suspended,
            count.duplicate,
            count.made,
            count.open,
            count.discarded,
            count.waiting,
            count.dropped,
        ];
        let here = amounts.get(&(day, network_element, file, retried, node));
        let sum = |of| here.and_then(|here| here.get(of)).map(i128::to_string);
        let of_sums = sums.iter().map(|of| sum(of).unwrap_or_default());
        let numbers = numbers.iter().map(i64::to_string).chain(of_sums);
        let of_what = of_what(kind, day, Some(network_element), file, node);
        let retried = u8::from(*retried);
        writeln!(out, "{of_what},{retried},{},", numbers.collect::<Vec<_>>().join(","))?;
    }
    let nothing = ",".repeat(columns.len() - OF_WHAT + sums.len());
    for AuditDifference { day, network_element, file, node, text } in &report.differences {
        let of_what = of_what("difference", day, network_element.as_ref(), file, node);
        writeln!(out, "{of_what},{nothing},{}", csv::cell(text))?;
    }
    let unmarked = (report.in_work > 0).then(|| of_unmarked(report.in_work));
    let remarks = [
        ("unfinished", unmarked),
        ("forgotten", report.forgotten.as_ref().map(of_forgotten)),
        ("nothing", report.is_of_nothing().then(|| NOTHING.to_owned())),
    ];
    let gathered = report.gathered.iter().map(|gathered| ("gathering", Some(gathered.to_string())));
    let not_taken = report.not_taken.iter().map(|reason| ("not-taken", Some(reason.clone())));
    for (kind, remark) in remarks.into_iter().chain(gathered).chain(not_taken) {
        if let Some(remark) = remark {
            let of_what = of_what(kind, &None, None, &None, &None);
            writeln!(out, "{of_what},{nothing},{}", csv::cell(&remark))?;
        }
    }
    Ok(())
}

/// Returns the leading columns of a line, except whether it was retried.
fn of_what(
    kind: &str,
    day: &Option<String>,
    network_element: Option<&String>,
    file: &Option<String>,
    node: &Option<String>,
) -> String {
    let text = |text: Option<&String>| csv::cell(text.map_or("", String::as_str));
    let [day, file, node] = [day, file, node].map(|of| text(of.as_ref()));
    format!("{day},{kind},{},{file},{node}", text(network_element))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn each_of_many_files_has_its_own_sums() {
        const FILES: i64 = 20_000;
        let counts = (0..FILES).map(|file| AuditCount {
            network_element: "boston".into(),
            file: Some(format!("{file}.ber")),
            records: 7,
            ..AuditCount::default()
        });
        let amounts = (0..FILES).map(|file| AuditAmount {
            network_element: "boston".into(),
            file: Some(format!("{file}.ber")),
            side: "delivered".into(),
            name: "seconds".into(),
            sum: file.into(),
            ..AuditAmount::default()
        });
        let report = AuditReport {
            flow: "flow.toml".into(),
            as_of: String::new(),
            counts: counts.collect(),
            amounts: amounts.collect(),
            in_work: 0,
            gathered: Vec::new(),
            not_taken: Vec::new(),
            forgotten: None,
            differences: Vec::new(),
        };
        let mut out = Vec::new();
        csv_lines(&report, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let line = ",network-element,boston,16.ber,,0,0,0,7,0,0,0,0,0,0,0,0,0,0,16,";
        assert_eq!(out.lines().nth(17).unwrap(), line);
        assert_eq!(out.lines().count() as i64, 1 + FILES);
    }
}
