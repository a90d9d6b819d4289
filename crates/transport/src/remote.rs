//! A remote place for files. Each protocol has the same few operations, and errors that say what to
//! do next. Calls block; each connection belongs to one thread.

use std::error::Error;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::time::{Duration, SystemTime};

use reason::{Coded, Description, Reason};

/// A kind of remote place, by its protocol.
pub trait Scheme: Sync {
    /// Returns the value of "kind" that chooses it; `None` for places of files, which need no "kind".
    fn kind(&self) -> Option<&'static str> {
        None
    }
    /// Returns the schemes of its addresses, without "://".
    fn names(&self) -> &'static [&'static str];
    /// Returns the keys of [`ACCESS_KEYS`](crate::ACCESS_KEYS) that apply to it; "url", "kind" and
    /// "timeout" always do.
    fn keys(&self) -> &'static [&'static str];
    /// Returns the place that a flow file names. This neither connects nor reads secrets.
    fn place(&self, access: crate::Access) -> Result<Box<dyn Place>, diagnostics::Diagnostic>;
}

/// A folder in a remote place, not connected yet.
pub trait Place: Debug + Send + Sync {
    /// Returns its address, which identifies it. It may contain secrets.
    fn address(&self) -> String;
    /// Returns its address for users, without secrets.
    fn shown(&self) -> String {
        self.address()
    }
    /// Returns how files are put there.
    fn put_method(&self) -> PutMethod;
    /// Returns whether it lists files, so that they can be fetched.
    fn is_listed(&self) -> bool {
        true
    }
    /// Returns the components that each record must have, in lines of JSON; none if files may have any form.
    fn record_components(&self) -> &'static [RecordComponent] {
        &[]
    }
    /// Connects. It reads secrets now, so changed ones take effect.
    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError>;
}

/// A component of records that a place reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: &'static str,
    /// Whether it may be a whole number; else, it is a text.
    pub may_be_number: bool,
}

/// How a place avoids incomplete files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutMethod {
    /// The file is put under a temporary name, and renamed.
    Rename,
    /// The place shows only complete files, and replaces no existing file.
    Atomic,
}

/// A connection to a remote place. Names are relative to its folder, their parts divided by "/";
/// the folder itself is "". After an error that [concerns the place](RemoteError::is_about_place),
/// connect again; after any other, the connection can still be used.
pub trait RemoteConnection: Send {
    /// Lists the entries of a folder, in any order. Links are listed as such and not followed.
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError>;
    /// Returns the attributes of a file.
    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError>;
    /// Writes a file's octets to `to`, until the place reports its end; returns their number.
    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError>;
    /// Puts a file under exactly this name; returns its size in octets. With [`PutMethod::Atomic`],
    /// an existing file stays: with the same octets it counts as this one, with others the result
    /// is [`RemoteError::Exists`]. Other places overwrite it.
    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError>;
    /// Renames a file. An existing file of the new name is never overwritten:
    /// [`RemoteError::Exists`].
    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError>;
    /// Removes a file.
    fn remove(&mut self, name: &str) -> Result<(), RemoteError>;
    /// Makes a folder. An existing one is left alone.
    fn make_folder(&mut self, name: &str) -> Result<(), RemoteError>;
}

/// A file to put to a remote place. It can be read several times, with the same octets each time.
pub trait Parcel {
    /// Opens it at the first octet.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
    /// Returns its size in octets, if known before it is read.
    fn octets(&self) -> io::Result<Option<u64>>;
}

/// The contents of a folder in a remote place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files and folders whose lines could be read.
    pub files: Vec<RemoteFile>,
    /// The lines that could not be parsed, escaped and truncated.
    pub unreadable: Vec<String>,
}

/// A file in a remote place. An attribute that the place does not report is unknown, not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its name in the listed folder.
    pub name: String,
    /// Its type.
    pub kind: RemoteKind,
    /// Its size, if the place reports it.
    pub octets: Option<u64>,
    /// The time of the last write, if the place reports it.
    pub modified: Option<SystemTime>,
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, a device, or something else that is not read.
    Other,
    /// The place does not report its type in any way.
    Unknown,
}

