//! The trusted server certificates: those in a file that the flow names, or else those that browsers trust. This module
//! also has the messages about certificates that are not trusted.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use transport::{Access, RemoteError};

use crate::calls::shown;
use crate::fault::Fault;

/// The setting that names the file.
const AUTHORITY: &str = "certificate-authority";

/// Reads the certificates in the file that the flow names; `None` if it names none. It reads them for each connection,
/// so a changed file takes effect.
fn authorities(access: &Access) -> Result<Option<Vec<CertificateDer<'static>>>, RemoteError> {
    let Some(path) = access.path(AUTHORITY) else { return Ok(None) };
    let unread = |cause: &dyn std::fmt::Display| {
        RemoteError::shut(Fault::CertificatesUnread { cause: cause.to_string() })
    };
    let text = settings::certificates(&path).map_err(|error| unread(&error))?;
    let read = CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<Vec<_>, _>>();
    match read {
        Ok(found) if !found.is_empty() => Ok(Some(found)),
        _ => Err(RemoteError::shut(Fault::NoCertificate { path: path.display().to_string() })),
    }
}

/// Returns the TLS configuration for connections to a place.
pub(crate) fn config(access: &Access) -> Result<Arc<ClientConfig>, RemoteError> {
    let mut roots = RootCertStore::empty();
    let named = authorities(access)?.unwrap_or_default();
    if named.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for certificate in &named {
        roots
            .add(certificate.clone())
            .map_err(|error| RemoteError::shut(Fault::NotACertificate { cause: reason(&error) }))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let no_tls = |error: &dyn std::fmt::Display| {
        RemoteError::shut(Fault::NoTls { cause: error.to_string() })
    };
    let by_authority = verifier.build().map_err(|error| no_tls(&error))?;
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| no_tls(&error))?;
    let known = Arc::new(KnownCertificates { by_authority, named });
    let config = config.dangerous().with_custom_certificate_verifier(known);
    Ok(Arc::new(config.with_no_client_auth()))
}

/// Trusts certificates of a trusted authority, and exactly those certificates that the flow names, whatever they
/// contain. `openssl req -x509` marks a certificate as an authority's own (CA:TRUE). Refusing such a certificate for a
/// server is needed only if others may have been signed with it.
#[derive(Debug)]
struct KnownCertificates {
    by_authority: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for KnownCertificates {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.by_authority.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            Err(error)
                if !is_untimely(&error) && self.named.iter().any(|known| known == end_entity) =>
            {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_authority.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_authority.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

/// Returns whether a certificate has expired or is not valid yet. Such a certificate is refused even if the flow names
/// it.
fn is_untimely(error: &rustls::Error) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    matches!(
        error,
        rustls::Error::InvalidCertificate(
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. }
        )
    )
}

/// Returns the error for a connection that cannot be made secure.
pub(crate) fn failed(place: &str, error: &rustls::Error) -> RemoteError {
    let what = Fault::NotSafe { place: place.to_owned(), cause: reason(error) };
    match error {
        // The cause is the certificate, or that the two sides have no version or cipher in common.
        rustls::Error::InvalidCertificate(_)
        | rustls::Error::PeerIncompatible(_)
        | rustls::Error::InvalidMessage(_)
        | rustls::Error::AlertReceived(_)
        | rustls::Error::NoCertificatesPresented => RemoteError::shut(what),
        _ => RemoteError::broken(what),
    }
}

/// Returns the reason in plain words, and what to do.
fn reason(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(why) => reason_of_certificate(why),
        rustls::Error::NoCertificatesPresented => "it shows no certificate".into(),
        rustls::Error::PeerIncompatible(_) => {
            "it has no version or cipher in common with us; TLS 1.2 or 1.3 is needed".into()
        }
        rustls::Error::InvalidMessage(_) => {
            "what it answers is no TLS; is this the port of it?".into()
        }
        rustls::Error::AlertReceived(alert) => {
            format!("it ends it: {}", words(&format!("{alert:?}")))
        }
        error => shown(&error.to_string()),
    }
}

fn reason_of_certificate(why: &CertificateError) -> String {
    use CertificateError::*;
    let named = format!("name the certificate of its authority, or its own, with \"{AUTHORITY}\"");
    match why {
        Expired | ExpiredContext { .. } => {
            "its certificate is no longer valid: have it renewed".into()
        }
        NotValidYet | NotValidYetContext { .. } => {
            "its certificate is not valid yet; is the clock right, here and there?".into()
        }
        Revoked => "its certificate is revoked".into(),
        UnknownIssuer => format!("its certificate is of an authority that is not known: {named}"),
        BadSignature => format!(
            "its certificate was not signed by the authority that is known, though that has the same name: {named}"
        ),
        NotValidForName => "its certificate is for another name than that of the address".into(),
        NotValidForNameContext { presented, .. } => {
            let names = presented.iter().map(|name| shown(name)).collect::<Vec<_>>();
            match names.is_empty() {
                true => "its certificate has no name of a machine in it (subjectAltName)".into(),
                false => format!(
                    "its certificate is for another name than that of the address: it has {}",
                    names.join(", ")
                ),
            }
        }
        InvalidPurpose | InvalidPurposeContext { .. } => {
            "its certificate is not one for a server (extendedKeyUsage)".into()
        }
        BadEncoding => "its certificate cannot be read".into(),
        Other(_) if is_of_authority(why) => format!(
            "it shows a certificate that is an authority's own (CA:TRUE): give the machine one that the authority signed, or name this very certificate with \"{AUTHORITY}\""
        ),
        why => format!("its certificate is not accepted ({})", words(&format!("{why:?}"))),
    }
}

/// rustls passes this error on from webpki, without a variant of its own to match on.
fn is_of_authority(why: &CertificateError) -> bool {
    format!("{why:?}").contains("CaUsedAsEndEntity")
}

/// Returns an identifier of the library as words: `HandshakeFailure` is "handshake failure".
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars().take_while(|letter| letter.is_alphanumeric()) {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use rustls::{AlertDescription, InvalidMessage, PeerIncompatible};

    use super::*;

    #[test]
    fn why_a_machine_is_not_spoken_to_is_told_in_words_of_people() {
        use CertificateError::*;
        let certificate = rustls::Error::InvalidCertificate;
        for (error, expected) in [
            (certificate(UnknownIssuer), "of an authority that is not known"),
            (certificate(BadSignature), "though that has the same name"),
            (certificate(Expired), "no longer valid"),
            (certificate(NotValidYet), "is the clock right"),
            (certificate(NotValidForName), "for another name"),
            (certificate(InvalidPurpose), "not one for a server"),
            (certificate(Revoked), "revoked"),
            (certificate(BadEncoding), "cannot be read"),
            (certificate(UnhandledCriticalExtension), "(unhandled critical extension)"),
            (rustls::Error::AlertReceived(AlertDescription::HandshakeFailure), "handshake failure"),
            (rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType), "no TLS"),
            (
                rustls::Error::PeerIncompatible(PeerIncompatible::NoCipherSuitesInCommon),
                "TLS 1.2 or 1.3 is needed",
            ),
        ] {
            let failure = failed("https://a", &error);
            assert_eq!(crate::calls::class(&failure), "shut", "{error:?}");
            let message = failure.with_causes();
            assert!(
                message.starts_with("https://a: no safe connection: ")
                    && message.contains(expected),
                "{message}"
            );
            let is_of_library = ["Error", "InvalidCertificate", "peer certificate"];
            assert!(!is_of_library.iter().any(|word| message.contains(word)), "{message}");
        }
    }
}
