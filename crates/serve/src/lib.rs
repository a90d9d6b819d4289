//! The HTTP server of a gateway: health, metrics, the API and the interface.
//!
//! ```text
//! flow: Meters, journal ─▶ Served ─▶ routes: health, metrics, pages     ─▶ axum
//! people, versions ──────────┘       guard ─▶ api, its description
//! ```
//!
//! The server has a thread of its own, so no request delays a file.
#![forbid(unsafe_code)]

mod address;
mod api;
mod cached;
mod connection_slots;
mod connections;
mod health;
mod history;
mod live;
mod login_attempts;
mod memory;
mod metrics;
mod network;
mod pages;
mod pending_audit;
mod reading;
mod served;
mod text;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::{Router, middleware};
use futures_util::future::select;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::sync::oneshot;

pub use connections::Greeting;
pub use network::{NETWORK_CODES, NetworkError, NetworkServer, start_network};
pub use served::{Served, ServedError, ServedRun};

/// How long the end of the server waits for running requests.
const ENDED_WITHIN: Duration = Duration::from_secs(3);

/// The routes outside the login guard; each group is in a file of its own.
const ROUTES: &[fn() -> Router<Arc<Served>>] =
    &[health::routes, metrics::routes, api::login_routes, pages::routes];

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address to listen at is not valid.
    #[error("\"{0}\" is no address to listen at; write \"127.0.0.1:8080\"")]
    Address(String),
    /// Another program listens there.
    #[error("another program listens at {0}; choose another address with --listen")]
    InUse(SocketAddr),
    /// The system refuses to listen.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The system refuses a thread.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct Server {
    /// The address at which it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a server. It speaks TLS if `greeting` is set.
///
/// # Errors
///
/// The address is not valid or in use, or the system refuses.
pub fn start(
    listen: &str,
    greeting: Option<Greeting>,
    mut served: Served,
) -> Result<Server, ServeError> {
    let address: SocketAddr = listen.parse().map_err(|_| ServeError::Address(listen.to_owned()))?;
    let listener = TcpListener::bind(address).map_err(|cause| match cause.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(address),
        _ => ServeError::Listen { address, cause },
    })?;
    let refused = |cause| ServeError::Listen { address, cause };
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(api::THREADS_MAX)
        .build()
        .map_err(ServeError::Start)?;
    served.is_secure = greeting.is_some();
    let served = Arc::new(served);
    let (stop, stopped) = oneshot::channel();
    let serve = move || {
        runtime.block_on(answer(listener, greeting, Arc::clone(&served), stopped));
        served.replays.end();
        // Do not wait for requests that still read the journal.
        runtime.shutdown_background();
    };
    let thread = thread::Builder::new().name("serve".into()).spawn(serve);
    let thread = Some(thread.map_err(ServeError::Start)?);
    Ok(Server { address, stop: Some(stop), thread })
}

fn app(served: &Arc<Served>) -> Router {
    let routes = ROUTES.iter().fold(api::routes(served), |all, routes| all.merge(routes()));
    let strictly = middleware::from_fn_with_state(Arc::clone(served), pages::strictly);
    routes.layer(strictly).with_state(Arc::clone(served))
}

async fn answer(
    listener: TcpListener,
    greeting: Option<Greeting>,
    served: Arc<Served>,
    stopped: oneshot::Receiver<()>,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("requests cannot be answered: {error}"),
    };
    let sampling = tokio::spawn(live::sample(Arc::clone(&served)));
    let ending = GracefulShutdown::new();
    let taking = connections::take(&listener, greeting, app(&served), &ending);
    select(pin!(taking), stopped).await;
    drop(listener);
    sampling.abort();
    served.live.end();
    // A disk that hangs must not keep the gateway from ending.
    let _ = tokio::time::timeout(ENDED_WITHIN, live::keep(Arc::clone(&served))).await;
    // Do not wait longer for clients that do not read their answers.
    let _ = tokio::time::timeout(ENDED_WITHIN, ending.shutdown()).await;
}

impl Drop for Server {
    /// Stops accepting connections, and waits for running requests.
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
