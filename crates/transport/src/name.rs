//! Names of pushed files in an in buffer.

use crate::account::Account;

/// The maximum length of a name in octets. File systems allow 255, and a file's hidden name is
/// longer than its own.
pub const NAME_OCTETS_MAX: usize = 240;

/// Returns why a file cannot have this name, if so.
pub fn name_mistake(name: &str) -> Option<&'static str> {
    match name {
        "" | "." | ".." => Some("the name is empty"),
        _ if name.len() > NAME_OCTETS_MAX => Some("the name is longer than 240 octets"),
        _ if name.starts_with('.') => Some("names that begin with a dot are hidden and ignored"),
        _ if name.chars().any(char::is_control) => Some("the name contains a control character"),
        _ if name.contains(['/', '\\']) => Some("the name contains a slash"),
        _ if Account::is_reserved(name) => {
            Some("names with \".duplicate\", \".poison\" or \".to-archive\" are reserved")
        }
        _ => None,
    }
}
