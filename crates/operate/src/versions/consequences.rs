//! Shows what a flow would change beside the flow on the disk: what is added, and what waits in the journal for something
//! that is removed.

use std::collections::BTreeMap;

use ::versions::{VersionError, contents};
use diagnostics::plain;
use flow::drawing::{self, NETWORK_ELEMENT, POST_PROCESSING_SYSTEM};
use flow::flow_journal::JournalError;
use flow::meters::{Standing, standing};
use node::Kind;
use people::Role;
use serde::{Deserialize, Serialize};
use suspense::{SuspendedAt, suspended_at};
use utoipa::ToSchema;

use super::activate::is_second_person;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Shows the consequences of an activation before it happens.
///
/// The flow of a version, or the text of a flow file, is compared with the flow file on the disk. The answer counts the
/// records, groups and files that wait for a node or receiver that would be removed. A node that is renamed counts as
/// removed.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ShowConsequences {
    /// The number of a version.
    pub version: Option<i64>,
    /// The text of a flow file, in place of a version.
    pub text: Option<String>,
}

/// What an activation would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Consequences {
    /// The network elements that would be collected from then on.
    pub network_elements_added: Vec<String>,
    /// The network elements that would no longer be collected.
    pub network_elements_removed: Vec<String>,
    /// The nodes that would be added.
    pub nodes_added: Vec<String>,
    /// The nodes that would be removed, or would be of another kind.
    pub nodes_removed: Vec<RemovedNode>,
    /// The receivers that would be added.
    pub post_processing_systems_added: Vec<String>,
    /// The receivers that would be removed.
    pub post_processing_systems_removed: Vec<RemovedReceiver>,
    /// Whether an activation by this user would only be a proposal: the flow wants a second person.
    pub needs_second_person: bool,
}

/// A node that would be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RemovedNode {
    /// Its name.
    pub node: String,
    /// The open records in suspense that would have no node to be retried at.
    pub suspended_records: u64,
    /// The groups of records that wait in the node.
    pub waiting_groups: u64,
}

/// A receiver that would be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RemovedReceiver {
    /// Its name.
    pub post_processing_system: String,
    /// The files that are not delivered to it yet.
    pub undelivered_files: u64,
    /// The open records in suspense that could not be written for it.
    pub suspended_records: u64,
}

refusals! {
    /// Why the consequences are not known.
    pub enum ConsequencesError {
        /// The request has neither a version nor a text, or both.
        Choice => Wrong "flow-not-chosen" "give either the number of a version or the text of a flow file",
        /// The text is no flow file.
        Text => Wrong "flow-text-unreadable" "the text is not TOML: correct it first",
        /// The flow file on the disk cannot be compared.
        OnDisk => Conflict "flow-file-has-mistakes" "the flow file on the disk is not TOML: correct it first",
        /// There is no such version, or it cannot be read.
        Versions(VersionError) => [Unknown],
        /// The journal fails.
        Journal(JournalError) => [NotReady],
    }
}

impl Operation for ShowConsequences {
    type Response = Consequences;
    type Error = ConsequencesError;

    const NAME: &'static str = "versions consequences";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Consequences, ConsequencesError> {
        let store = context.shared.versions()?;
        let (text, proposal) = match (self.version, self.text) {
            (Some(version), None) => {
                let (stored, mut found) = store.get(version)?;
                (found.files.remove("").unwrap_or_default(), stored.proposal)
            }
            (None, Some(text)) => (text, None),
            _ => return Err(ConsequencesError::Choice),
        };
        let now = contents(&store.on_disk()?.files);
        let is_approved = proposal.is_some_and(|proposal| {
            proposal.contents == now && is_second_person(context, &proposal)
        });
        let cause = |cause| JournalError::Flow { flow: context.flow.into(), cause };
        let on_disk = plain::read_text(context.flow, plain::TEXT_OCTETS_MAX).map_err(cause)?;
        let kinds = context.parts.kinds;
        let after = Names::of(&text, kinds).ok_or(ConsequencesError::Text)?;
        let before = Names::of(&on_disk, kinds).ok_or(ConsequencesError::OnDisk)?;
        let waiting =
            Waiting { suspended: suspended_at(context.flow)?, standing: standing(context.flow)? };
        let needs_second_person = store.wants_second_person() && !is_approved;
        Ok(Consequences { needs_second_person, ..consequences(&before, &after, &waiting) })
    }
}

/// The names of a flow file, with their kinds.
struct Names(BTreeMap<String, String>);

impl Names {
    /// Returns the names of a text; `None` if it is not TOML.
    fn of(text: &str, kinds: &[&dyn Kind]) -> Option<Self> {
        let nodes = drawing::is_readable(text).then(|| drawing::sketch(text, kinds))?;
        Some(Names(nodes.into_iter().map(|node| (node.name, node.kind)).collect()))
    }

