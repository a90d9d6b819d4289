//! Puts the files of a version of a definition back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use runtime::exchange::{Exchange, NotReplaced, Wanted};

use crate::definition::{Definition, Place, text_of};

/// Why a version is not put back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] NotReplaced),
    /// The version has no file with the name of the definition.
    #[error("the version has no file \"{}\": it is one of another definition", .0.display())]
    OtherDefinition(PathBuf),
    /// The version has mistakes by now: something beside its files has changed.
    #[error("the version has mistakes, so all files are as they were:\n{}", shown(.0))]
    Mistakes(Vec<Diagnostic>),
    /// The version has other accounts.
    #[error(
        "the version has its accounts elsewhere (state, [database]), so all files are as they were"
    )]
    OtherAccounts,
}

fn shown(mistakes: &[Diagnostic]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
}

/// The files of a version that is put back.
pub(crate) struct Restored<'v> {
    /// All of them, by their names, with their texts.
    pub(crate) files: &'v BTreeMap<String, String>,
    /// The files of now. Those that the version does not have are removed.
    pub(crate) others: &'v [String],
    /// The one file that is put back, if it is not all of them.
    pub(crate) only: Option<&'v str>,
}

/// Writes the files of a version, and removes those that it does not have: all of this or nothing. Names are relative to the
/// folder of the definition, whose accounts are at a place. A system that runs goes by them from then on. Returns the names of
/// the files that have changed.
///
/// # Errors
///
/// The version is one of another definition or has other accounts, a file cannot be written, or the definition would have
/// mistakes.
pub(crate) fn restore(
    (definition, place): (&Path, &Place),
    Restored { files, others, only }: Restored<'_>,
) -> Result<Vec<String>, RestoreError> {
    let folder = definition.parent().unwrap_or(Path::new(""));
    let is_definition = |name: &str| folder.join(name) == definition;
    if !files.keys().any(|name| is_definition(name)) {
        return Err(RestoreError::OtherDefinition(definition.to_owned()));
    }
    let is_there =
        |name: &str, text: &str| text_of(&folder.join(name)).is_ok_and(|there| there == text);
    let changed = files.iter().filter(|(name, text)| !is_there(name, text));
    let changed = changed.map(|(name, text)| (name, Some(text.as_str())));
    let removed =
        others.iter().filter(|name| !files.contains_key(*name) && folder.join(name).exists());
    let is_wanted = |(name, _): &(&String, _)| only.is_none_or(|only| only == *name);
    let mut steps: Vec<_> =
        changed.chain(removed.map(|name| (name, None))).filter(is_wanted).collect();
    // The definition is the last one, since it names the others.
    steps.sort_by_key(|(name, _)| is_definition(name));
    let wanted = |(name, text): &(&String, _)| Wanted { place: folder.join(name), text: *text };
    let wanted: Vec<Wanted<'_>> = steps.iter().map(wanted).collect();
    let exchange = Exchange::prepared(&wanted)?;
    exchange.make()?;
    let refused = match Definition::read(definition) {
        Ok(restored) if restored.place() == *place => None,
        Ok(_) => Some(RestoreError::OtherAccounts),
        Err(mistakes) => Some(RestoreError::Mistakes(mistakes)),
    };
    if let Some(refused) = refused {
        exchange.undo()?;
        return Err(refused);
    }
    Ok(steps.into_iter().map(|(name, _)| name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARIFF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");

    #[test]
    fn a_version_that_is_refused_leaves_all_files_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let definition = folder.path().join("charging.toml");
        let texts =
            [("charging.toml", format!("plan = \"{TARIFF}\"\n")), ("later.csv", "1".into())];
        for (name, text) in &texts {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let files = |of: &[(&str, &str)]| -> BTreeMap<String, String> {
            of.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let broken = files(&[("charging.toml", "plan = 7"), ("new.csv", "")]);
        let others = ["later.csv".to_owned()];
        let place = Definition::read(&definition).unwrap().place();
        let at = (&*definition, &place);
        let put_back = |files: &BTreeMap<String, String>, only: Option<&str>| {
            restore(at, Restored { files, others: &others, only })
        };
        let refused = put_back(&broken, None);
        assert!(matches!(refused, Err(RestoreError::Mistakes(_))), "{refused:?}");
        let refused = put_back(&broken, Some("charging.toml"));
        assert!(matches!(refused, Err(RestoreError::Mistakes(_))), "{refused:?}");
        let refused = put_back(&files(&[("other.toml", "")]), None);
        assert!(matches!(refused, Err(RestoreError::OtherDefinition(_))), "{refused:?}");
        let elsewhere = format!("{}state = \"elsewhere\"\n", texts[0].1);
        let refused = put_back(&files(&[("charging.toml", &elsewhere)]), None);
        assert!(matches!(refused, Err(RestoreError::OtherAccounts)), "{refused:?}");
        for (name, text) in &texts {
            assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), *text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside");
    }
}
