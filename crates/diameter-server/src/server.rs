//! Where peers connect.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use diameter::dictionary::Dictionary;
use diameter::node::Node;
use prepaid::{DiameterNode, Queue, System};
use runtime::threads::SpawnError;
use runtime::time;
use server_tls::{Tls, TlsError};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::LOG;
use crate::connection::serve;
use crate::front::{Front, first_end_to_end, random};
use crate::meeting::Origin;
use crate::payers::Payers;
use crate::peers::Peers;
use crate::restarts::ClientStates;
use crate::sessions::Sessions;
use crate::trace::{TraceWriter, Traces};
use crate::watch::watch_peers;

/// The vendors whose AVPs are known: 3GPP.
const SUPPORTED_VENDORS: [u32; 1] = [10_415];

/// The name of the program, for peers.
const PRODUCT: &str = "Tollgate";

/// The most connections, also those of peers that are not known yet.
const CONNECTIONS_MAX: usize = 4_096;

/// How long connections have to end when the server stops.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// In place of an address where there is none: nothing listens then.
const NO_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// How long a handshake of TLS takes at most.
const GREETED_WITHIN: Duration = Duration::from_secs(10);

/// The pause after a connection could not be taken.
const TRIED_AGAIN: Duration = Duration::from_millis(100);

/// A running server of Diameter; dropping it disconnects its peers.
#[derive(Debug)]
pub struct DiameterServer {
    /// The addresses at which it listens for TCP.
    pub addresses: Vec<SocketAddr>,
    /// The addresses at which it listens for TLS.
    pub tls_addresses: Vec<SocketAddr>,
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    /// Ends when all connections have ended.
    ended: mpsc::Receiver<()>,
    /// Ends after them, so that traces have their last messages.
    _traces: TraceWriter,
}

/// Why a server of Diameter cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum DiameterError {
    /// An address cannot be used.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// A dictionary has a mistake.
    #[error("{0}")]
    Dictionary(Box<Diagnostic>),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The system refuses the threads of connections.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
    /// The system refuses the thread of traces.
    #[error(transparent)]
    Thread(#[from] SpawnError),
}

/// Starts a server of Diameter for a charging system.
///
/// # Errors
///
/// An address is in use, a dictionary has a mistake, or the system refuses.
pub fn start(
    settings: &DiameterNode,
    system: Arc<System>,
    queue: Arc<Queue>,
) -> Result<DiameterServer, DiameterError> {
    let dictionary = Dictionary::standard(&settings.dictionaries)
        .map_err(|mut mistakes| DiameterError::Dictionary(Box::new(mistakes.swap_remove(0))))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads())
        .thread_name("diameter")
        .enable_all()
        .build()
        .map_err(DiameterError::Start)?;
    let mut listeners = listeners(&settings.listen)?;
    let plain = listeners.len();
    let tls = match &settings.tls {
        Some(tls) => {
            listeners.extend(self::listeners(&tls.listen)?);
            Some(Arc::new(Tls::new(tls.files.clone(), None)?))
        }
        None => None,
    };
    let locals: Result<Vec<SocketAddr>, _> =
        listeners.iter().map(TcpListener::local_addr).collect();
    let mut addresses = locals.map_err(DiameterError::Start)?;
    let tls_addresses = addresses.split_off(plain);
    let local = *addresses.iter().chain(&tls_addresses).next().unwrap_or(&NO_ADDRESS);
    let traces = Arc::new(Traces::new(local));
    let writer = TraceWriter::start(&traces)?;
    let front = Arc::new(Front {
        node: node(settings, addresses.iter().chain(&tls_addresses)),
        dictionary,
        system,
        queue,
        peers: Peers::default(),
        sessions: Sessions::default(),
        payers: Payers::default(),
        client_states: ClientStates::default(),
        watchdog: settings.watchdog,
        log_octets: settings.message_log,
        traces,
        local,
        end_to_end: first_end_to_end(time::now_ms().div_euclid(1_000), random()).into(),
    });
    // The system is in the front, which would keep it.
    front.system.serve_peers(Arc::downgrade(&front) as _);
    let (stop, stopped) = watch::channel(false);
    runtime.spawn(watch_peers(Arc::clone(&front), stopped.clone()));
    // Each task has a sender, so the receiver notices the end of all.
    let (running, ended) = mpsc::channel(1);
    for (place, listener) in listeners.into_iter().enumerate() {
        let tls = tls.clone().filter(|_| place >= plain);
        let (front, stop, running) = (Arc::clone(&front), stopped.clone(), running.clone());
        runtime.spawn(take(listener, Taking { front, tls, stop, running }));
    }
    Ok(DiameterServer {
        addresses,
        tls_addresses,
        runtime: Some(runtime),
        stop,
        ended,
        _traces: writer,
    })
}

