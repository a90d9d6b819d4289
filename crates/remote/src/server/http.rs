//! `[listen.http]`: clients push files by `PUT /NAME` or `POST /NAME`, with the bearer token of a network element. It
//! speaks TLS if there is a certificate.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, EXPECT,
    HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use reason::{Coded, Reason};
use settings::Settings;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::block_in_place;
use transport::{Account, Accounts, Listener, RunningServer, Service};

use super::digests::{DigestError, Digests};
use super::guard::Guests;
use super::root::{Inside, NOT_COLLECTED, Refused, Root};
use super::running::{THREADS, listen};
use super::secret::is_same;
use super::strangers::Stranger;
use super::tls::{self, Tls};
use super::upload::{Begin, Finished, Upload};

/// The header with the code of a refusal.
const CODE: HeaderName = HeaderName::from_static("tollgate-code");

/// Why a request over HTTP is refused, whatever the file.
#[derive(Debug, thiserror::Error, Coded)]
#[code("push")]
pub(crate) enum RequestFault {
    /// The request has neither `Content-Length` nor chunks, so an incomplete file would not be recognised.
    #[error("nothing says how long the file is: send Content-Length, or chunks")]
    NoLength,
    /// The file is part of a form. Send it as the body of the request.
    #[error("a file comes as it is, not as a part of a form")]
    Form,
    /// The request has a part of a file, or a compressed file.
    #[error("a file comes whole and as it is, without Content-Range and Content-Encoding")]
    NotWhole,
    /// The name has octets that are not UTF-8.
    #[error("the name is not UTF-8")]
    NameNotUtf8,
    /// The client stopped sending.
    #[error("nothing came for too long")]
    Idle,
    /// The connection broke during the file.
    #[error("the file broke off: {cause}")]
    BrokeOff { cause: String },
    /// This machine could not store the file. The log says why.
    #[error("it could not be done now; try again later")]
    Failed,
}

/// The timeout for the head of a request.
const HEAD_MAX: Duration = Duration::from_secs(30);

/// The default timeout for the next octets of a file.
const IDLE: Duration = Duration::from_secs(60);

/// The maximum size in octets of a request's head.
const HEAD_OCTETS_MAX: usize = 16 << 10;

/// The delay of the answer to a wrong token.
const REFUSED_AFTER: Duration = Duration::from_secs(1);

/// The maximum octets of a refused file that are read and dropped, and for how long.
const DRAINED_MAX: usize = 64 << 20;
const DRAINED_WITHIN: Duration = Duration::from_secs(5);

/// The HTTP listener.
pub(super) struct HttpListener;

impl Listener for HttpListener {
    fn name(&self) -> &'static str {
        "http"
    }

    fn keys(&self) -> &'static [&'static str] {
        &["address", "idle", tls::CERTIFICATE, tls::KEY]
    }

    fn read(&self, settings: &Settings, _: &Path) -> Result<Box<dyn Service>, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        let address = super::address(settings).map_err(|mistake| mistakes.push(mistake));
        let idle = settings.get("idle").map(|idle| settings.duration(idle)).transpose();
        let idle = idle.map_err(|mistake| mistakes.push(mistake));
        let tls = Tls::read(settings).map_err(|mistake| mistakes.push(mistake));
        match (address, idle, tls) {
            (Ok(address), Ok(idle), Ok(tls)) => {
                let tls = tls.map(Arc::new);
                Ok(Box::new(HttpService { address, idle: idle.unwrap_or(IDLE), tls }))
            }
            _ => Err(mistakes),
        }
    }

    fn serves(&self, account: &Account) -> bool {
        account.token.is_some()
    }

    fn mistake(&self, _: &Account) -> Option<String> {
        None
    }
}

struct HttpService {
    address: SocketAddr,
    idle: Duration,
    tls: Option<Arc<Tls>>,
}

impl Service for HttpService {
    fn start(&self, accounts: Arc<Accounts>) -> io::Result<Box<dyn RunningServer>> {
        let idle = self.idle;
        let guests = Arc::new(Guests::default());
        let tls = self.tls.clone();
        let running = listen("http", THREADS, self.address, move |stream, peer, stranger| {
            let (accounts, guests) = (Arc::clone(&accounts), Arc::clone(&guests));
            let stranger = Arc::new(stranger);
            let desk = Desk { accounts, guests, peer, idle, stranger: Arc::clone(&stranger) };
            let serving = begin(stream, tls.clone(), desk);
            async move {
                tokio::select! {
                    () = serving => {}
                    () = stranger.sent_away() => {}
                }
            }
        })?;
        let protocol = if self.tls.is_some() { "HTTPS" } else { "HTTP" };
        tracing::info!("files are taken over {protocol} at {}", running.address());
        Ok(Box::new(running))
    }
}

