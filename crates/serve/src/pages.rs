//! The interface: files that are built into the binary, and headers that keep foreign content out of its pages.

use std::io::Read as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::read::GzDecoder;

use crate::served::Served;

/// The files, gzip-compressed, by name.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The file that shows every page of the interface.
const INDEX: &str = "index.html";

/// The pages of the interface. Other paths get the same file with status 404, and the interface says that there is no
/// such page.
const PAGES: &[&str] = &[
    "",
    "login",
    "welcome",
    "graph",
    "accounts",
    "alarms",
    "suspense",
    "matching",
    "files",
    "fraud",
    "records",
    "deliveries",
    "audit",
    "throughput",
    "trace",
    "scripts",
    "tariffs",
    "replay",
    "trail",
    "reference",
    "people",
    "account",
];

/// The folder of files whose names change with their content.
const ASSETS: &str = "assets/";

/// The content security policy: pages load nothing from other sites, and no other site may frame them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// How long a browser uses only TLS after an answer over TLS (HSTS): a year.
const ENCRYPTED_FOR: &str = "max-age=31536000";

pub(crate) fn routes() -> Router<Arc<Served>> {
    Router::new().fallback(page)
}

/// Answers with a file, or with the index for a page of the interface.
pub(crate) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = uri.path().trim_start_matches('/');
    let find = |name: &str| FILES.iter().find(|(file, _)| *file == name);
    let is_asset = path.starts_with(ASSETS);
    // A path without a file extension is a page, which the interface resolves by itself.
    let is_page = !is_asset && !path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let found = find(path).or_else(|| is_page.then(|| find(INDEX)).flatten());
    let Some((name, packed)) = found else { return StatusCode::NOT_FOUND.into_response() };
    let is_known = *name != INDEX || PAGES.contains(&path.split('/').next().unwrap_or_default());
    let status = if is_known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let cache_control = match is_asset {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let headers_of_file = [
        (header::CONTENT_TYPE, sort(name)),
        (header::CACHE_CONTROL, cache_control),
        (header::VARY, "accept-encoding"),
    ];
    let takes = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    if takes.is_some_and(|takes| takes.contains("gzip")) {
        return (status, headers_of_file, [(header::CONTENT_ENCODING, "gzip")], *packed)
            .into_response();
    }
    let mut octets = Vec::new();
    match GzDecoder::new(*packed).read_to_end(&mut octets) {
        Ok(_) => (status, headers_of_file, octets).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn sort(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json" | "map" | "webmanifest") => "application/json",
        Some("md" | "txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Adds the security headers to every answer.
pub(crate) async fn strictly(
    State(served): State<Arc<Served>>,
    request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if served.is_secure {
        let encrypted = HeaderValue::from_static(ENCRYPTED_FOR);
        headers.insert(header::STRICT_TRANSPORT_SECURITY, encrypted);
    }
    if is_api && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
