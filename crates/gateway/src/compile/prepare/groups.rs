//! Mistakes in groups, and warnings about groups that work but should not be used so.

use std::collections::BTreeSet;
use std::path::Path;

use diagnostics::{Diagnostic, counted};
use runtime::affinity::Unit;
use settings::Settings;
use store::QueryResult;

use crate::plan::Plan;
use crate::schedule::autoscale::processors;
use crate::schedule::worker_plan::{Apart, WantedWorkers, WorkerPlan};
use flow::coupling::CoupledElements;
use flow::file::FlowFile;
use flow::flow_journal;
use flow::groups::{Groups, Serves, Share};
use flow::meters::{GroupShare, GroupSize, Sizes, Threads};

/// More threads than this for each processor only wait for each other: the rule at the end of the paper on the load
/// balancing of the Billing Gateway (section 6).
const THREADS_MAX: usize = 4;

/// Returns the warnings about groups that work but should not be used so.
pub(crate) fn warnings(file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    let processors = processors();
    let shares = file.groups.iter().zip(&plan.workload.groups.shares).enumerate();
    let own = shares.filter_map(|(place, (settings, share))| match share {
        Share::Own { processes, threads } => {
            let setting = settings.get("threads").or(settings.get("processes"))?;
            Some((place, settings, setting, (*processes).max(1) * threads))
        }
        Share::Common { .. } => None,
    });
    let (mut warnings, mut all, mut groups) = (apart(file, plan), 0, 0);
    warnings.extend(without_effect(file, plan));
    for (place, settings, setting, threads) in own {
        all += threads;
        groups += 1;
        if groups == processors + 1 {
            let message = format!(
                "more groups have threads of their own than there are processors, {processors}: they wait for each other, \
                 and none does what another leaves"
            );
            let hint =
                "join those that bring little, or give them a \"weight\" in place of threads";
            warnings.push(Diagnostic::warning(&settings.source, setting.span, message).hint(hint));
        }
        if all > THREADS_MAX * processors && all - threads <= THREADS_MAX * processors {
            let message = format!(
                "groups have {all} threads of their own, which is more than {THREADS_MAX} for each of {processors} \
                 processors"
            );
            let hint = "give each as many as it needs while all are at work";
            warnings.push(Diagnostic::warning(&settings.source, setting.span, message).hint(hint));
        }
        let files = files_at_once(plan, place);
        if let Some(files) = files.filter(|files| *files < threads as u64) {
            let message = format!(
                "{} of the {threads} threads will never have anything to do: the network elements of \"{}\" have {files} in \
                 work at most",
                threads as u64 - files,
                settings.name,
                files = counted(files as usize, "file")
            );
            let hint = "files whose order matters to a node, and those of \"files-at-once\", are done one after the other";
            warnings.push(Diagnostic::warning(&settings.source, setting.span, message).hint(hint));
        }
    }
    if let Some(settings) = &file.processing {
        warnings.extend(of_common(settings, plan, processors));
        warnings.extend(idle(settings, plan));
        warnings.extend(crowded(settings, plan, processors));
    }
    warnings
}

/// Returns the warnings about groups without effect.
fn without_effect(file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    let Groups { shares, of_elements, .. } = &plan.workload.groups;
    let is_empty = |place: usize| !of_elements.contains(&place);
    let is_shared =
        |place: &usize| matches!(shares[*place], Share::Common { .. }) && !is_empty(*place);
    let sharing = (0..shares.len()).filter(is_shared).count();
    let warning = |(place, settings): (usize, &Settings)| {
        let name = &settings.name;
        let (span, message, hint) = if is_empty(place) {
            let message = format!("no network element is in \"{name}\"");
            (settings.span, message, "name some, or leave it out")
        } else if is_shared(&place) && sharing == 1 {
            let setting = settings.get("weight").or(settings.get("priority"))?;
            let message = format!(
                "\"{}\" changes nothing: no other group shares threads with \"{name}\"",
                setting.key
            );
            (setting.span, message, "leave it out, or put those into it alone that it is meant for")
        } else {
            return None;
        };
        Some(Diagnostic::warning(&settings.source, span, message).hint(hint))
    };
    file.groups.iter().enumerate().filter_map(warning).collect()
}

