//! `tollgate sequence`: the numbers that network elements used in a period, which of them came, and which are missing.

use std::io::Write;

use assurance::{Acceptance, Line, SequenceReport, What};
use operate::sequences::{AcceptMissing, Counted, ReportSequences};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::{perform, perform_as};
use crate::outcome::{CommandError, Outcome};
use crate::output::{self, Visible};
use crate::period::Period;
use crate::who::who;

/// Report which files and records of network elements came, and which are missing
#[derive(Debug, clap::Parser)]
#[command(
    name = "sequence",
    after_help = "Example:\n  tollgate sequence flow.toml --from 2026-11-01 --to 2026-12-01"
)]
pub(crate) struct Sequence {
    #[command(flatten)]
    flow: FlowFile,
    /// This network element alone
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    #[command(flatten)]
    period: Period,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// The lines that are signed, and their digest
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Accept that these files are lost, `17` or `17-19`: they are missing no more
    #[arg(long, value_name = "NUMBERS", value_parser = Acceptance::numbers_of, requires = "network_element",
        requires = "because", conflicts_with_all = ["from", "to", "csv"])]
    accept: Option<(i64, i64)>,
    /// Why they are accepted
    #[arg(long, value_name = "REASON", requires = "accept")]
    because: Option<String>,
    /// Who accepts them [default: the user's name]
    #[arg(long, value_name = "NAME", requires = "accept")]
    by: Option<String>,
    /// Records are meant, not files
    #[arg(long, requires = "accept")]
    records: bool,
    /// Of this series
    #[arg(long, requires = "accept", default_value = "")]
    series: String,
}

impl Execute for Sequence {
    fn run(self) -> Result<Outcome, CommandError> {
        match self.accept {
            Some(numbers) => self.accept(numbers),
            None => self.report(),
        }
    }
}

impl Sequence {
    fn accept(self, (first, last): (i64, i64)) -> Result<Outcome, CommandError> {
        let request = AcceptMissing {
            network_element: self.network_element.unwrap_or_default(),
            of: if self.records { Counted::Record } else { Counted::File },
            series: self.series,
            numbers: format!("{first}-{last}"),
            because: self.because.unwrap_or_default(),
        };
        let by = self.by.unwrap_or_else(who);
        let accepted = perform_as(&self.flow, request, &by)?;
        match self.json {
            true => json::line(&mut output::lines(), &accepted)?,
            false => say!("accepted to be lost: {}", accepted.accepted)?,
        }
        Ok(Outcome::Clean)
    }

    fn report(self) -> Result<Outcome, CommandError> {
        let (network_element, period) = (self.network_element, self.period.request()?);
        let report = perform(&self.flow, ReportSequences { network_element, period })?;
        let mut out = std::io::stdout().lock();
        match (self.json, self.csv) {
            (true, _) => json::line(&mut Visible::new(&mut out), &report)?,
            (_, true) => writeln!(out, "{}# SHA-256 {}", report.text(), report.sha256)?,
            _ => show(&report, &mut Visible::new(&mut out))?,
        }
        Ok(if report.is_clean() { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Prints the report as text.
fn show(report: &SequenceReport, out: &mut impl Write) -> std::io::Result<()> {
    let from = report.from.as_deref().unwrap_or("the beginning");
    let to = report.to.as_deref().unwrap_or(&report.as_of);
    writeln!(
        out,
        "Sequences of {}, from {from} to before {to}, as of {}",
        report.flow, report.as_of
    )?;
    if report.not_yet > 0 {
        writeln!(out, "\n{} files are done and not in it yet", report.not_yet)?;
    }
    let mut counter = None;
    for line in &report.lines {
        let of = (&line.network_element, line.of, &line.series);
        if counter.replace(of) != Some(of) {
            let series = if line.series.is_empty() { "" } else { ": " };
            writeln!(out, "\n{} {}s{series}{}", line.network_element, line.of.word(), line.series)?;
        }
        writeln!(out, "{}", line_text(line))?;
    }
    writeln!(out, "\nSHA-256 of these lines as CSV: {}", report.sha256)?;
    writeln!(out, "\nName, date, signature: ______________________________")
}

fn line_text(line: &Line) -> String {
    let number = |number: Option<i64>| number.map_or("nothing".to_owned(), |n| n.to_string());
    let (first, last) = (number(line.first), number(line.last));
    let numbers = match line.what {
        What::Unnumbered | What::Agrees => String::new(),
        What::Differs => format!("said {first}, found {last}"),
        _ if line.first == line.last => first,
        _ => format!("{first} to {last}"),
    };
    let (at, until) = (line.at.as_deref(), line.until.as_deref());
    let when = match (line.what, at, until) {
        (_, Some(at), Some(until)) => format!("{at} to {until}"),
        (What::Missing | What::MissingBefore, Some(at), None) => format!("since {at}"),
        (_, Some(at), None) => at.to_owned(),
        _ => String::new(),
    };
    let file = line.file.as_deref().map_or(String::new(), |file| format!("  \"{file}\""));
    let note = line.note.as_deref().map_or(String::new(), |note| format!("  {note}"));
    let what = line.what.name();
    let text = format!("  {what:<15}{:>10}  {numbers:<24}{when}{file}{note}", line.count);
    text.trim_end().to_owned()
}
