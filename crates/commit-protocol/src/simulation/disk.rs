//! A disk that guarantees only what a program may rely on: contents survive if the file was synced, names if their
//! folder was. Without a sync, each change survives a power cut or not, independently of the others.

use super::choices::Choices;

/// The folder of inputs. The folders of the systems follow it.
pub(super) const INPUTS: u8 = 0;

/// The name of a file, with its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SimulatedPath {
    pub(super) folder: u8,
    pub(super) file: u8,
    pub(super) form: Form,
}

/// The prefix or suffix of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Plain,
    Hidden,
    /// With the number of earlier files with the same name.
    Done(u8),
    Duplicate(u8),
}

/// The contents of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Written incompletely.
    Torn,
    Whole(u8),
}

#[derive(Debug)]
struct File {
    now: Contents,
    /// The contents after a power cut, unless a later write survives it.
    synced: Contents,
    /// Whether a sync failed: the system then believes that the contents are written.
    lost: bool,
    written_at: u32,
}

type FileId = usize;

/// A change of the names in a folder.
#[derive(Clone, Copy, Debug)]
enum Change {
    Put(SimulatedPath, FileId),
    Rename(SimulatedPath, SimulatedPath, FileId),
    Remove(SimulatedPath, FileId),
}

#[derive(Debug, Default)]
struct Folder {
    now: Names,
    synced: Names,
    /// The changes since the last sync.
    changes: Vec<Change>,
    /// The number of changes of a failed sync: without another change, the next sync has nothing to write.
    lost: usize,
}

#[derive(Clone, Debug, Default)]
struct Names(Vec<(SimulatedPath, FileId)>);

impl Names {
    fn file(&self, path: SimulatedPath) -> Option<FileId> {
        self.0.iter().find(|(name, _)| *name == path).map(|(_, file)| *file)
    }

    fn change(&mut self, change: Change) {
        let (from, to) = match change {
            Change::Put(to, file) => (None, Some((to, file))),
            Change::Rename(from, to, file) => (Some((from, file)), Some((to, file))),
            Change::Remove(from, file) => (Some((from, file)), None),
        };
        self.0.retain(|name| Some(*name) != from && to.is_none_or(|(to, _)| name.0 != to));
        self.0.extend(to);
    }
}

#[derive(Debug)]
pub(super) struct Disk {
    files: Vec<File>,
    folders: Vec<Folder>,
}

impl Disk {
    pub(super) fn new(systems: u8) -> Self {
        let folders = (0..=systems).map(|_| Folder::default()).collect();
        Disk { files: Vec::new(), folders }
    }

    /// Adds an input, and syncs its folder.
    pub(super) fn put_in(&mut self, path: SimulatedPath, contents: Contents, written_at: u32) {
        self.files.push(File { now: contents, synced: contents, lost: false, written_at });
        self.change(path.folder, Change::Put(path, self.files.len() - 1));
        self.sync_folder(path.folder);
    }

    /// Creates a file, and removes an existing one with that name.
    pub(super) fn create_anew(&mut self, path: SimulatedPath) -> FileId {
        self.remove(path);
        let torn = Contents::Torn;
        self.files.push(File { now: torn, synced: torn, lost: false, written_at: 0 });
        self.change(path.folder, Change::Put(path, self.files.len() - 1));
        self.files.len() - 1
    }

    /// Creates a file. An existing one is truncated.
    pub(super) fn create(&mut self, path: SimulatedPath) -> FileId {
        match self.folders[usize::from(path.folder)].now.file(path) {
            Some(file) => {
                self.files[file].now = Contents::Torn;
                self.files[file].lost = false;
                file
            }
            None => self.create_anew(path),
        }
    }

    pub(super) fn write(&mut self, file: FileId, contents: Contents) {
        self.files[file].now = contents;
    }

    pub(super) fn sync(&mut self, file: FileId) {
        let file = &mut self.files[file];
        if !file.lost {
            file.synced = file.now;
        }
    }

    pub(super) fn sync_fails(&mut self, file: FileId) {
        self.files[file].lost = true;
    }

    pub(super) fn sync_folder(&mut self, folder: u8) {
        let folder = &mut self.folders[usize::from(folder)];
        if folder.changes.len() > folder.lost {
            folder.changes.clear();
            folder.lost = 0;
            folder.synced.0.clone_from(&folder.now.0);
        }
    }

    pub(super) fn sync_of_folder_fails(&mut self, folder: u8) {
        let folder = &mut self.folders[usize::from(folder)];
        folder.lost = folder.changes.len();
    }

    /// Like `runtime::durable::touch_folder`.
    pub(super) fn touch_folder(&mut self, folder: u8) {
        let folder = &mut self.folders[usize::from(folder)];
        folder.lost = folder.lost.saturating_sub(1);
    }

    pub(super) fn rename(&mut self, from: SimulatedPath, to: SimulatedPath) {
        let file = self.folders[usize::from(from.folder)].now.file(from).expect("it is there");
        self.change(from.folder, Change::Rename(from, to, file));
    }

    pub(super) fn remove(&mut self, path: SimulatedPath) {
        if let Some(file) = self.folders[usize::from(path.folder)].now.file(path) {
            self.change(path.folder, Change::Remove(path, file));
        }
    }

    fn change(&mut self, folder: u8, change: Change) {
        let folder = &mut self.folders[usize::from(folder)];
        folder.now.change(change);
        folder.changes.push(change);
    }

    pub(super) fn contents(&self, path: SimulatedPath) -> Option<Contents> {
        let file = self.folders[usize::from(path.folder)].now.file(path)?;
        Some(self.files[file].now)
    }

    pub(super) fn written_at(&self, path: SimulatedPath) -> Option<u32> {
        let file = self.folders[usize::from(path.folder)].now.file(path)?;
        Some(self.files[file].written_at)
    }

    /// Returns all names in a folder.
    pub(super) fn names(&self, folder: u8) -> impl Iterator<Item = SimulatedPath> {
        self.folders[usize::from(folder)].now.0.iter().map(|(path, _)| *path)
    }

    /// Cuts the power: each unsynced change has reached the disk or not.
    pub(super) fn power_cut(&mut self, choices: &mut Choices) {
        for folder in &mut self.folders {
            folder.lost = 0;
            for change in folder.changes.drain(..) {
                if choices.pick(2) == 1 {
                    folder.synced.change(change);
                }
            }
            folder.now.0.clone_from(&folder.synced.0);
        }
        for (place, file) in self.files.iter_mut().enumerate() {
            let is_named = |folder: &Folder| folder.now.0.iter().any(|(_, file)| *file == place);
            if file.now != file.synced && self.folders.iter().any(is_named) {
                let torn = [file.synced, file.now, Contents::Torn];
                let torn_too = file.now != Contents::Torn && file.synced != Contents::Torn;
                file.now = torn[choices.pick(if torn_too { 3 } else { 2 })];
            }
            file.synced = file.now;
            file.lost = false;
        }
    }
}