/// Agrees on TLS if there is a certificate, and serves the connection.
async fn begin(stream: TcpStream, tls: Option<Arc<Tls>>, desk: Desk) {
    let Some(tls) = tls else { return serve(stream, desk).await };
    let peer = desk.peer;
    let acceptor = block_in_place(|| tls.acceptor());
    match tokio::time::timeout(HEAD_MAX, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => serve(stream, desk).await,
        Ok(Err(error)) => tracing::debug!("{peer} does not speak TLS as we do: {error}"),
        Err(_) => tracing::debug!("{peer} did not say that it speaks TLS"),
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, desk: Desk) {
    let peer = desk.peer;
    let desk = Arc::new(desk);
    let answered = service_fn(move |request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(desk.answer(request).await) }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX).max_buf_size(HEAD_OCTETS_MAX);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), answered).await {
        tracing::debug!("the connection of {peer} broke off: {error}");
    }
}

/// The state for the requests of one connection.
struct Desk {
    accounts: Arc<Accounts>,
    guests: Arc<Guests>,
    peer: SocketAddr,
    idle: Duration,
    stranger: Arc<Stranger>,
}

impl Desk {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        // A proxy in front of the server must see the same host as the server does (RFC 9112, 3.2).
        let hosts = request.headers().get_all(HOST).iter().count();
        if request.version() == Version::HTTP_11 && hosts != 1 {
            return text_response(StatusCode::BAD_REQUEST, "a request has one Host");
        }
        if !matches!(*request.method(), Method::PUT | Method::POST) {
            let refused = text_response(StatusCode::METHOD_NOT_ALLOWED, "files are put here");
            return with(refused, ALLOW, "PUT, POST");
        }
        let Some(account) = self.account(&request) else {
            tracing::warn!("{} was not let in over HTTP: no such token", self.peer);
            tokio::time::sleep(REFUSED_AFTER).await;
            let refused = text_response(StatusCode::UNAUTHORIZED, "a bearer token is needed");
            return with(refused, WWW_AUTHENTICATE, "Bearer");
        };
        let network_element = &account.network_element;
        let Some(_held) = self.guests.come(network_element) else {
            return text_response(
                StatusCode::SERVICE_UNAVAILABLE,
                "there are too many connections",
            );
        };
        // During the request. A connection that waits for its next request may be closed: the
        // client opens another.
        let _known = self.stranger.known();
        let path = request.uri().path().to_owned();
        match self.take(&account, request).await {
            Ok((finished, octets)) => {
                let again = match finished {
                    Finished::New => "",
                    Finished::Same => " again, with the same contents: what is there stays",
                };
                tracing::info!(
                    network_element = %network_element, file = %path,
                    "{network_element}: \"{path}\" was pushed over HTTP, {octets} octets{again}"
                );
                match finished {
                    Finished::New => text_response(StatusCode::CREATED, "taken"),
                    Finished::Same => {
                        text_response(StatusCode::OK, "taken before, with the same contents")
                    }
                }
            }
            Err((status, why)) => {
                let code = why.code();
                tracing::warn!(
                    network_element = %network_element, file = %path,
                    "{network_element}: \"{path}\" was refused over HTTP: {why} ({code})"
                );
                let mut refused = text_response(status, &why.to_string());
                if let Ok(code) = HeaderValue::from_str(code) {
                    refused.headers_mut().insert(CODE, code);
                }
                refused
            }
        }
    }

    /// Returns the account of the token. It compares all accounts, so the time does not depend on which one matches.
    fn account(&self, request: &Request<Incoming>) -> Option<Arc<Account>> {
        let authorization = request.headers().get(AUTHORIZATION)?.as_bytes();
        let (scheme, token) = authorization.split_at_checked("Bearer ".len())?;
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return None;
        }
        let accounts = self.accounts.all();
        let his = |found, account: &Arc<Account>| match is_same(account.token.as_ref(), token) {
            true => Some(Arc::clone(account)),
            false => found,
        };
        accounts.iter().fold(None, his)
    }

    async fn take(
        &self,
        account: &Arc<Account>,
        request: Request<Incoming>,
    ) -> Result<(Finished, u64), (StatusCode, Reason)> {
        let (inside, digests) = (wanted(account, &request), Digests::of(request.headers()));
        let expects = request.headers().contains_key(EXPECT);
        let mut body = request.into_body();
        let begun = inside.and_then(|inside| {
            let upload = block_in_place(|| {
                let root = Arc::new(Root::open(&account.root)?);
                Upload::begin(account, &root, &inside, Begin::Anew)
            });
            Ok((upload.map_err(status_and_text)?, digests.map_err(not_meant)?))
        });
        let (mut upload, mut digests) = match begun {
            Ok(begun) => begun,
            Err(refused) => {
                // A client that expects 100 Continue has not sent the file.
                if !expects {
                    drain(&mut body).await;
                }
                return Err(refused);
            }
        };
        let received = self.receive(&mut upload, &mut digests, &mut body).await;
        match received.and_then(|()| digests.end().map_err(not_meant)) {
            Ok(()) => block_in_place(|| upload.finish()).map_err(status_and_text),
            Err(error) => {
                block_in_place(|| upload.forget());
                drain(&mut body).await;
                Err(error)
            }
        }
    }

    async fn receive(
        &self,
        upload: &mut Upload,
        digests: &mut Digests,
        body: &mut Incoming,
    ) -> Result<(), (StatusCode, Reason)> {
        let mut offset = 0;
        loop {
            let frame = match tokio::time::timeout(self.idle, body.frame()).await {
                Err(_) => {
                    let why = Reason::of(&RequestFault::Idle);
                    return Err((StatusCode::REQUEST_TIMEOUT, why));
                }
                Ok(None) => return Ok(()),
                Ok(Some(Err(error))) => {
                    let why = RequestFault::BrokeOff { cause: error.to_string() };
                    return Err((StatusCode::BAD_REQUEST, Reason::of(&why)));
                }
                Ok(Some(Ok(frame))) => frame,
            };
            if let Some(octets) = frame.data_ref() {
                digests.take(octets);
                block_in_place(|| upload.write(offset, octets)).map_err(status_and_text)?;
                offset += octets.len() as u64;
            }
        }
    }
}

