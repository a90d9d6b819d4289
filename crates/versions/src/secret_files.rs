//! Files whose text no answer contains: files that a flow reads as secrets, and the gateway's own files. A user who
//! draws a flow or writes a script can name any file that the gateway can read.
//!
//! A file is a secret if a flow says so: one that lay on the disk since the gateway started, or any version. A user
//! cannot reveal it by naming it in another flow that does not say so. A file that the flow on the disk reads as
//! something else is no secret, whatever a draft says.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The device and inode of a file. They identify it whatever path leads to it: a link, other letter case, another
/// mount.
pub(crate) type Identity = (u64, u64);

pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Returns the real path of the nearest ancestor of a file that exists, or of the file, and the rest of the path.
pub(crate) fn resolved(path: &Path) -> Option<(PathBuf, &Path)> {
    path.ancestors().find_map(|there| {
        // The empty path is the current folder.
        let here = if there.as_os_str().is_empty() { Path::new(".") } else { there };
        Some((here.canonicalize().ok()?, path.strip_prefix(there).unwrap_or(Path::new(""))))
    })
}

/// The known secrets of a gateway.
pub(crate) struct SecretFiles {
    /// The folders to which names in a flow file may be relative: its own, and that of a link to it.
    folders: BTreeSet<PathBuf>,
    state: PathBuf,
    secrets: Mutex<BTreeSet<PathBuf>>,
}

impl SecretFiles {
    pub(crate) fn of(flow: &Path, state: &Path) -> Self {
        let real = flow.canonicalize().unwrap_or_else(|_| flow.into());
        let folder = |flow: &Path| flow.parent().unwrap_or(Path::new("")).to_path_buf();
        SecretFiles {
            folders: BTreeSet::from([folder(flow), folder(&real)]),
            state: state.into(),
            secrets: Mutex::default(),
        }
    }

    /// Adds the files that a flow reads as secrets. The flow lies on the disk or is a version.
    pub(crate) fn learn(&self, text: &str) {
        let named = self.named(text);
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
    }

    fn named(&self, text: &str) -> BTreeSet<PathBuf> {
        let named = flow::drawing::secrets(text);
        let paths_in = |folder: &PathBuf| named.iter().map(|name| folder.join(name)).collect();
        self.folders.iter().flat_map(|folder| -> Vec<_> { paths_in(folder) }).collect()
    }

    /// Returns the guard of now. It also covers the secrets of `text`, which may be only a draft. A file in `open`,
    /// which the flow on the disk reads openly, is no secret unless that flow names it as a secret too.
    pub(crate) fn guard(&self, text: &str, on_disk: &str, open: &[PathBuf]) -> Guard {
        let identities = |paths: &BTreeSet<PathBuf>| -> HashSet<Identity> {
            paths.iter().filter_map(|path| identity(path)).collect()
        };
        let mut paths = self.secrets.lock().unwrap_or_else(PoisonError::into_inner).clone();
        paths.extend(self.named(text));
        let mut secrets = identities(&paths);
        let of_flow = identities(&self.named(on_disk));
        for open in open.iter().filter_map(|path| identity(path)) {
            if !of_flow.contains(&open) {
                secrets.remove(&open);
            }
        }
        let real = |path: &Path| path.canonicalize().ok();
        let folders =
            self.folders.iter().filter_map(|folder| match folder.as_os_str().is_empty() {
                true => real(Path::new(".")),
                false => real(folder),
            });
        Guard { secrets, state: identity(&self.state), folders: folders.collect() }
    }
}

/// Why a file is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WithheldFile {
    /// A flow names it as a secret.
    #[error("a flow reads it as a secret")]
    Secret,
    /// It lies in the state folder.
    #[error("it is the gateway's own")]
    Own,
}

/// The withheld files, as they are on the disk now.
pub(crate) struct Guard {
    secrets: HashSet<Identity>,
    state: Option<Identity>,
    folders: Vec<PathBuf>,
}

/// The gateway's own files. Beside a database are others with its name as prefix: `people.db-wal`.
const OWN_FILES: [&str; 10] = [
    "journal.db",
    "versions.db",
    "people.db",
    "history.db",
    "lock",
    "serve.lock",
    "socket",
    "socket.new",
    "sftp-host-key",
    "sftp-host-key.new",
];

/// The gateway's own folders: for input, output, the archive and traces.
const OWN_FOLDERS: [&str; 6] = ["in", "out", "dead", "sent", "archive", "trace"];

impl Guard {
    /// Returns why the file at a path is withheld; `None` if it is not.
    pub(crate) fn why(&self, path: &Path) -> Option<WithheldFile> {
        if identity(path).is_some_and(|file| self.secrets.contains(&file)) {
            return Some(WithheldFile::Secret);
        }
        let (real, rest) = resolved(path)?;
        let is_state = |folder: &&Path| self.state.is_some() && identity(folder) == self.state;
        let state = real.ancestors().find(is_state)?;
        let is_own = match self.folders.iter().any(|folder| folder.starts_with(state)) {
            true => self.is_own_by_name(state, &real.strip_prefix(state).ok()?.join(rest)),
            false => true,
        };
        is_own.then_some(WithheldFile::Own)
    }

    /// Returns whether a file in the state folder is the gateway's own, by its name. This matters if the flow lies there
    /// too.
    fn is_own_by_name(&self, state: &Path, beneath: &Path) -> bool {
        let first = beneath.iter().next().and_then(|name| name.to_str());
        let Some(first) = first else { return false };
        let has_flow = || self.folders.iter().any(|folder| folder.starts_with(state.join(first)));
        let beside = |own: &&str| {
            own.ends_with(".db") && first.strip_prefix(*own).is_some_and(|end| end.starts_with('-'))
        };
        let is_file = OWN_FILES.contains(&first) || OWN_FILES.iter().any(beside);
        is_file || (OWN_FOLDERS.contains(&first) && !has_flow())
    }
}
