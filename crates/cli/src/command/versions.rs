//! `tollgate versions`: the versions of a flow that were saved, and what activating one means.

use std::io::{self, Write};
use std::path::PathBuf;

use diagnostics::{counted, plain, visible};
use operate::page::PageQuery;
use operate::versions::{
    ActivateVersion, Activated, ActivationAnswer, Consequences, ListVersions, RejectProposal,
    SaveVersion, ShowConsequences, ShowVersion, Version, VersionContent, Versions as Page,
};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};
use crate::terminal::Look;

/// Save, compare and activate versions of the flow
#[derive(Debug, clap::Parser)]
#[command(name = "versions")]
pub(crate) enum Versions {
    /// List the versions
    #[command(after_help = "Example:\n  tollgate versions list flow.toml --json")]
    List(List),
    /// Show a version: its files, and which of them are different now
    #[command(after_help = "Example:\n  tollgate versions show flow.toml 7 --text")]
    Show(Show),
    /// Save the flow as a version, without activating it
    #[command(
        after_help = "Example:\n  tollgate versions save flow.toml --text draft.toml --remark \"a receiver for roaming\""
    )]
    Save(Save),
    /// Show what activating a version would change, and what waits for nodes that it removes
    #[command(after_help = "Example:\n  tollgate versions consequences flow.toml 7")]
    Consequences(ShownConsequences),
    /// Show the consequences of a version, put its files in place, and have the gateway run them
    #[command(
        after_help = "Example:\n  tollgate versions activate flow.toml 7 --because \"approved in change 4711\""
    )]
    Activate(Activate),
    /// Reject the proposal to activate a version, where the flow wants a second person
    #[command(
        after_help = "Example:\n  tollgate versions reject flow.toml 7 --because \"the prices are wrong\""
    )]
    Reject(Reject),
}

/// Arguments of `tollgate versions list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    flow: FlowFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The version that a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct OneVersion {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the version, as "tollgate versions list" shows it
    #[arg(value_name = "NUMBER")]
    version: Option<i64>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl OneVersion {
    /// Returns the flow file and the number.
    fn flow_and_version(&self) -> Result<(PathBuf, i64), CommandError> {
        self.flow.clone().and_one(self.version, "NUMBER")
    }
}

/// Arguments of `tollgate versions show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    of: OneVersion,
    /// The text of its flow file alone
    #[arg(long, conflicts_with = "json")]
    text: bool,
}

/// Arguments of `tollgate versions save`.
#[derive(Debug, clap::Args)]
pub(crate) struct Save {
    #[command(flatten)]
    flow: FlowFile,
    /// A file with the text of the flow file [default: the flow file as it is]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// What changes and why, for the version and the audit trail
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    remark: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate versions consequences`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShownConsequences {
    #[command(flatten)]
    of: OneVersion,
    /// A file with the text of a flow file, in place of a version
    #[arg(long, value_name = "FILE", conflicts_with = "version")]
    text: Option<PathBuf>,
}

/// Arguments of `tollgate versions activate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Activate {
    #[command(flatten)]
    of: OneVersion,
    /// Why it is activated, for the version and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

/// Arguments of `tollgate versions reject`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reject {
    #[command(flatten)]
    of: OneVersion,
    /// Why it is rejected, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Execute for Versions {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Versions::List(list) => list.run(),
            Versions::Show(show) => show.run(),
            Versions::Save(save) => save.run(),
            Versions::Consequences(consequences) => consequences.run(),
            Versions::Activate(activate) => activate.run(),
            Versions::Reject(reject) => reject.run(),
        }
    }
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        let mut page = PageQuery::after(0);
        loop {
            let Page { versions, more } = perform(&self.flow, ListVersions { page })?;
            versions.iter().try_for_each(|version| rows.row(version, row))?;
            page.after = versions.last().map(|version| version.version);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const COLUMNS: [Column; 5] =
    [number("version"), text("saved"), text("state"), text("who"), free("remark")];

fn row(of: &Version) -> [Cell; 5] {
    let Version { version, at, who, remark, .. } = of;
    let look = if of.active { Look::Good } else { Look::Warning };
    [cell(version), cell(at), cell(state(of)).look(look), cell(who), cell(remark)]
}

/// Returns whether a version runs, or waits for a second person.
fn state(version: &Version) -> &'static str {
    match (version.active, &version.proposal) {
        (true, _) => "active",
        (false, Some(_)) => "proposed",
        (false, None) => "",
    }
}