/// Reads and drops the rest of a refused file, within limits. Many clients read the answer only after they have sent
/// all of it; closing the connection before that would lose the answer.
async fn drain(body: &mut Incoming) {
    let mut left = DRAINED_MAX;
    let drained = async {
        while let Some(Ok(frame)) = body.frame().await {
            let octets = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(octets) else { break };
            left = rest;
        }
    };
    let _ = tokio::time::timeout(DRAINED_WITHIN, drained).await;
}

fn not_meant(why: DigestError) -> (StatusCode, Reason) {
    (StatusCode::BAD_REQUEST, Reason::of(&why))
}

/// Returns the place for the file of a request.
fn wanted(account: &Account, request: &Request<Incoming>) -> Result<Inside, (StatusCode, Reason)> {
    let headers = request.headers();
    // Without a length, a file that a broken connection cut short looks complete (RFC 9110,
    // 15.5.12).
    if !headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(TRANSFER_ENCODING) {
        return Err((StatusCode::LENGTH_REQUIRED, Reason::of(&RequestFault::NoLength)));
    }
    let form = headers.get(CONTENT_TYPE).and_then(|of| of.to_str().ok()).unwrap_or_default();
    if form.to_ascii_lowercase().starts_with("multipart/") {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, Reason::of(&RequestFault::Form)));
    }
    let coded = headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if coded || headers.contains_key(CONTENT_RANGE) {
        return Err((StatusCode::BAD_REQUEST, Reason::of(&RequestFault::NotWhole)));
    }
    if request.body().size_hint().lower() > account.limit {
        return Err(status_and_text(Refused::TooLarge));
    }
    let inside = named(request.uri().path())?;
    match account.is_handed_over(inside.name()) {
        true => Ok(inside),
        false => Err(status_and_text(NOT_COLLECTED)),
    }
}

/// Returns the file that the path of a request names.
pub(super) fn named(path: &str) -> Result<Inside, (StatusCode, Reason)> {
    let path = percent_decode_str(path).decode_utf8();
    let not_text = |_| (StatusCode::BAD_REQUEST, Reason::of(&RequestFault::NameNotUtf8));
    let path = path.map_err(not_text)?;
    let inside = Inside::parse(&path).map_err(status_and_text)?;
    inside.split().map_err(status_and_text)?;
    Ok(inside)
}

fn status_and_text(refused: Refused) -> (StatusCode, Reason) {
    let status = match &refused {
        Refused::Path(_) | Refused::Half => StatusCode::BAD_REQUEST,
        Refused::Forbidden(_) => StatusCode::FORBIDDEN,
        Refused::Missing => StatusCode::NOT_FOUND,
        Refused::Exists(_) => StatusCode::CONFLICT,
        Refused::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Refused::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Refused::NoRoom(_) => StatusCode::INSUFFICIENT_STORAGE,
        Refused::TooMuch(_) => StatusCode::TOO_MANY_REQUESTS,
        Refused::Io(error) => {
            tracing::error!("a file could not be taken: {error}");
            return (StatusCode::INTERNAL_SERVER_ERROR, Reason::of(&RequestFault::Failed));
        }
    };
    (status, Reason::of(&refused))
}

fn text_response(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{text}\n"))));
    *response.status_mut() = status;
    with(response, CONTENT_TYPE, "text/plain; charset=utf-8")
}

fn with(
    mut response: Response<Full<Bytes>>,
    name: HeaderName,
    value: &'static str,
) -> Response<Full<Bytes>> {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}
