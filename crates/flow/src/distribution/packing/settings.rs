//! What a flow file says of it.

use std::time::Duration;

use diagnostics::{Diagnostic, did_you_mean};
use settings::{Setting, Settings};

/// Most outputs, or parts of some, that one file is merged from: each is looked at again and again while it waits.
const FILES_MAX: u64 = 10_000;

/// How many, if nothing is said.
const FILES: u64 = 1_000;

/// What is filled in in the names of the parts of an output, besides what every name has.
pub(crate) const PART_PLACEHOLDERS: [&str; 2] = ["part", "parts"];

/// What is filled in in the names of merged files.
const MERGED_PLACEHOLDERS: [&str; 3] = ["post-processing-system", "time", "number"];

/// How a merged file is called, if nothing is said. Behind that comes what the names of its outputs end with.
const MERGED: &str = "{post-processing-system}-{time}-{number}";

/// How large the files of a receiver are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Beyond this an output is split.
    pub(crate) split: Limits,
    pub(crate) merge: Option<Merge>,
}

/// How much a file may have, where there is a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) records: Option<u64>,
    pub(crate) octets: Option<u64>,
}

impl Limits {
    /// Whether so much is more than a file may have.
    pub(super) fn are_passed(self, records: u64, octets: u64) -> bool {
        self.records.is_some_and(|most| records > most)
            || self.octets.is_some_and(|most| octets > most)
    }

    /// Whether so much is all that a file may have.
    pub(super) fn are_reached(self, records: u64, octets: u64) -> bool {
        self.records.is_some_and(|most| records >= most)
            || self.octets.is_some_and(|most| octets >= most)
    }

    fn read(settings: &Settings, table: &str) -> Result<Self, Diagnostic> {
        let own = |key: &str| settings.get(&format!("{table}.{key}"));
        let records = own("records-max").map(|setting| settings.count(setting)).transpose()?;
        let octets = own("size-max").map(|setting| settings.octets(setting)).transpose()?;
        Ok(Limits { records, octets })
    }
}

/// What outputs are gathered until they are one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merge {
    pub(crate) limits: Limits,
    /// Outputs, or parts of some.
    pub(crate) files: usize,
    /// How long the first of them waits, at most.
    pub(crate) within: Duration,
    /// The template of names, if one is said.
    name: Option<String>,
}

impl Packing {
    /// Reads a `deliver` table; none where outputs are carried as they are.
    pub(crate) fn read(settings: &Settings) -> Result<Option<Self>, Diagnostic> {
        let has =
            |table: &str| settings.values.iter().any(|setting| setting.key.starts_with(table));
        let (is_split, is_merged) = (has("split."), has("merge."));
        if !is_split && !is_merged {
            return Ok(None);
        }
        let merge = if is_merged { Some(Merge::read(settings)?) } else { None };
        Ok(Some(Packing { split: Limits::read(settings, "split")?, merge }))
    }
}

impl Merge {
    fn read(settings: &Settings) -> Result<Self, Diagnostic> {
        let Some(within) = settings.get("merge.within") else {
            let first = settings.values.iter().find(|setting| setting.key.starts_with("merge."));
            let span = first.map_or(settings.span, |setting| setting.span);
            let message = "nothing says how long an output may wait for others";
            let hint = "write merge = { within = \"5 minutes\", … }";
            return Err(Diagnostic::error(&settings.source, span, message).hint(hint));
        };
        let files = match settings.get("merge.files-max") {
            Some(setting) => match settings.count(setting)? {
                files @ ..=FILES_MAX => files,
                _ => {
                    let message = format!("no more than {FILES_MAX} are merged into one");
                    return Err(settings.error(setting, message));
                }
            },
            None => FILES,
        };
        let name = settings.get("name").map(|name| merged_name(settings, name)).transpose()?;
        Ok(Merge {
            limits: Limits::read(settings, "merge")?,
            files: files as usize,
            within: settings.duration(within)?,
            name,
        })
    }

    #[cfg(test)]
    pub(super) fn test(limits: Limits, files: usize, within: Duration) -> Self {
        Merge { limits, files, within, name: None }
    }

    /// The name of a merged file: the number tells it from all others of its receiver.
    pub(super) fn name_of(
        &self,
        system: &str,
        (time, number): (&str, i64),
        ending: &str,
    ) -> String {
        let template = match &self.name {
            Some(name) => name.clone(),
            None => format!("{MERGED}{ending}"),
        };
        template
            .replace("{time}", time)
            .replace("{number}", &format!("{number:06}"))
            .replace("{post-processing-system}", system)
    }
}

fn merged_name(settings: &Settings, name: &Setting) -> Result<String, Diagnostic> {
    let known = MERGED_PLACEHOLDERS.join(", ");
    let unknown = name.value.split('{').skip(1).find_map(|rest| {
        let (placeholder, _) = rest.split_once('}')?;
        (!MERGED_PLACEHOLDERS.contains(&placeholder)).then_some(placeholder)
    });
    if let Some(unknown) = unknown {
        let message =
            format!("nothing is filled in for \"{{{unknown}}}\" in the name of a merged file");
        let hint =
            did_you_mean(unknown, MERGED_PLACEHOLDERS).unwrap_or_else(|| format!("known: {known}"));
        return Err(settings.error(name, message).hint(hint));
    }
    if name.value.contains(['/', '\\']) {
        let message = "the name of a file has no folders in it";
        return Err(settings.error(name, message).hint("\"dir\" or \"url\" names the folder"));
    }
    match name.value.contains("{number}") {
        true => Ok(name.value.clone()),
        false => {
            let message = "the name is the same for several merged files";
            Err(settings.error(name, message).hint("put {number} into it"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merged_file_is_called_by_its_receiver_and_a_number() {
        let merge = Merge::test(Limits::default(), 10, Duration::from_secs(1));
        let named = |name: Option<&str>| {
            let merge = Merge { name: name.map(str::to_owned), ..merge.clone() };
            merge.name_of("billing", ("20261122T140500Z", 17), ".csv")
        };
        assert_eq!(named(None), "billing-20261122T140500Z-000017.csv");
        assert_eq!(named(Some("B{number}.dat")), "B000017.dat");
    }
}
