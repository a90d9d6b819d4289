//! What nobody is shown. A secret comes from the environment, which a flow file asks by "${NAME}", or lies in a file beside
//! the flow file. That is read each time it is needed, so that it may be changed at any time.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Source, plain};

use crate::{Setting, Settings};

/// Octets of the file of a secret, which a token may be; what is longer has none in it.
const SECRET_OCTETS_MAX: u64 = 64 * 1024;

/// Octets of the certificates of those by whom machines are known, at most.
const CERTIFICATES_OCTETS_MAX: u64 = 1 << 20;

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

/// Why there is no secret, or no certificate.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("could not read \"{}\": {why}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// It has more in it than it should.
    #[error("\"{}\" is longer than {octets_max} octets", .path.display())]
    Long {
        /// The file.
        path: PathBuf,
        /// How many there may be.
        octets_max: u64,
    },
    /// There is nothing in the file.
    #[error("\"{}\" is empty", .0.display())]
    EmptyFile(PathBuf),
    /// There is nothing in the environment.
    #[error("the secret is empty")]
    Empty,
}

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// The environment, which had it when the flow file was read.
    Environment(Secret),
    /// The first line of a file.
    File(PathBuf),
}

impl SecretSource {
    /// The secret as it is now.
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

/// The text of a file of certificates.
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
    /// The secret of a name: `NAME = "${VARIABLE}"`, or `NAME-file = "FILE"`.
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

    /// The secret in the file that a key names.
    pub fn secret_file(&self, key: &str) -> Option<SecretSource> {
        self.get(key).map(|setting| SecretSource::File(self.path(setting)))
    }

    /// A mistake at a value that may have a secret in it, which is not shown.
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
