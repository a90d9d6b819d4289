//! The roles of users and tokens.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The role of a user or token: `viewer` may read, `operator` may also operate the gateway and change its flow, and
/// `administrator` may also manage users and tokens.
// In ascending order: each includes the rights of those before it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// May read.
    Viewer,
    /// May also operate the gateway, and change its flow.
    Operator,
    /// May also manage users and tokens.
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
