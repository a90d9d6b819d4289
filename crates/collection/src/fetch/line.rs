//! A connection to a remote place, and the steps of fetching a file over it.
//!
//! ```text
//! .NAME.part, all its octets, unchanged there ─▶ synced ─▶ its turn ─▶ the journal: fetched
//!     ─▶ NAME ─▶ folder synced ─▶ the journal: committed ─▶ moved, deleted or kept there ─▶ the journal: done
//! ```
//!
//! After an interruption, a file that the journal does not have is fetched again; for a file that it has, only the
//! remaining steps are done. The gateway may process a file as soon as the file has its own name.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use diagnostics::visible;
use reason::Reason;
use runtime::durable::{create_anew, make_folder, sync_folder, touch_folder};
use runtime::shutdown::Shutdown;
use transport::{RemoteConnection, RemoteError};

use super::book::{Book, FarVersion, Step};
use super::ends::{Ends, here};
use super::fault::FetchFault;
use super::partial::{Ended, Partial, hidden};
use super::settings::{After, Pull};
use super::turns::Turn;
use diagnostics::octets;

/// How many names are tried, with numbers added, before a moved file gets a name with its version. A name is taken if
/// the target folder has a file of that name.
const NAMES_TRIED: usize = 10;

/// The result of fetching a file.
pub(super) enum Fetched {
    Here {
        /// The reason that it could not be moved or deleted at the remote place, if so.
        untold: Option<RemoteError>,
    },
    /// An earlier file of the same name is still in the in buffer.
    Waits,
    /// This file alone cannot be fetched as it is listed.
    Missed(Missed),
}

/// The reason that a file was not fetched.
pub(super) struct Missed {
    pub(super) why: Reason,
    pub(super) blames: Blames,
    /// How long the remote place asks to wait.
    pub(super) after: Option<Duration>,
}

/// The likely cause of a failed fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blames {
    /// The file may have changed or disappeared meanwhile.
    Change,
    /// The remote place reported an error of this file.
    File,
    /// Either the file or the place: the connection broke during the transfer, or the place could not give the file
    /// now.
    FileOrPlace,
}

impl Missed {
    fn changed(why: &FetchFault) -> Self {
        Missed { why: Reason::of(why), blames: Blames::Change, after: None }
    }

    fn of_file(why: &FetchFault) -> Self {
        Missed { why: Reason::of(why), blames: Blames::File, after: None }
    }

    pub(super) fn by(error: &RemoteError, blames: Blames) -> Self {
        Missed { why: error.reason(), blames, after: error.after() }
    }
}

/// The result of receiving a file.
enum Received {
    Whole,
    Not(Missed),
}

/// A connection.
pub(super) struct Line<'l> {
    pub(super) pull: &'l Pull,
    pub(super) book: &'l Book<'l>,
    pub(super) far: &'l mut dyn RemoteConnection,
    pub(super) end: &'l Shutdown,
}

