//! A place for files on another machine, as roads in and out see it: whatever protocol leads there, the same few steps,
//! and errors that say what to do next. Who calls waits; each connection belongs to one thread.

use std::error::Error;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::time::{Duration, SystemTime};

/// A kind of far place, by the protocol that leads there.
pub trait Scheme: Sync {
    /// What stands before "://" in its addresses.
    fn names(&self) -> &'static [&'static str];
    /// The keys of [`ACCESS_KEYS`](crate::ACCESS_KEYS) that mean something to it; "url" and "timeout" always do.
    fn keys(&self) -> &'static [&'static str];
    /// The place that a flow file names. Nothing is connected to, and no secret read.
    fn place(&self, access: crate::Access) -> Result<Box<dyn Place>, diagnostics::Diagnostic>;
}

/// A folder in a far place, to be connected to.
pub trait Place: Debug + Send + Sync {
    /// Its address, which tells it from others. What is secret may be in it.
    fn address(&self) -> String;
    /// Its address, as people may see it.
    fn shown(&self) -> String {
        self.address()
    }
    /// How a file appears there.
    fn appears(&self) -> Appears;
    /// Whether it tells what is there, so that files can be fetched.
    fn is_listed(&self) -> bool {
        true
    }
    /// Connects to it. Secrets are read now, so that one that was changed counts.
    fn connect(&self) -> Result<Box<dyn Far>, FarError>;
}

/// How a file that is put to a place is kept from being seen while it is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appears {
    /// It is put under a name that nobody looks at, and renamed.
    Renamed,
    /// The place shows it whole or not at all, and puts it in place of none that is there.
    AtOnce,
}

/// A connection to a far place. Names are relative to its folder, their parts divided by "/"; the
/// folder itself is "". After an error that [concerns the place](FarError::is_about_place), connect
/// again; after any other, the connection can still be used.
pub trait Far: Send {
    /// The entries of a folder, in any order. Links are listed as such and not followed.
    fn list(&mut self, folder: &str) -> Result<Listing, FarError>;
    /// What is known of a file.
    fn stat(&mut self, name: &str) -> Result<FarFile, FarError>;
    /// Writes a file's octets to `to`, until the place reports its end; returns how many there
    /// were.
    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, FarError>;
    /// Puts a file under exactly this name; returns how many octets it has. Where a place [shows a file at
    /// once](Appears::AtOnce), one that is there is left alone: with the same octets it is taken for this one, with
    /// others that is [`FarError::Exists`]. Elsewhere it is overwritten.
    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, FarError>;
    /// Renames a file. One that is there under the new name is never overwritten: [`FarError::Exists`].
    fn rename(&mut self, from: &str, to: &str) -> Result<(), FarError>;
    /// Removes a file.
    fn remove(&mut self, name: &str) -> Result<(), FarError>;
    /// Makes a folder; one that is there is left alone.
    fn make_folder(&mut self, name: &str) -> Result<(), FarError>;
}

/// What is put to a far place. It may be read as often as it takes, and has the same octets each time.
pub trait Parcel {
    /// Its octets, from the first.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
    /// How many octets it has, where that is known before it is read.
    fn octets(&self) -> io::Result<Option<u64>>;
}

/// The contents of a folder in a far place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files and folders whose lines could be read.
    pub files: Vec<FarFile>,
    /// The lines that could not be read, escaped and truncated.
    pub not_understood: Vec<String>,
}

/// What is known of a file in a far place. What the place does not report is unknown, not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarFile {
    /// Its name within the folder that was listed.
    pub name: String,
    /// What it is.
    pub kind: FarKind,
    /// Its size, if the place reports it.
    pub octets: Option<u64>,
    /// When it was last written to, where the place says that.
    pub modified: Option<SystemTime>,
}

/// What lies under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FarKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, a device, or something else that is not to be read.
    Other,
    /// The place does not report its type in any way.
    Unknown,
}

