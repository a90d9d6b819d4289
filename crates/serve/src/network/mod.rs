//! Where networks reach a charging system over HTTP: requests for calls, balances, refills of payment servers, and records of
//! gateways.
//!
//! | path | what |
//! |---|---|
//! | `POST /interrogations` | may a call go on, and what was used? ([`Interrogation`]) |
//! | `GET /balances/{number}` | the account of a number |
//! | `POST /refills` | an amount that was paid, counted once by its reference |
//! | `POST /records` | records that a gateway has rated, each debited once ([`RatedRecords`]) |
//! | `POST /vouchers` | a voucher is used for an account |
//! | `GET /metrics` | what it has counted, for Prometheus |
//! | `GET /health` | whether the system answers |
//!
//! A client has a token (`Authorization: Bearer …`). Without clients in `charging.toml`, the address is one of this machine.

mod clients;
mod metrics;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use futures_util::future::select;
use hyper_util::server::graceful::GracefulShutdown;
use operate::refusal::Refusal as _;
use prepaid::calls::{
    Authority, Call, Clerk, Moved, PrepaidAccount, RefillAccount, ShowAccount, UseVoucher,
    UsedVoucher,
};
use prepaid::{
    Answered, DebitedRecords, Http, Interrogation, Queue, QueuedInterrogation, RatedRecords,
    Refused, System,
};
use tokio::sync::oneshot;

use crate::api::{Body, Failure, blocking};
use crate::connections;
use crate::text::CONTENT_TYPE;
use clients::{ClientName, Clients, admit};

/// The most threads that wait for the disk for calls beside interrogations.
const THREADS_MAX: usize = 32;

/// The codes of refusals to networks, and what they say; those of the API are beside them.
pub const NETWORK_CODES: &[(&str, &str)] = &[
    ("accounts-unusable", "the accounts cannot be used now; send the request again"),
    ("request-invalid", "the request has a mistake"),
    ("session-unknown", "there is no such session"),
    ("subscriber-unknown", "no account has the number"),
    ("token-missing", "the request has no token of a client of charging.toml"),
    ("too-busy", "the request waited too long; nothing was done"),
];

/// The system behind the server.
#[derive(Clone)]
struct Charged {
    system: Arc<System>,
    queue: Arc<Queue>,
    /// What `/metrics` showed last.
    figures: Arc<metrics::LastFigures>,
}

/// A running server for networks; dropping it stops it.
#[derive(Debug)]
pub struct NetworkServer {
    /// The address at which it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Why a server for networks cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The address cannot be used.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// A token cannot be read.
    #[error("the token of the client \"{client}\" cannot be read")]
    Token {
        /// The client.
        client: String,
        /// The cause.
        #[source]
        cause: prepaid::SecretError,
    },
    /// The system refuses a thread.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

/// Starts a server for networks.
///
/// # Errors
///
/// The address is in use, a token cannot be read, or the system refuses.
pub fn start_network(
    http: &Http,
    system: Arc<System>,
    queue: Arc<Queue>,
) -> Result<NetworkServer, NetworkError> {
    let clients = Arc::new(Clients::read(&http.clients)?);
    let refused = |cause| NetworkError::Listen { address: http.listen, cause };
    let listener = TcpListener::bind(http.listen).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS_MAX)
        .build()
        .map_err(NetworkError::Start)?;
    let app = routes(clients).with_state(Charged { system, queue, figures: Arc::default() });
    let (stop, stopped) = oneshot::channel();
    let serve = move || runtime.block_on(answer(listener, app, stopped));
    let thread = thread::Builder::new().name("network".into()).spawn(serve);
    let thread = Some(thread.map_err(NetworkError::Start)?);
    Ok(NetworkServer { address, stop: Some(stop), thread })
}

impl Drop for NetworkServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn routes(clients: Arc<Clients>) -> Router<Charged> {
    Router::new()
        .route("/interrogations", post(interrogate))
        .route("/balances/{number}", get(balance))
        .route("/refills", post(refill))
        .route("/records", post(debit))
        .route("/vouchers", post(voucher))
        .route("/metrics", get(measured))
        .layer(middleware::from_fn_with_state(clients, admit))
        .route("/health", get(|| async { "ok\n" }))
        .fallback(|| async { Failure::unknown("path-unknown", "there is nothing of this name") })
}

