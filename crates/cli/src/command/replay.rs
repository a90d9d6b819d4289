//! `tollgate replay`: shows what a changed flow would change, on files that came already.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use diagnostics::{counted, visible, with_causes};
use gateway::RunOptions;
use inspection::{
    AlertDifference, AlertTotals, Change, CountedRecords, FieldDifference, FileTotals,
    ReceiverTotals, RecordDifference, RecordOutcome, ReplayContents, ReplayCounted, ReplayError,
    ReplayEvent, ReplayFile, ReplayTotals, RuleAlerts, Sum,
};

use operate::replay::{ReplayFileDiffering, ReportBuilder};

use crate::archived::Which;
use crate::execute::Execute;
use crate::interrupt::interrupted;
use crate::json;
use crate::length::length_or_none;
use crate::outcome::{CommandError, Outcome, mistakes};
use crate::output::{self, Standard};
use crate::product::PARTS;
use crate::progress::{Aside, Counter, Progress};
use crate::table::{Column, Table, cell, number, text};

/// The default number of differing records that are printed as text.
const SHOWN: u64 = 20;

/// Show what a changed flow, script, module or tariff would change, on files that came already
#[derive(Debug, clap::Parser)]
#[command(
    name = "replay",
    after_help = "Example:\n  tollgate replay flow.toml --from 2026-11-21 --to 2026-11-22 --with new/is_roaming.dup"
)]
pub(crate) struct Replay {
    #[command(flatten)]
    which: Which,
    /// What is tried: a flow file; or scripts, modules or tariff files, each in the place of the flow's own of that
    /// name, or of OLD where OLD=NEW is given
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    with: Vec<PathBuf>,
    /// How much of the time before is run first, so that rules know it; 0 for none [default: as far back as the rules look]
    #[arg(long, value_name = "LENGTH", value_parser = length_or_none)]
    warm_up: Option<Duration>,
    /// These files, and not those of the archive
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "network_element")]
    given: Vec<PathBuf>,
    /// Records that differ to be shown; with --json all are
    #[arg(long, default_value_t = SHOWN, value_name = "N")]
    show: u64,
    /// Threads; 0 for as many as there are processors
    #[arg(long, default_value_t = 0)]
    workers: usize,
    /// Where it works [default: a folder in the system's temporary folder; removed at the end]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// One JSON object a line: each record that differs, each file, and at last the report, as in the API
    #[arg(long)]
    json: bool,
}

/// A folder that is removed when this is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Execute for Replay {
    // It has no log: a trial of a flow writes none.
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        let stop = interrupted()?;
        let within = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let within = std::path::absolute(within)?;
        let folder = Folder(within.join(format!("tollgate-replay-{}", std::process::id())));
        fs::create_dir_all(&folder.0)
            .map_err(|cause| CommandError::WriteFile { path: folder.0.clone(), cause })?;
        let candidate =
            inspection::overlay(&self.which.flow, PARTS, &self.with, &folder.0.join("candidate"))
                .map_err(|error| CommandError::Mistakes(with_causes(&error)))?;
        let live = std::path::absolute(&*self.which.flow)?;
        let both = (live.as_path(), candidate.as_path());
        let (files, warm_up) = self.files(both)?;
        let options = RunOptions { workers: self.workers, stop, ..RunOptions::once() };
        let (progress, done) = Progress::of(files.len() as u64, "files are compared");
        let mut telling = Telling {
            out: output::list(),
            report: Aside(io::stdout()),
            json: self.json,
            left: self.show,
            done,
            differing: VecDeque::new(),
            report_builder: ReportBuilder::default(),
        };
        let files = (&files[..], warm_up);
        let of = (both, live.as_path());
        let totals = inspection::replay(of, PARTS, files, &folder.0, &options, &mut |event| {
            telling.tell(event)
        });
        drop(progress);
        let totals = totals.map_err(|error| refused(error, &candidate))?;
        telling.end(&totals)?;
        Ok(if totals.differs() { Outcome::Faults } else { Outcome::Clean })
    }
}