/// Why something could not be done in a far place. No secret is in it.
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
#[derive(Debug, thiserror::Error)]
pub enum FarError {
    /// The place cannot be reached, or is busy or full; trying again later may help.
    #[error("{what}")]
    Passing {
        /// What happened.
        what: String,
        /// How long the place asks to be left alone.
        after: Option<Duration>,
        /// Why.
        #[source]
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The connection broke, timed out or was closed by the other side. A new one may work at once;
    /// if a file was being transferred, that file may be the cause.
    #[error("{what}")]
    Broken {
        /// What happened.
        what: String,
        /// Why.
        #[source]
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The place answers, but cannot do this with this file now: the file is locked or archived, or
    /// the place gives no reason. Other files can be transferred at once.
    #[error("{what}")]
    Unavailable {
        /// What happened.
        what: String,
        /// How long the place asks to wait before the next attempt with this file.
        after: Option<Duration>,
    },
    /// The place does not let us in, or is not the one that is meant: until somebody changes that, nothing goes there.
    #[error("{0}")]
    Shut(String),
    /// It does not let us do this with this name. Whether it lets us with others is found out by them.
    #[error("{0}")]
    Forbidden(String),
    /// It refuses this file, or this name, for good.
    #[error("{0}")]
    Refused(String),
    /// There is no such file.
    #[error("\"{0}\" is not there")]
    NotThere(String),
    /// A file of this name is there, with other contents.
    #[error("a file \"{0}\" with other contents is there; move it away, or see what wrote it")]
    Exists(String),
    /// What was to be sent could not be read, or what came could not be written: here, not there.
    #[error("{0}")]
    Here(#[from] io::Error),
}

impl FarError {
    /// That may go well later.
    pub fn passing(what: impl Into<String>) -> Self {
        FarError::Passing { what: what.into(), after: None, cause: None }
    }

    /// That may go well later, and why it did not.
    pub fn passing_by(
        what: impl Into<String>,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        FarError::Passing { what: what.into(), after: None, cause: Some(cause.into()) }
    }

    /// An error for a broken connection.
    pub fn broken(what: impl Into<String>) -> Self {
        FarError::Broken { what: what.into(), cause: None }
    }

    /// An error for a broken connection, with its cause.
    pub fn broken_by(
        what: impl Into<String>,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        FarError::Broken { what: what.into(), cause: Some(cause.into()) }
    }

    /// An error for a file that cannot be fetched or put now.
    pub fn unavailable(what: impl Into<String>) -> Self {
        FarError::Unavailable { what: what.into(), after: None }
    }

    /// Whether it concerns one file: the connection can be used for others.
    pub fn is_about_file(&self) -> bool {
        match self {
            FarError::Unavailable { .. }
            | FarError::Forbidden(_)
            | FarError::Refused(_)
            | FarError::NotThere(_)
            | FarError::Exists(_) => true,
            FarError::Passing { .. }
            | FarError::Broken { .. }
            | FarError::Shut(_)
            | FarError::Here(_) => false,
        }
    }

    /// Whether it concerns the place or the connection to it: this connection cannot be used any
    /// more.
    pub fn is_about_place(&self) -> bool {
        !self.is_about_file()
    }

    /// Whether trying again soon may help, without anyone changing anything.
    pub fn may_pass(&self) -> bool {
        matches!(self, FarError::Passing { .. } | FarError::Broken { .. } | FarError::Here(_))
    }

    /// How long the place asks to wait before the next attempt.
    pub fn after(&self) -> Option<Duration> {
        match self {
            FarError::Passing { after, .. } | FarError::Unavailable { after, .. } => *after,
            _ => None,
        }
    }

    /// What happened, and why, in one line.
    pub fn told(&self) -> String {
        let mut text = self.to_string();
        let mut cause = match self {
            // Its text is that of its cause.
            FarError::Here(_) => None,
            other => other.source(),
        };
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }
}
