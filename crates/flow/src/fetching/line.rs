//! A connection to a far place, and the steps of a file that is fetched over it.
//!
//! ```text
//! .NAME.part, all its octets, unchanged there ─▶ synced ─▶ its turn ─▶ the journal: fetched
//!     ─▶ NAME ─▶ folder synced ─▶ the journal: committed ─▶ moved, deleted or kept there ─▶ the journal: done
//! ```
//!
//! Who is interrupted before the journal has a file fetches it again; behind that, only what is left to do is done. The
//! gateway may process a file as soon as it has its name.

use std::fs;
use std::path::Path;

use transport::{Far, FarError, create_anew, make_folder, sync_folder, touch_folder};

use super::book::{Book, Step, Version};
use super::ends::{Ends, here};
use super::partial::{Ended, Partial, hidden};
use super::settings::{After, Pull};
use super::turns::Turn;

/// How often a name with a number is tried for a file that is moved to where others have its name.
const NAMES_TRIED: usize = 10;

/// What became of a file that was to be fetched.
pub(super) enum Fetched {
    Here {
        /// Why it could not be moved or deleted there, if so.
        untold: Option<String>,
    },
    /// Another of its name is here.
    Waits,
    /// It came otherwise than it is listed.
    Otherwise(String),
    /// It is refused, this file alone.
    Refused(String),
}

/// A connection.
pub(super) struct Line<'l> {
    pub(super) pull: &'l Pull,
    pub(super) book: &'l Book<'l>,
    pub(super) far: &'l mut dyn Far,
    pub(super) is_over: &'l (dyn Fn() -> bool + Sync),
}

