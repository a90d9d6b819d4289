//! Passwords, tokens and keys. A settings file never contains one: it names an environment variable as "${NAME}", or a file
//! that contains the secret. The file is read each time the secret is needed, so that it can be changed at any time.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Source, plain};

use crate::{Setting, Settings};

/// Most octets of a file with a secret. Tokens are the longest, and far shorter; a larger file is another one, named by mistake.
const SECRET_OCTETS_MAX: u64 = 64 * 1024;

/// Most octets of a file of certificates. The bundle of all public authorities has about 200 kB.
const CERTIFICATES_OCTETS_MAX: u64 = 1 << 20;

/// A text that is never shown: [`Debug`](fmt::Debug) prints `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: String) -> Self {
        Secret(text)
    }

    /// Returns the text. Give it only to the other side of a connection, never to a log or a message.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Why a secret, or a file of certificates, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file could not be opened or read, or is not text.
    #[error("could not read \"{}\": {why}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// The file is too long.
    #[error("\"{}\" is longer than {octets_max} octets", .path.display())]
    Long {
        /// The file.
        path: PathBuf,
        /// The limit, in octets.
        octets_max: u64,
    },
    /// The first line of the file is empty.
    #[error("\"{}\" is empty", .0.display())]
    EmptyFile(PathBuf),
    /// The environment variable is empty.
    #[error("the secret is empty")]
    Empty,
}

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// An environment variable, with the value it had when the settings file was read.
    Environment(Secret),
    /// The first line of a file.
    File(PathBuf),
}

impl SecretSource {
    /// Reads the secret. A file is read again each time.
    pub fn read(&self) -> Result<Secret, SecretError> {
        match self {
            SecretSource::Environment(secret) if secret.0.is_empty() => Err(SecretError::Empty),
            SecretSource::Environment(secret) => Ok(secret.clone()),
            SecretSource::File(path) => {
                let text = read(path, SECRET_OCTETS_MAX)?;
                match text.lines().next().unwrap_or_default() {
                    "" => Err(SecretError::EmptyFile(path.clone())),
                    secret => Ok(Secret(secret.to_owned())),
                }
            }
        }
    }
}

/// Reads a file of certificates in PEM. Fails if the file cannot be read or is too long.
pub fn certificates(path: &Path) -> Result<String, SecretError> {
    read(path, CERTIFICATES_OCTETS_MAX)
}

fn read(path: &Path, octets_max: u64) -> Result<String, SecretError> {
    let unread = |why| SecretError::Unread { path: path.to_owned(), why };
    plain::read_text(path, octets_max).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => SecretError::Long { path: path.to_owned(), octets_max },
        _ => unread(why),
    })
}

impl Settings {
    /// Returns where the secret `name` comes from: `NAME = "${VARIABLE}"`, or `NAME-file = "FILE"`. Returns `None` if neither is
    /// there. Both at once are an error, and so is a secret that stands in the file itself.
    pub fn secret(&self, name: &str) -> Result<Option<SecretSource>, Diagnostic> {
        let key = format!("{name}-file");
        let written = match (self.get(name), self.get(&key)) {
            (None, None) => return Ok(None),
            (None, Some(file)) => return Ok(Some(SecretSource::File(self.path(file)))),
            (Some(_), Some(file)) => {
                let message = format!("either \"{name}\" or \"{key}\", not both");
                return Err(self.error(file, message));
            }
            (Some(written), None) => written,
        };
        let text = &self.source.text[written.span.start as usize..written.span.end as usize];
        let variable = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        if variable.is_none_or(|variable| variable.contains(['$', '{', '}'])) {
            let own = name.rsplit('.').next().unwrap_or(name);
            let message = format!("a {own} does not stand in a flow file, which others read too");
            let hint = format!(
                "name a file that has it with \"{own}-file\", or write \"${{VARIABLE}}\" for that of the environment"
            );
            return Err(self.error_unseen(written, message).hint(hint));
        }
        Ok(Some(SecretSource::Environment(Secret(written.value.clone()))))
    }

    /// Returns the secret in the file that `key` names, if the key is there.
    pub fn secret_file(&self, key: &str) -> Option<SecretSource> {
        self.get(key).map(|setting| SecretSource::File(self.path(setting)))
    }

    /// Makes an error at a value that may contain a secret. The excerpt of the file shows asterisks in its place.
    pub fn error_unseen(&self, setting: &Setting, message: impl Into<String>) -> Diagnostic {
        let Settings { source, .. } = self;
        let (start, end) = (setting.span.start as usize, setting.span.end as usize);
        let text = [&source.text[..start], &"*".repeat(end - start), &source.text[end..]].concat();
        Diagnostic::error(&Source::new(source.name.clone(), text), setting.span, message)
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Span;

    use super::*;

    #[test]
    fn a_secret_is_the_first_line_of_a_file_and_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let secret = SecretSource::File(path.clone());
        let refused = || secret.read().unwrap_err().to_string();
        assert!(refused().starts_with("could not read"));
        for (text, read) in [("hush", "hush"), ("hush\r\n", "hush"), ("hush \nmore\n", "hush ")] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(secret.read().unwrap().reveal(), read);
        }
        assert_eq!(format!("{:?}", secret.read()), "Ok(***)");
        std::fs::write(&path, "\n").unwrap();
        assert!(refused().ends_with("is empty"));
        std::fs::write(&path, vec![b'a'; SECRET_OCTETS_MAX as usize + 1]).unwrap();
        assert!(refused().ends_with("is longer than 65536 octets"));
        let nothing = SecretSource::Environment(Secret::new(String::new()));
        assert_eq!(nothing.read().unwrap_err().to_string(), "the secret is empty");
    }

    #[test]
    fn a_secret_does_not_stand_in_a_flow_file() {
        for (written, is_taken) in [
            ("${NAME}", true),
            ("hush", false),
            ("${A}${B}", false),
            ("x${A}", false),
            ("${A}x", false),
            ("$A", false),
        ] {
            let settings = Settings {
                name: "deliver".into(),
                span: Span::default(),
                source: Source::new("flow.toml".to_owned(), written.to_owned()),
                folder: ".".into(),
                values: vec![Setting {
                    key: "accept.password".into(),
                    value: "open".into(),
                    span: Span { start: 0, end: written.len() as u32 },
                }],
            };
            match settings.secret("accept.password") {
                Ok(Some(secret)) => assert!(is_taken && secret.read().unwrap().reveal() == "open"),
                Ok(None) => unreachable!(),
                Err(mistake) => {
                    let shown = mistake.to_string();
                    assert!(!is_taken && shown.contains("a password does not stand"), "{shown}");
                    assert!(!shown.contains(written) || written.len() < 3, "{shown}");
                }
            }
        }
    }
}
