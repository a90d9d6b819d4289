//! Where lists are: in the folders that the fraud nodes of a flow name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diagnostics::{did_you_mean, plain};
use flow::flow_journal::JournalError;
use gateway::compile::prepare;
use lists::ListError;

use crate::context::Context;
use crate::privacy::SubscriberDataError;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The kind of nodes that read lists, as the flow file names it.
const FRAUD: &str = "fraud";

/// The setting with their folder.
const LISTS: &str = "lists";

refusals! {
    /// Why a list is not found or read.
    pub enum FraudListError {
        /// No fraud node has lists.
        NoFolder => Unknown "fraud-lists-missing"
            "no fraud node of the flow has lists: write lists = \"lists\" in its table",
        /// No fraud node of this name has lists.
        NoNode {
            /// The name.
            node: String,
        } => Unknown "fraud-lists-node-unknown" "there is no fraud node \"{node}\" with lists",
        /// Several nodes have folders of their own.
        Several {
            /// Their names.
            nodes: String,
        } => Wrong "fraud-lists-node-missing" "the nodes {nodes} have lists of their own: name one of them",
        /// The name is none that a list may have.
        Name {
            /// The name.
            name: String,
        } => Wrong "fraud-list-name-wrong"
            "\"{name}\" is no name of a list: it has up to 64 letters, digits, \".\", \"-\" and \"_\"",
        /// There is no such list.
        Unknown {
            /// Its name.
            name: String,
            /// Which ones there are.
            known: String,
        } => Unknown "fraud-list-unknown" "there is no list \"{name}\"; {known}",
        /// It has mistakes, which the role does not see.
        Mistaken => Conflict "fraud-list-mistaken-hidden"
            "the list has mistakes; they are shown to users who see subscriber data",
        /// Its file cannot be used.
        List(ListError) => [Conflict],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl FraudListError {
    /// Returns why a list is not read. A list without a first line has a key there, which the mistake names: who is masked does not
    /// see it.
    pub(super) fn unread(error: ListError, is_masked: bool) -> Self {
        match error {
            ListError::Mistakes(_) if is_masked => FraudListError::Mistaken,
            error => error.into(),
        }
    }
}

impl Refusal for ListError {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }

    fn code(&self) -> &'static str {
        match self {
            ListError::File { .. } => "fraud-list-unusable",
            ListError::Mistakes(_) => "fraud-list-mistaken",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of =
            |code, text| PossibleRefusal { kind: RefusalKind::Conflict, text: Some((code, text)) };
        vec![
            of("fraud-list-unusable", "could not use the list \"{path}\""),
            of("fraud-list-mistaken", "the list has mistakes: {mistakes}"),
        ]
    }
}

/// Returns the folders of lists, each with the names of its nodes.
pub(in super::super) fn folders(
    context: &Context<'_>,
) -> Result<BTreeMap<PathBuf, Vec<String>>, JournalError> {
    let unreadable = |cause| JournalError::Flow { flow: context.flow.into(), cause };
    let text = plain::read_text(context.flow, plain::TEXT_OCTETS_MAX).map_err(unreadable)?;
    let kinds = context.parts.kinds;
    let (file, _) = prepare::parse(context.flow, text, kinds);
    let mut folders: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for node in file.nodes.iter().filter(|node| kinds[node.kind].name() == FRAUD) {
        if let Some(folder) = node.settings.get(LISTS) {
            let nodes = folders.entry(node.settings.path(folder)).or_default();
            nodes.push(node.name.text.clone());
        }
    }
    Ok(folders)
}

/// Returns the folder of a node's lists. Without a name, there must be one folder only.
fn folder(context: &Context<'_>, node: Option<&str>) -> Result<PathBuf, FraudListError> {
    let mut folders = folders(context)?;
    if let Some(node) = node {
        let found = folders.into_iter().find(|(_, nodes)| nodes.iter().any(|name| name == node));
        let found = found.map(|(folder, _)| folder);
        return found.ok_or_else(|| FraudListError::NoNode { node: node.to_owned() });
    }
    match (folders.pop_first(), folders.is_empty()) {
        (None, _) => Err(FraudListError::NoFolder),
        (Some((folder, _)), true) => Ok(folder),
        (Some((_, first)), false) => {
            let nodes = first.into_iter().chain(folders.into_values().flatten());
            let nodes: Vec<String> = nodes.map(|node| format!("\"{node}\"")).collect();
            Err(FraudListError::Several { nodes: nodes.join(", ") })
        }
    }
}

/// Returns the file of a list, which need not be there.
pub(super) fn new_or_known(
    context: &Context<'_>,
    (node, name): (Option<&str>, &str),
) -> Result<PathBuf, FraudListError> {
    let folder = folder(context, node)?;
    match lists::is_name(name) {
        true => Ok(lists::path(&folder, name)),
        false => Err(FraudListError::Name { name: name.to_owned() }),
    }
}

/// Returns the file of a list that is there.
pub(super) fn known(
    context: &Context<'_>,
    of: (Option<&str>, &str),
) -> Result<PathBuf, FraudListError> {
    let path = new_or_known(context, of)?;
    match path.exists() {
        true => Ok(path),
        false => Err(unknown(&path, of.1)),
    }
}

fn unknown(path: &Path, name: &str) -> FraudListError {
    let names = lists::names(path.parent().unwrap_or(Path::new(""))).unwrap_or_default();
    let nearest = did_you_mean(name, names.iter().map(String::as_str));
    let known = nearest.unwrap_or_else(|| match names.is_empty() {
        true => "there is none yet: import one".to_owned(),
        false => format!("there are {}", names.join(", ")),
    });
    FraudListError::Unknown { name: name.to_owned(), known }
}
