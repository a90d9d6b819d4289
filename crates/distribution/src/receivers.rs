//! Groups of receivers and the threads that they share.
//!
//! A thread mostly waits for the other machine, and cannot be taken back from one that hangs. So one thread is reserved
//! for each receiver that has none. Further threads are shared by priority and weight.

use std::sync::Arc;

use diagnostics::{Diagnostic, counted};
use settings::Settings;

use super::{DELIVERING, Distribution, Road};
use flow::file::{FlowFile, POST_PROCESSING_SYSTEMS};
use flow::groups::{Kind, Members, Share, count, members};
use flow::meters::{DeliveringSizes, GroupShare, GroupSize, Threads};

/// The default for the most shared threads. There are at least as many as receivers.
const THREADS_USUAL: usize = 64;

/// The groups of receivers and their shares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receivers {
    /// The share of each group. The last group has the receivers without a group.
    shares: Vec<Share>,
    /// The names of the groups. The last group has none.
    names: Vec<String>,
    /// The group of each post-processing system, by place.
    of_systems: Vec<usize>,
    /// The threads shared by groups without their own, from `[delivering]`.
    threads: Option<usize>,
}

/// A set of receivers that share threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReceiverSet {
    pub threads: usize,
    /// The places of the post-processing systems, each with the place of its group.
    pub members: Vec<(usize, usize)>,
    /// The priority and weight of each group.
    pub parts: Vec<(i64, u64)>,
    /// The group that owns the threads, if one does.
    group: Option<usize>,
    /// The most files that may be transferred to them at once.
    at_once: usize,
}

impl Receivers {
    /// Reads the `[group.*]` tables of receivers and `[delivering]`. Returns all mistakes, not only the first.
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
                Ok(Receivers { shares, names, of_systems: of, threads: threads.flatten() })
            }
            _ => Err(mistakes),
        }
    }

    /// Returns the sets of receivers that share threads, of those with deliveries.
    pub(super) fn sets(&self, roads: &[Option<Arc<Road>>]) -> Vec<ReceiverSet> {
        let at_once = |system: usize| roads[system].as_ref().map(|road| road.at_once);
        let part = |share: &Share| match share {
            Share::Common { priority, weight } => (*priority, *weight),
            Share::Own { .. } => (0, 1),
        };
        let set = |threads: Option<usize>, group: Option<usize>| {
            let is_own = |place: usize| matches!(self.shares[place], Share::Own { .. });
            let is_in = |of: usize| group.map_or(!is_own(of), |group| of == group);
            let members = self.of_systems.iter().copied().enumerate();
            let members = members.filter(|(system, of)| is_in(*of) && at_once(*system).is_some());
            let members: Vec<(usize, usize)> = members.collect();
            let at_once = members.iter().filter_map(|(system, _)| at_once(*system)).sum();
            let usual = THREADS_USUAL.max(members.len()).min(at_once);
            let (threads, parts) = (threads.unwrap_or(usual), self.shares.iter().map(part));
            ReceiverSet { threads, members, parts: parts.collect(), group, at_once }
        };
        let own = self.shares.iter().enumerate().filter_map(|(place, share)| match share {
            Share::Own { threads, .. } => Some(set(Some(*threads), Some(place))),
            Share::Common { .. } => None,
        });
        own.chain([set(self.threads, None)]).collect()
    }

    /// Returns the threads of each group, of receivers with deliveries.
    pub(super) fn sizes(&self, roads: &[Option<Arc<Road>>]) -> DeliveringSizes {
        let sets = self.sets(roads);
        let members = |place: usize| {
            let members = sets.iter().flat_map(|set| &set.members);
            let members = members.filter(move |(_, group)| *group == place);
            let members = members.filter_map(|(system, _)| roads[*system].as_ref());
            members.map(|road| road.system.clone()).collect()
        };
        let groups = self.shares.iter().enumerate().map(|(place, share)| GroupSize {
            name: self.names.get(place).cloned(),
            members: members(place),
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
    let message = "a group of post-processing systems has threads, and no processes";
    Some(
        settings
            .error(setting, message)
            .hint("files are delivered by the gateway's own process: say \"threads\""),
    )
}

/// Returns the mistakes and warnings about groups of receivers.
pub fn advice(file: &FlowFile, distribution: &Distribution) -> Vec<Diagnostic> {
    let mut advice = not_carried(file, distribution);
    for set in distribution.sets() {
        advice.extend(of_threads(file, &set));
        advice.extend(without_effect(file, &set));
    }
    advice
}

/// Returns mistakes for group members whose files are only renamed into a folder: no thread delivers them.
fn not_carried(file: &FlowFile, distribution: &Distribution) -> Vec<Diagnostic> {
    let of_group = |settings: &'_ Settings| -> Vec<Diagnostic> {
        let members = settings.all(POST_PROCESSING_SYSTEMS);
        let members = members.filter(|member| {
            let systems = file.post_processing_systems.iter().zip(&distribution.roads);
            let mut others = systems.filter(|(_, road)| road.is_none());
            others.any(|(system, _)| system.name.text == member.value)
        });
        let mistake = |member| {
            let message = "its files get their names in its folder when they are done: no thread carries them there";
            let hint = "leave it out of the group, or give its \"deliver\" a \"retry\", and they are carried";
            settings.error(member, message).hint(hint)
        };
        members.map(mistake).collect()
    };
    file.receiver_groups.iter().flat_map(of_group).collect()
}

/// Returns a warning if there are too few or too many threads.
fn of_threads(file: &FlowFile, set: &ReceiverSet) -> Option<Diagnostic> {
    let settings = match set.group {
        Some(group) => &file.receiver_groups[group],
        None => file.tables.get(&DELIVERING)?,
    };
    let setting = settings.get("threads")?;
    let (threads, receivers) = (set.threads, set.members.len());
    let (message, hint) = if threads < receivers {
        let message = format!(
            "{receivers} post-processing systems share {}: where as many of them hang, the others wait until their \
             \"timeout\"",
            counted(threads, "thread")
        );
        (message, "give each one thread at least: threads that wait cost next to nothing")
    } else if threads > set.at_once {
        let message = format!(
            "{} of the {threads} threads will never have anything to do: {} at most may be under way at once",
            threads - set.at_once,
            counted(set.at_once, "file"),
        );
        (message, "\"at-once\" of \"deliver\" says how many files may be under way to one")
    } else {
        return None;
    };
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Returns warnings about weights and priorities without effect: the groups never wait for each other.
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
            "\"{}\" changes nothing: there are as many threads as files may be under way at once",
            setting.key
        );
        let hint = "say how many there are with \"threads\" of [delivering], or leave it out";
        Diagnostic::warning(&settings.source, setting.span, message).hint(hint)
    };
    weighted.map(warning).collect()
}
