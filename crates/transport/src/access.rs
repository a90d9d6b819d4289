//! How a far place is reached, as a flow file says it: its address, who logs in, and by what the place is known.

use std::fmt;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, did_you_mean};
use node::{Setting, Settings};

use crate::address::Address;
use crate::far::{FarError, Place, Scheme};

/// The keys of a `collect` or `deliver` table that say how a far place is reached.
pub const ACCESS_KEYS: [&str; 15] = [
    "url",
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

/// How long a place may be silent before it is taken for gone, if nothing is said.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Octets of the longest secret, which a token may be; a file that is longer is none.
const SECRET_OCTETS_MAX: u64 = 64 * 1024;

/// What nobody is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text secret.
    pub fn new(text: String) -> Self {
        Secret(text)
    }

    /// The secret, for whoever it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The settings of a table that say how a far place is reached.
#[derive(Clone)]
pub struct Access {
    /// Where it is.
    pub address: Address,
    /// How long it may be silent.
    pub timeout: Duration,
    settings: Arc<Settings>,
}

/// Secrets that the environment gave are among the settings.
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
    /// Reads the settings of a table that has a "url", and finds the place they lead to.
    pub fn place(
        settings: &Settings,
        schemes: &[&dyn Scheme],
    ) -> Result<Box<dyn Place>, Vec<Diagnostic>> {
        let url = settings.require("url").map_err(|mistake| vec![mistake])?;
        let address = Address::parse(&url.value)
            .map_err(|mistake| vec![masked(settings, url, mistake).hint(EXAMPLE)])?;
        let scheme = schemes.iter().find(|scheme| scheme.names().contains(&&*address.scheme));
        let scheme = scheme.ok_or_else(|| vec![unknown(settings, url, &address, schemes)])?;
        let mistakes = mistakes(settings, &address, *scheme);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let timeout = settings.get("timeout").map(|timeout| settings.duration(timeout));
        let timeout = timeout.transpose().map_err(|mistake| vec![mistake])?.unwrap_or(TIMEOUT);
        let access = Access { address, timeout, settings: Arc::new(settings.clone()) };
        scheme.place(access).map_err(|mistake| vec![mistake])
    }

    /// What a key says.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(|setting| setting.value.as_str())
    }

    /// The path that a key gives.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        self.settings.get(key).map(|setting| self.settings.path(setting))
    }

    /// The secret that a file has which a key names, without the end of its line; read now.
    pub fn secret_file(&self, key: &str) -> Result<Option<Secret>, FarError> {
        let Some(path) = self.path(key) else { return Ok(None) };
        let could_not = |error| {
            FarError::Shut(format!("could not read \"{}\" of \"{key}\": {error}", path.display()))
        };
        let mut text = String::new();
        let file = fs::File::open(&path).map_err(could_not)?;
        file.take(SECRET_OCTETS_MAX + 1).read_to_string(&mut text).map_err(could_not)?;
        if text.len() as u64 > SECRET_OCTETS_MAX {
            return Err(FarError::Shut(format!(
                "\"{}\" of \"{key}\" is longer than {SECRET_OCTETS_MAX} octets: it is no secret",
                path.display()
            )));
        }
        Ok(Some(Secret(text.trim_end_matches(['\r', '\n']).to_owned())))
    }

    /// The password: of the environment, or of a file.
    pub fn password(&self) -> Result<Option<Secret>, FarError> {
        match self.text("password") {
            Some(password) => Ok(Some(Secret(password.to_owned()))),
            None => self.secret_file("password-file"),
        }
    }

    /// A mistake at the address.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let span = self.settings.get("url").map_or(self.settings.span, |url| url.span);
        Diagnostic::error(&self.settings.source, span, message)
    }
}

const EXAMPLE: &str = "write \"sftp://user@host/folder\"";

fn unknown(
    settings: &Settings,
    url: &Setting,
    address: &Address,
    schemes: &[&dyn Scheme],
) -> Diagnostic {
    let known: Vec<&str> = schemes.iter().flat_map(|scheme| scheme.names()).copied().collect();
    let hint = did_you_mean(&address.scheme, known.iter().copied())
        .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
    settings.error(url, format!("nothing leads to \"{}://\"", address.scheme)).hint(hint)
}

/// A mistake at a value that may have a secret in it, which is not shown.
pub(crate) fn masked(
    settings: &Settings,
    setting: &Setting,
    message: impl Into<String>,
) -> Diagnostic {
    let Settings { source, .. } = settings;
    let (start, end) = (setting.span.start as usize, setting.span.end as usize);
    let text = [&source.text[..start], &"*".repeat(end - start), &source.text[end..]].concat();
    Diagnostic::error(&Source::new(source.name.clone(), text), setting.span, message)
}

fn mistakes(settings: &Settings, address: &Address, scheme: &dyn Scheme) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for setting in &settings.values {
        let key = setting.key.as_str();
        let is_shared = key == "url" || key == "timeout";
        if ACCESS_KEYS.contains(&key) && !is_shared && !scheme.keys().contains(&key) {
            let message = format!("\"{key}\" means nothing to \"{}://\"", address.scheme);
            let hint = format!("known there: {}", scheme.keys().join(", "));
            mistakes.push(settings.error(setting, message).hint(hint));
        }
    }
    if let Some(password) = settings.get("password") {
        let span = password.span;
        let written = &settings.source.text[span.start as usize..span.end as usize];
        let name = written.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        if name.is_none_or(|name| name.contains(['$', '{', '}'])) {
            let message = "a password does not stand in a flow file";
            let hint = "name a file that has it with \"password-file\", or write \"${NAME}\" for that of \
                        the environment";
            mistakes.push(masked(settings, password, message).hint(hint));
        }
        if let Some(file) = settings.get("password-file") {
            mistakes.push(settings.error(file, "there are two passwords"));
        }
    }
    mistakes
}
