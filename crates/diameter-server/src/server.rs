//! Where peers connect.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use diagnostics::Diagnostic;
use diameter::dictionary::Dictionary;
use diameter::node::Node;
use prepaid::{DiameterNode, Queue, System};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::LOG;
use crate::connection::{Origin, random, serve};
use crate::front::{Front, first_end_to_end};
use crate::peers::Peers;

/// The vendors whose AVPs are known: 3GPP.
const SUPPORTED_VENDORS: [u32; 1] = [10_415];

/// The name of the program, for peers.
const PRODUCT: &str = "Tollgate";

/// The most connections, also those of peers that are not known yet.
const CONNECTIONS_MAX: usize = 4_096;

/// How long connections have to end when the server stops.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// The pause after a connection could not be taken.
const TRIED_AGAIN: Duration = Duration::from_millis(100);

/// A running server of Diameter; dropping it disconnects its peers.
#[derive(Debug)]
pub struct DiameterServer {
    /// The addresses at which it listens.
    pub addresses: Vec<SocketAddr>,
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    /// Ends when all connections have ended.
    ended: mpsc::Receiver<()>,
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
    /// The system refuses a thread.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
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
    let mut listeners = Vec::new();
    for address in &settings.listen {
        let refused = |cause| DiameterError::Listen { address: *address, cause };
        let listener = TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        listeners.push(listener);
    }
    let locals: Result<Vec<SocketAddr>, _> =
        listeners.iter().map(TcpListener::local_addr).collect();
    let addresses = locals.map_err(DiameterError::Start)?;
    let peers = Arc::new(Peers::default());
    system.serve_peers(Arc::clone(&peers) as _);
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let front = Arc::new(Front {
        node: node(settings),
        dictionary,
        system,
        queue,
        peers,
        watchdog: settings.watchdog,
        end_to_end: first_end_to_end(seconds.as_secs(), random()).into(),
    });
    let (stop, stopped) = watch::channel(false);
    // Each task has a sender, so the receiver notices the end of all.
    let (running, ended) = mpsc::channel(1);
    for listener in listeners {
        let (front, stopped, running) = (Arc::clone(&front), stopped.clone(), running.clone());
        runtime.spawn(take(listener, front, stopped, running));
    }
    Ok(DiameterServer { addresses, runtime: Some(runtime), stop, ended })
}

/// Returns how many threads serve connections. Requests are worked on by others.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2)).min(8)
}

fn node(settings: &DiameterNode) -> Node {
    Node {
        origin_host: settings.host.clone(),
        origin_realm: settings.realm.clone(),
        // Each connection has its own.
        addresses: Vec::new(),
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

/// Takes connections until the stop.
async fn take(
    listener: TcpListener,
    front: Arc<Front>,
    mut stop: watch::Receiver<bool>,
    running: mpsc::Sender<()>,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(target: LOG, "no peer can connect: {error}"),
    };
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
        if running.strong_count() > CONNECTIONS_MAX {
            tracing::warn!(target: LOG, "{address}: there are {CONNECTIONS_MAX} connections already");
            continue;
        }
        // Answers are gathered here, so Nagle's algorithm would only hold them back (RFC 3539 section 3.2 says otherwise).
        let _ = stream.set_nodelay(true);
        let (front, stop, running) = (Arc::clone(&front), stop.clone(), running.clone());
        tokio::spawn(async move {
            let local = stream.local_addr().map_or(address.ip(), |local| local.ip());
            let origin = Origin { address, local, transport: "tcp" };
            serve(front, stream.into_split(), origin, stop).await;
            drop(running);
        });
    }
}