    /// Returns those that `other` does not have with this kind.
    fn without<'n>(&'n self, other: &'n Names) -> impl Iterator<Item = (&'n str, &'n str)> {
        let is_gone = |(name, kind): &(&String, &String)| other.0.get(*name) != Some(kind);
        self.0.iter().filter(is_gone).map(|(name, kind)| (name.as_str(), kind.as_str()))
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// What the journal has that waits.
struct Waiting {
    suspended: Vec<SuspendedAt>,
    standing: Standing,
}

impl Waiting {
    fn suspended_at(&self, name: &str) -> u64 {
        self.suspended.iter().filter(|at| at.node == name).map(|at| at.records).sum()
    }
}

fn consequences(before: &Names, after: &Names, waiting: &Waiting) -> Consequences {
    let mut all = Consequences::default();
    for (name, kind) in after.without(before) {
        let added = match kind {
            NETWORK_ELEMENT => &mut all.network_elements_added,
            POST_PROCESSING_SYSTEM => &mut all.post_processing_systems_added,
            _ => &mut all.nodes_added,
        };
        added.push(name.to_owned());
    }
    let of = |counts: &BTreeMap<String, u64>, name: &str| counts.get(name).copied().unwrap_or(0);
    for (name, kind) in before.without(after) {
        // Records in suspense wait for whatever has the name.
        let suspended_records = if after.has(name) { 0 } else { waiting.suspended_at(name) };
        match kind {
            NETWORK_ELEMENT => all.network_elements_removed.push(name.to_owned()),
            POST_PROCESSING_SYSTEM => all.post_processing_systems_removed.push(RemovedReceiver {
                post_processing_system: name.to_owned(),
                undelivered_files: of(&waiting.standing.deliveries, name),
                suspended_records,
            }),
            _ => all.nodes_removed.push(RemovedNode {
                node: name.to_owned(),
                suspended_records,
                waiting_groups: of(&waiting.standing.held_groups, name),
            }),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[(&str, &str)]) -> Names {
        Names(names.iter().map(|(name, kind)| ((*name).into(), (*kind).into())).collect())
    }

    fn counts(of: &[(&str, u64)]) -> BTreeMap<String, u64> {
        of.iter().map(|(name, count)| ((*name).into(), *count)).collect()
    }

    /// Returns what waits: 7 records and 3 groups at `match`, 2 records at `split`, 5 files and 1 record for `billing`.
    fn waiting() -> Waiting {
        let at = |(element, node, records): (&str, &str, u64)| SuspendedAt {
            network_element: element.into(),
            node: node.into(),
            records,
        };
        let of = [("vienna", "match", 4), ("graz", "match", 3), ("graz", "split", 2)];
        let suspended = of.into_iter().chain([("graz", "billing", 1)]).map(at).collect();
        let (held_groups, deliveries) = (counts(&[("match", 3)]), counts(&[("billing", 5)]));
        Waiting { suspended, standing: Standing { held_groups, deliveries, ..Standing::default() } }
    }

    const BEFORE: [(&str, &str); 5] = [
        ("vienna", NETWORK_ELEMENT),
        ("graz", NETWORK_ELEMENT),
        ("match", "matching"),
        ("split", "filter"),
        ("billing", POST_PROCESSING_SYSTEM),
    ];

    #[test]
    fn the_same_flow_has_no_consequences() {
        let all = consequences(&names(&BEFORE), &names(&BEFORE), &waiting());
        assert_eq!(all, Consequences::default());
    }

    #[test]
    fn what_waits_for_something_that_is_removed_is_counted() {
        let after = [("linz", NETWORK_ELEMENT), ("graz", NETWORK_ELEMENT), ("rate", "rating")];
        let all = consequences(&names(&BEFORE), &names(&after), &waiting());
        let removed = |node: &str, suspended_records, waiting_groups| RemovedNode {
            node: node.into(),
            suspended_records,
            waiting_groups,
        };
        let expected = Consequences {
            network_elements_added: vec!["linz".into()],
            network_elements_removed: vec!["vienna".into()],
            nodes_added: vec!["rate".into()],
            nodes_removed: vec![removed("match", 7, 3), removed("split", 2, 0)],
            post_processing_systems_added: Vec::new(),
            post_processing_systems_removed: vec![RemovedReceiver {
                post_processing_system: "billing".into(),
                undelivered_files: 5,
                suspended_records: 1,
            }],
            needs_second_person: false,
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn groups_lose_a_node_that_becomes_one_of_another_kind_and_records_do_not() {
        let mut after = BEFORE;
        after[2] = ("match", "filter");
        let all = consequences(&names(&BEFORE), &names(&after), &waiting());
        let removed = RemovedNode { node: "match".into(), suspended_records: 0, waiting_groups: 3 };
        assert_eq!((all.nodes_added, all.nodes_removed), (vec!["match".to_owned()], vec![removed]));
    }
}
