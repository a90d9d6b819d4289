//! The clients of a charging system, by their tokens.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use prepaid::NetworkClient;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::NetworkError;
use crate::api::Failure;
use crate::connection_slots::Holder;

/// The name of all clients where none has a token.
const LOCAL: &str = "local";

/// The client that sends a request.
#[derive(Clone, Debug)]
pub(super) struct ClientName(pub(super) Arc<str>);

/// The clients that may send requests. Of their tokens only hashes are in memory.
#[derive(Debug)]
pub(super) struct Clients {
    by_hash: Vec<([u8; 32], Arc<str>)>,
}

impl Clients {
    pub(super) fn read(clients: &[NetworkClient]) -> Result<Self, NetworkError> {
        let of = |NetworkClient { name, token }: &NetworkClient| {
            let unread = |cause| NetworkError::Token { client: name.clone(), cause };
            let token = token.read().map_err(unread)?;
            Ok((Sha256::digest(token.reveal()).into(), name.as_str().into()))
        };
        Ok(Clients { by_hash: clients.iter().map(of).collect::<Result<_, _>>()? })
    }

    /// Returns the client whose token a request has.
    fn client(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        if self.by_hash.is_empty() {
            return Some(LOCAL.into());
        }
        let token = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        let hash: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for (known, name) in &self.by_hash {
            if bool::from(known.ct_eq(&hash)) {
                found = Some(Arc::clone(name));
            }
        }
        found
    }
}

/// Lets requests of clients pass, with their names.
pub(super) async fn admit(
    State(clients): State<Arc<Clients>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(client) = clients.client(request.headers()) else {
        let text = "the request has no token of a client of charging.toml";
        return Failure::new(StatusCode::UNAUTHORIZED, "token-missing", text).into_response();
    };
    if let Some(holder) = request.extensions().get::<Holder>() {
        holder.is_known();
    }
    request.extensions_mut().insert(ClientName(client));
    next.run(request).await
}
