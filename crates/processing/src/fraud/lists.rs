//! The lists that rules name.

use std::path::Path;

use ::lists::{ListError, Row};
use diagnostics::Diagnostic;
use fraud::List;

/// Reads a list. `place` is where it is named.
pub(super) fn read(
    name: &str,
    path: &Path,
    place: &dyn Fn(String) -> Diagnostic,
) -> Result<List, Vec<Diagnostic>> {
    let table = ::lists::read(path).map_err(|error| match error {
        ListError::Mistakes(mistakes) => mistakes,
        ListError::File { path, cause } => {
            vec![place(format!("could not read the list \"{}\": {cause}", path.display()))]
        }
    })?;
    let mut list = List::new(name.to_owned());
    for Row { entry, holds, .. } in table.rows() {
        list.add(&entry.key, holds.clone());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use diagnostics::{Source, Span};

    use super::*;

    #[test]
    fn an_entry_holds_from_a_day_until_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = ::lists::path(folder.path(), "known");
        let text = "key,from,until\n0701,2026-01-01,2026-01-02T12:00:00Z\n09*,,\n";
        std::fs::write(&path, text).unwrap();
        let place = |message: String| {
            Diagnostic::error(&Source::new("flow.toml", ""), Span::default(), message)
        };
        let list = read("known", &path, &place).unwrap();
        let begin = 1_767_225_600;
        assert_eq!(list.find(b"0701", begin - 1), None);
        assert!(
            list.find(b"0701", begin).is_some() && list.find(b"0701", begin + 129_599).is_some()
        );
        assert_eq!(list.find(b"0701", begin + 129_600), None);
        assert_eq!(list.find(b"0911", 5).as_deref(), Some("09*"));
    }
}
