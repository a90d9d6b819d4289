//! Groups of network elements, and of receivers, that share threads. A group has its own threads, or shares common ones
//! by weight and priority.

use diagnostics::{Diagnostic, did_you_mean};
use runtime::affinity::Unit;
use serde::{Deserialize, Serialize};
use settings::{Setting, Settings};

use crate::file::{FlowFile, NETWORK_ELEMENTS};

/// The threads of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Its own threads, which serve no other group.
    Own {
        /// Processes beside the gateway's; with 0, the threads are in the gateway's process.
        processes: usize,
        /// Threads of each process, or of the gateway's process.
        threads: usize,
    },
    /// A share of the threads of all groups without their own.
    Common {
        /// Greater priorities go first.
        priority: i64,
        /// The share of octets among groups of the same priority.
        weight: u64,
    },
}

/// The share of a group that sets nothing.
const USUAL: Share = Share::Common { priority: 0, weight: 1 };

/// The groups of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// The share of each group. The last is for network elements that are in no group.
    pub shares: Vec<Share>,
    /// Their names; the last has none.
    pub names: Vec<String>,
    /// For each network element, the place of its group.
    pub of_elements: Vec<usize>,
    /// The threads of all groups without their own.
    pub common: Common,
}

/// The tasks that a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Serves {
    /// Tasks of a group with its own threads.
    Group(usize),
    /// Tasks of all other groups.
    Others,
}

/// The settings of `[processing]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Processes beside the gateway's; with one or none, the gateway's own process does all.
    pub processes: Option<usize>,
    /// Threads of each process.
    pub threads: Option<usize>,
    /// The unit to which all threads that process files are bound, also those of groups.
    pub bound: Option<Unit>,
}

impl Groups {
    /// Returns whether a group has its own threads.
    pub fn are_own(&self) -> bool {
        self.shares.iter().any(|share| matches!(share, Share::Own { .. }))
    }

    /// Returns which workers take the tasks of a network element.
    pub fn serves(&self, element: usize) -> Serves {
        let group = self.of_elements[element];
        match self.shares[group] {
            Share::Own { .. } => Serves::Group(group),
            Share::Common { .. } => Serves::Others,
        }
    }
}

/// Reads `[group.*]` of network elements and `[processing]`. All mistakes are returned, not only the first.
pub fn read(file: &FlowFile) -> Result<Groups, Vec<Diagnostic>> {
    let names: Vec<&str> =
        file.network_elements.iter().map(|element| element.name.text.as_str()).collect();
    let kind = Kind {
        key: NETWORK_ELEMENTS,
        called: "network element",
        names: &names,
        incomplete: &file.incomplete,
    };
    let members = members(&file.groups, kind);
    let common = common(file);
    match (members, common) {
        (Ok(Members { shares, of }), Ok(common)) => {
            let names = file.groups.iter().map(|group| group.name.clone()).collect();
            Ok(Groups { shares, names, of_elements: of, common })
        }
        (members, common) => {
            Err([members.err().unwrap_or_default(), common.err().unwrap_or_default()].concat())
        }
    }
}

/// A kind of members that groups may have.
#[derive(Clone, Copy)]
pub struct Kind<'f> {
    /// The key of a group that lists them.
    pub key: &'static str,
    /// The word for one member, for messages: `network element`.
    pub called: &'static str,
    /// The names of all members in the flow.
    pub names: &'f [&'f str],
    /// Members whose own mistakes are already reported.
    pub incomplete: &'f [String],
}

/// The members of groups.
pub struct Members {
    /// The share of each group. The last is for members that are in no group.
    pub shares: Vec<Share>,
    /// For each member, the place of its group.
    pub of: Vec<usize>,
}