/// Describes a version in a line.
fn line(of: &Version) -> String {
    let Version { version, at, who, remark, .. } = of;
    let state = state(of);
    let remark = if remark.is_empty() { String::new() } else { format!("  \"{remark}\"") };
    format!("{version:>6}  {at}  {state:<8}  {who}{remark}")
}

impl Show {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, version) = self.of.flow_and_version()?;
        let whole = perform(&flow, ShowVersion { version })?;
        let mut out = output::list();
        match (self.of.json, self.text) {
            (true, _) => json::line(&mut out, &whole)?,
            (_, true) => write!(out, "{}", whole.text)?,
            _ => show(&whole, &mut out)?,
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

fn show(whole: &VersionContent, out: &mut impl Write) -> io::Result<()> {
    let VersionContent { version, files, left_out, .. } = whole;
    writeln!(out, "{}", visible(line(version).trim_start()))?;
    for activation in &version.activated {
        let because = match activation.because.as_str() {
            "" => String::new(),
            because => format!("  \"{because}\""),
        };
        let text = format!("  activated {} by {}{because}", activation.at, activation.who);
        writeln!(out, "{}", visible(&text))?;
    }
    for file in files {
        let is_other = if file.is_other { "  different now" } else { "" };
        let text = format!("  {}  {} octets{is_other}", file.name, file.octets);
        writeln!(out, "{}", visible(&text))?;
    }
    if let Some(proposal) = &version.proposal {
        let text =
            format!("  proposed {} by {}  \"{}\"", proposal.at, proposal.who, proposal.because);
        writeln!(out, "{}", visible(&text))?;
    }
    left_out.iter().try_for_each(|of| {
        writeln!(out, "{}", visible(&format!("  {}  not in the version: {}", of.name, of.why)))
    })
}

impl Save {
    fn run(self) -> Result<Outcome, CommandError> {
        let text = read(self.text.clone().unwrap_or_else(|| self.flow.to_path_buf()))?;
        let saved = perform(&self.flow, SaveVersion { text, remark: self.remark })?;
        if self.json {
            json::line(&mut output::lines(), &saved)?;
            return Ok(Outcome::Clean);
        }
        let version = saved.version;
        match saved.unchanged {
            true => say!(
                "version {version} has these files already, and keeps its remark; yours is in the audit trail"
            )?,
            false => say!("version {version} is saved")?,
        }
        for of in &saved.left_out {
            say!("not in it: {}: {}", of.name, of.why)?;
        }
        Ok(Outcome::Clean)
    }
}

fn read(path: PathBuf) -> Result<String, CommandError> {
    let text = plain::read_text(&path, plain::TEXT_OCTETS_MAX);
    text.map_err(|cause| CommandError::Read { path, cause })
}

impl ShownConsequences {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, request) = match self.text {
            Some(path) => {
                let text = Some(read(path)?);
                (self.of.flow.to_path_buf(), ShowConsequences { version: None, text })
            }
            None => {
                let (flow, version) = self.of.flow_and_version()?;
                (flow, ShowConsequences { version: Some(version), text: None })
            }
        };
        let consequences = perform(&flow, request)?;
        match self.of.json {
            true => json::line(&mut output::lines(), &consequences)?,
            false => print(&consequences)?,
        }
        Ok(Outcome::Clean)
    }
}

impl Activate {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, version) = self.of.flow_and_version()?;
        let is_json = self.of.json;
        // A change that another user makes meanwhile is not overwritten.
        let found = Some(perform(&flow, ShowVersion { version })?.found);
        if !is_json {
            let request = ShowConsequences { version: Some(version), text: None };
            print(&perform(&flow, request)?)?;
        }
        let request = ActivateVersion { version, because: self.because, based_on: None, found };
        let activated = perform(&flow, request)?;
        if is_json {
            json::line(&mut output::lines(), &activated)?;
        } else {
            report(version, &activated)?;
        }
        Ok(match activated.answer {
            ActivationAnswer::Mistakes => Outcome::Faults,
            _ => Outcome::Clean,
        })
    }
}

impl Reject {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, version) = self.of.flow_and_version()?;
        let rejected = perform(&flow, RejectProposal { version, because: self.because })?;
        match self.of.json {
            true => json::line(&mut output::lines(), &rejected)?,
            false => say!("the proposal by {} is rejected", rejected.proposed_by)?,
        }
        Ok(Outcome::Clean)
    }
}

