//! The attributes of a file, from an SFTP server. Each may be omitted
//! (draft-ietf-secsh-filexfer-02, section 5), and is then unknown.

use std::time::{Duration, UNIX_EPOCH};

use russh_sftp::protocol::{File, FileAttributes};
use transport::{RemoteFile, RemoteKind};

use crate::mode;

/// The bits of the permissions that hold the file type (POSIX, `st_mode`), and their values.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Returns a file of a list. If its attributes do not tell the type, its line in the format of `ls -l` may.
pub(super) fn listed(file: &File) -> RemoteFile {
    let kind = match kind(&file.attrs) {
        RemoteKind::Unknown => mode::kind(&file.longname),
        kind => kind,
    };
    let mut listed = RemoteFile { name: file.filename.clone(), kind, octets: None, modified: None };
    complete(&mut listed, &file.attrs);
    listed
}

/// Returns whether an attribute is unknown that the server may report for the single file.
pub(super) fn is_incomplete(file: &RemoteFile) -> bool {
    file.kind == RemoteKind::Unknown || (file.kind == RemoteKind::File && file.octets.is_none())
}

/// Fills in unknown attributes of a file.
pub(super) fn complete(file: &mut RemoteFile, known: &FileAttributes) {
    if file.kind == RemoteKind::Unknown {
        file.kind = kind(known);
    }
    let modified = known.mtime.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds.into()));
    file.octets = file.octets.or(known.size);
    file.modified = file.modified.or(modified);
}

fn kind(known: &FileAttributes) -> RemoteKind {
    match known.permissions.map_or(0, |bits| bits & TYPE) {
        0 => RemoteKind::Unknown,
        REGULAR => RemoteKind::File,
        DIRECTORY => RemoteKind::Folder,
        _ => RemoteKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_unknown() {
        let attributes = |permissions, size| FileAttributes {
            permissions,
            size,
            mtime: None,
            ..FileAttributes::empty()
        };
        for (permissions, line, kind) in [
            (Some(0o100_644), "", RemoteKind::File),
            (Some(0o040_755), "", RemoteKind::Folder),
            (Some(0o120_777), "", RemoteKind::Other),
            (Some(0o020_600), "", RemoteKind::Other),
            (Some(0o644), "", RemoteKind::Unknown),
            (None, "", RemoteKind::Unknown),
            (None, "-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 a.csv", RemoteKind::File),
            (Some(0o666), "drwxr-xr-x 1 cdr cdr 10 Nov 21 14:05 sub", RemoteKind::Folder),
            (Some(0o666), "lrwxrwxrwx 1 cdr cdr 10 Nov 21 14:05 link", RemoteKind::Other),
            (Some(0o666), "?rw-rw-rw- 1 cdr cdr 10 Nov 21 14:05 a.csv", RemoteKind::Unknown),
        ] {
            let attrs = attributes(permissions, None);
            let file = File { filename: "a".into(), longname: line.into(), attrs };
            let known = listed(&file);
            assert_eq!((known.kind, known.octets), (kind, None), "{permissions:?} {line}");
        }
        let attrs = attributes(None, Some(0));
        let file = File { filename: "a".into(), longname: String::new(), attrs };
        assert_eq!(listed(&file).octets, Some(0), "nothing is not unknown");
    }
}
