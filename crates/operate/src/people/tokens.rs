//! Tokens, with which programs log in: listed, made and removed.

use ::people::{Role, TOKEN_DAYS};
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PeopleAddError, PeopleNamedError, PeopleUnreadError, change};
use crate::context::Context;
use crate::operation::{Nothing, Operation};

/// Lists the tokens.
///
/// The list does not contain the secrets.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListTokens {}

/// The tokens.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tokens)]
pub struct ListedTokens {
    /// The tokens, by number.
    pub tokens: Vec<Token>,
}

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct Token {
    /// The token's number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// When the token was made.
    pub since: String,
    /// The last use, to the minute. Absent if there was none.
    pub last_used: Option<String>,
    /// When the token expires.
    pub until: String,
    /// Whether the token has expired. It stays in the list until it is removed, or a new token gets its name.
    pub expired: bool,
}

impl Operation for ListTokens {
    type Response = ListedTokens;
    type Error = PeopleUnreadError;

    const NAME: &'static str = "token list";
    const ROLE: Role = Role::Administrator;

    fn perform(self, context: &Context<'_>) -> Result<ListedTokens, PeopleUnreadError> {
        let (tokens, now) = (context.shared.people()?.tokens()?, now_ms());
        let tokens = tokens.into_iter().map(|token| Token {
            id: token.id,
            name: token.name,
            role: token.role,
            since: shown(token.since_ms),
            last_used: token.used_ms.map(shown),
            until: shown(token.until_ms),
            expired: token.until_ms <= now,
        });
        Ok(ListedTokens { tokens: tokens.collect() })
    }
}

/// Makes a token for a program.
///
/// The token expires. Make another one before that, under another name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct MakeToken {
    /// Up to 64 letters, digits, `.`, `-`, `_` and `@`.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The days for which the token is valid. Default 90, at most 366.
    pub days: Option<u32>,
}

/// A new token.
#[derive(Serialize, ToSchema)]
pub struct MadeToken {
    /// The token's number.
    pub id: i64,
    /// The secret that the program sends. Only this answer contains it.
    pub token: String,
    /// When the token expires.
    pub until: String,
}

/// Omits the secret.
impl std::fmt::Debug for MadeToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeToken").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Operation for MakeToken {
    type Response = MadeToken;
    type Error = PeopleAddError;

    const NAME: &'static str = "token make";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<MadeToken, PeopleAddError> {
        let MakeToken { name, role, days } = self;
        let days = days.unwrap_or(TOKEN_DAYS);
        let entry = (Self::NAME, format!("as {role}, for {days} days"));
        change(context, entry, |people, record| people.make_token(&name, (role, days), record))
            .map(|made| MadeToken { id: made.id, token: made.secret, until: shown(made.until_ms) })
    }
}

/// Removes a token.
///
/// The token is void at once.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct RemoveToken {
    /// The token's number.
    pub id: i64,
}

impl Operation for RemoveToken {
    type Response = Nothing;
    type Error = PeopleNamedError;

    const NAME: &'static str = "token remove";
    const ROLE: Role = Role::Administrator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const HAS_RESPONSE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Nothing, PeopleNamedError> {
        let entry = (Self::NAME, String::new());
        change(context, entry, |people, record| people.remove_token(self.id, record))
            .map(|_| Nothing {})
    }
}
