//! TLS of a server. Its certificate and key are in files, which are read again when they change. So a renewed
//! certificate takes effect with the next connection.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use diagnostics::{Diagnostic, plain};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use settings::Settings;
use tokio_rustls::TlsAcceptor;

/// The settings that name the files: the certificate with its chain, and the key.
pub(super) const CERTIFICATE: &str = "certificate-file";
pub(super) const KEY: &str = "key-file";

/// The maximum size of a file in octets.
const OCTETS_MAX: u64 = 1 << 20;

/// TLS with a certificate.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    held: Mutex<LoadedConfig>,
}

/// The configuration as it was read.
struct LoadedConfig {
    config: Arc<ServerConfig>,
    modified: [Option<SystemTime>; 2],
}

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
        let setting = certificate;
        let (certificate, key) = (settings.path(certificate), settings.path(key));
        let modified = modified([&certificate, &key]);
        let config =
            config(&certificate, &key).map_err(|why| settings.error(setting, why.to_string()))?;
        let held = Mutex::new(LoadedConfig { config, modified });
        Ok(Some(Tls { certificate, key, held }))
    }

    /// Returns the acceptor for a new connection. If the files changed and are not valid, the previous certificate
    /// stays in use.
    pub fn acceptor(&self) -> TlsAcceptor {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = modified([&self.certificate, &self.key]);
        if held.modified != now {
            held.modified = now;
            match config(&self.certificate, &self.key) {
                Ok(config) => held.config = config,
                Err(why) => tracing::warn!("the certificate stays as it was: {why}"),
            }
        }
        TlsAcceptor::from(Arc::clone(&held.config))
    }
}

fn modified(paths: [&PathBuf; 2]) -> [Option<SystemTime>; 2] {
    paths.map(|path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok())
}

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
enum TlsError {
    #[error("could not read \"{}\": {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("\"{}\" has no certificate in it", .0.display())]
    NoCertificate(PathBuf),
    #[error("\"{}\" has no key in it", .0.display())]
    NoKey(PathBuf),
    #[error("there is no TLS here: {0}")]
    NoVersion(rustls::Error),
    #[error("\"{}\" is no key of \"{}\": {cause}", key.display(), certificate.display())]
    OtherKey { certificate: PathBuf, key: PathBuf, cause: rustls::Error },
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let read = |path: &Path| {
        plain::read(path, OCTETS_MAX)
            .map_err(|cause| TlsError::Read { path: path.to_owned(), cause })
    };
    let chain = CertificateDer::pem_slice_iter(&read(certificate)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| TlsError::NoCertificate(certificate.to_owned()))?;
    let private =
        PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| TlsError::NoKey(key.to_owned()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(TlsError::NoVersion)?;
    let config = config.with_no_client_auth().with_single_cert(chain, private);
    let mut config = config.map_err(|cause| {
        let (certificate, key) = (certificate.to_owned(), key.to_owned());
        TlsError::OtherKey { certificate, key, cause }
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
