//! The attributes of a file, from an SFTP server. Each may be omitted
//! (draft-ietf-secsh-filexfer-02, section 5), and is then unknown.

use std::time::{Duration, UNIX_EPOCH};

use russh_sftp::protocol::{File, FileAttributes};
use transport::{FarFile, FarKind};

use crate::mode;

/// The bits of the permissions that hold the file type (POSIX, `st_mode`), and their values.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Returns a file of a list. If its attributes do not tell the type, its line in the format of `ls -l` may.
pub(super) fn listed(file: &File) -> FarFile {
    let kind = match kind(&file.attrs) {
        FarKind::Unknown => mode::kind(&file.longname),
        kind => kind,
    };
    let mut listed = FarFile { name: file.filename.clone(), kind, octets: None, modified: None };
    complete(&mut listed, &file.attrs);
    listed
}

/// Returns whether an attribute is unknown that the server may report for the single file.
pub(super) fn is_incomplete(file: &FarFile) -> bool {
    file.kind == FarKind::Unknown || (file.kind == FarKind::File && file.octets.is_none())
}

/// Fills in unknown attributes of a file.
pub(super) fn complete(file: &mut FarFile, known: &FileAttributes) {
    if file.kind == FarKind::Unknown {
        file.kind = kind(known);
    }
    let modified = known.mtime.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds.into()));
    file.octets = file.octets.or(known.size);
    file.modified = file.modified.or(modified);
}

fn kind(known: &FileAttributes) -> FarKind {
    match known.permissions.map_or(0, |bits| bits & TYPE) {
        0 => FarKind::Unknown,
        REGULAR => FarKind::File,
        DIRECTORY => FarKind::Folder,
        _ => FarKind::Other,
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
            (Some(0o100_644), "", FarKind::File),
            (Some(0o040_755), "", FarKind::Folder),
            (Some(0o120_777), "", FarKind::Other),
            (Some(0o020_600), "", FarKind::Other),
            (Some(0o644), "", FarKind::Unknown),
            (None, "", FarKind::Unknown),
            (None, "-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 a.csv", FarKind::File),
            (Some(0o666), "drwxr-xr-x 1 cdr cdr 10 Nov 21 14:05 sub", FarKind::Folder),
            (Some(0o666), "lrwxrwxrwx 1 cdr cdr 10 Nov 21 14:05 link", FarKind::Other),
            (Some(0o666), "?rw-rw-rw- 1 cdr cdr 10 Nov 21 14:05 a.csv", FarKind::Unknown),
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
