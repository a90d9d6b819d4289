//! Shared parts of the places over HTTP: one client, and the meaning of its errors and of error answers.

use std::io::{self, Read as _, Write};
use std::net::IpAddr;
use std::time::Duration;

use diagnostics::Diagnostic;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reason::Reason;
use transport::{Access, Address, BUFFER_OCTETS, Parcel, RemoteError};
use ureq::http::{Response, StatusCode};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector as _, TcpConnector};
use ureq::{Agent, Body, SendBody, Timeout};

use crate::calls::{fell_silent, shown, silent, unreachable};
use crate::fault::Fault;
use crate::secured::Secured;
use crate::tls;

/// The size in octets from which on the client asks before it sends a body (`Expect: 100-continue`). Otherwise, a
/// receiver that refuses a large file and closes the connection would look like a broken connection.
const ASKED_OCTETS: u64 = 1_000_000;

/// The maximum octets read of an error answer.
const NO_OCTETS_MAX: u64 = 16_384;

/// The longest `Retry-After` that counts.
const AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The characters to escape in the path of an address.
pub(crate) const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Checks that others on the network cannot read what is sent to an address.
pub(crate) fn check_line(access: &Access) -> Result<(), Diagnostic> {
    let Address { scheme, host, .. } = &access.address;
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match scheme == "http" && !is_here {
        true => {
            let message = "a secret does not go over a line that anybody may listen to";
            Err(access.mistake(message).hint("write \"https://\""))
        }
        false => Ok(()),
    }
}

/// Returns the part of an address that names the machine, and all of it as requests have it.
pub(crate) fn host_and_base(address: &Address) -> (String, String) {
    let port = address.port.map_or(String::new(), |port| format!(":{port}"));
    let host = format!("{}://{}{port}", address.scheme, address.host_in_brackets());
    let folder = utf8_percent_encode(address.path.trim_end_matches('/'), ESCAPED);
    let base = format!("{host}{folder}");
    (host, base)
}

/// A client for one place.
pub(crate) struct Web {
    pub(crate) agent: Agent,
    place: String,
    timeout: Duration,
}

impl Web {
    /// Creates a client that trusts the certificates that the flow names. It uses no proxy and follows no redirect: a
    /// redirect could send secrets elsewhere, so the flow file has to name the new address of a place.
    pub(crate) fn new(access: &Access, place: String) -> Result<Self, RemoteError> {
        let timeout = access.timeout;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_per_read(Some(timeout))
            .timeout_per_write(Some(timeout))
            .user_agent("tollgate")
            .build();
        let connector = ().chain(TcpConnector::default()).chain(Secured(tls::config(access)?));
        let agent = Agent::with_parts(config, connector, DefaultResolver::default());
        Ok(Web { agent, place, timeout })
    }

    /// Sends a parcel of `octets` octets.
    pub(crate) fn send(
        &self,
        name: &str,
        request: ureq::RequestBuilder<ureq::typestate::WithBody>,
        parcel: &dyn Parcel,
        octets: u64,
    ) -> Result<Response<Body>, RemoteError> {
        let request = request.header("Content-Length", octets.to_string());
        let request = match octets >= ASKED_OCTETS {
            true => request.header("Expect", "100-continue"),
            false => request,
        };
        let mut from = Here(parcel.open()?);
        self.answered(name, request.send(SendBody::from_reader(&mut from)))
    }

    /// Converts the errors of a request.
    pub(crate) fn answered(
        &self,
        name: &str,
        answer: Result<Response<Body>, ureq::Error>,
    ) -> Result<Response<Body>, RemoteError> {
        let Web { place, timeout, .. } = self;
        answer.map_err(|error| match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => silent(place, *timeout),
            ureq::Error::Timeout(_) => fell_silent(&format!("\"{name}\""), *timeout),
            ureq::Error::Rustls(error) => tls::failed(place, &error),
            ureq::Error::Io(error) => {
                let cause = error.get_ref();
                if let Some(NotRead(what)) = cause.and_then(|cause| cause.downcast_ref()) {
                    return RemoteError::Here(io::Error::other(what.clone()));
                }
                match cause.and_then(|cause| cause.downcast_ref()) {
                    Some(cause) => tls::failed(place, cause),
                    None if error.kind() == io::ErrorKind::ConnectionRefused => {
                        unreachable(place, error)
                    }
                    None => {
                        RemoteError::broken_by(Fault::ConnectionBroke { file: name.into() }, error)
                    }
                }
            }
            // The library's text may contain a secret.
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                RemoteError::shut(Fault::HttpAddress { place: place.clone() })
            }
            ureq::Error::Protocol(_) => {
                RemoteError::broken(Fault::HttpNotHttp { place: place.clone() })
            }
            error => RemoteError::passing_by(Fault::HttpUnreached { place: place.clone() }, error),
        })
    }

    /// Writes the body of an answer to `to`.
    pub(crate) fn fetched(
        &self,
        name: &str,
        answer: Response<Body>,
        to: &mut dyn Write,
    ) -> Result<u64, RemoteError> {
        let mut from = answer.into_body().into_reader();
        let (mut buffer, mut octets) = (vec![0; BUFFER_OCTETS], 0);
        loop {
            let read = from.read(&mut buffer).map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => fell_silent(&format!("\"{name}\""), self.timeout),
                _ => RemoteError::broken_by(Fault::TransferStopped { file: name.into() }, error),
            })?;
            if read == 0 {
                return Ok(octets);
            }
            to.write_all(&buffer[..read])?;
            octets += read as u64;
        }
    }
}

