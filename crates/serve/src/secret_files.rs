//! Files whose text no answer has: what a flow reads as a secret, and what is the gateway's own. Who draws a flow or writes a
//! script names files, and those may be any that the gateway can read.
//!
//! What is a secret is known by the flows that say so: those that lay on the disk since the gateway began, and all that are
//! versions. Whoever wants to see a secret would name it in a flow that does not. What the flow on the disk reads as something
//! else is none, whatever a draft said of it.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Tells a file from others, by whatever name it is reached: behind a link, in other letter cases, by another road.
type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// What is known to be withheld.
pub(crate) struct SecretFiles {
    /// Where names of a flow file may be seen from: its own folder, and that of a link to it.
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

    /// Notes what a flow that lies there, or is kept, reads as a secret.
    pub(crate) fn learn(&self, text: &str) {
        let named = self.named(text);
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
    }

    fn named(&self, text: &str) -> BTreeSet<PathBuf> {
        let named = flow::drawing::secrets(text);
        let seen_from = |folder: &PathBuf| named.iter().map(|name| folder.join(name)).collect();
        self.folders.iter().flat_map(|folder| -> Vec<_> { seen_from(folder) }).collect()
    }

    /// What is withheld now, also by the text of a flow that is no more than asked about. None of it is what the flow on the
    /// disk reads openly, unless that names it as a secret too.
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

/// Why nobody is shown a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WithheldFile {
    /// A flow names it as a secret.
    #[error("a flow reads it as a secret")]
    Secret,
    /// It lies in the folder of the state.
    #[error("it is the gateway's own")]
    Own,
}

/// What is withheld, as the files lie there now.
pub(crate) struct Guard {
    secrets: HashSet<Identity>,
    state: Option<Identity>,
    folders: Vec<PathBuf>,
}

/// The gateway's own files; beside a database lie others of its name: `people.db-wal`.
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

/// Its own folders: of what came in, goes out, was archived or traced.
const OWN_FOLDERS: [&str; 6] = ["in", "out", "dead", "sent", "archive", "trace"];

impl Guard {
    /// Why nobody is shown what a path leads to, if nobody is.
    pub(crate) fn why(&self, path: &Path) -> Option<WithheldFile> {
        if identity(path).is_some_and(|file| self.secrets.contains(&file)) {
            return Some(WithheldFile::Secret);
        }
        // Of what is not there the folder is asked in which it would be.
        let (real, rest) = path.ancestors().find_map(|there| {
            Some((there.canonicalize().ok()?, path.strip_prefix(there).unwrap_or(Path::new(""))))
        })?;
        let is_state = |folder: &&Path| self.state.is_some() && identity(folder) == self.state;
        let state = real.ancestors().find(is_state)?;
        let is_own = match self.folders.iter().any(|folder| folder.starts_with(state)) {
            true => self.is_own_by_name(state, &real.strip_prefix(state).ok()?.join(rest)),
            false => true,
        };
        is_own.then_some(WithheldFile::Own)
    }

    /// Where the flow lies in the folder of the state, not all there is the gateway's own.
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
