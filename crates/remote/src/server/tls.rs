//! TLS of a server, by the settings of its table.

use diagnostics::Diagnostic;
use server_tls::TlsFiles;
use settings::Settings;
use tokio_rustls::TlsAcceptor;

/// The settings that name the files: the certificate with its chain, and the key.
pub(super) const CERTIFICATE: &str = "certificate-file";
pub(super) const KEY: &str = "key-file";

/// The protocol within TLS.
const PROTOCOL: &str = "http/1.1";

/// TLS with a certificate.
pub struct Tls(server_tls::Tls);

impl Tls {
    /// Reads the settings of a table; `None` if they are not there.
    pub fn read(settings: &Settings) -> Result<Option<Self>, Diagnostic> {
        let (certificate, key) = match (settings.get(CERTIFICATE), settings.get(KEY)) {
            (Some(certificate), Some(key)) => (certificate, key),
            (None, None) => return Ok(None),
            (Some(one), None) | (None, Some(one)) => {
                let message = format!("\"{CERTIFICATE}\" and \"{KEY}\" go together");
                return Err(settings.error(one, message));
            }
        };
        let files = TlsFiles {
            certificate: settings.path(certificate),
            key: settings.path(key),
            authority: None,
        };
        let tls = server_tls::Tls::new(files, Some(PROTOCOL));
        tls.map(|tls| Some(Tls(tls))).map_err(|why| settings.error(certificate, why.to_string()))
    }

    /// Returns the acceptor for a new connection. If the files changed and are not valid, the previous certificate
    /// stays in use.
    pub fn acceptor(&self) -> TlsAcceptor {
        self.0.acceptor()
    }
}
