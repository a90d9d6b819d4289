//! What somebody may do.

use std::fmt;
use std::str::FromStr;

/// Roles, each of which may do all that those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Looks at everything but people.
    Viewer,
    /// Runs the gateway: its flow, its suspense, its alarms.
    Operator,
    /// Says who may do what.
    Administrator,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 3] = [Role::Viewer, Role::Operator, Role::Administrator];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Administrator => "administrator",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no role: there are viewer, operator and administrator")]
pub struct NoRole(pub String);

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(word: &str) -> Result<Self, NoRole> {
        let is = |role: &&Role| role.word() == word;
        Role::ALL.iter().find(is).copied().ok_or_else(|| NoRole(word.into()))
    }
}