fn listeners(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, DiameterError> {
    let listen = |address: &SocketAddr| {
        let refused = |cause| DiameterError::Listen { address: *address, cause };
        let listener = TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        Ok(listener)
    };
    addresses.iter().map(listen).collect()
}

/// Returns how many threads serve connections. Requests are worked on by others.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2)).min(8)
}

fn node<'a>(settings: &DiameterNode, addresses: impl Iterator<Item = &'a SocketAddr>) -> Node {
    Node {
        origin_host: settings.host.clone(),
        origin_realm: settings.realm.clone(),
        // A connection begins with its own.
        addresses: addresses.map(SocketAddr::ip).take(1).collect(),
        vendor: 0,
        product: PRODUCT.to_owned(),
        applications: vec![credit_control::codes::APPLICATION],
        supported_vendors: SUPPORTED_VENDORS.to_vec(),
        // Sessions are in the journal, and outlive the process: there is nothing to say of them.
        state: None,
    }
}

impl Drop for DiameterServer {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        let Some(runtime) = self.runtime.take() else { return };
        let _ = runtime.block_on(async { timeout(ENDS_WITHIN, self.ended.recv()).await });
        runtime.shutdown_background();
    }
}

/// What takes connections.
#[derive(Clone)]
struct Taking {
    front: Arc<Front>,
    /// That of the listener, if its connections begin with TLS.
    tls: Option<Arc<Tls>>,
    stop: watch::Receiver<bool>,
    running: mpsc::Sender<()>,
}

/// Takes connections until the stop.
async fn take(listener: TcpListener, taking: Taking) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(target: LOG, "no peer can connect: {error}"),
    };
    let mut stop = taking.stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => return,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(target: LOG, "a connection could not be taken: {error}");
                tokio::time::sleep(TRIED_AGAIN).await;
                continue;
            }
        };
        if taking.running.strong_count() > CONNECTIONS_MAX {
            tracing::warn!(target: LOG, "{address}: there are {CONNECTIONS_MAX} connections already");
            continue;
        }
        // Answers are gathered here, so Nagle's algorithm would only hold them back (RFC 3539 section 3.2 says otherwise).
        let _ = stream.set_nodelay(true);
        tokio::spawn(begin(stream, address, taking.clone()));
    }
}

/// Serves a connection, after TLS if its listener has it.
async fn begin(stream: TcpStream, address: SocketAddr, taking: Taking) {
    let Taking { front, tls, stop, running } = taking;
    let local = stream.local_addr().map_or(address.ip(), |local| local.ip());
    let Some(tls) = tls else {
        let origin = Origin { address, local, transport: "tcp", certificate: None };
        serve(front, stream.into_split(), origin, stop).await;
        return drop(running);
    };
    // It may read the certificate from the disk again.
    let Ok(acceptor) = tokio::task::spawn_blocking(move || tls.acceptor()).await else { return };
    let mut stopped = stop.clone();
    let greeted = tokio::select! {
        greeted = timeout(GREETED_WITHIN, acceptor.accept(stream)) => greeted,
        _ = stopped.changed() => return,
    };
    let stream = match greeted {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            return tracing::warn!(target: LOG, "{address} does not speak TLS as this node does: {error}");
        }
        Err(_) => {
            return tracing::warn!(target: LOG, "{address} did not begin TLS within {} seconds", GREETED_WITHIN.as_secs());
        }
    };
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate =
        certificates.and_then(|all| all.first()).map(|first| first.clone().into_owned());
    let origin = Origin { address, local, transport: "tls", certificate };
    serve(front, tokio::io::split(stream), origin, stop).await;
    drop(running);
}