impl Line<'_> {
    /// Fetches a file, and has it told there at once unless that is to be later. One that is written to meanwhile is left for
    /// later.
    pub(super) fn fetch(
        &mut self,
        (name, version): (&str, Version),
        turn: &Turn<'_>,
        tells_last: bool,
    ) -> Result<Fetched, Ends> {
        let target = self.pull.root.join(name);
        // An earlier one of this name waits for the gateway.
        if target.try_exists().map_err(here)? {
            return Ok(Fetched::Waits);
        }
        match self.receive(name, version, &target) {
            Ok(None) => {}
            Ok(Some(why)) => return Ok(Fetched::Otherwise(why)),
            // It is about this file alone: the others are not held up.
            Err(Ends::Far(FarError::NotThere(_))) => {
                return Ok(Fetched::Otherwise("it is listed and cannot be opened".into()));
            }
            Err(Ends::Far(error)) if error.is_about_file() => {
                return Ok(Fetched::Refused(error.told()));
            }
            Err(ends) => return Err(ends),
        }
        let Line { far, is_over, .. } = self;
        // A connection that says nothing would be taken for gone.
        if !turn.wait(is_over, || drop(far.stat(name))) {
            let _ = fs::remove_file(hidden(&target));
            return Err(Ends::Stopped);
        }
        self.book.note(name, version, Step::Fetched)?;
        commit(self.pull, self.book, name, version)?;
        let (network_element, octets) = (&self.pull.network_element, version.octets);
        tracing::info!(
            network_element = %network_element, file = %name,
            "{network_element}: \"{name}\" was fetched, {octets} octets"
        );
        let untold = if tells_last { None } else { self.tell(name, version)? };
        Ok(Fetched::Here { untold })
    }

    /// Has a file on the disk here; or says why it came otherwise than it is listed.
    fn receive(
        &mut self,
        name: &str,
        version: Version,
        target: &Path,
    ) -> Result<Option<String>, Ends> {
        let folder = target.parent().unwrap_or(&self.pull.root).to_owned();
        make_folder(&folder).map_err(here)?;
        let part = hidden(target);
        let file = create_anew(&part).map_err(here)?;
        let mut to = Partial::new(file, version.octets, self.pull, self.is_over);
        let fetched = self.far.fetch(name, &mut to);
        let (written, ended) = to.end();
        let listed = version.octets;
        let otherwise = match (ended, fetched) {
            (Some(Ended::Ends(ends)), _) => Err(ends),
            (Some(Ended::Grows), _) => Ok(Some(format!("{listed} octets are listed, more came"))),
            (None, Err(error)) => Err(Ends::Far(error)),
            (None, Ok(octets)) if octets != listed => {
                Ok(Some(format!("{listed} octets are listed, {octets} came")))
            }
            (None, Ok(_)) => self.is_as_it_was(name, version).map(|is_it| {
                (!is_it).then(|| "its size or time is listed otherwise than it is told".to_owned())
            }),
        };
        if !matches!(otherwise, Ok(None)) {
            let _ = fs::remove_file(&part);
            if let Ok(Some(_)) = otherwise {
                let network_element = &self.pull.network_element;
                tracing::info!(
                    network_element = %network_element, file = %name,
                    "{network_element}: \"{name}\" is written to at the far place while it is fetched: it is left for later"
                );
            }
            return otherwise;
        }
        // It is as old as it is there: by that files have their order, and their hour.
        version.written().map_or(Ok(()), |at| written.set_modified(at)).map_err(here)?;
        written.sync_all().map_err(here)?;
        sync_folder(&folder).map_err(here)?;
        Ok(None)
    }

    fn is_as_it_was(&mut self, name: &str, version: Version) -> Result<bool, Ends> {
        let now = self.far.stat(name).map_err(Ends::Far)?;
        Ok(version.may_be(&now))
    }

    /// Moves or deletes a file at the far place, whose turn it is: no other connection gives names meanwhile. A version that
    /// is not the one that was fetched stays. Where that is refused, it is about this file alone, is told why, and is tried
    /// again.
    pub(super) fn tell(&mut self, name: &str, version: Version) -> Result<Option<String>, Ends> {
        if self.pull.after == After::Keep {
            return Ok(None);
        }
        if !self.is_another(name, version).map_err(Ends::Untold)? {
            let told = match &self.pull.after {
                After::Keep => Ok(()),
                After::Delete => self.far.remove(name),
                After::Move(folder) => move_to(self.far, (name, version), folder),
            };
            match told {
                Ok(()) | Err(FarError::NotThere(_)) => {}
                Err(error) if error.may_pass() => return Err(Ends::Untold(error)),
                Err(error) => return Ok(Some(error.told())),
            }
        }
        // Where it is another, the one that was fetched is gone, and this one is fetched as any other.
        self.book.note(name, version, Step::Done)?;
        Ok(None)
    }

    /// Whether a file is there now that is not the one that was fetched: long ago, perhaps, as it was listed. Where the far
    /// place does not say, who moves or deletes it is told why.
    fn is_another(&mut self, name: &str, version: Version) -> Result<bool, FarError> {
        match self.far.stat(name) {
            Ok(now) => Ok(!version.may_be(&now)),
            Err(error) if error.may_pass() => Err(error),
            Err(_) => Ok(false),
        }
    }
}

/// Gives a file that was fetched its name.
pub(super) fn commit(
    pull: &Pull,
    book: &Book<'_>,
    name: &str,
    version: Version,
) -> Result<(), Ends> {
    let target = pull.root.join(name);
    let part = hidden(&target);
    let folder = target.parent().unwrap_or(&pull.root);
    let step = if pull.after == After::Keep { Step::Done } else { Step::Committed };
    match part.try_exists().map_err(here)? {
        true => fs::rename(&part, &target).map_err(here)?,
        // It has its name, perhaps without a sync, or had it until the gateway was through with it.
        false if folder.is_dir() => touch_folder(folder).map_err(here)?,
        false => return Ok(book.note(name, version, step)?),
    }
    sync_folder(folder).map_err(here)?;
    book.note(name, version, step)?;
    pull.note_arrival();
    Ok(())
}

fn move_to(
    far: &mut dyn Far,
    (name, version): (&str, Version),
    folder: &str,
) -> Result<(), FarError> {
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
    // Where a network element uses a few names over and over, numbers are not tried for ever.
    let stamped = format!("{to}.{version}");
    for to in std::iter::once(to.clone()).chain(numbered) {
        match far.rename(name, &to) {
            Err(FarError::Exists(_)) => {}
            moved => return moved,
        }
    }
    far.rename(name, &stamped)
}
