//! An SFTP session of a pushing client, from its first request to its last.
//!
//! The client puts files, renames those that the gateway does not collect yet, lists files, and may resume an
//! interrupted upload. It cannot read: a pushed file belongs to the gateway.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use reason::Reason;
use russh_sftp::protocol::{
    Attrs, FileAttributes, FileMode, Handle, Name, OpenFlags, Packet, Status, StatusCode, Version,
};
use russh_sftp::server::{Handler, StatusReply};
use tokio::task::block_in_place;
use transport::{Account, Accounts, is_temporary};

use super::limits;
use super::root::{Attributes, Inside, NOT_COLLECTED, Refused, Root};
use super::upload::{Begin, Finished, Upload, broken_off};

/// The maximum number of files and folders that a session has open at once.
const OPEN_MAX: usize = 32;

/// The number of names in one answer.
const NAMES_MAX: usize = 100;

/// The pushed files whose attributes a session still reports after the gateway has taken them.
const PUSHED_MAX: usize = 1000;

type Answer<T> = Result<T, StatusReply>;

/// A session.
#[derive(Debug)]
pub(super) struct Visit {
    account: Arc<Account>,
    accounts: Arc<Accounts>,
    root: Arc<Root>,
    open: HashMap<String, Open>,
    /// The number of files opened so far.
    opened: u64,
    /// The pushed files and their sizes: many clients check the size at the end.
    pushed: VecDeque<(Inside, Attributes)>,
}

#[derive(Debug)]
enum Open {
    Upload(Inside, Box<Upload>),
    Folder(std::vec::IntoIter<(String, Attributes)>),
}

impl Visit {
    pub(super) fn new(account: Arc<Account>, accounts: Arc<Accounts>, root: Root) -> Self {
        Visit {
            account,
            accounts,
            root: Arc::new(root),
            open: HashMap::new(),
            opened: 0,
            pushed: VecDeque::new(),
        }
    }

