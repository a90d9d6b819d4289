//! Warnings of file patterns with characters that have no special meaning here. Such a pattern may match no file, and
//! the network element then looks as if it sent none.

use diagnostics::Diagnostic;

use crate::file::FlowFile;

/// Characters that are special in patterns of shells or regular expressions, and literal here.
const MEAN_THEMSELVES: [char; 7] = ['[', ']', '{', '}', '|', '^', '$'];

/// Returns the warnings of such patterns.
pub fn warnings(file: &FlowFile) -> Vec<Diagnostic> {
    let collects = file.network_elements.iter().map(|element| &element.collect);
    let patterns = collects.filter_map(|table| Some((table, table.get("pattern")?)));
    let warning = |(table, pattern): (&settings::Settings, &settings::Setting)| {
        let sign = pattern.value.chars().find(|sign| MEAN_THEMSELVES.contains(sign))?;
        let message = format!("\"{sign}\" in a pattern means itself: only names that have it fit");
        let warning = Diagnostic::warning(&table.source, pattern.span, message);
        Some(warning.hint("\"*\" stands for any characters, and \"?\" for one"))
    };
    patterns.filter_map(warning).collect()
}
