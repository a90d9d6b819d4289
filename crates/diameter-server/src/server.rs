//! Where peers connect.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use diameter::dictionary::Dictionary;
use diameter::node::{Node, NodeName};
use prepaid::{DiameterNode, Queue, System};
use runtime::threads::SpawnError;
use runtime::time;
use sctp::SctpError;
use server_tls::{Tls, TlsError};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::LOG;
use crate::connection::{BeginsTls, serve, serve_greeted};
use crate::front::{Front, first_end_to_end, random};
use crate::listener::{self, Listener, Transport};
use crate::meeting::Origin;
use crate::open_peer;
use crate::peers::Peers;
use crate::restarts::ClientStates;
use crate::sctp_stream;
use crate::sessions::Sessions;
use crate::trace::{TraceWriter, Traces};
use crate::watch::watch_peers;

/// The vendors whose AVPs are known: 3GPP.
const SUPPORTED_VENDORS: [u32; 1] = [10_415];

/// The name of the program, for peers.
const PRODUCT: &str = "Tollgate";

/// The most connections, also those of peers that are not known yet.
const CONNECTIONS_MAX: usize = 4_096;

/// How long connections have to end when the server stops: a second more than each of them takes.
const ENDS_WITHIN: Duration = open_peer::ANSWERED_WITHIN
    .saturating_add(open_peer::ENDS_WITHIN)
    .saturating_add(Duration::from_secs(1));

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
    /// The addresses at which it listens for SCTP.
    pub sctp_addresses: Vec<SocketAddr>,
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
    /// SCTP cannot be used, or not at some addresses of an endpoint.
    #[error("cannot listen for SCTP at {}", joined(addresses))]
    ListenSctp {
        /// The addresses.
        addresses: Vec<SocketAddr>,
        /// The cause.
        #[source]
        cause: SctpError,
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
    let listeners = listener::all(settings)?;
    let tls = settings.tls.as_ref().map(|tls| Tls::new(tls.files.clone(), None)).transpose()?;
    let of = |transport| addresses(&listeners, transport);
    let [addresses, tls_addresses, sctp_addresses] =
        [of(Transport::Tcp), of(Transport::Tls), of(Transport::Sctp)];
    let all = || [&addresses, &tls_addresses, &sctp_addresses].into_iter().flatten();
    let local = *all().next().unwrap_or(&NO_ADDRESS);
    let traces = Arc::new(Traces::new(local));
    let writer = TraceWriter::start(&traces)?;
    let front = Arc::new(Front {
        node: node(settings, all()),
        dictionary,
        system,
        queue,
        peers: Peers::default(),
        sessions: Sessions::default(),
        payers: Arc::default(),
        client_states: ClientStates::default(),
        watchdog: settings.watchdog,
        log_octets: settings.message_log,
        traces,
        local,
        tls: tls.map(Arc::new),
        end_to_end: first_end_to_end(time::now_ms().div_euclid(1_000), random()).into(),
    });
    // The system is in the front, which would keep it.
    front.system.serve_peers(Arc::downgrade(&front) as _);
    front.payers.look_first(&front.system);
    let (stop, stopped) = watch::channel(false);
    runtime.spawn(watch_peers(Arc::clone(&front), stopped.clone()));
    // Each task has a sender, so the receiver notices the end of all.
    let (running, ended) = mpsc::channel(1);
    for listener in listeners {
        let (front, stop, running) = (Arc::clone(&front), stopped.clone(), running.clone());
        runtime.spawn(take(listener, Taking { front, stop, running }));
    }
    Ok(DiameterServer {
        addresses,
        tls_addresses,
        sctp_addresses,
        runtime: Some(runtime),
        stop,
        ended,
        _traces: writer,
    })
}

fn addresses(listeners: &[Listener], transport: Transport) -> Vec<SocketAddr> {
    let of = listeners.iter().filter(|listener| listener.transport == transport);
    of.flat_map(|listener| &listener.addresses).copied().collect()
}