    /// Runs an operation on the disk, and logs why it failed.
    fn act<T>(
        &mut self,
        what: &str,
        path: &str,
        act: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Answer<T> {
        block_in_place(|| act(self)).map_err(|refused| {
            let Account { network_element, .. } = &*self.account;
            match &refused {
                Refused::Missing => {}
                Refused::Io(error) => tracing::error!(
                    network_element = %network_element, file = %shown(path),
                    "{network_element}: could not {what} \"{}\": {error}", shown(path)
                ),
                refused => tracing::warn!(
                    network_element = %network_element, file = %shown(path),
                    "{network_element}: to {what} \"{}\" was refused: {refused} ({})",
                    shown(path), Reason::of(refused).code()
                ),
            }
            reply(&refused)
        })
    }

    fn handle(&mut self, open: Open) -> Result<String, Refused> {
        self.opened += 1;
        let handle = self.opened.to_string();
        self.open.insert(handle.clone(), open);
        Ok(handle)
    }

    fn may_open(&self) -> Result<(), Refused> {
        match () {
            () if self.open.len() >= OPEN_MAX => Err(Refused::TooMuch("too many files are open")),
            () if !self.accounts.has(&self.account) => {
                Err(Refused::Forbidden("the flow has changed: log in again"))
            }
            () => Ok(()),
        }
    }

    fn begin(&mut self, path: &str, flags: OpenFlags) -> Result<String, Refused> {
        self.may_open()?;
        let inside = Inside::parse(path)?;
        match () {
            () if !flags.contains(OpenFlags::WRITE) => {
                return Err(Refused::Forbidden("files are taken here, and not given"));
            }
            () if !self.takes(&inside) => return Err(NOT_COLLECTED),
            // A client that resumes an upload sends APPEND too, but then no file has the name.
            () if flags.contains(OpenFlags::APPEND) && self.root.known(&inside).is_ok() => {
                return Err(Refused::Forbidden("nothing is appended to a file that is there"));
            }
            () if flags.contains(OpenFlags::EXCLUDE) && self.root.known(&inside).is_ok() => {
                return Err(Refused::Exists("a file of this name is there"));
            }
            () => {}
        }
        let anew = flags.intersects(OpenFlags::TRUNCATE | OpenFlags::EXCLUDE);
        let begin = if anew { Begin::Anew } else { Begin::Resumed };
        let upload = Upload::begin(&self.account, &self.root, &inside, begin)?;
        self.handle(Open::Upload(inside, Box::new(upload)))
    }

    fn finish(&mut self, handle: &str) -> Result<(), Refused> {
        let Some(open) = self.open.remove(handle) else { return Err(Refused::Missing) };
        let Open::Upload(path, upload) = open else { return Ok(()) };
        let (finished, octets) = upload.finish()?;
        let known = self.root.known(&path);
        let modified = known.map_or_else(|_| std::time::SystemTime::now(), |known| known.modified);
        self.pushed.retain(|(pushed, _)| *pushed != path);
        if self.pushed.len() == PUSHED_MAX {
            self.pushed.pop_front();
        }
        let (file, is_collected) = (path.shown(), self.account.is_handed_over(path.name()));
        self.pushed.push_back((path, Attributes { is_folder: false, size: octets, modified }));
        let network_element = &self.account.network_element;
        let again = match finished {
            Finished::New => "",
            Finished::Same => " again, with the same contents: what is there stays",
        };
        let waits = if is_collected { "" } else { "; it is collected when it is renamed" };
        tracing::info!(
            network_element = %network_element, file = %file,
            "{network_element}: \"{file}\" was pushed over SFTP, {octets} octets{again}{waits}"
        );
        Ok(())
    }

    /// Returns the attributes of a file: of the one on the disk, of one pushed in this session, or of an interrupted
    /// upload.
    fn known(&self, path: &str) -> Result<Attributes, Refused> {
        let inside = Inside::parse(path)?;
        self.root.known(&inside).or_else(|refused| match refused {
            Refused::Missing => {
                let pushed = self.pushed.iter().find(|(pushed, _)| *pushed == inside);
                pushed.map_or_else(|| broken_off(&self.root, &inside), |(_, known)| Ok(*known))
            }
            refused => Err(refused),
        })
    }

    /// Returns whether a file of this name is collected, or has a temporary name until its sender renames it.
    fn takes(&self, path: &Inside) -> bool {
        self.account.is_handed_over(path.name()) || is_temporary(path.name())
    }

    /// Checks that a file was not handed over to the gateway.
    fn is_own(&self, path: &Inside) -> Result<(), Refused> {
        match self.account.is_handed_over(path.name()) && !self.root.known(path)?.is_folder {
            true => Err(Refused::Forbidden("the file was handed over, and stays as it is")),
            false => Ok(()),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), Refused> {
        let (from, to) = (Inside::parse(from)?, Inside::parse(to)?);
        self.is_own(&from)?;
        let known = self.root.known(&from)?;
        if known.is_folder {
            return Err(Refused::Forbidden("folders are not renamed"));
        }
        if !self.takes(&to) {
            return Err(NOT_COLLECTED);
        }
        match self.root.rename(&from, &to) {
            // A client that does not know whether the rename happened repeats it.
            Err(Refused::Exists(_)) => {
                Err(Refused::Exists("a file of the new name is there, and is not overwritten"))
            }
            renamed => renamed,
        }?;
        let network_element = &self.account.network_element;
        let (file, before) = (to.shown(), from.shown());
        tracing::info!(
            network_element = %network_element, file = %file,
            "{network_element}: \"{file}\" has its name, it was \"{before}\""
        );
        self.pushed.push_back((to, known));
        Ok(())
    }
}

/// Returns a foreign path for the log.
fn shown(path: &str) -> String {
    const SHOWN_MAX: usize = 200;
    path.chars().take(SHOWN_MAX).flat_map(char::escape_debug).collect()
}

fn reply(refused: &Refused) -> StatusReply {
    let code = match refused {
        // As OpenSSH answers for an impossible name. "Permission denied" would suggest trying again later.
        Refused::Path(_) => StatusCode::BadMessage,
        Refused::Forbidden(_) => StatusCode::PermissionDenied,
        Refused::Missing => StatusCode::NoSuchFile,
        _ => StatusCode::Failure,
    };
    // Errors of the disk concern only the operator.
    match refused {
        Refused::Io(_) => code.with_message("it could not be done now; try again later"),
        refused => code.with_message(refused.to_string()),
    }
}

fn attributes(known: Attributes) -> FileAttributes {
    let seconds = known.modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    let mut attributes = FileAttributes {
        size: Some(known.size),
        uid: None,
        gid: None,
        user: None,
        group: None,
        permissions: Some(if known.is_folder { 0o750 } else { 0o640 }),
        atime: Some(seconds),
        mtime: Some(seconds),
    };
    attributes.set_type(if known.is_folder { FileMode::DIR } else { FileMode::REG });
    attributes
}

fn done(id: u32) -> Status {
    Status {
        id,
        status_code: StatusCode::Ok,
        error_message: "done".into(),
        language_tag: "en".into(),
    }
}

impl Handler for Visit {
    type Error = StatusReply;

    fn unimplemented(&self) -> StatusReply {
        StatusCode::OpUnsupported.with_message("files are pushed here; this is not done")
    }

    async fn init(&mut self, _: u32, _: HashMap<String, String>) -> Answer<Version> {
        Ok(limits::version())
    }

    async fn extended(&mut self, id: u32, request: String, _: Vec<u8>) -> Answer<Packet> {
        limits::answer(id, &request, OPEN_MAX as u64).ok_or_else(|| self.unimplemented())
    }

    async fn open(
        &mut self,
        id: u32,
        path: String,
        flags: OpenFlags,
        _: FileAttributes,
    ) -> Answer<Handle> {
        let handle = self.act("write", &path, |visit| visit.begin(&path, flags))?;
        Ok(Handle { id, handle })
    }

    async fn write(
        &mut self,
        id: u32,
        handle: String,
        offset: u64,
        octets: Vec<u8>,
    ) -> Answer<Status> {
        let path = match self.open.get(&handle) {
            Some(Open::Upload(path, _)) => path.shown(),
            _ => return Err(reply(&Refused::Missing)),
        };
        self.act("write", &path, |visit| match visit.open.get_mut(&handle) {
            Some(Open::Upload(_, upload)) => upload.write(offset, &octets),
            _ => Err(Refused::Missing),
        })?;
        Ok(done(id))
    }

    async fn close(&mut self, id: u32, handle: String) -> Answer<Status> {
        let path = match self.open.get(&handle) {
            Some(Open::Upload(path, _)) => path.shown(),
            _ => String::new(),
        };
        self.act("hand over", &path, |visit| visit.finish(&handle))?;
        Ok(done(id))
    }

    async fn lstat(&mut self, id: u32, path: String) -> Answer<Attrs> {
        let known = self.act("look at", &path, |visit| visit.known(&path))?;
        Ok(Attrs { id, attrs: attributes(known) })
    }

    async fn stat(&mut self, id: u32, path: String) -> Answer<Attrs> {
        self.lstat(id, path).await
    }

    async fn fstat(&mut self, id: u32, handle: String) -> Answer<Attrs> {
        let known = self.act("look at", "", |visit| match visit.open.get(&handle) {
            Some(Open::Upload(_, upload)) => upload.known(),
            Some(Open::Folder(_)) => visit.root.known(&Inside::parse("/")?),
            None => Err(Refused::Missing),
        })?;
        Ok(Attrs { id, attrs: attributes(known) })
    }

    /// Ignores times and permissions, since the gateway sets them itself. It reports success, since many clients set them
    /// by habit. Setting a size is not supported.
    async fn setstat(&mut self, id: u32, _: String, wanted: FileAttributes) -> Answer<Status> {
        match wanted.size {
            None => Ok(done(id)),
            Some(_) => Err(self.unimplemented()),
        }
    }

    async fn fsetstat(&mut self, id: u32, _: String, wanted: FileAttributes) -> Answer<Status> {
        self.setstat(id, String::new(), wanted).await
    }

    async fn opendir(&mut self, id: u32, path: String) -> Answer<Handle> {
        let handle = self.act("list", &path, |visit| {
            visit.may_open()?;
            let listed = visit.root.list(&Inside::parse(&path)?)?;
            visit.handle(Open::Folder(listed.into_iter()))
        })?;
        Ok(Handle { id, handle })
    }

    async fn readdir(&mut self, id: u32, handle: String) -> Answer<Name> {
        let Some(Open::Folder(listed)) = self.open.get_mut(&handle) else {
            return Err(reply(&Refused::Missing));
        };
        let file = |(name, known)| russh_sftp::protocol::File::new(name, attributes(known));
        let files: Vec<_> = listed.take(NAMES_MAX).map(file).collect();
        match files.is_empty() {
            true => Err(StatusCode::Eof.into()),
            false => Ok(Name { id, files }),
        }
    }

    async fn remove(&mut self, id: u32, path: String) -> Answer<Status> {
        self.act("remove", &path, |visit| {
            let inside = Inside::parse(&path)?;
            visit.is_own(&inside)?;
            visit.root.remove(&inside)
        })?;
        Ok(done(id))
    }

    async fn mkdir(&mut self, id: u32, path: String, _: FileAttributes) -> Answer<Status> {
        self.act("make a folder", &path, |visit| match visit.account.is_recursive {
            true => {
                visit.may_open()?;
                visit.root.make_folder(&Inside::parse(&path)?)
            }
            false => Err(Refused::Forbidden("there are no folders here")),
        })?;
        Ok(done(id))
    }

    async fn realpath(&mut self, id: u32, path: String) -> Answer<Name> {
        // The parent of the root is the root.
        let inside = match Inside::parse(&path) {
            Err(Refused::Path(_)) if path.contains("..") => Inside::parse("/"),
            inside => inside,
        };
        let inside = inside.map_err(|refused| reply(&refused))?;
        Ok(Name { id, files: vec![russh_sftp::protocol::File::dummy(inside.shown())] })
    }

    async fn rename(&mut self, id: u32, from: String, to: String) -> Answer<Status> {
        self.act("rename", &from, |visit| visit.rename(&from, &to))?;
        Ok(done(id))
    }

    async fn symlink(&mut self, _: u32, path: String, _: String) -> Answer<Status> {
        self.act("make a link", &path, |_| Err(Refused::Forbidden("no links are made")))
    }

    async fn readlink(&mut self, _: u32, path: String) -> Answer<Name> {
        self.act("read a link", &path, |_| Err(Refused::Missing))
    }
}