impl Replay {
    /// Returns the files, and how many of them are not compared.
    fn files(
        &self,
        (flow, candidate): (&Path, &Path),
    ) -> Result<(Vec<ReplayFile>, usize), CommandError> {
        let (mut files, mut warm_up) = (Vec::new(), 0);
        for path in &self.given {
            let name = path.file_name().unwrap_or_default().to_string_lossy().replace('~', "~0");
            // The suffix only marks a file as done; its contents are as collected.
            let name = name.strip_suffix(".done").unwrap_or(&name).to_owned();
            let network_element = self.which.network_element.clone().unwrap_or_default();
            files.push(ReplayFile {
                network_element,
                name,
                contents: ReplayContents::Path(path.clone()),
            });
        }
        if self.given.is_empty() {
            let looks_back = || {
                let of_both = [flow, candidate].map(|flow| inspection::warm_up(flow, PARTS));
                of_both.into_iter().max().unwrap_or_default()
            };
            let before = self.warm_up.unwrap_or_else(looks_back);
            (files, warm_up) = self.which.replayed(before)?;
        }
        match files.len() == warm_up {
            false => Ok((files, warm_up)),
            true => Err(CommandError::Mistakes("the archive has no such files".into())),
        }
    }
}

fn refused(error: ReplayError, candidate: &Path) -> CommandError {
    match error {
        ReplayError::Run { which, cause } => match mistakes(cause) {
            CommandError::Mistakes(text) => CommandError::Mistakes(format!(
                "{which} does not run (\"{}\"):\n{text}",
                candidate.display()
            )),
            other => other,
        },
        error => CommandError::Mistakes(with_causes(&error)),
    }
}

/// Prints differences as they are found.
struct Telling<W: Write> {
    out: W,
    /// Where tables go, which have colours.
    report: Standard,
    json: bool,
    /// The number of records that may still be printed.
    left: u64,
    done: Counter,
    /// The lines of the files with differences.
    differing: VecDeque<String>,
    /// The report for programs.
    report_builder: ReportBuilder,
}

/// The maximum number of files that are listed as text.
const FILES_MAX: usize = 1_000;

impl<W: Write> Telling<W> {
    fn tell(&mut self, event: ReplayEvent<'_>) -> io::Result<()> {
        match event {
            ReplayEvent::Record(record) if self.json => {
                self.report_builder.record(record);
                json::line(&mut self.out, &serde_json::json!({ "record": record }))
            }
            ReplayEvent::Record(record) if self.left > 0 => {
                self.left -= 1;
                show(&mut self.out, record)
            }
            ReplayEvent::Record(_) => Ok(()),
            ReplayEvent::File(file) if self.json => {
                self.report_builder.file(file);
                let file = ReplayFileDiffering::from(file);
                json::line(&mut self.out, &serde_json::json!({ "file": file }))
            }
            ReplayEvent::File(file) => {
                if self.differing.len() < FILES_MAX {
                    self.differing.push_back(line(file));
                }
                Ok(())
            }
            ReplayEvent::Alert(alert) if self.json => {
                self.report_builder.alert(alert);
                json::line(&mut self.out, &serde_json::json!({ "alert": alert }))
            }
            ReplayEvent::Alert(alert) if self.left > 0 => {
                self.left -= 1;
                show_alert(&mut self.out, alert)
            }
            ReplayEvent::Alert(_) => Ok(()),
            ReplayEvent::Progress(done) => {
                self.done.set(done as u64);
                Ok(())
            }
        }
    }

    fn end(mut self, totals: &ReplayTotals) -> io::Result<()> {
        let out = &mut self.out;
        if self.json {
            let report = self.report_builder.report(totals);
            json::line(out, &serde_json::json!({ "report": report }))?;
            return out.flush();
        }
        if !totals.differs() {
            writeln!(
                out,
                "{}, {}: nothing would change",
                counted(totals.files as usize, "file"),
                counted(records(totals) as usize, "record")
            )?;
            return out.flush();
        }
        for line in self.differing.drain(..) {
            writeln!(out, "{line}")?;
        }
        writeln!(
            out,
            "{} of {} files would be different, {} of {} records",
            totals.files_differing,
            totals.files,
            totals.all.differing,
            records(totals)
        )?;
        if totals.groups_differing > 0 {
            writeln!(
                out,
                "{} groups whose time was over would be different",
                totals.groups_differing
            )?;
        }
        writeln!(out)?;
        out.flush()?;
        let mut table = Table::report(&mut self.report, &TOTALS);
        for (what, ReplayCounted { before, after }) in &totals.all.counts {
            let counts = [cell(before), cell(after), cell(""), cell(""), cell("")];
            table.row([&[cell(what.word())], &counts[..]].concat())?;
        }
        for (who, of) in &totals.all.receivers {
            let ReceiverTotals { before, after, only_before, only_after, changed } = of;
            let counts = [before, after, only_before, only_after, changed].map(cell);
            table.row([&[cell(format!("-> {who}"))], &counts[..]].concat())?;
        }
        table.end()?;
        show_alerts(out, &totals.alerts)?;
        for (what, Sum { before, after }) in &totals.all.sums {
            writeln!(out, "sum of {what}: {before}, {after} after")?;
        }
        for who in &totals.all.headers {
            writeln!(out, "the files for {who} would begin otherwise")?;
        }
        out.flush()
    }
}

