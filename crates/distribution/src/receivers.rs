//! Groups of receivers and the threads that they share.
//!
//! A thread mostly waits for the other machine, and cannot be taken back from one that hangs. So
//! one thread is reserved for each receiver that has none. Further threads are shared by priority
//! and weight.

use std::sync::Arc;

use diagnostics::{Diagnostic, counted};
use settings::Settings;

use super::{DELIVERING, Distribution, Route};
use flow::file::{FlowFile, POST_PROCESSING_SYSTEMS};
use flow::groups::{Kind, Members, Share, count, members};
use flow::meters::{DeliveringSizes, GroupShare, GroupSize, Threads};

/// The default number of shared threads. There are at least as many as receivers.
const THREADS_DEFAULT: usize = 64;

/// The groups of receivers and their shares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receivers {
    /// The share of each group. The last group has the receivers without a group.
    shares: Vec<Share>,
    /// The names of the groups. The last group has none.
    names: Vec<String>,
    /// The group of each post-processing system, by index.
    group_of_system: Vec<usize>,
    /// The threads shared by groups without their own, from `[delivering]`.
    threads: Option<usize>,
}

/// A set of receivers that share threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReceiverSet {
    pub threads: usize,
    /// The indexes of the post-processing systems, each with the index of its group.
    pub members: Vec<(usize, usize)>,
    /// The priority and weight of each group.
    pub shares: Vec<(i64, u64)>,
    /// The group that owns the threads, if one does.
    group: Option<usize>,
    /// The maximum number of files that are transferred to them at once.
    at_once: usize,
}

impl Receivers {
    /// Reads the `[group.*]` tables of receivers and `[delivering]`. Returns all mistakes, not only
    /// the first.
    pub fn read(file: &FlowFile) -> Result<Self, Vec<Diagnostic>> {
        let systems = file.post_processing_systems.iter();
        let names: Vec<&str> = systems.map(|system| system.name.text.as_str()).collect();
        let kind = Kind {
            key: POST_PROCESSING_SYSTEMS,
            called: "post-processing system",
            names: &names,
            incomplete: &file.incomplete,
        };
        let mut mistakes: Vec<Diagnostic> =
            file.receiver_groups.iter().filter_map(processes).collect();
        let members = members(&file.receiver_groups, kind);
        let members = members.map_err(|of_groups| mistakes.extend(of_groups));
        let threads = file.tables.get(&DELIVERING).map(|settings| count(settings, "threads"));
        let threads = threads.transpose().map_err(|mistake| mistakes.push(mistake));
        match (members, threads, mistakes.is_empty()) {
            (Ok(Members { shares, of }), Ok(threads), true) => {
                let names = file.receiver_groups.iter().map(|group| group.name.clone()).collect();
                let threads = threads.flatten();
                Ok(Receivers { shares, names, group_of_system: of, threads })
            }
            _ => Err(mistakes),
        }
    }

    /// Returns the sets of receivers that share threads, of those with deliveries.
    pub(super) fn sets(&self, routes: &[Option<Arc<Route>>]) -> Vec<ReceiverSet> {
        let at_once = |system: usize| routes[system].as_ref().map(|route| route.at_once);
        let share = |share: &Share| match share {
            Share::Common { priority, weight } => (*priority, *weight),
            Share::Own { .. } => (0, 1),
        };
        let set = |threads: Option<usize>, group: Option<usize>| {
            let is_own = |group: usize| matches!(self.shares[group], Share::Own { .. });
            let is_in = |of: usize| group.map_or(!is_own(of), |group| of == group);
            let members = self.group_of_system.iter().copied().enumerate();
            let members = members.filter(|(system, of)| is_in(*of) && at_once(*system).is_some());
            let members: Vec<(usize, usize)> = members.collect();
            let at_once = members.iter().filter_map(|(system, _)| at_once(*system)).sum();
            let default = THREADS_DEFAULT.max(members.len()).min(at_once);
            let (threads, shares) = (threads.unwrap_or(default), self.shares.iter().map(share));
            ReceiverSet { threads, members, shares: shares.collect(), group, at_once }
        };
        let own = self.shares.iter().enumerate().filter_map(|(group, share)| match share {
            Share::Own { threads, .. } => Some(set(Some(*threads), Some(group))),
            Share::Common { .. } => None,
        });
        own.chain([set(self.threads, None)]).collect()
    }