/// Reads groups of members of one kind. All mistakes are returned, not only the first.
pub fn members(groups: &[Settings], kind: Kind<'_>) -> Result<Members, Vec<Diagnostic>> {
    let (mut shares, mut mistakes) = (Vec::new(), Vec::new());
    let mut grouped: Vec<Option<usize>> = vec![None; kind.names.len()];
    for (place, settings) in groups.iter().enumerate() {
        for member in settings.all(kind.key) {
            match joined(settings, member, kind, &grouped, groups) {
                Ok(joined) => grouped[joined] = Some(place),
                Err(_) if kind.incomplete.contains(&member.value) => {}
                Err(mistake) => mistakes.push(mistake),
            }
        }
        match share(settings) {
            Ok(share) => shares.push(share),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    shares.push(USUAL);
    let of = grouped.into_iter().map(|group| group.unwrap_or(groups.len())).collect();
    if mistakes.is_empty() { Ok(Members { shares, of }) } else { Err(mistakes) }
}

/// The most processes, and the most threads of one.
pub const EACH_MAX: usize = 1_000;

/// Returns the place of a member that a group names; a member may be in one group only.
fn joined(
    settings: &Settings,
    member: &Setting,
    Kind { called, names, .. }: Kind<'_>,
    grouped: &[Option<usize>],
    groups: &[Settings],
) -> Result<usize, Diagnostic> {
    let Some(place) = names.iter().position(|name| *name == member.value) else {
        let message = format!("no {called} is named \"{}\"", member.value);
        let hint = did_you_mean(&member.value, names.iter().copied());
        return Err(settings.error(member, message).hint_maybe(hint));
    };
    match grouped[place] {
        Some(other) => {
            let message =
                format!("\"{}\" is in the group \"{}\" already", member.value, groups[other].name);
            Err(settings.error(member, message).hint(format!("a {called} is in one group")))
        }
        None => Ok(place),
    }
}

/// Reads `[processing]`.
fn common(file: &FlowFile) -> Result<Common, Vec<Diagnostic>> {
    let Some(settings) = &file.processing else { return Ok(Common::default()) };
    let mut mistakes = Vec::new();
    let mut read = |key| {
        count(settings, key).unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            None
        })
    };
    let (processes, threads) = (read("processes"), read("threads"));
    let bound = settings.get("bind").and_then(|setting| {
        let bound = Unit::of(&setting.value);
        if bound.is_none() {
            let message = "\"bind\" is \"processors\" or \"nodes\"";
            mistakes.push(settings.error(setting, message));
        }
        bound
    });
    let common = Common { processes, threads, bound };
    if mistakes.is_empty() { Ok(common) } else { Err(mistakes) }
}

/// Reads a number of processes or threads, up to [`EACH_MAX`].
pub fn count(settings: &Settings, key: &str) -> Result<Option<usize>, Diagnostic> {
    let Some(setting) = settings.get(key) else { return Ok(None) };
    match settings.count(setting)? {
        many if many > EACH_MAX as u64 => {
            let message = format!("\"{key}\" is {EACH_MAX} at most");
            Err(settings.error(setting, message))
        }
        count => Ok(Some(count as usize)),
    }
}

fn share(settings: &Settings) -> Result<Share, Diagnostic> {
    let weight = settings.get("weight").map(|weight| settings.count(weight)).transpose()?;
    let priority = settings.get("priority").map(|setting| {
        let message = "\"priority\" is a whole number";
        setting.value.parse().map_err(|_| settings.error(setting, message))
    });
    let priority = priority.transpose()?;
    let (processes, threads) = (count(settings, "processes")?, count(settings, "threads")?);
    if processes.is_none() && threads.is_none() {
        let (priority, weight) = (priority.unwrap_or(0), weight.unwrap_or(1));
        return Ok(Share::Common { priority, weight });
    }
    match settings.get("weight").or(settings.get("priority")) {
        Some(other) => {
            let message = format!("a group with threads of its own has no \"{}\"", other.key);
            let hint = "leave out \"threads\" and \"processes\", and it shares those of the others";
            Err(settings.error(other, message).hint(hint))
        }
        None => Ok(Share::Own { processes: processes.unwrap_or(0), threads: threads.unwrap_or(1) }),
    }
}