/// Shows the alerts of each rule: how many, of how many keys only on one side, and what people have decided about the keys.
fn show_alerts(out: &mut impl Write, AlertTotals { days, rules }: &AlertTotals) -> io::Result<()> {
    for of in rules {
        let RuleAlerts { rule, before, after, only_before, only_after, .. } = of;
        let a_day = |alerts: u64| alerts as f64 / (*days).max(1) as f64;
        writeln!(
            out,
            "alerts of {rule}: {before}, {after} after ({:.1} and {:.1} a day); {} found no more, {only_after} found in addition",
            a_day(*before),
            a_day(*after),
            counted(*only_before as usize, "key"),
        )?;
        let RuleAlerts { fraud_before, fraud_after, not_fraud_before, not_fraud_after, .. } = of;
        if fraud_before + fraud_after + not_fraud_before + not_fraud_after > 0 {
            writeln!(
                out,
                "  of its keys that are decided: fraud {fraud_before}, {fraud_after} after; no fraud {not_fraud_before}, {not_fraud_after} after"
            )?;
        }
    }
    Ok(())
}

fn show_alert(out: &mut impl Write, alert: &AlertDifference) -> io::Result<()> {
    let AlertDifference { change, rule, subject, key, at, condition, decision, .. } = alert;
    let found = match change {
        Change::OnlyBefore => "found no more",
        _ => "found in addition",
    };
    let decided =
        decision.as_ref().map_or(String::new(), |decision| format!(", decided: {decision}"));
    writeln!(out, "{subject} {}: {found} by {rule}{decided}", visible(key))?;
    writeln!(out, "  {at} {}", visible(condition))
}

const TOTALS: [Column; 6] = [
    text("records"),
    number("before"),
    number("after"),
    number("only before"),
    number("only after"),
    number("changed"),
];

fn records(totals: &ReplayTotals) -> u64 {
    totals.all.counts.get(&CountedRecords::Records).map_or(0, |counted| counted.before)
}

fn line(file: &FileTotals) -> String {
    let name = visible(&file.file);
    let records = counted(file.differing as usize, "record");
    format!("{}/{name}: {records} would be different", file.network_element)
}

fn show(out: &mut impl Write, record: &RecordDifference) -> io::Result<()> {
    let RecordDifference { network_element, file, record: number, offset, key, .. } = record;
    let file = visible(file);
    match key {
        Some(key) => writeln!(out, "{file}, group \"{}\"", visible(key))?,
        None => writeln!(out, "{network_element}/{file}  record {number}  octet {offset}")?,
    }
    if record.before != record.after {
        let (before, after) = (outcome(record.before.as_ref()), outcome(record.after.as_ref()));
        writeln!(out, "  {before} -> {after}")?;
    }
    for receiver in &record.receivers {
        let change = match receiver.change {
            Change::OnlyBefore => "gets it no more",
            Change::OnlyAfter => "gets it only then",
            Change::Changed if receiver.fields.is_empty() => "gets it written otherwise",
            Change::Changed => "gets another",
        };
        writeln!(out, "  -> {} {change}", receiver.post_processing_system)?;
        for FieldDifference { field, before, after } in &receiver.fields {
            let value = |value: &Option<String>| {
                value.as_ref().map_or("nothing".to_owned(), |value| visible(value).into_owned())
            };
            writeln!(out, "       {field}: {} -> {}", value(before), value(after))?;
        }
    }
    Ok(())
}

fn outcome(outcome: Option<&RecordOutcome>) -> String {
    let Some(RecordOutcome { what, at, reason }) = outcome else { return "not there".into() };
    let at =
        at.as_ref().filter(|at| !at.is_empty()).map_or(String::new(), |at| format!(" at {at}"));
    let reason = reason.as_ref().map_or(String::new(), |reason| format!(" ({})", visible(reason)));
    format!("{}{at}{reason}", what.word())
}
