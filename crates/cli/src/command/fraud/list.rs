//! `tollgate fraud list`: the lists of keys that rules read.

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Source, counted, plain};
use operate::fraud::{
    AddToFraudList, ChangedFraudList, DifferentEntry, FraudListEntry, ImportFraudList,
    ImportedFraudList, RemoveFromFraudList, ShowFraudList, WrittenEntry,
};
use operate::page::PageQuery;

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};

/// Show and change the lists of keys that rules read
#[derive(Debug, clap::Subcommand)]
pub(crate) enum FraudList {
    /// Show a list, with how often its entries mattered
    #[command(after_help = "Example:\n  tollgate fraud list show flow.toml call-centres --dead")]
    Show(Shown),
    /// Add an entry to a list
    #[command(
        after_help = "Example:\n  tollgate fraud list add flow.toml call-centres 46701234567 --until 2026-12-31 --source support --because \"a call centre\""
    )]
    Add(Added),
    /// Remove the entries of a key from a list
    #[command(
        after_help = "Example:\n  tollgate fraud list remove flow.toml call-centres 46701234567 --because \"the contract is over\""
    )]
    Remove(Removed),
    /// Show what is different in another file, and with --apply make the entries of the list those of the file
    #[command(
        after_help = "Examples:\n  tollgate fraud list import flow.toml call-centres new.csv\n  \
                      tollgate fraud list import flow.toml call-centres new.csv --apply --because \"those of June\""
    )]
    Import(Imported),
}

impl FraudList {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            FraudList::Show(shown) => shown.run(),
            FraudList::Add(added) => added.run(),
            FraudList::Remove(removed) => removed.run(),
            FraudList::Import(imported) => imported.run(),
        }
    }
}