impl Line<'_> {
    /// Fetches a file, and moves or deletes it at the remote place at once unless `tells_last` is set. A file that changes
    /// meanwhile is left for later. An error of this file alone does not end the pass: the other files are not held up.
    pub(super) fn fetch(
        &mut self,
        (name, version): (&str, FarVersion),
        turn: &Turn<'_>,
        tells_last: bool,
    ) -> Result<Fetched, Ends> {
        let target = self.pull.root.join(name);
        // An earlier file of this name may still wait to be processed.
        match target.try_exists() {
            Ok(false) => {}
            Ok(true) if target.is_dir() => {
                return Ok(Fetched::Missed(Missed::of_file(&FetchFault::FolderInPlace)));
            }
            Ok(true) => return Ok(Fetched::Waits),
            Err(error) if is_about_name(&error) => return Ok(Fetched::Missed(unnameable(&error))),
            Err(error) => return Err(here(error)),
        }
        if let Received::Not(missed) = self.receive(name, version, &target)? {
            return Ok(Fetched::Missed(missed));
        }
        let Line { far, end, .. } = self;
        // The remote place may close an idle connection, so a request is sent now and then.
        if !turn.wait(end, || drop(far.stat(name))) {
            let _ = fs::remove_file(hidden(&target));
            return Err(Ends::Stopped);
        }
        self.book.note(name, version, Step::Fetched)?;
        commit(self.pull, self.book, name, version)?;
        let (network_element, shown) = (&self.pull.network_element, visible(name));
        let octets = version.octets.map_or(String::new(), |octets| format!(", {octets} octets"));
        tracing::info!(
            target: "flow::fetching",
            network_element = %network_element, file = %name,
            "{network_element}: \"{shown}\" was fetched{octets}"
        );
        let outcome = if tells_last { Ok(None) } else { self.tell(name, version) };
        let untold = match outcome {
            // The file is here. The move or deletion is tried again.
            Err(Ends::NotRemoved(error)) => Some(error),
            outcome => outcome?,
        };
        Ok(Fetched::Here { untold })
    }

    /// Receives a file under its hidden name and syncs it, if it comes as it is listed.
    fn receive(
        &mut self,
        name: &str,
        version: FarVersion,
        target: &Path,
    ) -> Result<Received, Ends> {
        let folder = target.parent().unwrap_or(&self.pull.root).to_owned();
        let part = hidden(target);
        let begun = make_folder(&folder).and_then(|()| create_anew(&part));
        let file = match begun {
            Ok(file) => file,
            Err(error) if is_about_name(&error) => {
                return Ok(Received::Not(unnameable(&error)));
            }
            Err(error) => return Err(here(error)),
        };
        let mut to = Partial::new(file, version.octets, self.pull, self.end);
        let fetched = self.far.fetch(name, &mut to);
        let (written, received, ended) = to.end();
        let missed = match (ended, fetched) {
            (Some(Ended::Ends(ends)), _) => Err(ends),
            (Some(Ended::Grows), _) => Ok(Some(Missed::changed(&match version.octets {
                Some(listed) => FetchFault::Grew { listed },
                None => {
                    FetchFault::TooMuchCame { limit: octets(self.pull.most_octets()).to_string() }
                }
            }))),
            // An error after the last octet does not matter.
            (None, Err(error)) if version.octets != Some(received) => {
                self.blame(name, &error).map(Some)
            }
            (None, _) => match version.octets.filter(|listed| *listed != received) {
                Some(listed) => {
                    Ok(Some(Missed::changed(&FetchFault::OtherSize { listed, received })))
                }
                None => self.is_otherwise(name, version),
            },
        };
        if !matches!(missed, Ok(None)) {
            let _ = fs::remove_file(&part);
        }
        if let Some(missed) = missed? {
            let (network_element, why) = (&self.pull.network_element, &missed.why);
            tracing::info!(
                target: "flow::fetching",
                network_element = %network_element, file = %name,
                "{network_element}: \"{}\" is left for later: {why}", visible(name)
            );
            return Ok(Received::Not(missed));
        }
        // The file keeps its time from the remote place: that decides its order and its hour.
        version.written().map_or(Ok(()), |at| written.set_modified(at)).map_err(here)?;
        written.sync_all().map_err(here)?;
        sync_folder(&folder).map_err(here)?;
        Ok(Received::Whole)
    }

    /// Returns why a file differs from its listing, if it does.
    fn is_otherwise(&mut self, name: &str, version: FarVersion) -> Result<Option<Missed>, Ends> {
        match self.far.stat(name) {
            Ok(now) if version.may_be(&now) => Ok(None),
            Ok(_) => Ok(Some(Missed::changed(&FetchFault::ListedOtherwise))),
            Err(error) => self.blame(name, &error).map(Some),
        }
    }

    /// Returns what an error tells about a file. After a broken connection it sends another request: if the place
    /// answers, the file itself may break connections.
    fn blame(&mut self, name: &str, error: &RemoteError) -> Result<Missed, Ends> {
        let blames = match error {
            RemoteError::NotThere(_) => {
                return Ok(Missed::changed(&FetchFault::NotOpened));
            }
            RemoteError::Here(of_disk) => {
                return Err(here(io::Error::new(of_disk.kind(), error.with_causes())));
            }
            error if error.is_about_file() => Blames::File,
            _ => match self.far.stat(name) {
                Err(error) if error.is_about_place() => return Err(Ends::Remote(error)),
                _ => Blames::FileOrPlace,
            },
        };
        Ok(Missed::by(error, blames))
    }

    /// Moves or deletes a file at the remote place. The caller holds the file's turn, so no other connection uses names
    /// there meanwhile. A version other than the fetched one is left alone. If the remote place refuses, this concerns
    /// this file alone: the reason is returned, and the call is to be repeated later.
    pub(super) fn tell(
        &mut self,
        name: &str,
        version: FarVersion,
    ) -> Result<Option<RemoteError>, Ends> {
        if self.pull.after == After::Keep {
            return Ok(None);
        }
        let is_another = match self.is_another(name, version) {
            Err(error) if error.is_about_file() => return Ok(Some(error)),
            answer => answer.map_err(Ends::NotRemoved)?,
        };
        if !is_another {
            let moved = match &self.pull.after {
                After::Keep => Ok(()),
                After::Delete => self.far.remove(name),
                After::Move(folder) => move_to(self.far, (name, version), folder),
            };
            match moved {
                Ok(()) | Err(RemoteError::NotThere(_)) => {}
                Err(error) if error.is_about_place() => return Err(Ends::NotRemoved(error)),
                Err(error) => return Ok(Some(error)),
            }
        }
        // If there is another version, the fetched one is gone. The other is fetched like any file.
        self.book.note(name, version, Step::Done)?;
        Ok(None)
    }

    /// Returns whether the remote place now has a version other than the fetched one. The listing may be old. Where the
    /// place refuses to tell, the answer is no: the move or deletion then reports the reason.
    fn is_another(&mut self, name: &str, version: FarVersion) -> Result<bool, RemoteError> {
        match self.far.stat(name) {
            Ok(now) => Ok(!version.may_be(&now)),
            Err(RemoteError::NotThere(_) | RemoteError::Forbidden(_) | RemoteError::Refused(_)) => {
                Ok(false)
            }
            // A newer version may be there.
            Err(error) => Err(error),
        }
    }
}

