//! A server that runs, on threads of its own.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use transport::Listening;

use super::strangers::{Stranger, Strangers};

/// Threads of a server for network elements, which wait for the network and write to the disk.
pub(super) const THREADS: usize = 2;

/// How long those who are connected may take to end with the server.
const END_MAX: Duration = Duration::from_secs(1);

/// How long after a connection could not be taken that is tried again: no file may be left to be opened.
const TRIED_AGAIN: Duration = Duration::from_millis(100);

/// A server that runs. It ends when this is dropped.
pub(crate) struct Running {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Listening for Running {
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
/// stranger until `serve` marks it as known; `serve` must end for one that is sent away.
pub(crate) fn listen<S: Future<Output = ()> + Send + 'static>(
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
    let strangers = Arc::new(Strangers::default());
    runtime.spawn(async move {
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("a connection could not be taken: {error}");
                    tokio::time::sleep(TRIED_AGAIN).await;
                    continue;
                }
            };
            // What was said in part would wait for the other side, which waits before it says that it has the first.
            let _ = stream.set_nodelay(true);
            tokio::spawn(serve(stream, peer, strangers.come(peer.ip())));
        }
    });
    Ok(Running { address, runtime: Some(runtime) })
}