    /// Returns the threads of each group, of receivers with deliveries.
    pub(super) fn sizes(&self, routes: &[Option<Arc<Route>>]) -> DeliveringSizes {
        let sets = self.sets(routes);
        let members = |index: usize| {
            let members = sets.iter().flat_map(|set| &set.members);
            let members = members.filter(move |(_, group)| *group == index);
            let members = members.filter_map(|(system, _)| routes[*system].as_ref());
            members.map(|route| route.system.clone()).collect()
        };
        let groups = self.shares.iter().enumerate().map(|(index, share)| GroupSize {
            name: self.names.get(index).cloned(),
            members: members(index),
            share: match *share {
                Share::Own { processes, threads } => {
                    GroupShare::Own(Threads { processes, threads })
                }
                Share::Common { priority, weight } => GroupShare::Common { priority, weight },
            },
        });
        let common = sets.iter().find(|set| set.group.is_none());
        DeliveringSizes {
            threads: common.map_or(0, |set| set.threads),
            groups: groups.filter(|group| !group.members.is_empty()).collect(),
        }
    }
}

/// Returns a mistake if a group sets `processes`: only one process delivers.
fn processes(settings: &Settings) -> Option<Diagnostic> {
    let setting = settings.get("processes")?;
    let message = "a group of post-processing systems cannot have \"processes\"";
    Some(
        settings
            .error(setting, message)
            .hint("the gateway's own process delivers files: write \"threads\""),
    )
}

/// Returns the mistakes and warnings about groups of receivers.
pub fn advice(file: &FlowFile, distribution: &Distribution) -> Vec<Diagnostic> {
    let mut advice = without_delivery(file, distribution);
    for set in distribution.sets() {
        advice.extend(thread_warning(file, &set));
        advice.extend(without_effect(file, &set));
    }
    advice
}

/// Returns mistakes for group members whose files are only renamed into a folder: no thread
/// delivers them.
fn without_delivery(file: &FlowFile, distribution: &Distribution) -> Vec<Diagnostic> {
    let of_group = |settings: &'_ Settings| -> Vec<Diagnostic> {
        let members = settings.all(POST_PROCESSING_SYSTEMS);
        let members = members.filter(|member| {
            let systems = file.post_processing_systems.iter().zip(&distribution.routes);
            let mut others = systems.filter(|(_, route)| route.is_none());
            others.any(|(system, _)| system.name.text == member.value)
        });
        let mistake = |member| {
            let message =
                "its files are renamed in its folder when they are done: no thread delivers them";
            let hint = "remove it from the group, or add \"retry\" to its \"deliver\", so that they are delivered";
            settings.error(member, message).hint(hint)
        };
        members.map(mistake).collect()
    };
    file.receiver_groups.iter().flat_map(of_group).collect()
}

/// Returns a warning if there are too few or too many threads.
fn thread_warning(file: &FlowFile, set: &ReceiverSet) -> Option<Diagnostic> {
    let settings = match set.group {
        Some(group) => &file.receiver_groups[group],
        None => file.tables.get(&DELIVERING)?,
    };
    let setting = settings.get("threads")?;
    let (threads, receivers) = (set.threads, set.members.len());
    let (message, hint) = if threads < receivers {
        let message = format!(
            "{receivers} post-processing systems share {}: if as many of them hang, the others wait until their \
             \"timeout\"",
            counted(threads, "thread")
        );
        (message, "set at least one thread for each: a waiting thread costs almost nothing")
    } else if threads > set.at_once {
        let message = format!(
            "{} of the {threads} threads will never be used: at most {} may be transferred at once",
            threads - set.at_once,
            counted(set.at_once, "file"),
        );
        (message, "\"at-once\" of \"deliver\" sets the maximum for one receiver")
    } else {
        return None;
    };
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Returns warnings about weights and priorities without effect: the groups never wait for each
/// other.
fn without_effect(file: &FlowFile, set: &ReceiverSet) -> Vec<Diagnostic> {
    if set.group.is_some() || set.threads < set.at_once {
        return Vec::new();
    }
    let weighted = file.receiver_groups.iter().filter_map(|settings| {
        let setting = settings.get("weight").or(settings.get("priority"))?;
        Some((settings, setting))
    });
    let warning = |(settings, setting): (&Settings, &settings::Setting)| {
        let message = format!(
            "\"{}\" has no effect: there are as many threads as files that may be transferred at once",
            setting.key
        );
        let hint = "set \"threads\" of [delivering] to a smaller number, or remove this";
        Diagnostic::warning(&settings.source, setting.span, message).hint(hint)
    };
    weighted.map(warning).collect()
}
