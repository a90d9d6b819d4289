//! The number of files in progress at once, to a receiver or from a network element.

use diagnostics::Diagnostic;
use settings::Settings;

/// The key of this number.
pub const AT_ONCE: &str = "at-once";

/// The most files in progress for one receiver or network element: each has a thread and a connection.
const AT_ONCE_MAX: u64 = 32;

/// Returns the number of files that a table allows in progress; 1 if it does not say.
pub fn at_once(settings: &Settings) -> Result<usize, Diagnostic> {
    let Some(setting) = settings.get(AT_ONCE) else { return Ok(1) };
    let count = settings.count(setting)?;
    if count > AT_ONCE_MAX {
        return Err(
            settings.error(setting, format!("no more than {AT_ONCE_MAX} are under way at once"))
        );
    }
    let is_ordered = settings.get("order").is_some_and(|order| order.value == "true");
    match is_ordered && count > 1 {
        true => Err(settings.error(setting, "files that keep their order go one after the other")),
        false => Ok(count as usize),
    }
}