/// Arguments of `tollgate fraud list show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Shown {
    #[command(flatten)]
    flow: FlowFile,
    /// The name of the list
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Those that never mattered, or whose time is over
    #[arg(long)]
    dead: bool,
    /// Those that are for this key, also those for all keys that begin so
    #[arg(long, value_name = "KEY", allow_negative_numbers = true)]
    key: Option<String>,
    /// The fraud node, if several have lists of their own
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The list and the key that a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct OneKey {
    #[command(flatten)]
    flow: FlowFile,
    /// The name of the list
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The key, or what keys begin with and a "*"
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    key: Option<String>,
    /// The fraud node, if several have lists of their own
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud list add`.
#[derive(Debug, clap::Args)]
pub(crate) struct Added {
    #[command(flatten)]
    of: OneKey,
    /// From when on it holds: a day, in UTC, or a time with its zone. Without it, always
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Until when it holds: a day, in UTC, or a time with its zone. Without it, for ever
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

/// Arguments of `tollgate fraud list remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Removed {
    #[command(flatten)]
    of: OneKey,
    /// Why, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

/// Arguments of `tollgate fraud list import`.
#[derive(Debug, clap::Args)]
pub(crate) struct Imported {
    #[command(flatten)]
    flow: FlowFile,
    /// The name of the list; it is made if it is not there
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The file: CSV with the columns "key" and perhaps "from", "until", "source", "who", "because"
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// Change the list; without it, only the differences are shown
    #[arg(long)]
    apply: bool,
    /// Why, for the audit trail, and for entries if the file has no column for it
    #[arg(long, value_name = "TEXT", default_value = "")]
    because: String,
    /// The fraud node, if several have lists of their own
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 8] = [
    text("key"),
    text("from"),
    text("until"),
    number("hits"),
    text("last hit"),
    text("source"),
    text("who"),
    free("because"),
];

impl Shown {
    fn run(self) -> Result<Outcome, CommandError> {
        let Shown { flow, name, dead, key, node, json } = self;
        let (flow, name) = flow.and_one(name, "NAME")?;
        let mut rows = Rows::begin(json, &COLUMNS);
        let mut page = PageQuery::after(0);
        loop {
            let (name, node, key) = (name.clone(), node.clone(), key.clone());
            let found = perform(&flow, ShowFraudList { name, node, dead, key, page })?;
            found.entries.iter().try_for_each(|entry| rows.row(entry, row))?;
            page.after = found.entries.last().map(|entry| entry.line);
            if !found.more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn row(entry: &FraudListEntry) -> [Cell; 8] {
    let FraudListEntry { key, from, until, over, hits, last_hit, source, who, because, .. } = entry;
    let until = until.as_ref().map(|until| match over {
        true => format!("{until} (over)"),
        false => until.clone(),
    });
    [
        cell(key),
        cell_of(from.as_ref()),
        cell_of(until),
        cell(hits),
        cell_of(last_hit.as_ref()),
        cell_of(source.as_ref()),
        cell_of(who.as_ref()),
        cell_of(because.as_ref()),
    ]
}

impl OneKey {
    /// Returns the flow file, the list and the key.
    fn named(&self) -> Result<(PathBuf, String, String), CommandError> {
        let behind = (self.name.clone(), self.key.clone());
        self.flow.clone().and_two(behind, ("NAME", "KEY"))
    }

    fn result(&self, changed: &ChangedFraudList, done: &str) -> Result<Outcome, CommandError> {
        match self.json {
            true => json::line(&mut output::lines(), changed)?,
            false => match changed.changed {
                1 => say!("1 entry {done}")?,
                changed => say!("{changed} entries {done}")?,
            },
        }
        Ok(Outcome::Clean)
    }
}

impl Added {
    fn run(self) -> Result<Outcome, CommandError> {
        let Added { of, from, until, source, because } = self;
        let ((flow, name, key), node) = (of.named()?, of.node.clone());
        let request = AddToFraudList { name, node, key, from, until, source, because };
        of.result(&perform(&flow, request)?, "added")
    }
}

impl Removed {
    fn run(self) -> Result<Outcome, CommandError> {
        let Removed { of, because } = self;
        let ((flow, name, key), node) = (of.named()?, of.node.clone());
        let request = RemoveFromFraudList { name, node, key, because };
        of.result(&perform(&flow, request)?, "removed")
    }
}

impl Imported {
    fn run(self) -> Result<Outcome, CommandError> {
        let Imported { flow, name, file, apply, because, node, json } = self;
        let (flow, name, file) = flow.and_two((name, file), ("NAME", "FILE"))?;
        let text = read(Path::new(&file))?;
        let request = ImportFraudList { name, node, text, file: Some(file), apply, because };
        let imported = perform(&flow, request)?;
        if !imported.mistakes.diagnostics.is_empty() {
            return Err(CommandError::Mistakes(mistakes(&imported)));
        }
        match json {
            true => json::line(&mut output::lines(), &imported)?,
            false => show(&imported)?,
        }
        Ok(Outcome::Clean)
    }
}

/// Reads a file of entries, in UTF-8 or as its mark says.
fn read(path: &Path) -> Result<String, CommandError> {
    let octets = plain::read(path, plain::TABLE_OCTETS_MAX)
        .map_err(|cause| CommandError::Read { path: path.to_owned(), cause })?;
    let source = Source::decoded(path.display().to_string(), octets);
    let source =
        source.map_err(|mistake: Box<Diagnostic>| CommandError::Mistakes(mistake.to_string()))?;
    Ok(source.text.clone())
}

fn mistakes(imported: &ImportedFraudList) -> String {
    let found = imported.mistakes.diagnostics.iter().map(|mistake| mistake.text.clone());
    let mut texts: Vec<String> = found.collect();
    if imported.mistakes.diagnostics_left_out > 0 {
        texts.push(format!("and {} more", imported.mistakes.diagnostics_left_out));
    }
    texts.push("the list stays as it is".to_owned());
    texts.join("\n\n")
}

/// Shows differences as lines with `-` for what the list had and `+` for what the file has.
fn show(imported: &ImportedFraudList) -> std::io::Result<()> {
    for DifferentEntry { key, before, after } in &imported.differences {
        for entry in before {
            say!("- {key} {}", words(entry))?;
        }
        for entry in after {
            say!("+ {key} {}", words(entry))?;
        }
    }
    if imported.differences_left_out > 0 {
        say!("and {} more", counted(imported.differences_left_out, "difference"))?;
    }
    let ImportedFraudList { added, removed, changed, applied, .. } = imported;
    let end = if *applied { "" } else { "; --apply changes the list" };
    say!("{added} added, {removed} removed, {changed} changed{end}")
}

fn words(entry: &WrittenEntry) -> String {
    let WrittenEntry { from, until, source, who, because } = entry;
    let cells = [("from", from), ("until", until), ("", source), ("", who), ("", because)];
    let filled = cells.into_iter().filter(|(_, text)| !text.is_empty());
    let words: Vec<String> = filled.map(|(name, text)| format!("{name} {text}")).collect();
    words.iter().map(|words| words.trim()).collect::<Vec<_>>().join(", ")
}
