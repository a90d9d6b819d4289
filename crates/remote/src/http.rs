//! Uploads to a receiver over HTTP: one `PUT` (or `POST`) per file, to the folder's address plus the file's name. The
//! receiver gets a file whole or not at all. A key that is the same for each attempt lets it recognise a repeated file
//! (`Idempotency-Key`), and `PUT` asks it not to replace another file (`If-None-Match: *`, RFC 9110, 13.1.2).

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use diagnostics::Diagnostic;
use percent_encoding::utf8_percent_encode;
use settings::Secret;
use sha2::{Digest as _, Sha256};
use transport::{
    Access, Digest, DigestWriter, Listing, Parcel, Place, PutMethod, RemoteConnection, RemoteError,
    RemoteFile, RemoteKind, Scheme,
};
use ureq::RequestBuilder;
use ureq::http::StatusCode;

use crate::fault::Fault;
use crate::web::{self, ESCAPED, No, Web, plain};

/// `https://host/folder`.
pub(crate) struct Http;

impl Scheme for Http {
    fn names(&self) -> &'static [&'static str] {
        &["http", "https"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["method", "token-file", "password", "password-file", "certificate-authority"]
    }

    fn place(&self, access: Access) -> Result<Box<dyn Place>, Diagnostic> {
        let address = &access.address;
        let says = |key: &&str| access.text(key).is_some();
        let has_password = ["password", "password-file"].iter().any(says);
        if has_password || says(&"token-file") {
            web::check_line(&access)?;
        }
        if has_password && says(&"token-file") {
            return Err(access.mistake("one secret is shown: a password or a token"));
        }
        if has_password != address.user.is_some() {
            let hint =
                "write \"https://user@host/folder\" and \"password-file\", or \"token-file\"";
            return Err(access.mistake("who has a password has a name").hint(hint));
        }
        if address.path.contains(['?', '#']) {
            return Err(access.mistake("the name of a file comes behind the address of a folder"));
        }
        let method = match access.text("method") {
            None | Some("PUT") => Method::Put,
            Some("POST") => Method::Post,
            Some(_) => return Err(access.mistake("\"method\" is \"PUT\" or \"POST\"")),
        };
        Ok(Box::new(HttpPlace { access, method }))
    }
}

/// The method that sends a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Put,
    Post,
}

#[derive(Debug)]
struct HttpPlace {
    access: Access,
    method: Method,
}

impl Place for HttpPlace {
    fn address(&self) -> String {
        self.access.address.to_string()
    }

    fn put_method(&self) -> PutMethod {
        PutMethod::Atomic
    }

    fn is_listed(&self) -> bool {
        false
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let address = &self.access.address;
        let (host, base) = web::host_and_base(address);
        let token = self.access.secret_file("token-file")?;
        let authorization = match (token, self.access.password()?, &address.user) {
            (Some(token), ..) => Some(format!("Bearer {}", token.reveal())),
            (None, Some(password), Some(user)) => {
                let both = format!("{user}:{}", password.reveal());
                Some(format!("Basic {}", BASE64.encode(both)))
            }
            _ => None,
        };
        let authorization = authorization.map(Secret::new);
        let web = Web::new(&self.access, host)?;
        Ok(Box::new(Receiver { web, authorization, base, method: self.method }))
    }
}

/// A receiver.
struct Receiver {
    web: Web,
    authorization: Option<Secret>,
    base: String,
    method: Method,
}

impl Receiver {
    fn url(&self, name: &str) -> Result<String, RemoteError> {
        Ok(format!("{}/{}", self.base, utf8_percent_encode(plain(name)?, ESCAPED)))
    }

