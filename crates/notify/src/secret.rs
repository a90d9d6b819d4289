//! What nobody is shown: it lies in a file, which is read anew for each message, so that it may be changed at any time.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Octets of the longest secret; a file that is longer has none in it.
const OCTETS_MAX: u64 = 64 * 1024;

/// A secret, for whoever it is for.
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The file that has a secret.
#[derive(Clone, Debug)]
pub(crate) struct SecretFile(pub(crate) PathBuf);

impl SecretFile {
    /// What is in it, without the end of its line.
    pub(crate) fn read(&self) -> Result<Secret, String> {
        let text = text(&self.0, OCTETS_MAX)?;
        match text.trim_end_matches(['\r', '\n']) {
            "" => Err(format!("\"{}\" is empty", self.0.display())),
            secret => Ok(Secret(secret.to_owned())),
        }
    }
}

/// The text of a file that is not long.
pub(crate) fn text(path: &Path, octets_max: u64) -> Result<String, String> {
    let could_not = |error| format!("could not read \"{}\": {error}", path.display());
    let mut text = String::new();
    let file = File::open(path).map_err(could_not)?;
    file.take(octets_max + 1).read_to_string(&mut text).map_err(could_not)?;
    match text.len() as u64 > octets_max {
        true => Err(format!("\"{}\" is longer than {octets_max} octets", path.display())),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_line_of_a_file_and_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let secret = SecretFile(path.clone());
        assert!(secret.read().unwrap_err().starts_with("could not read"));
        std::fs::write(&path, "\n").unwrap();
        assert!(secret.read().unwrap_err().ends_with("is empty"));
        std::fs::write(&path, "hush\r\n").unwrap();
        assert_eq!(secret.read().unwrap().0, "hush");
        assert_eq!(format!("{:?}", secret.read()), "Ok(***)");
        std::fs::write(&path, vec![b'a'; OCTETS_MAX as usize + 1]).unwrap();
        assert!(secret.read().unwrap_err().ends_with("is longer than 65536 octets"));
    }
}
