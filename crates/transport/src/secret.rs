//! Secrets: read from a file or from the environment, and shown to nobody.

use std::fmt;
use std::fs;

use diagnostics::Diagnostic;
use node::Settings;

/// Most octets of a file that holds a secret. Longer ones hold something else.
const OCTETS_MAX: usize = 4096;

/// A password or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text of it, for who is to prove that he knows it, or to be compared with.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The secret that settings give: `NAME-file` is a file whose first line it is, `NAME` is `${VARIABLE}`. One that
    /// stands in the flow file itself is a mistake.
    pub fn read(settings: &Settings, name: &str) -> Result<Option<Self>, Diagnostic> {
        let key = format!("{name}-file");
        let (written, file) = (settings.get(name), settings.get(&key));
        match (written, file) {
            (None, None) => Ok(None),
            (Some(_), Some(file)) => {
                Err(settings.error(file, format!("either \"{name}\" or \"{key}\", not both")))
            }
            (Some(written), None) => {
                let text = &settings.source.text;
                let text = &text[written.span.start as usize..written.span.end as usize];
                if !text.trim_matches('"').starts_with("${") {
                    let message = "a secret does not stand in a flow file, which others read too";
                    let own = name.rsplit('.').next().unwrap_or(name);
                    let hint = format!("write {own}-file = \"FILE\" or {own} = \"${{VARIABLE}}\"");
                    return Err(settings.error(written, message).hint(hint));
                }
                Self::of(&written.value)
                    .map(Some)
                    .map_err(|why| settings.error(written, format!("the variable {why}")))
            }
            (None, Some(file)) => {
                let path = settings.path(file);
                let text = fs::read_to_string(&path).map_err(|error| {
                    settings.error(file, format!("cannot read \"{}\": {error}", path.display()))
                })?;
                let secret = Self::of(text.lines().next().unwrap_or(""));
                let told =
                    |why| settings.error(file, format!("the file \"{}\" {why}", path.display()));
                secret.map(Some).map_err(told)
            }
        }
    }

    fn of(text: &str) -> Result<Self, &'static str> {
        match text.len() {
            0 => Err("has no secret in it"),
            1..=OCTETS_MAX => Ok(Secret(text.to_owned())),
            _ => Err("has more in it than a secret is long"),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_never_shown() {
        assert_eq!(format!("{:?}", Some(Secret::new("sesame"))), "Some(***)");
    }
}
