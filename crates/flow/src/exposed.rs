//! Secrets that every user of the machine may read. A warning only: the machine may have a single user.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use diagnostics::{Diagnostic, plain};

use crate::file::{CERTIFICATE, FlowFile, SecretFile, secrets};

/// Mode bits of other users: to read a file, and to pass through a folder.
const OTHERS_READ: u32 = 0o004;
const OTHERS_PASS: u32 = 0o001;

/// The marker of a private key in the same file as its certificate.
const PRIVATE_KEY: &[u8] = b"PRIVATE KEY-----";

/// Returns the warnings of a flow file.
pub fn warnings(file: &FlowFile) -> Vec<Diagnostic> {
    let exposed = secrets(&file.source.text).into_iter().filter(|secret| {
        let path = file.folder.join(&secret.file);
        let is_empty = fs::metadata(&path).is_ok_and(|found| found.len() == 0);
        !is_empty
            && is_open_to_others(&path)
            && (secret.key != CERTIFICATE || has_private_key(&path))
    });
    exposed.map(|secret| warning(file, &secret)).collect()
}

fn warning(file: &FlowFile, SecretFile { file: name, span, .. }: &SecretFile) -> Diagnostic {
    let message = format!("every user of this machine may read \"{name}\", which is a secret");
    let hint = format!("chmod o= {name}, if the gateway's user owns it or is in its group");
    Diagnostic::warning(&file.source, *span, message).hint(hint)
}

/// Returns whether all users may read a file and reach it; `false` if the file does not exist.
fn is_open_to_others(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let may = |path: &Path, what| fs::metadata(path).is_ok_and(|found| found.mode() & what != 0);
    may(&path, OTHERS_READ) && path.ancestors().skip(1).all(|folder| may(folder, OTHERS_PASS))
}

fn has_private_key(path: &Path) -> bool {
    let octets = plain::read(path, plain::TEXT_OCTETS_MAX).unwrap_or_default();
    octets.windows(PRIVATE_KEY.len()).any(|window| window == PRIVATE_KEY)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::file::parse;

    /// The folder of temporary files may be closed to other users.
    const EVERYBODYS_FOLDER: &str = "/tmp";

    #[test]
    fn a_secret_that_everybody_may_read_is_warned_of() {
        let folder = tempfile::tempdir_in(EVERYBODYS_FOLDER).unwrap();
        let write = |name: &str, mode: u32, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        write("open", 0o644, "secret");
        write("of-group", 0o640, "secret");
        write("certificate", 0o644, "-----BEGIN CERTIFICATE-----\n");
        write("both", 0o644, "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n");
        write("closed/open", 0o644, "secret");
        let closed = folder.path().join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        let exposed = |key: &str, name: &str| {
            let text = format!("[post-processing-system.x]\ndeliver = {{ {key} = \"{name}\" }}\n");
            let (file, _) = parse(&folder.path().join("flow.toml"), text, &[], None);
            let warnings = warnings(&file);
            warnings.iter().for_each(|warning| assert!(warning.message.contains(name)));
            warnings.len()
        };
        assert_eq!(exposed("password-file", "open"), 1);
        assert_eq!(exposed("certificate-file", "both"), 1);
        for (key, name) in [
            ("password-file", "of-group"),
            ("password-file", "closed/open"),
            ("password-file", "missing"),
            ("certificate-file", "certificate"),
            ("name", "open"),
        ] {
            assert_eq!(exposed(key, name), 0, "{key} {name}");
        }
    }
}