fn report(version: i64, activated: &Activated) -> io::Result<()> {
    let Activated { answer, changed, mistakes } = activated;
    match answer {
        ActivationAnswer::Active => say!("version {version} is active"),
        ActivationAnswer::Pending => {
            say!("version {version} becomes active when the input files in work are done")
        }
        ActivationAnswer::Stopping => {
            say!("the gateway is stopping; version {version} becomes active when it starts again")
        }
        ActivationAnswer::Proposed => {
            say!(
                "version {version} is proposed: it becomes active when another user activates it, too"
            )
        }
        ActivationAnswer::Mistakes => {
            let mistakes = mistakes.join("\n\n");
            tell!("{mistakes}\n\nversion {version} has mistakes: the flow goes on as it was");
            Ok(())
        }
    }?;
    match changed.as_slice() {
        [] => Ok(()),
        changed => say!("changed: {}", changed.join(", ")),
    }
}

fn print(consequences: &Consequences) -> io::Result<()> {
    match sentences(consequences).as_slice() {
        [] => say!("no network element, node or receiver is added or removed"),
        sentences => sentences.iter().try_for_each(|sentence| say!("{sentence}")),
    }
}

/// Returns the consequences in sentences, those that lose something first.
fn sentences(of: &Consequences) -> Vec<String> {
    let nodes: Vec<&str> = of.nodes_removed.iter().map(|of| of.node.as_str()).collect();
    let receivers = of.post_processing_systems_removed.iter();
    let receivers: Vec<&str> = receivers.map(|of| of.post_processing_system.as_str()).collect();
    let (elements, added) = (&of.network_elements_removed, &of.network_elements_added);
    let removed = ["is removed", "are removed"];
    let is_added = ["is added", "are added"];
    let of_nodes = of.nodes_removed.iter().map(|of| of.suspended_records);
    let systems = of.post_processing_systems_removed.iter();
    let suspended = of_nodes.chain(systems.clone().map(|of| of.suspended_records)).sum();
    let groups = of.nodes_removed.iter().map(|of| of.waiting_groups).sum();
    let files = systems.map(|of| of.undelivered_files).sum();
    let all = [
        names(elements, "network element", ["stops being collected", "stop being collected"]),
        names(&nodes, "node", removed),
        count(suspended, "suspended record", ["loses its node", "lose their node"]),
        count(groups, "waiting group", ["loses its node", "lose their node"]),
        names(&receivers, "receiver", removed),
        count(files, "undelivered file", ["loses its receiver", "lose their receiver"]),
        names(added, "network element", is_added),
        names(&of.nodes_added, "node", is_added),
        names(&of.post_processing_systems_added, "receiver", is_added),
    ];
    let second = of.needs_second_person.then(|| "another user has to activate it, too".to_owned());
    all.into_iter().flatten().chain(second).collect()
}

/// Returns a sentence about some names, with its verb for one and for many.
fn names(names: &[impl AsRef<str>], noun: &str, verb: [&str; 2]) -> Option<String> {
    let sentence = count(names.len() as u64, noun, verb)?;
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    Some(format!("{sentence}: {}", names.join(", ")))
}

/// Returns a sentence about a number of things; `None` if there are none.
fn count(count: u64, noun: &str, [one, many]: [&str; 2]) -> Option<String> {
    let verb = if count == 1 { one } else { many };
    (count > 0).then(|| format!("{} {verb}", counted(count as usize, noun)))
}

#[cfg(test)]
mod tests {
    use operate::versions::{RemovedNode, RemovedReceiver};

    use super::*;

    #[test]
    fn consequences_are_sentences_and_losses_come_first() {
        let node = |node: &str, suspended_records, waiting_groups| RemovedNode {
            node: node.into(),
            suspended_records,
            waiting_groups,
        };
        let of = Consequences {
            network_elements_added: vec!["linz".into()],
            network_elements_removed: vec!["vienna".into(), "graz".into()],
            nodes_removed: vec![node("match", 30, 1), node("split", 9, 0)],
            post_processing_systems_removed: vec![RemovedReceiver {
                post_processing_system: "billing".into(),
                undelivered_files: 2,
                suspended_records: 1,
            }],
            ..Consequences::default()
        };
        let expected = [
            "2 network elements stop being collected: vienna, graz",
            "2 nodes are removed: match, split",
            "40 suspended records lose their node",
            "1 waiting group loses its node",
            "1 receiver is removed: billing",
            "2 undelivered files lose their receiver",
            "1 network element is added: linz",
        ];
        assert_eq!(sentences(&of), expected);
        assert!(sentences(&Consequences::default()).is_empty());
    }
}