    fn signed<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        match &self.authorization {
            Some(authorization) => request.header("Authorization", authorization.reveal()),
            None => request,
        }
    }

    /// Compares the receiver's file with the one to send, after the receiver answered that a file of this name exists,
    /// or that another request is in its way for now.
    fn compared(&mut self, name: &str, digest: Digest, refusal: No) -> Result<u64, RemoteError> {
        let mut there = DigestWriter::default();
        match self.fetch(name, &mut there) {
            Ok(_) if there.finish() == digest => Ok(digest.octets),
            Ok(_) => Err(RemoteError::Exists(name.into())),
            Err(RemoteError::NotThere(_)) => {
                Err(RemoteError::unavailable(Fault::Gone { file: name.to_owned() }))
            }
            Err(error @ RemoteError::Unavailable { .. }) => Err(error),
            Err(error) if error.may_pass() => Err(error),
            // The other request may be one of ours whose connection broke.
            Err(_) if refusal.status == StatusCode::CONFLICT => Err(refusal.error(name)),
            Err(_) => Err(RemoteError::refused(Fault::HttpNotCompared { file: name.to_owned() })),
        }
    }
}

impl RemoteConnection for Receiver {
    fn list(&mut self, _: &str) -> Result<Listing, RemoteError> {
        Err(RemoteError::shut(Fault::HttpNoList))
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        let response = self.signed(self.web.agent.head(self.url(name)?)).call();
        let answer = self.web.answered(name, response)?;
        if !answer.status().is_success() {
            return Err(No::of(answer).error(name));
        }
        let length = answer.headers().get("content-length").and_then(|length| length.to_str().ok());
        let octets = length.and_then(|length| length.parse().ok());
        Ok(RemoteFile { name: name.to_owned(), kind: RemoteKind::File, octets, modified: None })
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let response = self.signed(self.web.agent.get(self.url(name)?)).call();
        let answer = self.web.answered(name, response)?;
        match answer.status().is_success() {
            true => self.web.fetched(name, answer, to),
            false => Err(No::of(answer).error(name)),
        }
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        let url = self.url(name)?;
        let digest = Digest::of(parcel)?;
        let request = match self.method {
            Method::Put => self.web.agent.put(url).header("If-None-Match", "*"),
            Method::Post => self.web.agent.post(url),
        };
        let request = self
            .signed(request)
            .header("Content-Type", "application/octet-stream")
            .header("Idempotency-Key", format!("\"{}\"", key(name, digest)))
            .header("Repr-Digest", format!("sha-256=:{}:", BASE64.encode(digest.sha256)));
        let answer = self.web.send(name, request, parcel, digest.octets)?;
        if answer.status().is_success() {
            return Ok(digest.octets);
        }
        let no = No::of(answer);
        match (no.status.as_u16(), self.method) {
            (409 | 412, Method::Put) => self.compared(name, digest, no),
            (404 | 410, _) => {
                let (file, answer) = (name.to_owned(), no.status.to_string());
                Err(RemoteError::unavailable(Fault::HttpTakesNothing { file, answer }))
            }
            _ => Err(no.error(name)),
        }
    }

    fn rename(&mut self, from: &str, _: &str) -> Result<(), RemoteError> {
        Err(RemoteError::refused(Fault::HttpNoRename { file: from.to_owned() }))
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        let response = self.signed(self.web.agent.delete(self.url(name)?)).call();
        let answer = self.web.answered(name, response)?;
        if answer.status().is_success() { Ok(()) } else { Err(No::of(answer).error(name)) }
    }

    fn make_folder(&mut self, _: &str) -> Result<(), RemoteError> {
        Err(RemoteError::refused(Fault::HttpNoFolder))
    }
}

/// Returns the idempotency key: it is the same for each attempt to send a file, and differs between files.
fn key(name: &str, digest: Digest) -> String {
    let key = Sha256::new().chain_update(name).chain_update([0]).chain_update(digest.sha256);
    key.finalize().iter().map(|octet| format!("{octet:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_standard_says() {
        let escaped = utf8_percent_encode("a b/ü?#%.dat", ESCAPED).to_string();
        assert_eq!(escaped, "a%20b/%C3%BC%3F%23%25.dat");
    }
}
