//! Connections: accepts each one, agrees on TLS if there is a certificate, and answers its requests.
//!
//! Each connection has a task of its own, so a slow client delays no other. Each step has a timeout, so a silent client
//! keeps no file descriptor open that the gateway needs for records.

use std::convert::Infallible;
use std::future::ready;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Version, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::future::{Either, select};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection_slots::{ConnectionSlots, Holder};
use crate::reading::Reading;

/// Returns the TLS acceptor for a new connection. It is called for each connection, so a renewed certificate takes
/// effect.
pub type Greeting = Arc<dyn Fn() -> TlsAcceptor + Send + Sync>;

/// The timeout of a TLS handshake.
const GREETED_WITHIN: Duration = Duration::from_secs(10);

/// The timeout for the head of a request, including the pause before it.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// How long writing an answer may make no progress because the client does not read. It applies to event streams too.
const READ_WITHIN: Duration = Duration::from_secs(20);

/// The maximum length of a request's head, in octets.
const HEAD_OCTETS_MAX: usize = 64 << 10;

/// The pause after a failed accept. The process may have run out of file descriptors.
const TRIED_AGAIN: Duration = Duration::from_millis(100);

/// The least time between two log messages about refused connections.
const LOG_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The first octet of a TLS connection: the content type of a handshake record (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// Accepts connections until the future is dropped. Connections that it accepted go on; `ending` ends them.
pub(crate) async fn take(
    listener: &TcpListener,
    greeting: Option<Greeting>,
    app: Router,
    ending: &GracefulShutdown,
) {
    let slots = Arc::new(ConnectionSlots::default());
    let mut last_logged: Option<Instant> = None;
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("a connection could not be taken: {error}");
                tokio::time::sleep(TRIED_AGAIN).await;
                continue;
            }
        };
        // Without this, Nagle's algorithm and delayed acknowledgements would hold back a partial answer.
        let _ = stream.set_nodelay(true);
        let slot = match slots.take(peer.ip()) {
            Ok(slot) => slot,
            Err(own) => {
                // The client may reconnect at once, so a message for each refusal would flood the log.
                if last_logged.is_none_or(|at| at.elapsed() >= LOG_AGAIN_AFTER) {
                    last_logged = Some(Instant::now());
                    tracing::warn!("{peer} was sent away: its address has {own} connections");
                }
                continue;
            }
        };
        let (greeting, watcher) = (greeting.clone(), ending.watcher());
        let asking = Asking { peer, holder: slot.holder(), app: app.clone() };
        tokio::spawn(async move {
            let answered = async {
                match greeting {
                    Some(greeting) => encrypted(stream, greeting, asking, watcher).await,
                    None => serve((stream, peer), answering(asking), watcher).await,
                }
            };
            // A connection without a login is closed if its slot is needed.
            select(pin!(answered), pin!(slot.is_lost())).await;
            drop(slot);
        });
    }
}

/// A connection's peer and slot, and the router that answers its requests.
struct Asking {
    peer: SocketAddr,
    holder: Holder,
    app: Router,
}

async fn encrypted(stream: TcpStream, greeting: Greeting, asking: Asking, watcher: Watcher) {
    let peer = asking.peer;
    match tokio::time::timeout(GREETED_WITHIN, greet(stream, greeting)).await {
        Ok(Ok(Greeted::Encrypted(stream))) => {
            serve((*stream, peer), answering(asking), watcher).await;
        }
        Ok(Ok(Greeted::Plain(stream))) => {
            let refuses = service_fn(|_| async { Ok::<_, Infallible>(unencrypted()) });
            serve((stream, peer), refuses, watcher).await;
        }
        Ok(Err(error)) => tracing::debug!("{peer} does not speak TLS as we do: {error}"),
        Err(_) => tracing::debug!("{peer} did not say that it speaks TLS"),
    }
}

/// The protocol with which a client begins.
enum Greeted {
    Encrypted(Box<TlsStream<TcpStream>>),
    Plain(TcpStream),
}

async fn greet(stream: TcpStream, greeting: Greeting) -> std::io::Result<Greeted> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
        return Ok(Greeted::Plain(stream));
    }
    // It may read the certificate from the disk again.
    let acceptor = tokio::task::spawn_blocking(move || greeting());
    let acceptor = acceptor.await.map_err(std::io::Error::other)?;
    Ok(Greeted::Encrypted(Box::new(acceptor.accept(stream).await?)))
}

/// Returns the answer to a client that speaks HTTP where TLS is expected.
fn unencrypted() -> Response {
    let message = "this address speaks HTTPS: write https:// before it\n";
    (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")], message).into_response()
}

/// Returns the service that answers requests. It adds the peer and the slot's holder to each request.
fn answering(
    Asking { peer, holder, app }: Asking,
) -> impl HttpService<Incoming, ResBody = axum::body::Body, Error = Infallible, Future: Send> {
    let app = TowerToHyperService::new(app);
    service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(holder.clone());
        match names_a_host(request.version(), request.headers()) {
            true => Either::Left(app.call(request)),
            false => Either::Right(ready(Ok(without_host()))),
        }
    })
}

/// Returns whether a request names exactly one valid host. Of several, a proxy in front of the server might choose a
/// different one (RFC 9112, 3.2).
fn names_a_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => host.is_empty() || is_authority(host),
        (Some(_), Some(_)) => false,
    }
}

fn is_authority(host: &HeaderValue) -> bool {
    let authority = Authority::try_from(host.as_bytes());
    // A proxy may have joined two headers with a comma; they are still two hosts.
    authority.is_ok_and(|authority| !authority.as_str().contains(['@', ',']))
}

fn without_host() -> Response {
    let message = "a request says with one Host header which host it asks\n";
    (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")], message).into_response()
}

async fn serve<S>(
    (stream, peer): (impl AsyncRead + AsyncWrite + Unpin + 'static, SocketAddr),
    answers: S,
    watcher: Watcher,
) where
    S: HttpService<Incoming, ResBody = axum::body::Body, Error = Infallible>,
{
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_OCTETS_MAX);
    let connection =
        server.serve_connection(TokioIo::new(Reading::new(stream, READ_WITHIN)), answers);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!("the connection of {peer} broke off: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_host() {
        let names = |version: Version, hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, host.parse().expect("a value"));
            }
            names_a_host(version, &headers)
        };
        for host in ["gateway.example", "127.0.0.1:8080", "[::1]:8080", ""] {
            assert!(names(Version::HTTP_11, &[host]), "{host}");
        }
        for hosts in [
            &[][..],
            &["a", "a"],
            &["a", "b"],
            &["a b"],
            &["a,b"],
            &["user@a"],
            &["a/b"],
            &["a:b:c"],
        ] {
            assert!(!names(Version::HTTP_11, hosts), "{hosts:?}");
        }
        assert!(names(Version::HTTP_10, &[]) && names(Version::HTTP_10, &["a"]));
        assert!(!names(Version::HTTP_10, &["a", "b"]));
    }
}