/// Why an operation in a remote place failed. It contains no secret. The kind says what to do next, and the [`Reason`]
/// what happened.
///
/// | error | concerns | connection | try again? |
/// |---|---|---|---|
/// | `Passing`, `Broken` | the place | ended | yes, soon |
/// | `Shut` | the place | ended | after an operator has changed something |
/// | `Unavailable` | one file | usable | yes, with growing delays |
/// | `Forbidden` | one file | usable | yes, with growing delays and an alarm |
/// | `Refused`, `Exists` | one file | usable | no |
/// | `NotThere` | one file | usable | when it is listed again |
/// | `Here` | this machine | ended | yes |
#[derive(Debug, thiserror::Error, Coded)]
#[code("remote")]
pub enum RemoteError {
    /// The place cannot be reached, or is busy or full; trying again later may help.
    #[error("{what}")]
    Passing {
        /// What happened.
        #[coded]
        what: Reason,
        /// How long the place asks to wait before the next attempt.
        after: Option<Duration>,
        /// The cause.
        #[source]
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The connection broke, timed out or was closed by the other side. A new one may work at once;
    /// if a file was being transferred, that file may be the cause.
    #[error("{what}")]
    Broken {
        /// What happened.
        #[coded]
        what: Reason,
        /// The cause.
        #[source]
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The place answers, but cannot do this with this file now: the file is locked or archived, or
    /// the place gives no reason. Other files can be transferred at once.
    #[error("{what}")]
    Unavailable {
        /// What happened.
        #[coded]
        what: Reason,
        /// How long the place asks to wait before the next attempt with this file.
        after: Option<Duration>,
    },
    /// The place does not accept our credentials, or is not the expected one. Nothing works there
    /// until an operator changes that.
    #[error("{what}", what = .0)]
    Shut(#[coded] Reason),
    /// The place does not allow this with this name. Other names may work.
    #[error("{what}", what = .0)]
    Forbidden(#[coded] Reason),
    /// The place refuses this file, or this name, for good.
    #[error("{what}", what = .0)]
    Refused(#[coded] Reason),
    /// There is no such file.
    #[error("\"{file}\" is not there", file = .0)]
    NotThere(String),
    /// A file of this name exists, with other contents.
    #[error(
        "a file \"{file}\" with other contents exists; move it away, or find out which program wrote it",
        file = .0
    )]
    Exists(String),
    /// A local error: the file to send could not be read, or the fetched octets could not be
    /// written.
    #[error("{cause}", cause = .0)]
    Here(#[from] io::Error),
}

impl RemoteError {
    /// Returns an error that may pass.
    pub fn passing(what: impl Coded) -> Self {
        RemoteError::Passing { what: Reason::of(&what), after: None, cause: None }
    }

    /// Returns an error that may pass, with its cause.
    pub fn passing_by(what: impl Coded, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let (what, cause) = (Reason::of(&what), Some(cause.into()));
        RemoteError::Passing { what, after: None, cause }
    }

    /// Returns an error for a broken connection.
    pub fn broken(what: impl Coded) -> Self {
        RemoteError::Broken { what: Reason::of(&what), cause: None }
    }

    /// Returns an error for a broken connection, with its cause.
    pub fn broken_by(what: impl Coded, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        RemoteError::Broken { what: Reason::of(&what), cause: Some(cause.into()) }
    }

    /// Returns an error for a file that cannot be fetched or put now.
    pub fn unavailable(what: impl Coded) -> Self {
        RemoteError::Unavailable { what: Reason::of(&what), after: None }
    }

    /// Returns an error for a place where nothing works until an operator changes something.
    pub fn shut(what: impl Coded) -> Self {
        RemoteError::Shut(Reason::of(&what))
    }

    /// Returns an error for a name that the place does not allow.
    pub fn forbidden(what: impl Coded) -> Self {
        RemoteError::Forbidden(Reason::of(&what))
    }

    /// Returns an error for a file that the place refuses for good.
    pub fn refused(what: impl Coded) -> Self {
        RemoteError::Refused(Reason::of(&what))
    }

    /// Returns whether it concerns one file: the connection can be used for others.
    pub fn is_about_file(&self) -> bool {
        match self {
            RemoteError::Unavailable { .. }
            | RemoteError::Forbidden(_)
            | RemoteError::Refused(_)
            | RemoteError::NotThere(_)
            | RemoteError::Exists(_) => true,
            RemoteError::Passing { .. }
            | RemoteError::Broken { .. }
            | RemoteError::Shut(_)
            | RemoteError::Here(_) => false,
        }
    }

    /// Returns whether it concerns the place or the connection to it: this connection cannot be
    /// used any more.
    pub fn is_about_place(&self) -> bool {
        !self.is_about_file()
    }

    /// Returns whether trying again soon may help, without anyone changing anything.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            RemoteError::Passing { .. } | RemoteError::Broken { .. } | RemoteError::Here(_)
        )
    }

    /// Returns how long the place asks to wait before the next attempt.
    pub fn after(&self) -> Option<Duration> {
        match self {
            RemoteError::Passing { after, .. } | RemoteError::Unavailable { after, .. } => *after,
            _ => None,
        }
    }

    /// Returns the reason, with the causes behind it.
    pub fn reason(&self) -> Reason {
        let mut description = Description::default();
        self.describe(&mut description);
        let mut cause = match self {
            // Its text is that of its cause.
            RemoteError::Here(_) => None,
            other => other.source(),
        };
        while let Some(error) = cause {
            description.text(": ");
            description.value("cause", error);
            cause = error.source();
        }
        description.into_reason()
    }

    /// Returns the error and its causes in one line.
    pub fn with_causes(&self) -> String {
        self.reason().to_string()
    }
}

/// What can be wrong on this machine when a remote place is used, or in a local folder.
#[derive(Debug, thiserror::Error, Coded)]
#[code("remote")]
pub(crate) enum LocalFault {
    /// The file of a secret, or its environment variable, cannot be read.
    #[error("\"{key}\": {cause}")]
    Secret {
        /// The key of the flow file that names it.
        key: String,
        /// Why.
        cause: String,
    },
    /// The file system of a local folder refuses a name.
    #[error("\"{path}\": {cause}")]
    LocalName {
        /// The path.
        path: String,
        /// Why.
        cause: String,
    },
    /// An operation in a local folder failed.
    #[error("\"{path}\"")]
    Local {
        /// The path.
        path: String,
    },
}
