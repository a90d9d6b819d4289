//! The settings of split and merged files.

use std::time::Duration;

use diagnostics::{Diagnostic, did_you_mean};
use settings::{Setting, Settings};

/// The maximum number of outputs or parts in one merged file, since each is examined repeatedly
/// while it waits.
const FILES_MAX: u64 = 10_000;

/// The default number of outputs or parts in one merged file.
const FILES: u64 = 1_000;

/// The placeholders in names of parts, in addition to those of every name.
pub const PART_PLACEHOLDERS: [&str; 2] = ["part", "parts"];

/// The placeholders in names of merged files.
const MERGED_PLACEHOLDERS: [&str; 3] = ["post-processing-system", "time", "number"];

/// The default name of a merged file. The ending of its outputs is added.
const MERGED: &str = "{post-processing-system}-{time}-{number}";

/// The sizes of a receiver's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// The limits beyond which an output is split.
    pub split: Limits,
    pub merge: Option<Merge>,
}

/// The limits of a file, where there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of records; `None` means no limit.
    pub records: Option<u64>,
    /// The maximum size in octets, before compression and with the text before and after the
    /// records; `None` means no limit.
    pub octets: Option<u64>,
}

impl Limits {
    /// Returns whether a file of this size exceeds a limit.
    pub(super) fn are_exceeded(self, records: u64, octets: u64) -> bool {
        self.records.is_some_and(|max| records > max) || self.octets.is_some_and(|max| octets > max)
    }

    /// Returns whether a file of this size reaches a limit.
    pub(super) fn are_reached(self, records: u64, octets: u64) -> bool {
        self.records.is_some_and(|max| records >= max)
            || self.octets.is_some_and(|max| octets >= max)
    }

    fn read(settings: &Settings, table: &str) -> Result<Self, Diagnostic> {
        let own = |key: &str| settings.get(&format!("{table}.{key}"));
        let records = own("records-max").map(|setting| settings.count(setting)).transpose()?;
        let octets = own("size-max").map(|setting| settings.octets(setting)).transpose()?;
        Ok(Limits { records, octets })
    }
}

/// The settings of merged files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    pub limits: Limits,
    /// The maximum number of outputs or parts in a file.
    pub files: usize,
    /// The longest wait of the first output.
    pub within: Duration,
    /// The template of names, if the flow file has one.
    name: Option<String>,
}

impl Packing {
    /// Reads a `deliver` table. Returns `None` if outputs are neither split nor merged.
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
            let message = "\"merge\" needs \"within\": how long an output may wait for others";
            let hint = "write merge = { within = \"5 minutes\", … }";
            return Err(Diagnostic::error(&settings.source, span, message).hint(hint));
        };
        let files = match settings.get("merge.files-max") {
            Some(setting) => match settings.count(setting)? {
                files @ ..=FILES_MAX => files,
                _ => {
                    let message = format!("at most {FILES_MAX} outputs are merged into one file");
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

    /// Returns the name of a merged file. The number makes it unique for its receiver.
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
        let message = format!("unknown placeholder \"{{{unknown}}}\" in the name of a merged file");
        let hint =
            did_you_mean(unknown, MERGED_PLACEHOLDERS).unwrap_or_else(|| format!("known: {known}"));
        return Err(settings.error(name, message).hint(hint));
    }
    if name.value.contains(['/', '\\']) {
        let message = "a file name cannot contain folders";
        return Err(settings.error(name, message).hint("\"dir\" or \"url\" names the folder"));
    }
    match name.value.contains("{number}") {
        true => Ok(name.value.clone()),
        false => {
            let message = "the name is the same for several merged files";
            Err(settings.error(name, message).hint("add {number}"))
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
