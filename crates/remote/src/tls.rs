//! Whose certificates are believed: those of a file that the flow names, or else those that browsers believe.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use transport::{Access, FarError};

/// The certificates of a file that the flow names; none where it names none. Read now, so that one that was changed counts.
pub(crate) fn authorities(
    access: &Access,
) -> Result<Option<Vec<CertificateDer<'static>>>, FarError> {
    let Some(path) = access.path("certificate-authority") else { return Ok(None) };
    let text = node::certificates(&path).map_err(|error| FarError::Shut(error.to_string()))?;
    let read = CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<Vec<_>, _>>();
    match read {
        Ok(found) if !found.is_empty() => Ok(Some(found)),
        _ => Err(FarError::Shut(format!("\"{}\" has no certificate in it", path.display()))),
    }
}

/// How a connection is made that nobody listens to.
pub(crate) fn config(access: &Access) -> Result<Arc<ClientConfig>, FarError> {
    let mut roots = RootCertStore::empty();
    match authorities(access)? {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(certificates) => {
            for certificate in certificates {
                roots.add(certificate).map_err(|error| {
                    let what = "\"certificate-authority\" has what is no certificate";
                    FarError::Shut(format!("{what}: {error}"))
                })?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config =
        config.map_err(|error| FarError::Shut(format!("there is no TLS here: {error}")))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
