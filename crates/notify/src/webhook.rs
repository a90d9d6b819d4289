//! A webhook: each event is a POST of a JSON object.

use std::time::Duration;

use alarm::notification::{Channel, ChannelKind, Event, SendError};
use diagnostics::Diagnostic;
use settings::{SecretSource, Settings, certificates};
use ureq::Agent;
use ureq::http::{StatusCode, Uri};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;

use crate::error::SetupError;
use crate::reach::{Reach, WithinReach, range};

/// How long an answer may take, if nothing is said.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The answer that is about this one event for sure (RFC 9110, 15.5.14). A receiver that wants something else answers 400 or
/// 422 to all of them: none is left out for that.
const OF_THE_EVENT: StatusCode = StatusCode::PAYLOAD_TOO_LARGE;

/// `url = "https://…"`.
pub(crate) struct Webhook;

impl ChannelKind for Webhook {
    fn key(&self) -> &'static str {
        "url"
    }

    fn keys(&self) -> &'static [&'static str] {
        &["token-file", "allow", "timeout", "certificate-authority"]
    }

    fn channel(&self, settings: &Settings) -> Result<Box<dyn Channel>, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        let url = url(settings).map_err(|mistake| mistakes.push(mistake)).ok();
        let mut allowed = Vec::new();
        for setting in settings.all("allow") {
            match range(&setting.value) {
                Some(range) => allowed.push(range),
                None => {
                    let message = format!("\"{}\" is no address", setting.value);
                    let hint = "write \"10.1.2.3\", \"10.1.0.0/16\" or \"fd00::/8\"";
                    mistakes.push(settings.error(setting, message).hint(hint));
                }
            }
        }
        let reach = match settings.get("allow") {
            Some(_) => Reach::of(allowed),
            None => Reach::public(),
        };
        let timeout = settings.get("timeout").map(|timeout| settings.duration(timeout));
        let timeout = timeout.transpose().map_err(|mistake| mistakes.push(mistake)).ok().flatten();
        let path = |key| settings.get(key).map(|setting| settings.path(setting));
        match url.filter(|_| mistakes.is_empty()) {
            Some(url) => Ok(Box::new(Receiver {
                url,
                reach,
                timeout: timeout.unwrap_or(TIMEOUT),
                token: settings.secret_file("token-file"),
                certificate_authority: path("certificate-authority"),
            })),
            None => Err(mistakes),
        }
    }
}

/// The address. It may have a secret in it: what is wrong is said, and not what it is.
fn url(settings: &Settings) -> Result<Uri, Diagnostic> {
    let mistake = |message: &str| {
        let message = format!("the \"url\" of \"{}\" {message}", settings.name);
        Diagnostic::error(&settings.source, settings.span, message)
            .hint("write \"https://host/path\"")
    };
    let url: Uri =
        settings.require("url")?.value.parse().map_err(|_| mistake("is no address of a place"))?;
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    match (url.scheme_str(), url.host()) {
        (Some("http" | "https"), Some(_)) if has_user => {
            Err(mistake("has a user in it: name a \"token-file\" instead"))
        }
        (Some("http" | "https"), Some(_)) => Ok(url),
        _ => Err(mistake("does not begin with \"https://\" or \"http://\" and a host")),
    }
}

struct Receiver {
    url: Uri,
    reach: Reach,
    timeout: Duration,
    token: Option<SecretSource>,
    certificate_authority: Option<std::path::PathBuf>,
}

impl Receiver {
    /// Resolves each time anew, keeps no connection, asks no proxy and follows nowhere: it reaches what it was allowed to.
    fn agent(&self) -> Result<Agent, SetupError> {
        let mut tls = TlsConfig::builder();
        if let Some(path) = &self.certificate_authority {
            let pem = certificates(path)?;
            let certificates: Vec<_> = parse_pem(pem.as_bytes())
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if certificates.is_empty() {
                return Err(SetupError::NoCertificate { path: path.clone() });
            }
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates));
        }
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .timeout_global(Some(self.timeout))
            .user_agent("tollgate")
            .tls_config(tls.build())
            .build();
        let resolver = WithinReach(self.reach.clone());
        Ok(Agent::with_parts(config, DefaultConnector::default(), resolver))
    }
}

impl Channel for Receiver {
    fn events_max(&self) -> usize {
        1
    }

    fn send(&self, events: &[Event]) -> Result<Vec<String>, SendError> {
        let agent = self.agent()?;
        for event in events {
            let body = serde_json::to_string(event).expect("text and numbers");
            let mut request = agent
                .post(&self.url)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", &event.id);
            if let Some(token) = &self.token {
                let token = token.read().map_err(SetupError::from)?;
                request = request.header("Authorization", format!("Bearer {}", token.reveal()));
            }
            let host = self.url.host().unwrap_or_default();
            let answer = request.send(body).map_err(|error| describe(host, &error))?;
            match answer.status() {
                status if status.is_success() => {}
                status if status.is_redirection() => {
                    let problem = format!("\"{host}\" answers {status}, which is not followed");
                    return Err(problem.into());
                }
                status if status == OF_THE_EVENT => {
                    let problem = format!("\"{host}\" answers {status} to the event {}", event.id);
                    let left = vec![format!("\"{host}\" with the event {}", event.id)];
                    return Err(SendError::Partly { problem, left });
                }
                status => return Err(format!("\"{host}\" answers {status}").into()),
            }
        }
        Ok(Vec::new())
    }
}

/// An error without what may be secret of the address.
fn describe(host: &str, error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            error.to_string()
        }
        ureq::Error::Io(error) => format!("\"{host}\": {error}"),
        ureq::Error::Timeout(_) => format!("\"{host}\" did not answer in time"),
        ureq::Error::HostNotFound => format!("no host is named \"{host}\""),
        ureq::Error::ConnectionFailed => format!("\"{host}\" could not be connected to"),
        ureq::Error::Rustls(error) => format!("\"{host}\": {error}"),
        ureq::Error::Http(_) => "the \"token-file\" has what no header can have".into(),
        _ => format!("\"{host}\" could not be reached, or does not speak HTTP"),
    }
}
