//! A running server, on threads of its own.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use transport::RunningServer;

use super::strangers::{STRANGERS_MAX, Stranger, Strangers};

/// The maximum number of connections of a server. Each has a file descriptor, and the gateway needs some for its work.
/// If all are taken, connections without a login make room, so they never block a client that logs in.
const CONNECTIONS_MAX: usize = 256 + STRANGERS_MAX;

/// The timeout for a connection that was sent away to end.
const ROOM_WITHIN: Duration = Duration::from_secs(2);

/// The threads of a server for network elements, which wait for the network and write to the disk.
pub(super) const THREADS: usize = 2;

/// How long the end of the server waits for connections.
const END_MAX: Duration = Duration::from_secs(1);

/// The pause after a failed accept. The process may have run out of file descriptors.
const TRIED_AGAIN: Duration = Duration::from_millis(100);

/// A running server; dropping it stops it.
pub(crate) struct Running {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl RunningServer for Running {
    fn address(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END_MAX);
        }
    }
}

/// Listens with `threads` threads, and serves each connection until it ends. A connection is a
/// [`Stranger`] until `serve` marks it as known; `serve` must end for one that is sent away.
pub(crate) fn listen<S: Future<Output = ()> + Send + 'static>(
    name: &str,
    threads: usize,
    address: SocketAddr,
    serve: impl Fn(TcpStream, SocketAddr, Stranger) -> S + Send + 'static,
) -> io::Result<Running> {
    listen_for(CONNECTIONS_MAX, name, threads, address, serve)
}

/// Listens for at most `connections_max` connections at a time. A further one is closed at once.
fn listen_for<S: Future<Output = ()> + Send + 'static>(
    connections_max: usize,
    name: &str,
    threads: usize,
    address: SocketAddr,
    serve: impl Fn(TcpStream, SocketAddr, Stranger) -> S + Send + 'static,
) -> io::Result<Running> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name(format!("listen-{name}"))
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind(address))?;
    let address = listener.local_addr()?;
    let (strangers, places) =
        (Arc::new(Strangers::default()), Arc::new(Semaphore::new(connections_max)));
    runtime.spawn(async move {
        let mut is_full = false;
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("a connection could not be taken: {error}");
                    tokio::time::sleep(TRIED_AGAIN).await;
                    continue;
                }
            };
            let Some(place) = place(&places, &strangers).await else {
                // Once, until there is room again: a refused client may connect again at once.
                if !std::mem::replace(&mut is_full, true) {
                    tracing::warn!("{peer} was refused: there are {connections_max} connections");
                }
                continue;
            };
            is_full = false;
            // Without this, Nagle's algorithm and delayed acknowledgements would hold back a partial answer.
            let _ = stream.set_nodelay(true);
            let served = serve(stream, peer, strangers.come(peer.ip()));
            tokio::spawn(async move {
                served.await;
                drop(place);
            });
        }
    });
    Ok(Running { address, runtime: Some(runtime) })
}

/// Returns a permit for one more connection. If none is free, it closes the oldest connection without a login.
async fn place(places: &Arc<Semaphore>, strangers: &Strangers) -> Option<OwnedSemaphorePermit> {
    if let Ok(place) = Arc::clone(places).try_acquire_owned() {
        return Some(place);
    }
    if !strangers.send_oldest_away() {
        return None;
    }
    let place = tokio::time::timeout(ROOM_WITHIN, Arc::clone(places).acquire_owned()).await;
    place.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;

    /// Returns whether the server has closed a connection on which it would otherwise send nothing.
    fn is_closed(stream: &mut TcpStream) -> bool {
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("it is no zero");
        !stream.read(&mut [0]).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    #[test]
    fn one_connection_more_than_may_be_is_closed_until_another_ends() {
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let running = listen_for(2, "test", 1, at, |mut stream, _, stranger| async move {
            stranger.known().forget();
            // Until the client has gone.
            let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        })
        .expect("an address");
        let connect = || TcpStream::connect(running.address).expect("it listens");
        let mut held = [connect(), connect()];
        // Wait until both are known: otherwise they would make room.
        std::thread::sleep(Duration::from_millis(300));
        assert!(is_closed(&mut connect()));
        assert!(!held.iter_mut().any(is_closed));
        drop(held);
        let end = std::time::Instant::now() + Duration::from_secs(10);
        while is_closed(&mut connect()) {
            assert!(std::time::Instant::now() < end, "the places are free again");
        }
    }

    #[test]
    fn where_all_places_are_taken_strangers_make_room() {
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let running = listen_for(2, "test", 1, at, |mut stream, _, stranger| async move {
            let mut first = [0];
            tokio::select! {
                _ = tokio::io::AsyncReadExt::read(&mut stream, &mut first) => {}
                () = stranger.sent_away() => return,
            }
            stranger.known().forget();
            let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        })
        .expect("an address");
        let connect = || TcpStream::connect(running.address).expect("it listens");
        let log_in = |stream: &mut TcpStream| {
            std::io::Write::write_all(stream, b"x").expect("it is open");
            std::thread::sleep(Duration::from_millis(100));
        };
        let (mut known, mut stranger) = (connect(), connect());
        log_in(&mut known);
        let mut second = connect();
        log_in(&mut second);
        assert!(is_closed(&mut stranger) && !is_closed(&mut known) && !is_closed(&mut second));
        assert!(is_closed(&mut connect()), "no stranger is left");
    }
}
