//! Groups of network elements, which share the gateway's threads: some of their own, or as many as their weight and
//! priority give them beside the others.

use diagnostics::{Diagnostic, counted, did_you_mean};
use node::{Setting, Settings};

use crate::balance::processors;
use crate::circle::Circle;
use crate::file::{FlowFile, NETWORK_ELEMENTS};
use crate::placement::Bound;
use crate::prepare::Prepared;
use crate::queue::Serves;

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
    /// By network element: the place of its group.
    pub(crate) of_elements: Vec<usize>,
    /// What those have together that have nothing of their own.
    pub(crate) common: Common,
}

/// As `[processing]` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Processes beside the gateway's; with one, or none, all is done in that.
    pub(crate) processes: Option<usize>,
    /// Threads of each.
    pub(crate) threads: Option<usize>,
    /// What all threads are bound to that process files, those of groups too.
    pub(crate) bound: Option<Bound>,
}

impl Groups {
    /// Who does the tasks of a network element.
    pub(crate) fn serves(&self, element: usize) -> Serves {
        let group = self.of_elements[element];
        match self.shares[group] {
            Share::Own { .. } => Serves::Group(group),
            Share::Common { .. } => Serves::Others,
        }
    }
}

/// Reads `[group.*]` and `[processing]`. All mistakes are returned, not only the first.
pub(crate) fn read(file: &FlowFile) -> Result<Groups, Vec<Diagnostic>> {
    let names: Vec<&str> =
        file.network_elements.iter().map(|element| element.name.text.as_str()).collect();
    let (mut shares, mut mistakes) = (Vec::new(), Vec::new());
    let mut grouped: Vec<Option<usize>> = vec![None; names.len()];
    for (place, settings) in file.groups.iter().enumerate() {
        for member in settings.all(NETWORK_ELEMENTS) {
            match joined(settings, member, &names, &grouped, &file.groups) {
                Ok(element) => grouped[element] = Some(place),
                // Its own mistakes were said.
                Err(_) if file.incomplete.contains(&member.value) => {}
                Err(mistake) => mistakes.push(mistake),
            }
        }
        match share(settings) {
            Ok(share) => shares.push(share),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    shares.push(USUAL);
    let common = common(file).map_err(|of_common| mistakes.extend(of_common)).unwrap_or_default();
    let of_elements = grouped.into_iter().map(|group| group.unwrap_or(file.groups.len()));
    if mistakes.is_empty() {
        Ok(Groups { shares, of_elements: of_elements.collect(), common })
    } else {
        Err(mistakes)
    }
}

/// Threads for each processor from which on more of them only wait for each other: the rule that the paper on the load
/// balancing of the Billing Gateway ends with (section 6).
const THREADS_MAX: usize = 4;

/// Most processes, and most threads of one.
const EACH_MAX: u64 = 1_000;

/// What is said of groups that can be run and should not be.
pub(crate) fn warnings(file: &FlowFile, flow: &Prepared) -> Vec<Diagnostic> {
    let processors = processors();
    let shares = file.groups.iter().zip(&flow.groups.shares).enumerate();
    let own = shares.filter_map(|(place, (settings, share))| match share {
        Share::Own { processes, threads } => {
            let setting = settings.get("threads").or(settings.get("processes"))?;
            Some((place, settings, setting, (*processes).max(1) * threads))
        }
        Share::Common { .. } => None,
    });
    let (mut warnings, mut all) = (apart(file, flow), 0);
    for (place, settings, setting, threads) in own {
        all += threads;
        if all > THREADS_MAX * processors && all - threads <= THREADS_MAX * processors {
            let message = format!(
                "groups have {all} threads of their own, which is more than {THREADS_MAX} for each of {processors} \
                 processors"
            );
            let hint = "give each as many as it needs while all are at work";
            warnings.push(Diagnostic::warning(&settings.source, setting.span, message).hint(hint));
        }
        let files = files_at_once(flow, place);
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
    warnings.extend(
        file.processing
            .as_ref()
            .and_then(|settings| of_common(settings, flow.groups.common, all, processors)),
    );
    warnings
}

/// What is said of `[processing]`, where groups have so many threads of their own: the paper's rules (section 6), where a
/// process has any number of threads that work at the same time.
fn of_common(
    settings: &Settings,
    Common { processes, threads, .. }: Common,
    own: usize,
    processors: usize,
) -> Option<Diagnostic> {
    let setting = settings.get("processes").or(settings.get("threads"))?;
    let processes = processes.unwrap_or(1);
    let threads = threads.unwrap_or_else(|| processors.div_ceil(processes));
    let all = own + processes * threads;
    let (counted, at_work) = (counted(all, "thread"), counted(processors, "processor"));
    let (message, hint) = if all > THREADS_MAX * processors {
        let message = format!(
            "there are {counted} in all, which is more than {THREADS_MAX} for each of {at_work}"
        );
        (message, "more of them only wait for each other")
    } else if all < processors {
        let message =
            format!("there are {counted} in all: not each of {at_work} has something to do");
        (message, "leave out \"threads\", and there are as many as processors")
    } else {
        return None;
    };
    Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
}

/// Network elements that wait for each other and are in groups of several priorities: the first waits for the last.
fn apart(file: &FlowFile, flow: &Prepared) -> Vec<Diagnostic> {
    let priority = |element: &usize| match flow.groups.shares[flow.groups.of_elements[*element]] {
        Share::Common { priority, .. } => Some(priority),
        Share::Own { .. } => None,
    };
    let warning = |(place, settings): (usize, &Settings)| {
        let mut own = (0..flow.elements.len()).filter(|of| flow.groups.of_elements[*of] == place);
        let (own, other) = own.find_map(|own| {
            let circle = flow.circles.iter().find(|circle| circle.elements.contains(&own))?;
            let mut others = circle.elements.iter();
            let is_lower = |other: &&usize| {
                priority(other).zip(priority(&own)).is_some_and(|(other, own)| other < own)
            };
            Some((own, *others.find(is_lower)?))
        })?;
        let (own, other) = (&flow.elements[own].name, &flow.elements[other].name);
        let setting = settings.get("priority")?;
        let message =
            format!("\"{own}\" waits for the files of \"{other}\", whose priority is lower");
        let hint = "their records meet in a node; give them one priority";
        Some(Diagnostic::warning(&settings.source, setting.span, message).hint(hint))
    };
    file.groups.iter().enumerate().filter_map(warning).collect()
}

/// Network elements whose records meet in a node are processed in one process: those of a circle cannot be in groups that
/// have processes of their own, and others.
pub(crate) fn mistakes(file: &FlowFile, flow: &Prepared) -> Vec<Diagnostic> {
    let Groups { shares, of_elements, common } = &flow.groups;
    let group = |element: usize| of_elements[element];
    let is_beside = |element: usize| match shares[group(element)] {
        Share::Own { processes, .. } => processes > 0,
        Share::Common { .. } => common.processes.is_some_and(|processes| processes > 1),
    };
    let place = |element: usize| (is_beside(element), flow.groups.serves(element));
    let mistake = |circle: &Circle| {
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
            flow.elements[first].name, flow.elements[other].name
        );
        Some(
            Diagnostic::error(&settings.source, settings.span, message)
                .hint("put them into one group"),
        )
    };
    flow.circles.iter().filter_map(mistake).collect()
}

/// Most files of a group that may be in work, if there is a bound.
fn files_at_once(flow: &Prepared, group: usize) -> Option<u64> {
    let of_group = flow.elements.iter().zip(&flow.groups.of_elements);
    let of_group = of_group.filter(|(_, of)| **of == group);
    of_group.map(|(element, _)| element.files_at_once()).sum()
}

/// The place of a network element that a group names, which is in no other.
fn joined(
    settings: &Settings,
    member: &Setting,
    names: &[&str],
    grouped: &[Option<usize>],
    groups: &[Settings],
) -> Result<usize, Diagnostic> {
    let Some(element) = names.iter().position(|name| *name == member.value) else {
        let message = format!("no network element is named \"{}\"", member.value);
        let hint = did_you_mean(&member.value, names.iter().copied());
        return Err(settings.error(member, message).hint_maybe(hint));
    };
    match grouped[element] {
        Some(other) => {
            let message =
                format!("\"{}\" is in the group \"{}\" already", member.value, groups[other].name);
            Err(settings.error(member, message).hint("a network element is in one group"))
        }
        None => Ok(element),
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
        let bound = Bound::of(&setting.value);
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
fn count(settings: &Settings, key: &str) -> Result<Option<usize>, Diagnostic> {
    let Some(setting) = settings.get(key) else { return Ok(None) };
    match settings.count(setting)? {
        many if many > EACH_MAX => {
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
