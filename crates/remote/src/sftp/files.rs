//! Files over SFTP (draft-ietf-secsh-filexfer-02). Requests are as large as the server accepts, and do not wait for the
//! answers to earlier requests.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, FuturesOrdered, FuturesUnordered};
use russh_sftp::client::RawSftpSession;
use russh_sftp::client::error::Error as SftpError;
use russh_sftp::client::rawsession::Limits;
use russh_sftp::extensions;
use russh_sftp::protocol::{File, FileAttributes, OpenFlags, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite};
use transport::RemoteKind;

/// The octets requested or sent ahead of their answers. They fill a line of 1 Gbit/s with a round trip of 16 ms.
const OCTETS_AHEAD: usize = 2 << 20;

/// The octets of a request if the server announces no limit: every server accepts as many (section 3 of the draft).
const REQUEST_OCTETS: u64 = 32 << 10;

/// The maximum octets of a request: with its header it fits a message that every library accepts.
const REQUEST_OCTETS_MAX: u64 = 255 << 10;

/// The minimum octets of a request. A server with a lower limit gets an error, rather than a million tiny requests.
const REQUEST_OCTETS_MIN: u64 = 1 << 10;

/// The maximum octets of a message besides file data: a handle has up to 256.
const AROUND: u64 = 1 << 10;

/// The number of requests sent before the first answer shows that a file is longer.
const FIRST_AHEAD: usize = 2;

/// The maximum number of consecutive list answers without a new name. This bounds a list that repeats itself.
const NOTHING_NEW_MAX: usize = 100;

/// The maximum number of names in a folder: more than a gateway takes from one.
const LISTED_MAX: usize = 1_000_000;

/// The number of files whose attributes are requested at the same time.
const ASKED_AT_ONCE: usize = 32;

/// The maximum number of consecutive empty reads. They are tolerated because the end of a file has an answer of its
/// own.
const EMPTY_MAX: usize = 3;

/// Why a transfer stopped.
pub(super) enum Stopped {
    There(SftpError),
    /// The server sent more than was requested.
    TooMuch,
    Here(std::io::Error),
}

/// Why a folder could not be listed.
pub(super) enum NotListed {
    There(SftpError),
    /// The list repeats itself, and does not end.
    Endless,
}

impl From<SftpError> for NotListed {
    fn from(error: SftpError) -> Self {
        NotListed::There(error)
    }
}

/// The octets of one part of a file.
struct Part {
    octets: Vec<u8>,
    /// Why the part is short, if not because the file ends.
    stopped: Option<Stopped>,
}

impl From<SftpError> for Stopped {
    fn from(error: SftpError) -> Self {
        Stopped::There(error)
    }
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Stopped::Here(error)
    }
}

/// The files of a server.
pub(super) struct Files {
    session: RawSftpSession,
    read_octets: usize,
    write_octets: usize,
    can_sync: bool,
}

