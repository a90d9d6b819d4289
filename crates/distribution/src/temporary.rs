//! The name of a file at a receiver until it is complete. Receivers differ in which names they ignore: names with a
//! leading dot, with some ending, or in some folder.

use std::fmt;

use diagnostics::Diagnostic;
use settings::Settings;
use transport::{Appears, Place};

/// The key of the setting.
pub(crate) const TEMPORARY: &str = "temporary";

/// The placeholder for the file's own name.
const NAME: &str = "{name}";

/// The default pattern.
const USUAL: &str = ".{name}.part";

/// A pattern of temporary names: the text before and after the file's own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporary {
    before: String,
    behind: String,
}

impl Default for Temporary {
    fn default() -> Self {
        Temporary::parse(USUAL).expect("it has the name in it, and more")
    }
}

impl fmt::Display for Temporary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{NAME}{}", self.before, self.behind)
    }
}

impl Temporary {
    /// Reads the pattern of a `deliver` table.
    pub(super) fn read(settings: &Settings, place: &dyn Place) -> Result<Self, Diagnostic> {
        let Some(setting) = settings.get(TEMPORARY) else { return Ok(Self::default()) };
        if place.appears() == Appears::AtOnce {
            let message = "a file is there at once: it has no other name before";
            return Err(settings.error(setting, message).hint("leave out \"temporary\""));
        }
        Self::parse(&setting.value).ok_or_else(|| {
            let message =
                format!("\"{}\" is no name for a file while it is not whole", setting.value);
            let hint =
                "write \"{name}.tmp\", or \"tmp/{name}\" for a folder within that of \"url\"";
            settings.error(setting, message).hint(hint)
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (before, behind) = text.split_once(NAME)?;
        let is_part = |part: &str| {
            let is_elsewhere = matches!(part, "" | "." | "..");
            !is_elsewhere && !part.contains(['\\', '{', '}']) && !part.contains(char::is_control)
        };
        let is_name = |behind: &str| !behind.contains('/') && text != NAME;
        let is_it = is_name(behind) && format!("{before}x{behind}").split('/').all(is_part);
        is_it.then(|| Temporary { before: before.to_owned(), behind: behind.to_owned() })
    }

    /// Returns the temporary name of a file.
    pub(super) fn of(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.behind)
    }

    /// Returns the folders of the pattern, outer ones first.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.before.match_indices('/').map(|(at, _)| &self.before[..at])
    }

    /// Returns a place that includes the pattern, unless it is the default. A file that was put under one pattern is
    /// not found under another.
    pub(super) fn place(&self, address: String) -> String {
        if *self == Temporary::default() { address } else { format!("{address} {self}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_name_is_another_than_the_files_own_and_leads_nowhere_else() {
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
    fn what_was_put_under_another_temporary_name_is_not_looked_for_under_this() {
        let place = |text: &str| Temporary::parse(text).unwrap().place("sftp://a/in".into());
        assert_eq!(place(USUAL), "sftp://a/in");
        assert_ne!(place("{name}.tmp"), place("tmp/{name}"));
    }
}
