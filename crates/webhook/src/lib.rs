//! Webhooks: JSON that is posted to the address of another program.
#![forbid(unsafe_code)]

mod reach;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use diagnostics::Diagnostic;
use settings::{SecretError, SecretSource, Settings, certificates};
use ureq::Agent;
use ureq::http::{StatusCode, Uri};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;

use reach::{Reach, WithinReach, range};

/// The default time that an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The answer that is about this one message for sure (RFC 9110, 15.5.14). A receiver that wants something else answers 400 or
/// 422 to all of them: none is left out for that.
const OF_THE_MESSAGE: StatusCode = StatusCode::PAYLOAD_TOO_LARGE;

/// The key of the address in the settings of a webhook.
pub const ADDRESS: &str = "url";

/// The other keys of the settings of a webhook.
pub const KEYS: &[&str] = &["token-file", "allow", "timeout", "certificate-authority"];

/// Where messages are posted.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    url: Uri,
    reach: Reach,
    timeout: Duration,
    token: Option<SecretSource>,
    certificate_authority: Option<PathBuf>,
}

impl fmt::Debug for Webhook {
    /// The address may have a secret in it.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Webhook").field("host", &self.host()).finish_non_exhaustive()
    }
}

/// Why a message was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The token or the certificates cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The file of certificates has none.
    #[error("\"{}\" has no certificate", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The receiver cannot be reached, or does not answer.
    #[error("{0}")]
    Unreachable(String),
    /// The receiver answers that it does not accept messages.
    #[error("\"{host}\" answers {status}")]
    Refused {
        /// The host of the receiver.
        host: String,
        /// The status of its answer.
        status: StatusCode,
    },
    /// The receiver answers that the message is elsewhere: it is not sent there.
    #[error("\"{host}\" answers {status}, which is not followed")]
    Redirected {
        /// The host of the receiver.
        host: String,
        /// The status of its answer.
        status: StatusCode,
    },
    /// The receiver does not accept this one message. Others may be sent.
    #[error("\"{host}\" answers {OF_THE_MESSAGE} to this message")]
    OfTheMessage {
        /// The host of the receiver.
        host: String,
    },
}

impl Webhook {
    /// Reads the settings of a webhook: [`ADDRESS`] and [`KEYS`].
    ///
    /// # Errors
    ///
    /// All mistakes in them.
    pub fn read(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
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
            Some(url) => Ok(Webhook {
                url,
                reach,
                timeout: timeout.unwrap_or(TIMEOUT),
                token: settings.secret_file("token-file"),
                certificate_authority: path("certificate-authority"),
            }),
            None => Err(mistakes),
        }
    }

    /// Returns the host of the receiver. The address may have a secret in it.
    pub fn host(&self) -> &str {
        self.url.host().unwrap_or_default()
    }

    /// Returns how long a message may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Posts a message, a JSON text, and returns when the receiver has accepted it. The key is the same each time that the
    /// message is sent, so that the receiver can drop what it has (`Idempotency-Key`).
    ///
    /// # Errors
    ///
    /// It was not accepted, for all that is known. An error has no secrets in it.
    pub fn post(&self, key: &str, message: String) -> Result<(), PostError> {
        let mut request = self
            .agent()?
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key);
        if let Some(token) = &self.token {
            let token = token.read()?;
            request = request.header("Authorization", format!("Bearer {}", token.reveal()));
        }
        let host = self.host();
        let unreachable = |error| PostError::Unreachable(describe(host, &error));
        let status = request.send(message).map_err(unreachable)?.status();
        let host = host.to_owned();
        match status {
            status if status.is_success() => Ok(()),
            status if status.is_redirection() => Err(PostError::Redirected { host, status }),
            OF_THE_MESSAGE => Err(PostError::OfTheMessage { host }),
            status => Err(PostError::Refused { host, status }),
        }
    }

    /// Makes an agent for one message. It reaches only what is allowed: names are resolved for each message, and there is no
    /// proxy, no redirect and no connection from before.
    fn agent(&self) -> Result<Agent, PostError> {
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
                return Err(PostError::NoCertificate { path: path.clone() });
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

/// The address. It may have a secret in it: what is wrong is said, and not what it is.
fn url(settings: &Settings) -> Result<Uri, Diagnostic> {
    let setting = settings.require(ADDRESS)?;
    let mistake = |message: &str| {
        let message = format!("the \"{ADDRESS}\" of \"{}\" {message}", settings.name);
        settings.error_unseen(setting, message).hint("write \"https://host/path\"")
    };
    let url: Uri = setting.value.parse().map_err(|_| mistake("is no address of a place"))?;
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    match (url.scheme_str(), url.host()) {
        (Some("http" | "https"), Some(_)) if has_user => {
            Err(mistake("has a user in it: name a \"token-file\" instead"))
        }
        (Some("http" | "https"), Some(_)) => Ok(url),
        _ => Err(mistake("does not begin with \"https://\" or \"http://\" and a host")),
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