/// Returns whether an error means that no file of this name can be created, regardless of free space.
pub(super) fn is_about_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidFilename
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidInput
    )
}

pub(super) fn unnameable(error: &io::Error) -> Missed {
    Missed::of_file(&FetchFault::LocalName { cause: error.to_string() })
}

/// Renames a fetched file from its hidden name to its own.
pub(super) fn commit(
    pull: &Pull,
    book: &Book<'_>,
    name: &str,
    version: FarVersion,
) -> Result<(), Ends> {
    let target = pull.root.join(name);
    let part = hidden(&target);
    let folder = target.parent().unwrap_or(&pull.root);
    let step = if pull.after == After::Keep { Step::Done } else { Step::Committed };
    match part.try_exists().map_err(here)? {
        true => fs::rename(&part, &target).map_err(here)?,
        // The rename is done, perhaps without a sync. The gateway may have processed the file already.
        false if folder.is_dir() => touch_folder(folder).map_err(here)?,
        false => return Ok(book.note(name, version, step)?),
    }
    sync_folder(folder).map_err(here)?;
    book.note(name, version, step)?;
    pull.note_arrival();
    Ok(())
}

fn move_to(
    far: &mut dyn RemoteConnection,
    (name, version): (&str, FarVersion),
    folder: &str,
) -> Result<(), RemoteError> {
    let mut made = String::new();
    let to = format!("{folder}/{name}");
    let (folders, _) = to.rsplit_once('/').unwrap_or(("", name));
    for part in folders.split('/') {
        if !made.is_empty() {
            made.push('/');
        }
        made.push_str(part);
        far.make_folder(&made)?;
    }
    let numbered = (2..=NAMES_TRIED).map(|number| format!("{to}.{number}"));
    // Network elements may reuse a few names, so the numbers are limited.
    let stamped = format!("{to}.{version}");
    for to in std::iter::once(to.clone()).chain(numbered) {
        match far.rename(name, &to) {
            Err(RemoteError::Exists(_)) => {}
            moved => return moved,
        }
    }
    far.rename(name, &stamped)
}