async fn answer(listener: TcpListener, app: Router, stopped: oneshot::Receiver<()>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("networks cannot be answered: {error}"),
    };
    let ending = GracefulShutdown::new();
    let taking = connections::take(&listener, None, app, &ending);
    select(pin!(taking), stopped).await;
    drop(listener);
    ending.shutdown().await;
}

async fn interrogate(
    State(Charged { queue, .. }): State<Charged>,
    Extension(ClientName(client)): Extension<ClientName>,
    Body(interrogation): Body<Interrogation>,
) -> Response {
    let (sender, answer) = oneshot::channel();
    // The client may have gone meanwhile.
    queue.add(Box::new(QueuedInterrogation::new(
        client,
        interrogation,
        Box::new(move |answered| drop(sender.send(answered))),
    )));
    shown(answer.await.unwrap_or(Answered::Unavailable))
}

/// Returns the response of an answer.
fn shown(answered: Answered) -> Response {
    match answered {
        Answered::Legs { .. } => Json(answered).into_response(),
        Answered::SubscriberUnknown => {
            Failure::unknown("subscriber-unknown", "no account has the number").into_response()
        }
        Answered::SessionUnknown => {
            Failure::unknown("session-unknown", "there is no such session").into_response()
        }
        Answered::Invalid { text } => {
            Failure::new(StatusCode::BAD_REQUEST, "request-invalid", text).into_response()
        }
        Answered::TooBusy => {
            let text = "the request waited too long; nothing was done";
            Failure::busy("too-busy", text, 1).into_response()
        }
        Answered::Unavailable => {
            let text = "the accounts cannot be used now; send the request again";
            Failure::busy("accounts-unusable", text, 1).into_response()
        }
    }
}

async fn balance(
    State(charged): State<Charged>,
    Extension(ClientName(client)): Extension<ClientName>,
    Path(account): Path<String>,
) -> Result<Json<PrepaidAccount>, Failure> {
    call(charged, client, ShowAccount { account }).await
}

async fn refill(
    State(charged): State<Charged>,
    Extension(ClientName(client)): Extension<ClientName>,
    Body(refill): Body<RefillAccount>,
) -> Result<Json<Moved>, Failure> {
    call(charged, client, refill).await
}

async fn voucher(
    State(charged): State<Charged>,
    Extension(ClientName(client)): Extension<ClientName>,
    Body(voucher): Body<UseVoucher>,
) -> Result<Json<UsedVoucher>, Failure> {
    call(charged, client, voucher).await
}

async fn debit(
    State(Charged { system, .. }): State<Charged>,
    Extension(ClientName(client)): Extension<ClientName>,
    Body(records): Body<RatedRecords>,
) -> Result<Json<DebitedRecords>, Failure> {
    blocking(move || system.debit(&client, &records).map_err(failure)).await.map(Json)
}

async fn measured(State(charged): State<Charged>) -> Result<Response, Failure> {
    let Charged { system, figures, .. } = charged;
    let written =
        move || metrics::written(&system, &figures).map_err(|refused| Failure::internal(&refused));
    let text = blocking(written).await?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}

async fn call<C: Call + Send + 'static>(
    Charged { system, .. }: Charged,
    client: Arc<str>,
    call: C,
) -> Result<Json<C::Reply>, Failure>
where
    C::Reply: Send + 'static,
{
    let perform = move || {
        let who = Clerk::client(&client);
        let clerk = Clerk { system: &system, who: &who, authority: Authority::Network };
        call.perform(&clerk).map_err(failure)
    };
    blocking(perform).await.map(Json)
}

/// Returns the response of a refusal.
fn failure(refused: Refused) -> Failure {
    match refused.kind() {
        operate::refusal::RefusalKind::Internal => Failure::internal(&refused),
        _ => Failure::from_refusal(&refused),
    }
}
