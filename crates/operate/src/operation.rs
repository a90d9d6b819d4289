//! What an operation is. The command line and the API are views of operations: both build the request, and both show the
//! response.
//!
//! To add an operation, write its request with an implementation of [`Operation`] in the module of its noun, a line in the
//! table of the API (`serve::api::operations`), its command (`cli::command`), and a line in the client of the interface
//! (`ui/src/api/gateway.ts`). The description, the types of the client and the index of errors are generated: tests that fail
//! say how.

use people::Role;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::context::Context;
use crate::refusal::Refusal;

/// An operation of a gateway. The type itself is the request; its documentation describes the operation in the API.
pub trait Operation: DeserializeOwned + ToSchema + Send + 'static {
    /// What the operation returns.
    type Response: Serialize + ToSchema + Send + 'static;
    /// Why it is refused.
    type Error: Refusal;

    /// The words of its command: `deliveries retry`. They are also its name in the API. The command may leave out the last word: `tollgate trail` is `trail list`, `tollgate audit` is `audit report`.
    const NAME: &'static str;
    /// The role that it needs. A command needs none: who may write the files of a gateway may do everything.
    const ROLE: Role;
    /// The actions of its changes in the audit trail, mostly its name: each change has an entry, in its transaction or
    /// before it. An operation without actions changes nothing. The API lets changes wait for the gateway, and drops the
    /// answers that it has cached.
    const ACTIONS: &[&str] = &[];
    /// Whether it takes long: it reads files or all of the journal, checks a text, runs scripts, or waits for the gateway. The
    /// API limits how many of these a user sends, and how many it works on at once.
    const IS_LONG: bool = false;
    /// Whether the API answers with the response. It is `false` only where the response is [`Nothing`].
    const HAS_RESPONSE: bool = true;

    /// Does it.
    ///
    /// # Errors
    ///
    /// The request is refused, or the journal fails.
    fn perform(self, context: &Context<'_>) -> Result<Self::Response, Self::Error>;
}

/// The response of an operation that returns nothing.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Nothing {}
