//! The names of output files.

use diagnostics::{Diagnostic, did_you_mean};

use distribution::{PART_PLACEHOLDERS, Route};
use flow::file;

/// The placeholders in the names of outputs.
const PLACEHOLDERS: [&str; 4] = ["network-element", "post-processing-system", "file", "stem"];

/// Returns the template of a system's file names. It must contain the name of the input file, or outputs would
/// overwrite each other. Names of outputs that are merged reach no receiver, so they are not checked.
pub(super) fn template(
    system: &file::PostProcessingSystem,
    extension: &str,
    route: Option<&Route>,
) -> Result<String, Vec<Diagnostic>> {
    let has_parts = route.is_some_and(Route::has_parts);
    let is_merged = route.is_some_and(|route| route.merge().is_some());
    let Some(name) = system.deliver.get("name").filter(|_| !is_merged) else {
        let part = if has_parts { "-{part}" } else { "" };
        return Ok(format!("{{network-element}}-{{file}}{part}.{extension}"));
    };
    let error =
        |message: String, hint: String| Err(vec![system.deliver.error(name, message).hint(hint)]);
    let mut known = PLACEHOLDERS.to_vec();
    known.extend(PART_PLACEHOLDERS.into_iter().filter(|_| has_parts));
    let unknown = name.value.split('{').skip(1).find_map(|rest| {
        let (placeholder, _) = rest.split_once('}')?;
        (!known.contains(&placeholder)).then_some(placeholder)
    });
    if let Some(unknown) = unknown {
        let hint = did_you_mean(unknown, known.iter().copied())
            .unwrap_or_else(|| format!("known: {}", known.join(", ")));
        return error(format!("unknown placeholder \"{{{unknown}}}\""), hint);
    }
    if name.value.contains(['/', '\\']) {
        return error(
            "a file name cannot contain folders".into(),
            "\"dir\" names the folder".into(),
        );
    }
    let tells_files_apart = name.value.contains("{file}") || name.value.contains("{stem}");
    if !tells_files_apart {
        return error(
            "the name is the same for several input files".into(),
            "put {file} or {stem} into it".into(),
        );
    }
    match has_parts && !tells_parts_apart(&name.value) {
        true => error(
            "the name does not tell the parts of an output apart".into(),
            "put {part} into it, and a \"-\" or another character that is no digit on both sides of it"
                .into(),
        ),
        false => Ok(name.value.clone()),
    }
}

/// Returns whether a name contains the part number with no other digits or placeholders beside it.
fn tells_parts_apart(name: &str) -> bool {
    let runs_on = |beside: char| beside.is_ascii_digit() || matches!(beside, '{' | '}');
    name.match_indices("{part}").any(|(at, part)| {
        let (before, behind) = (&name[..at], &name[at + part.len()..]);
        !before.ends_with(runs_on) && !behind.starts_with(runs_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_distinct_where_nothing_runs_into_its_number() {
        for (name, is_distinct) in [
            ("{file}-{part}.csv", true),
            ("{part}-{file}", true),
            ("{stem}.{part}of{parts}", true),
            ("{file}.csv", false),
            ("{file}-{parts}.csv", false),
            ("{stem}{part}", false),
            ("{part}{stem}", false),
            ("{stem}-1{part}", false),
            ("{stem}{part}-{part}", true),
        ] {
            assert_eq!(tells_parts_apart(name), is_distinct, "{name}");
        }
    }
}