fn joined(addresses: &[SocketAddr]) -> String {
    let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    texts.join(" and ")
}

/// Returns how many threads serve connections. Requests are worked on by others.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2)).min(8)
}

fn node<'a>(settings: &DiameterNode, addresses: impl Iterator<Item = &'a SocketAddr>) -> Node {
    Node {
        // Sessions are in the journal, and outlive the process: there is nothing to say of them.
        name: NodeName::new(&settings.host, &settings.realm, None),
        // A connection begins with its own.
        addresses: addresses.map(SocketAddr::ip).take(1).collect(),
        vendor: 0,
        product: PRODUCT.to_owned(),
        applications: vec![credit_control::codes::APPLICATION],
        supported_vendors: SUPPORTED_VENDORS.to_vec(),
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
    stop: watch::Receiver<bool>,
    running: mpsc::Sender<()>,
}

/// Takes connections until the stop.
async fn take(listener: Listener, taking: Taking) {
    let transport = listener.transport;
    let listener = match listener.accepting() {
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
        transport.prepare(&stream);
        let local = transport.local_addresses(&stream).unwrap_or_else(|_| vec![address.ip()]);
        let origin = Origin { address, local, transport, certificate: None };
        tokio::spawn(begin(stream, origin, taking.clone()));
    }
}

/// Serves a connection.
async fn begin(stream: TcpStream, origin: Origin, taking: Taking) {
    let Taking { front, mut stop, running } = taking;
    match origin.transport {
        Transport::Tcp => serve_clear(front, stream, origin, stop).await,
        Transport::Sctp => {
            serve(front, sctp_stream::split(stream), origin, stop).await;
        }
        Transport::Tls => {
            let greeted = greeted(&front, stream, origin, &mut stop).await;
            let Some((stream, origin)) = greeted else { return };
            serve(front, tokio::io::split(stream), origin, stop).await;
        }
    }
    drop(running);
}

/// Serves a connection without TLS, which may begin after the capabilities.
async fn serve_clear(
    front: Arc<Front>,
    stream: TcpStream,
    origin: Origin,
    mut stop: watch::Receiver<bool>,
) {
    let halves = stream.into_split();
    let served = serve(Arc::clone(&front), halves, origin.clone(), stop.clone()).await;
    let Some(BeginsTls { halves: (reader, writer), greeted: known }) = served else { return };
    let Ok(stream) = reader.reunite(writer) else { return };
    let greeted = greeted(&front, stream, origin, &mut stop).await;
    let Some((stream, origin)) = greeted else { return };
    serve_greeted(front, tokio::io::split(stream), (origin, known), stop).await;
}

/// Begins TLS, and returns where the connection comes from then.
async fn greeted(
    front: &Front,
    stream: TcpStream,
    origin: Origin,
    stop: &mut watch::Receiver<bool>,
) -> Option<(TlsStream<TcpStream>, Origin)> {
    let address = origin.address;
    let tls = Arc::clone(front.tls.as_ref()?);
    // It may read the certificate from the disk again.
    let acceptor = tokio::task::spawn_blocking(move || tls.acceptor()).await.ok()?;
    let greeted = tokio::select! {
        greeted = timeout(GREETED_WITHIN, acceptor.accept(stream)) => greeted,
        _ = stop.changed() => return None,
    };
    let stream = match greeted {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::warn!(target: LOG, "{address} does not speak TLS as this node does: {error}");
            return None;
        }
        Err(_) => {
            tracing::warn!(target: LOG, "{address} did not begin TLS within {} seconds", GREETED_WITHIN.as_secs());
            return None;
        }
    };
    let certificates = stream.get_ref().1.peer_certificates();
    let certificate =
        certificates.and_then(|all| all.first()).map(|first| first.clone().into_owned());
    Some((stream, Origin { transport: Transport::Tls, certificate, ..origin }))
}
