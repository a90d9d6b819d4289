//! Groups of network elements, and of receivers, which share threads: some of their own, or as many as their weight and
//! priority give them beside the others.

use diagnostics::{Diagnostic, did_you_mean};
use runtime::affinity::Unit;
use serde::{Deserialize, Serialize};
use settings::{Setting, Settings};

use crate::definition::file::{FlowFile, NETWORK_ELEMENTS};

/// The threads of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Of its own, which do nothing else.
    Own {
        /// Processes beside the gateway's; 0 where the threads are of that.
        processes: usize,
        /// Threads of each, or of the gateway's process.
        threads: usize,
    },
    /// Those of all groups that have none of their own.
    Common {
        /// Who has a greater one goes first.
        priority: i64,
        /// Of the octets that groups of one priority have taken, in proportion.
        weight: u64,
    },
}

/// Of who says nothing.
const USUAL: Share = Share::Common { priority: 0, weight: 1 };

/// The groups of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The last is that of the network elements that no other has.
    pub(crate) shares: Vec<Share>,
    /// Their names; the last has none.
    pub(crate) names: Vec<String>,
    /// By network element: the place of its group.
    pub(crate) of_elements: Vec<usize>,
    /// What those have together that have nothing of their own.
    pub(crate) common: Common,
}

/// Which tasks a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Serves {
    /// Those of a group that has threads of its own.
    Group(usize),
    /// Those of all others.
    Others,
}

/// As `[processing]` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Processes beside the gateway's; with one, or none, all is done in that.
    pub(crate) processes: Option<usize>,
    /// Threads of each.
    pub(crate) threads: Option<usize>,
    /// What all threads are bound to that process files, those of groups too.
    pub(crate) bound: Option<Unit>,
}

impl Groups {
    /// Whether one has threads of its own.
    pub(crate) fn are_own(&self) -> bool {
        self.shares.iter().any(|share| matches!(share, Share::Own { .. }))
    }

    /// Who does the tasks of a network element.
    pub(crate) fn serves(&self, element: usize) -> Serves {
        let group = self.of_elements[element];
        match self.shares[group] {
            Share::Own { .. } => Serves::Group(group),
            Share::Common { .. } => Serves::Others,
        }
    }
}

/// Reads `[group.*]` of network elements and `[processing]`. All mistakes are returned, not only the first.
pub(crate) fn read(file: &FlowFile) -> Result<Groups, Vec<Diagnostic>> {
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

/// Who may be in groups.
#[derive(Clone, Copy)]
pub(crate) struct Kind<'f> {
    /// What a group lists them by, and what one is called.
    pub(crate) key: &'static str,
    pub(crate) called: &'static str,
    pub(crate) names: &'f [&'f str],
    /// Those whose own mistakes were said.
    pub(crate) incomplete: &'f [String],
}

/// Who is in which group.
pub(crate) struct Members {
    /// The last is that of all whom no other has.
    pub(crate) shares: Vec<Share>,
    /// By member: the place of its group.
    pub(crate) of: Vec<usize>,
}

/// Reads the groups of some who may be in them. All mistakes are returned, not only the first.
pub(crate) fn members(groups: &[Settings], kind: Kind<'_>) -> Result<Members, Vec<Diagnostic>> {
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

/// Most processes, and most threads of one.
pub const EACH_MAX: usize = 1_000;

/// The place of one whom a group names, and who is in no other.
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

/// A number of processes or threads: none works with more.
pub(crate) fn count(settings: &Settings, key: &str) -> Result<Option<usize>, Diagnostic> {
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