/// Warns of processes that never have work.
fn idle(settings: &Settings, plan: &Plan) -> Option<Diagnostic> {
    let setting = settings.get("processes")?;
    let crew = WorkerPlan::sized(plan, WantedWorkers::default(), Apart::AsConfigured);
    let serve = crew.beside.iter().filter(|beside| beside.serves == Serves::Others);
    let all = serve.count();
    let others = 0..plan.topology.elements.len();
    let others = others.filter(|element| plan.workload.groups.serves(*element) == Serves::Others);
    let bound: BTreeSet<Option<usize>> = others.map(|element| crew.bound[element]).collect();
    if all == 0 || bound.contains(&None) || bound.len() >= all {
        return None;
    }
    let message = format!("{} of the {all} processes never have anything to do", all - bound.len());
    let hint = match bound.len() {
        0 => "all network elements are in groups with threads of their own",
        _ => {
            "network elements whose records meet in a node that remembers are processed in one process"
        }
    };
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Warns of more bound threads than processors.
fn crowded(settings: &Settings, plan: &Plan, processors: usize) -> Option<Diagnostic> {
    let setting = settings.get("bind")?;
    let all = WorkerPlan::sized(plan, WantedWorkers::default(), Apart::AsConfigured)
        .sizes(plan)
        .threads();
    if plan.workload.groups.common.bound != Some(Unit::Processor) || all <= processors {
        return None;
    }
    let message = format!(
        "{} are bound to {}: those of one wait for each other, also where another has nothing to do",
        counted(all, "thread"),
        counted(processors, "processor")
    );
    let hint = "leave out \"bind\", or have as many threads as processors";
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Warns about `[processing]` by the paper's rules (section 6).
fn of_common(settings: &Settings, plan: &Plan, processors: usize) -> Option<Diagnostic> {
    let setting = settings.get("processes").or(settings.get("threads"))?;
    let sizes = WorkerPlan::sized(plan, WantedWorkers::default(), Apart::AsConfigured).sizes(plan);
    let all = sizes.threads();
    let (threads, at_work) = (counted(all, "thread"), counted(processors, "processor"));
    let are = if all == 1 { "is" } else { "are" };
    let (message, hint) = if all > THREADS_MAX * processors {
        let message = format!(
            "there {are} {threads} in all, which is more than {THREADS_MAX} for each of {at_work}"
        );
        let most = THREADS_MAX * processors;
        (message, format!("more than {most} only wait for each other"))
    } else if all < processors {
        let message =
            format!("there {are} {threads} in all: not each of {at_work} has something to do");
        (message, "leave out \"threads\", and there are as many as processors".to_owned())
    } else if let Some(most) =
        plan.workload.groups.common.threads.filter(|most| is_all_taken(&sizes, *most))
    {
        let message = format!(
            "groups have all {} for themselves: there is one more for the other network elements",
            counted(most, "thread")
        );
        let hint = "\"threads\" counts those of groups too; give groups fewer, or say more here";
        (message, hint.to_owned())
    } else {
        return None;
    };
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Returns whether groups take all threads of the gateway's process, though there are other network elements.
fn is_all_taken(sizes: &Sizes, most: usize) -> bool {
    let own = sizes.groups.iter().map(|group| match group.share {
        GroupShare::Own(Threads { processes: 0, threads }) => threads,
        _ => 0,
    });
    let is_other = |group: &GroupSize| matches!(group.share, GroupShare::Common { .. });
    sizes.common.processes == 0 && own.sum::<usize>() >= most && sizes.groups.iter().any(is_other)
}

/// Warns of network elements that wait for each other and are in groups of different priorities: the first waits for
/// the last.
fn apart(file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    let priority = |element: &usize| match plan.workload.groups.shares
        [plan.workload.groups.of_elements[*element]]
    {
        Share::Common { priority, .. } => Some(priority),
        Share::Own { .. } => None,
    };
    let warning = |(place, settings): (usize, &Settings)| {
        let mut own = (0..plan.topology.elements.len())
            .filter(|of| plan.workload.groups.of_elements[*of] == place);
        let (own, other) = own.find_map(|own| {
            let circle =
                plan.topology.circles.iter().find(|circle| circle.elements.contains(&own))?;
            let mut others = circle.elements.iter();
            let is_lower = |other: &&usize| {
                priority(other).zip(priority(&own)).is_some_and(|(other, own)| other < own)
            };
            Some((own, *others.find(is_lower)?))
        })?;
        let (own, other) = (&plan.topology.elements[own].name, &plan.topology.elements[other].name);
        let setting = settings.get("priority")?;
        let message =
            format!("\"{own}\" waits for the files of \"{other}\", whose priority is lower");
        let hint = "their records meet in a node; give them one priority";
        Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
    };
    file.groups.iter().enumerate().filter_map(warning).collect()
}

/// Returns the mistakes of circles: network elements whose records meet in a node need one process, so they cannot be
/// in different groups if one of those has processes.
pub(crate) fn mistakes(file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    let Groups { shares, of_elements, common, .. } = &plan.workload.groups;
    let group = |element: usize| of_elements[element];
    let is_beside = |element: usize| match shares[group(element)] {
        Share::Own { processes, .. } => processes > 0,
        Share::Common { .. } => common.processes.is_some_and(|processes| processes > 1),
    };
    let place = |element: usize| (is_beside(element), plan.workload.groups.serves(element));
    let mistake = |circle: &CoupledElements| {
        let first = circle.elements[0];
        let mut others = circle.elements.iter().copied();
        let other = others.find(|other| {
            place(*other) != place(first) && (is_beside(*other) || is_beside(first))
        })?;
        let settings = [group(first), group(other)].into_iter().find_map(|of| file.groups.get(of));
        let settings = settings.or(file.processing.as_ref())?;
        let message = format!(
            "the records of \"{}\" and \"{}\" meet in a node, which one process has: they cannot be in different groups \
             where one of those has processes",
            plan.topology.elements[first].name, plan.topology.elements[other].name
        );
        Some(
            Diagnostic::error(&settings.source, settings.span, message)
                .hint("put them into one group"),
        )
    };
    plan.topology.circles.iter().filter_map(mistake).collect()
}

/// Returns the most files of a group that may be in work, if limited.
fn files_at_once(plan: &Plan, group: usize) -> Option<u64> {
    let of_group = plan.workload.of_elements.iter().zip(&plan.workload.groups.of_elements);
    let of_group = of_group.filter(|(_, of)| **of == group);
    of_group.map(|(bound, _)| *bound).sum()
}

/// How many of the last files show how much each network element brings.
const FILES: i64 = 10_000;

/// Fewer files say nothing.
const FILES_MIN: u64 = 100;

/// How many times a group's share of threads may exceed its share of octets.
const SHARE_MAX: u64 = 4;

/// Warns of groups with threads of their own that bring little, by the last files. The paper's rule is to join network
/// elements that deliver irregularly with busier ones (section 6).
pub(crate) fn uneven(path: &Path, file: &FlowFile, plan: &Plan) -> Vec<Diagnostic> {
    // If no gateway has run the flow, nothing has come.
    let Ok(recent) = flow_journal::read(path, recent_files) else { return Vec::new() };
    let files: u64 = recent.iter().map(|of| of.files).sum();
    let octets: u64 = recent.iter().map(|of| of.octets).sum();
    if files < FILES_MIN || octets == 0 {
        return Vec::new();
    }
    let own = |share: &Share| match share {
        Share::Own { processes, threads } => (*processes).max(1) * threads,
        Share::Common { .. } => 0,
    };
    let of_groups: usize = plan.workload.groups.shares.iter().map(own).sum();
    let all = of_groups.max(processors()) as u64;
    let warning = |(place, settings): (usize, &Settings)| {
        let threads = own(&plan.workload.groups.shares[place]) as u64;
        let setting = settings.get("threads").or(settings.get("processes"))?;
        let is_member = |of: &&RecentFiles| {
            let named = plan
                .topology
                .elements
                .iter()
                .position(|element| element.name == of.network_element);
            named.is_some_and(|element| plan.workload.groups.of_elements[element] == place)
        };
        let brought: u64 = recent.iter().filter(is_member).map(|of| of.octets).sum();
        let percent = |part: u64, of: u64| part * 100 / of;
        if percent(brought, octets) * SHARE_MAX >= percent(threads, all) {
            return None;
        }
        let message = format!(
            "the network elements of \"{}\" brought {} % of the octets of the last {}, and have {} % of the threads, \
             which do nothing for others",
            settings.name,
            percent(brought, octets),
            counted(files as usize, "file"),
            percent(threads, all)
        );
        let hint = "join them with busier ones, or give the group a \"weight\" in place of threads";
        Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
    };
    file.groups.iter().enumerate().filter_map(warning).collect()
}

/// The recent files of a network element.
struct RecentFiles {
    network_element: String,
    files: u64,
    octets: u64,
}

fn recent_files(db: &store::Connection) -> QueryResult<Vec<RecentFiles>> {
    let select = "SELECT network_element, count(*), sum(size) FROM file
         WHERE id > (SELECT max(id) FROM file) - ? GROUP BY network_element";
    let of_row = |row: &store::Row<'_>| {
        let (files, octets): (i64, i64) = (row.get(1)?, row.get(2)?);
        let network_element = row.get(0)?;
        Ok(RecentFiles { network_element, files: files as u64, octets: octets as u64 })
    };
    db.prepare(select)?.query_map([FILES], of_row)?.collect()
}
