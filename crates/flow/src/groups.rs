//! Groups of network elements, which share the gateway's threads: some of their own, or as many as their weight and
//! priority give them beside the others.

use diagnostics::{Diagnostic, did_you_mean};
use node::{Setting, Settings};

use crate::file::{FlowFile, NETWORK_ELEMENTS};

/// The threads of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// So many of its own, which do nothing else.
    Own(usize),
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
}

/// Reads `[group.*]`. All mistakes are returned, not only the first.
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
    let of_elements = grouped.into_iter().map(|group| group.unwrap_or(file.groups.len()));
    if mistakes.is_empty() {
        Ok(Groups { shares, of_elements: of_elements.collect() })
    } else {
        Err(mistakes)
    }
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

fn share(settings: &Settings) -> Result<Share, Diagnostic> {
    let count = |key| settings.get(key).map(|setting| settings.count(setting)).transpose();
    let weight = count("weight")?;
    let priority = settings.get("priority").map(|setting| {
        let message = "\"priority\" is a whole number";
        setting.value.parse().map_err(|_| settings.error(setting, message))
    });
    let priority = priority.transpose()?;
    let Some(threads) = count("threads")? else {
        let (priority, weight) = (priority.unwrap_or(0), weight.unwrap_or(1));
        return Ok(Share::Common { priority, weight });
    };
    match settings.get("weight").or(settings.get("priority")) {
        Some(other) => {
            let message = format!("a group with threads of its own has no \"{}\"", other.key);
            let hint = "leave out \"threads\", and it shares those of the others";
            Err(settings.error(other, message).hint(hint))
        }
        None => Ok(Share::Own(threads as usize)),
    }
}
