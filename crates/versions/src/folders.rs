//! Folders of a flow whose files are part of its versions: tariff plans, and the rules of fraud nodes. Lists are not: their keys are
//! subscriber data, and actions change them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::found::FileTexts;

/// The file that every plan has.
const PLAN: &str = "tariff.toml";

/// The endings of files in a folder of rules: rules, tables of limits, and scripts.
const OF_RULES: [&str; 3] = [".toml", ".csv", ".dup"];

/// The folders that a flow file names, as it writes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Folders {
    plans: BTreeSet<String>,
    rules: BTreeSet<String>,
}

/// What a folder is for.
#[derive(Clone, Copy)]
enum Role {
    Plan,
    Rules,
}

impl Folders {
    /// Returns those of a text of the flow file.
    pub(super) fn of(text: &str) -> Self {
        Folders { plans: flow::drawing::plans(text), rules: flow::drawing::rule_folders(text) }
    }

    /// Returns the folder of a plan alone.
    pub(super) fn of_plan(name: &str) -> Self {
        Folders { plans: BTreeSet::from([name.to_owned()]), rules: BTreeSet::new() }
    }

    /// Returns the folders of plans and of rules.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.all().map(|(folder, _)| folder)
    }

    fn all(&self) -> impl Iterator<Item = (&String, Role)> {
        let plans = self.plans.iter().map(|folder| (folder, Role::Plan));
        plans.chain(self.rules.iter().map(|folder| (folder, Role::Rules)))
    }

    /// Returns whether a file is one of a plan or of rules.
    pub(super) fn have(&self, name: &str) -> bool {
        let Some((of, file)) = name.rsplit_once('/') else { return false };
        self.all().any(|(folder, role)| folder.trim_end_matches('/') == of && role.has(file))
    }

    /// Returns whether a file is a rule, or lies beside one.
    pub(super) fn is_of_rules(&self, name: &str) -> bool {
        let Some((of, file)) = name.rsplit_once('/') else { return false };
        self.rules.iter().any(|folder| folder.trim_end_matches('/') == of && Role::Rules.has(file))
    }

    /// Returns the files in these folders that users write, each with the name of its folder before it. `place` says where a folder is.
    pub(super) fn files(&self, place: impl Fn(&str) -> std::path::PathBuf) -> Vec<String> {
        self.all().flat_map(|(folder, role)| role.files(&place(folder), folder)).collect()
    }

    /// Returns the files of `there` that have to go: a table that a plan did not have in `files` would change the plan, and a rule
    /// would run. Folders that are no part of the version keep all files.
    pub(super) fn superfluous<'t>(
        &self,
        files: &FileTexts,
        there: &'t FileTexts,
    ) -> Vec<&'t String> {
        let is_in = |name: &str, folder: &str| {
            name.rsplit_once('/').is_some_and(|(of, _)| of == folder.trim_end_matches('/'))
        };
        let of_version: Vec<&String> = self
            .all()
            .filter(|(folder, role)| match role {
                Role::Plan => {
                    files.contains_key(&format!("{}/{PLAN}", folder.trim_end_matches('/')))
                }
                Role::Rules => files.keys().any(|name| is_in(name, folder)),
            })
            .map(|(folder, _)| folder)
            .collect();
        let is_superfluous = |name: &&String| {
            !files.contains_key(*name) && of_version.iter().any(|folder| is_in(name, folder))
        };
        there.keys().filter(is_superfluous).collect()
    }
}

impl Role {
    /// Returns whether a file in such a folder is one that users write.
    fn has(self, file: &str) -> bool {
        !file.starts_with('.')
            && match self {
                Role::Plan => file == PLAN || file.ends_with(".csv"),
                Role::Rules => OF_RULES.iter().any(|ending| file.ends_with(ending)),
            }
    }

    /// Returns the files in a folder that users write, each with the name of the folder before it.
    fn files(self, folder: &Path, name: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let files = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let name = name.trim_end_matches('/');
        let mut files: Vec<String> =
            files.filter(|file| self.has(file)).map(|file| format!("{name}/{file}")).collect();
        files.sort();
        files
    }
}
