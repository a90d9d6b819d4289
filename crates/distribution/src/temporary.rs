//! The name of a file at a receiver until it is complete. Receivers differ in which names they
//! ignore: names with a leading dot, with some ending, or in some folder.

use std::fmt;

use diagnostics::Diagnostic;
use settings::Settings;
use transport::{Place, PutMethod};

/// The key of the setting.
pub(crate) const TEMPORARY: &str = "temporary";

/// The placeholder for the file's own name.
const NAME: &str = "{name}";

/// The default pattern.
const DEFAULT: &str = ".{name}.part";

/// A pattern of temporary names: the text before and after the file's own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporary {
    before: String,
    after: String,
}

impl Default for Temporary {
    fn default() -> Self {
        Temporary::parse(DEFAULT).expect("the default is valid")
    }
}

impl fmt::Display for Temporary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{NAME}{}", self.before, self.after)
    }
}

impl Temporary {
    /// Reads the pattern of a `deliver` table.
    pub(super) fn read(settings: &Settings, place: &dyn Place) -> Result<Self, Diagnostic> {
        let Some(setting) = settings.get(TEMPORARY) else { return Ok(Self::default()) };
        if place.put_method() == PutMethod::Atomic {
            let message = "files have no temporary name there, since they appear complete";
            return Err(settings.error(setting, message).hint("leave out \"temporary\""));
        }
        Self::parse(&setting.value).ok_or_else(|| {
            let message = format!("\"{}\" is not a pattern for temporary names", setting.value);
            let hint =
                "write \"{name}.tmp\", or \"tmp/{name}\" for a folder within that of \"url\"";
            settings.error(setting, message).hint(hint)
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.split_once(NAME)?;
        let is_part = |part: &str| {
            let is_special = matches!(part, "" | "." | "..");
            !is_special && !part.contains(['\\', '{', '}']) && !part.contains(char::is_control)
        };
        let is_name = !after.contains('/') && text != NAME;
        let is_valid = is_name && format!("{before}x{after}").split('/').all(is_part);
        is_valid.then(|| Temporary { before: before.to_owned(), after: after.to_owned() })
    }

    /// Returns the temporary name of a file.
    pub(super) fn of(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }

    /// Returns the folders of the pattern, outer ones first.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.before.match_indices('/').map(|(at, _)| &self.before[..at])
    }

    /// Returns a place that includes the pattern, unless it is the default. A file that was put
    /// under one pattern is not found under another.
    pub(super) fn place(&self, address: String) -> String {
        if *self == Temporary::default() { address } else { format!("{address} {self}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_name_differs_from_the_final_name_and_stays_in_the_folder() {
        for (text, of, folders) in [
            (".{name}.part", ".a.csv.part", &[][..]),
            ("{name}.tmp", "a.csv.tmp", &[]),
            ("~{name}", "~a.csv", &[]),
            ("tmp/{name}", "tmp/a.csv", &["tmp"]),
            (".in/work/{name}.part", ".in/work/a.csv.part", &[".in", ".in/work"]),
        ] {
            let temporary = Temporary::parse(text).unwrap();
            assert_eq!(
                (temporary.of("a.csv").as_str(), temporary.to_string().as_str()),
                (of, text)
            );
            assert_eq!(temporary.folders().collect::<Vec<_>>(), folders, "{text}");
        }
        for text in [
            "",
            "tmp",
            "{name}",
            "{name}/x",
            "/{name}",
            "/tmp/{name}",
            "../{name}",
            "tmp/../{name}",
            "tmp//{name}",
            "{name}{name}",
            "{stem}.{name}",
            "\\{name}",
            "a\n{name}",
        ] {
            assert_eq!(Temporary::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_place_of_a_file_depends_on_the_pattern() {
        let place = |text: &str| Temporary::parse(text).unwrap().place("sftp://a/in".into());
        assert_eq!(place(DEFAULT), "sftp://a/in");
        assert_ne!(place("{name}.tmp"), place("tmp/{name}"));
    }
}
