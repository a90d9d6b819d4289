//! A remote place that hides secrets in its messages. The path of its address may come from the
//! environment, and a server may repeat in its answer what it was sent.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::access::Access;
use crate::address::decoded;
use crate::remote::{
    Listing, Parcel, Place, PutMethod, RecordComponent, RemoteConnection, RemoteError, RemoteFile,
};

/// The settings that name files with secrets, besides the password.
const SECRETS: [&str; 3] = ["token-file", "secret-key-file", "key-passphrase-file"];

/// The minimum length of a hidden text, in characters. Shorter ones occur in too many other words.
const CHARACTERS_MIN: usize = 4;

/// The replacement of a secret.
const HIDDEN: &str = "***";

/// The secret texts, and their replacements.
#[derive(Clone, Debug, Default)]
struct Redactions(Vec<(String, String)>);

impl Redactions {
    /// Hides the environment variables in the path of an address in a flow file, and those that
    /// contain a path. The host is no secret.
    fn in_path(written: &str) -> Self {
        let mut redactions = Redactions::default();
        let host = written.find("://").map_or(0, |at| at + "://".len());
        for (at, _) in written.match_indices("${") {
            let Some((name, _)) = written[at + 2..].split_once('}') else { continue };
            let Ok(value) = std::env::var(name) else { continue };
            let is_in_path = written[host..].find('/').is_some_and(|slash| host + slash < at);
            if is_in_path || value.contains('/') {
                redactions.hide_variable(name, value);
            }
        }
        redactions
    }

    /// Hides a variable, also with its %XX decoded, as addresses are shown.
    fn hide_variable(&mut self, name: &str, value: String) {
        let shown = format!("${{{name}}}");
        if let Ok(decoded) = decoded(&value)
            && decoded != value
        {
            self.hide(decoded, shown.clone());
        }
        self.hide(value, shown);
    }

    fn hide(&mut self, text: String, shown: String) {
        if text.chars().count() >= CHARACTERS_MIN {
            self.0.push((text, shown));
            // Longest first, since one text may begin with another.
            self.0.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
    }

    /// Adds the current secrets of a place.
    fn with_secrets(mut self, access: &Access) -> Self {
        // If a secret cannot be read, the code that uses it reports the error.
        let files = SECRETS.iter().filter_map(|key| access.secret_file(key).ok().flatten());
        for secret in files.chain(access.password().ok().flatten()) {
            let user = access.address.user.as_deref().unwrap_or_default();
            let both = BASE64.encode(format!("{user}:{}", secret.reveal()));
            self.hide(both, HIDDEN.to_owned());
            self.hide(secret.reveal().to_owned(), HIDDEN.to_owned());
        }
        self
    }

    fn apply(&self, message: &str) -> String {
        let hide = |message: String, (text, shown): &(String, String)| message.replace(text, shown);
        self.0.iter().fold(message.to_owned(), hide)
    }

    fn apply_to_error(&self, error: RemoteError) -> RemoteError {
        let reason = error.reason();
        let hidden = reason.clone().with_values(|value| self.apply(value));
        match error {
            error if hidden == reason => error,
            RemoteError::Passing { after, .. } => {
                RemoteError::Passing { what: hidden, after, cause: None }
            }
            RemoteError::Broken { .. } => RemoteError::Broken { what: hidden, cause: None },
            RemoteError::Unavailable { after, .. } => {
                RemoteError::Unavailable { what: hidden, after }
            }
            RemoteError::Shut(_) => RemoteError::Shut(hidden),
            RemoteError::Forbidden(_) => RemoteError::Forbidden(hidden),
            RemoteError::Refused(_) => RemoteError::Refused(hidden),
            // The name may be the address of a folder.
            RemoteError::NotThere(name) => RemoteError::NotThere(self.apply(&name)),
            // The name is the gateway's own, and so are the local files.
            error @ (RemoteError::Exists(_) | RemoteError::Here(_)) => error,
        }
    }
}

/// A place that hides secrets in its messages.
#[derive(Debug)]
pub(crate) struct RedactedPlace {
    place: Box<dyn Place>,
    access: Access,
    redactions: Redactions,
}

impl RedactedPlace {
    /// Wraps a place; `written` is its address in the flow file.
    pub(crate) fn new(place: Box<dyn Place>, access: Access, written: &str) -> Self {
        RedactedPlace { place, access, redactions: Redactions::in_path(written) }
    }
}

impl Place for RedactedPlace {
    fn address(&self) -> String {
        self.place.address()
    }