impl Files {
    /// Begins a session, and requests the server's limits if it announces them.
    pub(super) async fn begin<S>(stream: S, timeout: Duration) -> Result<Self, SftpError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let config = russh_sftp::client::Config {
            request_timeout_secs: timeout.as_secs().max(1),
            ..russh_sftp::client::Config::default()
        };
        let mut session = RawSftpSession::new_with_config(stream, config);
        let known = session.init().await?.extensions;
        let has = |name| known.get(name).is_some_and(|version| version == "1");
        let mut limits = Limits::default();
        if has(extensions::LIMITS) {
            limits = session.limits().await?.into();
            session.set_limits(limits);
        }
        // The header is part of a message too.
        let within = limits.packet_len.map_or(REQUEST_OCTETS_MAX, |all| all.saturating_sub(AROUND));
        let octets = |limit: Option<u64>| {
            let most = limit.unwrap_or(REQUEST_OCTETS).min(REQUEST_OCTETS_MAX).min(within);
            most.max(REQUEST_OCTETS_MIN) as usize
        };
        Ok(Files {
            session,
            read_octets: octets(limits.read_len),
            write_octets: octets(limits.write_len),
            can_sync: has(extensions::FSYNC),
        })
    }

    /// Returns the entries of a folder.
    pub(super) async fn list(&self, path: String) -> Result<Vec<File>, NotListed> {
        let handle = self.session.opendir(path).await?.handle;
        let (mut files, mut names, mut nothing_new) = (Vec::new(), HashSet::new(), 0);
        loop {
            match self.session.readdir(handle.as_str()).await {
                Ok(more) => {
                    let before = files.len();
                    let is_new = |file: &File| names.insert(file.filename.clone());
                    files.extend(more.files.into_iter().filter(is_new));
                    nothing_new = if files.len() > before { 0 } else { nothing_new + 1 };
                }
                Err(error) if is_end(&error) => break,
                Err(error) => return Err(error.into()),
            }
            if nothing_new > NOTHING_NEW_MAX {
                return Err(NotListed::Endless);
            }
            if files.len() > LISTED_MAX {
                break;
            }
        }
        self.session.close(handle).await?;
        files.retain(|file| file.filename != "." && file.filename != "..");
        Ok(files)
    }

    /// Returns the attributes of a file, or of a link itself.
    pub(super) async fn stat(&self, path: String) -> Result<FileAttributes, SftpError> {
        Ok(self.session.lstat(path).await?.attrs)
    }

    /// Returns the attributes of many files, in their order; `None` where the server does not report them.
    pub(super) async fn stat_each(
        &self,
        paths: impl IntoIterator<Item = String>,
    ) -> Vec<Option<FileAttributes>> {
        let requests = paths.into_iter().map(|path| async { self.stat(path).await.ok() });
        stream::iter(requests).buffered(ASKED_AT_ONCE).collect().await
    }

    /// Returns the types of files for which the server does not report them, found by trying which operations work.
    /// Links are not followed, and files are not opened.
    pub(super) async fn kind_each(
        &self,
        paths: impl IntoIterator<Item = String>,
    ) -> Vec<RemoteKind> {
        let requests = paths.into_iter().map(|path| self.kind(path));
        stream::iter(requests).buffered(ASKED_AT_ONCE).collect().await
    }

    async fn kind(&self, path: String) -> RemoteKind {
        if self.session.readlink(path.clone()).await.is_ok() {
            return RemoteKind::Other;
        }
        let handle = match self.session.opendir(path).await {
            Ok(opened) => opened.handle,
            Err(error) => return no_folder(&error),
        };
        // Some servers open anything as a folder, and check the type when it is read.
        let read = self.session.readdir(handle.as_str()).await;
        let _ = self.session.close(handle).await;
        match read {
            Err(error) if !is_end(&error) => no_folder(&error),
            _ => RemoteKind::Folder,
        }
    }

    /// Returns the size of an open file, if the server reports it.
    async fn octets(&self, handle: &str) -> Option<u64> {
        self.session.fstat(handle).await.ok()?.attrs.size
    }

    pub(super) async fn rename(&self, from: String, to: String) -> Result<(), SftpError> {
        self.session.rename(from, to).await.map(drop)
    }

    pub(super) async fn remove(&self, path: String) -> Result<(), SftpError> {
        self.session.remove(path).await.map(drop)
    }

    pub(super) async fn make_folder(&self, path: String) -> Result<(), SftpError> {
        self.session.mkdir(path, FileAttributes::empty()).await.map(drop)
    }

    /// Opens a file, to read it or to write it from its start, and returns its handle.
    pub(super) async fn open(&self, path: String, writes: bool) -> Result<String, SftpError> {
        let flags = match writes {
            true => OpenFlags::CREATE | OpenFlags::TRUNCATE | OpenFlags::WRITE,
            false => OpenFlags::READ,
        };
        Ok(self.session.open(path, flags, FileAttributes::empty()).await?.handle)
    }

    pub(super) async fn close(&self, handle: String) -> Result<(), SftpError> {
        self.session.close(handle).await.map(drop)
    }

    /// Syncs the written octets to the server's disk, if the server supports that.
    pub(super) async fn sync(&self, handle: &str) -> Result<(), SftpError> {
        match self.can_sync {
            true => self.session.fsync(handle).await.map(drop),
            false => Ok(()),
        }
    }

    /// Reads a file to its end, and returns its size in octets.
    pub(super) async fn read(&self, handle: &str, to: &mut dyn Write) -> Result<u64, Stopped> {
        let ahead_max = OCTETS_AHEAD.div_ceil(self.read_octets);
        let mut requests = FuturesOrdered::new();
        let (mut ahead, mut next, mut octets) = (FIRST_AHEAD, 0, 0);
        loop {
            while requests.len() < ahead {
                requests.push_back(self.read_part(handle, next));
                next += self.read_octets as u64;
            }
            let Some(part) = requests.next().await else { return Ok(octets) };
            to.write_all(&part.octets)?;
            octets += part.octets.len() as u64;
            match part.stopped {
                // Some servers report the end of a file as a failure.
                Some(Stopped::There(error))
                    if is_failure(&error) && self.octets(handle).await == Some(octets) =>
                {
                    return Ok(octets);
                }
                Some(stopped) => return Err(stopped),
                None if part.octets.len() < self.read_octets => return Ok(octets),
                None => ahead = (2 * ahead).min(ahead_max),
            }
        }
    }

    /// Reads the octets of one request, fewer only at the end of the file: what a server leaves out is requested again.
    async fn read_part(&self, handle: &str, offset: u64) -> Part {
        let (mut octets, mut empty) = (Vec::new(), 0);
        let stopped = loop {
            let (at, left) = (offset + octets.len() as u64, self.read_octets - octets.len());
            if left == 0 {
                break None;
            }
            match self.session.read(handle, at, left as u32).await {
                Ok(more) if more.data.len() > left => break Some(Stopped::TooMuch),
                // The protocol does not define this as the end of a file, but some servers mean it.
                Ok(more) if more.data.is_empty() && empty == EMPTY_MAX => break None,
                Ok(more) if more.data.is_empty() => empty += 1,
                Ok(more) if octets.is_empty() => (octets, empty) = (more.data, 0),
                Ok(more) => {
                    octets.extend(more.data);
                    empty = 0;
                }
                Err(error) if is_end(&error) => break None,
                Err(error) => break Some(Stopped::There(error)),
            }
        };
        Part { octets, stopped }
    }

    /// Writes a file from its start, and returns its size in octets. When this returns, the server has acknowledged all
    /// of them.
    pub(super) async fn write(
        &self,
        handle: &str,
        mut from: &mut dyn Read,
    ) -> Result<u64, Stopped> {
        let ahead_max = OCTETS_AHEAD.div_ceil(self.write_octets);
        let (mut sent, mut octets) = (FuturesUnordered::new(), 0);
        loop {
            let mut part = Vec::with_capacity(self.write_octets);
            (&mut from).take(self.write_octets as u64).read_to_end(&mut part)?;
            let is_last = part.len() < self.write_octets;
            if !part.is_empty() {
                let offset = octets;
                octets += part.len() as u64;
                sent.push(self.session.write(handle, offset, part));
            }
            let left = if is_last { 0 } else { ahead_max - 1 };
            while sent.len() > left {
                sent.next().await.transpose()?;
            }
            if is_last {
                return Ok(octets);
            }
        }
    }
}

fn is_end(error: &SftpError) -> bool {
    matches!(error, SftpError::Status(status) if status.status_code == StatusCode::Eof)
}

/// Returns the type of an entry that cannot be opened as a folder: a file, unless permission was denied.
fn no_folder(error: &SftpError) -> RemoteKind {
    match error {
        SftpError::Status(status) if status.status_code != StatusCode::PermissionDenied => {
            RemoteKind::File
        }
        _ => RemoteKind::Unknown,
    }
}

fn is_failure(error: &SftpError) -> bool {
    matches!(error, SftpError::Status(status) if status.status_code == StatusCode::Failure)
}