/// An error answer.
pub(crate) struct No {
    pub(crate) status: StatusCode,
    /// The `Retry-After`.
    pub(crate) after: Option<Duration>,
    /// The text of the answer: the error code of a store, or the first line of the body.
    pub(crate) text: String,
}

impl No {
    /// Reads an error answer.
    pub(crate) fn of(answer: Response<Body>) -> Self {
        let after = answer.headers().get("retry-after").and_then(|after| after.to_str().ok());
        let after = after.and_then(|after| retry_after(after.trim(), Timestamp::now()));
        let status = answer.status();
        let mut octets = Vec::new();
        // If the body ends too soon, the part that came is shown.
        let _ = answer.into_body().into_reader().take(NO_OCTETS_MAX).read_to_end(&mut octets);
        let text = String::from_utf8_lossy(&octets);
        let text = inner(&text, "Code").or_else(|| text.lines().next()).unwrap_or_default();
        No { status, after: after.map(|after| after.min(AFTER_MAX)), text: shown(text) }
    }

    /// Converts the answer for a file (RFC 9110, 15). One answer does not tell whether the whole server fails or only
    /// this file, so it counts for the file; if the server fails, the other files get the same answer.
    pub(crate) fn error(self, name: &str) -> RemoteError {
        let what = self.fault(name);
        let after = self.after;
        match self.status.as_u16() {
            404 | 410 => RemoteError::NotThere(name.into()),
            300..=399 => {
                let answer = self.answer();
                RemoteError::shut(Fault::HttpRedirect { file: name.to_owned(), answer })
            }
            401 | 405 | 407 | 501 => RemoteError::shut(what),
            403 => RemoteError::forbidden(what),
            408 | 409 | 416 | 423 | 425 | 429 | 500..=599 => {
                RemoteError::Unavailable { what: Reason::of(&what), after }
            }
            _ => RemoteError::refused(what),
        }
    }

    /// Returns the fault for the answer about a file.
    pub(crate) fn fault(&self, name: &str) -> Fault {
        Fault::HttpAnswer { file: name.to_owned(), answer: self.answer() }
    }

    /// Returns the status and the text.
    pub(crate) fn answer(&self) -> String {
        let No { status, text, .. } = self;
        let colon = if text.is_empty() { "" } else { ": " };
        format!("{status}{colon}{text}")
    }
}

/// Reads a `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
fn retry_after(after: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = after.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = rfc2822::parse(after).ok()?.timestamp();
    Duration::try_from(until.duration_since(now)).ok()
}

/// Returns the text of an XML element that contains no other element.
pub(crate) fn inner<'t>(xml: &'t str, element: &str) -> Option<&'t str> {
    let (_, rest) = xml.split_once(&format!("<{element}>"))?;
    rest.split_once("</").map(|(inner, _)| inner)
}

/// Checks a name below the address of a folder: it must not lead elsewhere.
pub(crate) fn plain(name: &str) -> Result<&str, RemoteError> {
    let is_odd = |part: &str| matches!(part, "" | "." | "..");
    match name.contains(char::is_control) || name.split('/').any(is_odd) {
        true => Err(RemoteError::refused(Fault::HttpName { file: name.to_owned() })),
        false => Ok(name),
    }
}

/// A local file that is being sent. It marks errors of reading, so that they are not taken for errors of the
/// connection.
struct Here<R>(R);

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotRead(String);

impl<R: io::Read> io::Read for Here<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| io::Error::other(NotRead(error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::class;

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for name in ["a.dat", "sub/a b ü.dat", "..a", "a\\b"] {
            assert!(plain(name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "../a", "a/../b", "a//b", "/a", "a/", "a\nb"] {
            assert!(matches!(plain(name), Err(RemoteError::Refused(_))), "{name}");
        }
    }

    #[test]
    fn each_answer_is_about_the_file_or_about_the_place() {
        for (status, meaning) in [
            (301, "shut"),
            (304, "shut"),
            (400, "refused"),
            (401, "shut"),
            (403, "forbidden"),
            (404, "not there"),
            (405, "shut"),
            (407, "shut"),
            (408, "unavailable"),
            (409, "unavailable"),
            (410, "not there"),
            (411, "refused"),
            (413, "refused"),
            (415, "refused"),
            (416, "unavailable"),
            (422, "refused"),
            (423, "unavailable"),
            (425, "unavailable"),
            (429, "unavailable"),
            (500, "unavailable"),
            (501, "shut"),
            (502, "unavailable"),
            (503, "unavailable"),
            (504, "unavailable"),
            (507, "unavailable"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let after = Some(Duration::from_secs(7));
            let error = No { status, after, text: "so".into() }.error("a.csv");
            assert_eq!(class(&error), meaning, "{status}");
            assert_eq!(error.after(), after.filter(|_| meaning == "unavailable"), "{status}");
        }
    }

    #[test]
    fn a_time_to_be_left_alone_is_seconds_or_a_date() {
        let now: Timestamp = "1994-11-06T08:49:30Z".parse().unwrap();
        for (after, seconds) in [
            ("7", Some(7)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7)),
            ("Sun, 06 Nov 1994 08:49:29 GMT", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(after, now), seconds.map(Duration::from_secs), "{after}");
        }
    }

    #[test]
    fn a_stores_word_is_found() {
        let body =
            "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>x</Message></Error>";
        assert_eq!(inner(body, "Code"), Some("SlowDown"));
        assert_eq!(inner("<Code>half", "Code"), None);
        assert_eq!(inner("plain", "Code"), None);
    }
}