    fn shown(&self) -> String {
        self.redactions.apply(&self.place.shown())
    }

    fn put_method(&self) -> PutMethod {
        self.place.put_method()
    }

    fn is_listed(&self) -> bool {
        self.place.is_listed()
    }

    fn record_components(&self) -> &'static [RecordComponent] {
        self.place.record_components()
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let redactions = self.redactions.clone().with_secrets(&self.access);
        match self.place.connect() {
            Ok(remote) => Ok(Box::new(RedactedConnection { remote, redactions })),
            Err(error) => Err(redactions.apply_to_error(error)),
        }
    }
}

/// A connection that hides secrets in its errors.
struct RedactedConnection {
    remote: Box<dyn RemoteConnection>,
    redactions: Redactions,
}

impl RemoteConnection for RedactedConnection {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        self.remote.list(folder).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        self.remote.stat(name).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        self.remote.fetch(name, to).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        self.remote.put(name, parcel).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        self.remote.rename(from, to).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        self.remote.remove(name).map_err(|error| self.redactions.apply_to_error(error))
    }

    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError> {
        self.remote.make_folder(name).map_err(|error| self.redactions.apply_to_error(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::LocalFault;

    #[test]
    fn secrets_are_replaced_in_errors() {
        let mut redactions = Redactions::default();
        redactions.hide("geheim".into(), HIDDEN.into());
        redactions.hide("geheimer".into(), "${NAME}".into());
        redactions.hide("abc".into(), HIDDEN.into());
        let shown = |error| redactions.apply_to_error(error).with_causes();
        let answer = |text: &str| LocalFault::Local { path: text.into() };
        assert_eq!(
            shown(RemoteError::shut(answer("not geheimer than geheim, abc"))),
            "\"not ${NAME} than ***, abc\""
        );
        let by = |cause: &'static str| shown(RemoteError::passing_by(answer("it broke"), cause));
        assert_eq!(by("at geheim"), "\"it broke\": at ***");
        assert_eq!(by("there"), "\"it broke\": there");
        let secret = RemoteError::passing_by(answer("it broke"), "at geheim");
        let reason = redactions.apply_to_error(secret).reason();
        assert_eq!(reason.code(), "remote-local");
        let values: Vec<_> = reason.parameters().collect();
        assert_eq!(values, [("path", "it broke"), ("cause", "at ***")]);
    }

    #[test]
    fn a_variable_is_hidden_encoded_and_decoded() {
        let mut redactions = Redactions::default();
        redactions.hide_variable("PATH_IN", "ge%20heim".into());
        assert_eq!(redactions.apply("at /ge%20heim or /ge heim"), "at /${PATH_IN} or /${PATH_IN}");
    }

    #[test]
    fn a_variable_is_hidden_in_the_path_of_an_address_and_not_in_its_host() {
        let name = "CARGO_PKG_NAME";
        let value = std::env::var(name).unwrap();
        let shown = |written: &str| {
            Redactions::in_path(written).apply(&written.replace(&format!("${{{name}}}"), &value))
        };
        for written in ["https://host/in/${CARGO_PKG_NAME}/x", "sftp://host/${CARGO_PKG_NAME}"] {
            assert_eq!(shown(written), written);
        }
        assert_eq!(shown("sftp://${CARGO_PKG_NAME}/in"), format!("sftp://{value}/in"));
    }
}
