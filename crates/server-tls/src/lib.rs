//! TLS of a server. Its certificate and key are in files, which are read again when they change. So a renewed
//! certificate takes effect with the next connection.
#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use diagnostics::plain;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;
use webpki::EndEntityCert;

/// The maximum size of a file in octets.
const OCTETS_MAX: u64 = 1 << 20;

/// The files of a server's TLS, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate with its chain.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The certificates of the authorities of which each client must have one. `None`: clients have none.
    pub authority: Option<PathBuf>,
}

/// TLS with a certificate.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    /// The protocol within, if clients name it (ALPN).
    protocol: Option<&'static str>,
    held: Mutex<LoadedConfig>,
}

/// The configuration as it was read.
#[derive(Debug)]
struct LoadedConfig {
    config: Arc<ServerConfig>,
    modified: Vec<Option<SystemTime>>,
}

impl Tls {
    /// Reads the files of a server that speaks a protocol within TLS.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or they do not belong together.
    pub fn new(files: TlsFiles, protocol: Option<&'static str>) -> Result<Self, TlsError> {
        let modified = modified(&files);
        let config = config(&files, protocol)?;
        Ok(Tls { files, protocol, held: Mutex::new(LoadedConfig { config, modified }) })
    }

    /// Returns the acceptor for a new connection. If the files changed and are not valid, the previous certificate
    /// stays in use.
    pub fn acceptor(&self) -> TlsAcceptor {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = modified(&self.files);
        if held.modified != now {
            held.modified = now;
            match config(&self.files, self.protocol) {
                Ok(config) => held.config = config,
                Err(why) => tracing::warn!("the certificate stays as it was: {why}"),
            }
        }
        TlsAcceptor::from(Arc::clone(&held.config))
    }
}

/// Returns whether a certificate is that of a host.
pub fn is_of_host(certificate: &CertificateDer<'_>, host: &str) -> bool {
    let (Ok(certificate), Ok(name)) =
        (EndEntityCert::try_from(certificate), ServerName::try_from(host))
    else {
        return false;
    };
    certificate.verify_is_valid_for_subject_name(&name).is_ok()
}

fn modified(TlsFiles { certificate, key, authority }: &TlsFiles) -> Vec<Option<SystemTime>> {
    let of = |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    [certificate, key].into_iter().chain(authority).map(of).collect()
}

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("could not read \"{}\": {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A file has no certificate.
    #[error("\"{}\" has no certificate in it", .0.display())]
    NoCertificate(PathBuf),
    /// A file has no key.
    #[error("\"{}\" has no key in it", .0.display())]
    NoKey(PathBuf),
    /// The library has no version of TLS.
    #[error("there is no TLS here: {0}")]
    NoVersion(rustls::Error),
    /// The certificates of authorities cannot be used.
    #[error("no client can be checked by \"{}\": {cause}", path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: VerifierBuilderError,
    },
    /// The key is that of another certificate.
    #[error("\"{}\" is no key of \"{}\": {cause}", key.display(), certificate.display())]
    OtherKey {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
        /// The cause.
        cause: rustls::Error,
    },
}

fn config(files: &TlsFiles, protocol: Option<&str>) -> Result<Arc<ServerConfig>, TlsError> {
    let TlsFiles { certificate, key, authority } = files;
    let chain = certificates(certificate)?;
    let private =
        PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| TlsError::NoKey(key.to_owned()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(TlsError::NoVersion)?;
    let config = match authority {
        None => config.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(certificates(path)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let unusable = |cause| TlsError::Authority { path: path.clone(), cause };
            config.with_client_cert_verifier(verifier.build().map_err(unusable)?)
        }
    };
    let mut config = config.with_single_cert(chain, private).map_err(|cause| {
        let (certificate, key) = (certificate.to_owned(), key.to_owned());
        TlsError::OtherKey { certificate, key, cause }
    })?;
    config.alpn_protocols = protocol.into_iter().map(|name| name.as_bytes().to_vec()).collect();
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(&read(path)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| TlsError::NoCertificate(path.to_owned()))
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    plain::read(path, OCTETS_MAX).map_err(|cause| TlsError::Read { path: path.to_owned(), cause })
}
