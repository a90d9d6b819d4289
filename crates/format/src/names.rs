//! Unknown names in extensible types, for text formats. No record contains their values, so they are reported, like
//! unknown tags in BER.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum names to keep; a file may contain any number.
const NAMES_MAX: usize = 1_024;

/// Stands for all names beyond the maximum.
const OTHERS: &str = "names that are not known";

/// The unknown names found so far.
#[derive(Debug, Default)]
pub(crate) struct UnknownNames(Mutex<Vec<String>>);

impl UnknownNames {
    /// Returns the mark for a name in a type.
    #[cold]
    pub(crate) fn mark(&self, ty: &str, name: &str) -> u32 {
        let name: String = name.escape_debug().take(NAME_CHARACTERS_MAX).collect();
        let whole = format!("{name} of {ty}");
        let mut names = self.names();
        let known = names.iter().position(|known| *known == whole);
        let place = known.unwrap_or_else(|| {
            if names.len() < NAMES_MAX {
                names.push(whole);
                names.len() - 1
            } else {
                NAMES_MAX
            }
        });
        place as u32
    }

    /// Returns the name that a mark stands for.
    pub(crate) fn name(&self, mark: u32) -> String {
        self.names().get(mark as usize).cloned().unwrap_or_else(|| OTHERS.to_owned())
    }

    fn names(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum characters kept of a name.
const NAME_CHARACTERS_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_marks_and_an_end() {
        let names = UnknownNames::default();
        assert_eq!(
            (names.mark("M.R", "a"), names.mark("M.R", "b"), names.mark("M.R", "a")),
            (0, 1, 0)
        );
        assert_eq!(names.name(1), "b of M.R");
        for number in 0..2 * NAMES_MAX {
            names.mark("M.R", &number.to_string());
        }
        assert_eq!(names.name(names.mark("M.R", "z")), OTHERS);
        assert_eq!(names.name(names.mark("M.R", "b")), "b of M.R");
    }
}
