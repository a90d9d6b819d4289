//! Names of pushed files in an in buffer.

use crate::account::Account;

/// The maximum length of a name in octets. File systems allow 255, and a file's hidden name is longer than its own.
pub const NAME_OCTETS_MAX: usize = 240;

/// Returns why a file cannot have this name, if so.
pub fn not_plain(name: &str) -> Option<&'static str> {
    match name {
        "" | "." | ".." => Some("a file has a name"),
        _ if name.len() > NAME_OCTETS_MAX => Some("the name is longer than 240 octets"),
        _ if name.starts_with('.') => Some("names that begin with a dot are hidden, and not taken"),
        _ if name.chars().any(char::is_control) => Some("there is a control character in the name"),
        _ if name.contains(['/', '\\']) => Some("there is a slash in the name"),
        _ if Account::is_reserved(name) => {
            Some("names with \".duplicate\", \".poison\" or \".to-archive\" are our own")
        }
        _ => None,
    }
}
