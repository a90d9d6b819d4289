//! The roles of users and tokens.

use std::fmt;
use std::str::FromStr;

/// The roles, in ascending order. Each includes the rights of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// May read everything except users and tokens.
    Viewer,
    /// May operate the gateway: its flow, its suspense, its alarms.
    Operator,
    /// May manage users and tokens.
    Administrator,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Viewer, Role::Operator, Role::Administrator];

    /// Returns the name of the role.
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

/// The error for an unknown role.
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
