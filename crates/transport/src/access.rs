//! The access to a remote place as a flow file describes it: the address, the credentials, and the
//! identity of the place.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, did_you_mean};
use settings::{Secret, Setting, Settings};

use crate::address::Address;
use crate::redacted::RedactedPlace;
use crate::remote::{LocalFault, Place, RemoteError, Scheme};

/// The keys of a `collect` or `deliver` table about the access to a remote place.
pub const ACCESS_KEYS: [&str; 16] = [
    "url",
    KIND,
    "timeout",
    "password",
    "password-file",
    "key-file",
    "key-passphrase-file",
    "token-file",
    "method",
    "host-key",
    "known-hosts",
    "certificate-authority",
    "endpoint",
    "region",
    "access-key",
    "secret-key-file",
];

/// The key that says what a place is, if it is none for files.
pub const KIND: &str = "kind";

/// The default time without an answer after which a place counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The settings of a table about the access to a remote place.
#[derive(Clone)]
pub struct Access {
    /// The address.
    pub address: Address,
    /// How long the place may be silent.
    pub timeout: Duration,
    settings: Arc<Settings>,
}

/// Shows no settings, which may contain secrets from the environment.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { address, timeout, .. } = self;
        f.debug_struct("Access")
            .field("address", &address.to_string())
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Reads the settings of a table that has a "url", and returns the place.
    pub fn place(
        settings: &Settings,
        schemes: &[&dyn Scheme],
    ) -> Result<Box<dyn Place>, Vec<Diagnostic>> {
        let url = settings.require("url").map_err(|mistake| vec![mistake])?;
        let address = Address::parse(&url.value).map_err(|mistake| {
            vec![settings.error_unseen(url, mistake.to_string()).hint(EXAMPLE)]
        })?;
        let schemes = of_kind(settings, schemes).map_err(|mistake| vec![mistake])?;
        let scheme = schemes.iter().find(|scheme| scheme.names().contains(&&*address.scheme));
        let scheme = scheme.ok_or_else(|| vec![unknown(settings, url, &address, &schemes)])?;
        let mistakes = mistakes(settings, &address, *scheme);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let timeout = settings.get("timeout").map(|timeout| settings.duration(timeout));
        let timeout = timeout.transpose().map_err(|mistake| vec![mistake])?.unwrap_or(TIMEOUT);
        let access = Access { address, timeout, settings: Arc::new(settings.clone()) };
        let place = scheme.place(access.clone()).map_err(|mistake| vec![mistake])?;
        let written = &settings.source.text[url.span.start as usize..url.span.end as usize];
        Ok(Box::new(RedactedPlace::new(place, access, written)))
    }

    /// Returns the value of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(|setting| setting.value.as_str())
    }

    /// Returns the value of a key as a path.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        self.settings.get(key).map(|setting| self.settings.path(setting))
    }

    /// Reads the secret from the file that a key names.
    pub fn secret_file(&self, key: &str) -> Result<Option<Secret>, RemoteError> {
        let secret = self.settings.secret_file(key).map(|secret| secret.read());
        secret.transpose().map_err(|error| unread(key, &error))
    }

    /// Returns the password: from the environment, or from a file, which is read now.
    pub fn password(&self) -> Result<Option<Secret>, RemoteError> {
        // The mistakes of this setting were reported when the flow file was read.
        let secret = self.settings.secret("password").unwrap_or_default();
        let secret = secret.map(|secret| secret.read()).transpose();
        let is_in_file = self.settings.get("password-file").is_some();
        let key = if is_in_file { "password-file" } else { "password" };
        secret.map_err(|error| unread(key, &error))
    }

    /// Returns a mistake at the address.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let span = self.settings.get("url").map_or(self.settings.span, |url| url.span);
        Diagnostic::error(&self.settings.source, span, message)
    }
}

fn unread(key: &str, error: &impl std::fmt::Display) -> RemoteError {
    RemoteError::shut(LocalFault::Secret { key: key.to_owned(), cause: error.to_string() })
}

const EXAMPLE: &str = "write \"sftp://user@host/folder\"";

/// Returns the protocols of the kind of place that the settings name.
fn of_kind<'s>(
    settings: &Settings,
    schemes: &[&'s dyn Scheme],
) -> Result<Vec<&'s dyn Scheme>, Diagnostic> {
    let kind = settings.get(KIND);
    let chosen = kind.map(|kind| kind.value.as_str());
    let of_kind = schemes.iter().copied().filter(|scheme| scheme.kind() == chosen);
    let found: Vec<_> = of_kind.collect();
    match kind.filter(|_| found.is_empty()) {
        None => Ok(found),
        Some(kind) => {
            let known: Vec<&str> = schemes.iter().filter_map(|scheme| scheme.kind()).collect();
            let hint = did_you_mean(&kind.value, known.iter().copied())
                .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
            let message = format!("there is no kind of place \"{}\"", kind.value);
            Err(settings.error(kind, message).hint(hint))
        }
    }
}

fn unknown(
    settings: &Settings,
    url: &Setting,
    address: &Address,
    schemes: &[&dyn Scheme],
) -> Diagnostic {
    let known: Vec<&str> = schemes.iter().flat_map(|scheme| scheme.names()).copied().collect();
    let hint = did_you_mean(&address.scheme, known.iter().copied())
        .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
    settings.error(url, format!("unknown protocol \"{}://\"", address.scheme)).hint(hint)
}

fn mistakes(settings: &Settings, address: &Address, scheme: &dyn Scheme) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for setting in &settings.values {
        let key = setting.key.as_str();
        let is_shared = ["url", KIND, "timeout"].contains(&key);
        if ACCESS_KEYS.contains(&key) && !is_shared && !scheme.keys().contains(&key) {
            let message = format!("\"{key}\" does not apply to \"{}://\"", address.scheme);
            let hint = format!("keys of this protocol: {}", scheme.keys().join(", "));
            mistakes.push(settings.error(setting, message).hint(hint));
        }
    }
    mistakes.extend(settings.secret("password").err());
    mistakes
}
