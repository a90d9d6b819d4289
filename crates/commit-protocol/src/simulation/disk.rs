//! A disk as a program may count on it, and no better: contents are on it when the file was synced, names when their
//! folder was. Until then a power cut leaves any of the changes and not the others.

use super::choices::Choices;

/// The folder inputs are put into. Those of the systems are behind it.
pub(super) const INPUTS: u8 = 0;

/// The name of a file, with its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    pub(super) folder: u8,
    pub(super) file: u8,
    pub(super) form: Form,
}

/// What a name begins or ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Plain,
    Hidden,
    /// With the number of those before of the same name.
    Done(u8),
    Duplicate(u8),
}

/// What is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Not all that was to be written.
    Torn,
    Whole(u8),
}

#[derive(Debug)]
struct File {
    now: Contents,
    /// What a power cut leaves; unless it leaves something else that was written since.
    synced: Contents,
    /// A sync failed: the system believes that it has written what it has not.
    lost: bool,
    written_at: u32,
}

type FileId = usize;

/// A change of the names in a folder.
#[derive(Clone, Copy, Debug)]
enum Change {
    Put(Path, FileId),
    Rename(Path, Path, FileId),
    Remove(Path, FileId),
}

#[derive(Debug, Default)]
struct Folder {
    now: Names,
    synced: Names,
    /// Made since it was synced.
    changes: Vec<Change>,
    /// So many of them are those of a sync that failed: without another change, the next has nothing to write.
    lost: usize,
}

#[derive(Clone, Debug, Default)]
struct Names(Vec<(Path, FileId)>);

impl Names {
    fn file(&self, path: Path) -> Option<FileId> {
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

    /// Puts an input there, as one does who sees to it that it stays.
    pub(super) fn put_in(&mut self, path: Path, contents: Contents, written_at: u32) {
        self.files.push(File { now: contents, synced: contents, lost: false, written_at });
        self.change(path.folder, Change::Put(path, self.files.len() - 1));
        self.sync_folder(path.folder);
    }

    /// Begins a file, in the place of one that is there.
    pub(super) fn create_anew(&mut self, path: Path) -> FileId {
        self.remove(path);
        let torn = Contents::Torn;
        self.files.push(File { now: torn, synced: torn, lost: false, written_at: 0 });
        self.change(path.folder, Change::Put(path, self.files.len() - 1));
        self.files.len() - 1
    }

    /// Begins a file; one that is there becomes empty.
    pub(super) fn create(&mut self, path: Path) -> FileId {
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

    /// As `runtime::durable::touch_folder`.
    pub(super) fn touch_folder(&mut self, folder: u8) {
        let folder = &mut self.folders[usize::from(folder)];
        folder.lost = folder.lost.saturating_sub(1);
    }

    pub(super) fn rename(&mut self, from: Path, to: Path) {
        let file = self.folders[usize::from(from.folder)].now.file(from).expect("it is there");
        self.change(from.folder, Change::Rename(from, to, file));
    }

    pub(super) fn remove(&mut self, path: Path) {
        if let Some(file) = self.folders[usize::from(path.folder)].now.file(path) {
            self.change(path.folder, Change::Remove(path, file));
        }
    }

    fn change(&mut self, folder: u8, change: Change) {
        let folder = &mut self.folders[usize::from(folder)];
        folder.now.change(change);
        folder.changes.push(change);
    }

    pub(super) fn contents(&self, path: Path) -> Option<Contents> {
        let file = self.folders[usize::from(path.folder)].now.file(path)?;
        Some(self.files[file].now)
    }

    pub(super) fn written_at(&self, path: Path) -> Option<u32> {
        let file = self.folders[usize::from(path.folder)].now.file(path)?;
        Some(self.files[file].written_at)
    }

    /// All names in a folder.
    pub(super) fn names(&self, folder: u8) -> impl Iterator<Item = Path> {
        self.folders[usize::from(folder)].now.0.iter().map(|(path, _)| *path)
    }

    /// Of what was not synced, each change has reached the disk or not.
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
