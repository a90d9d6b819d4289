//! One look at a far place, and what is done of what is there: each file is fetched once, whenever this ends.
//!
//! ```text
//! listed, twice the same ─▶ .NAME.part, all its octets, unchanged there ─▶ synced ─▶ the journal: fetched
//!     ─▶ NAME ─▶ folder synced ─▶ the journal: committed ─▶ moved, deleted or kept there ─▶ the journal: done
//! ```
//!
//! Who is interrupted before the journal has a file fetches it again; behind that, only what is left to do is done. The
//! gateway may process a file as soon as it has its name.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use store::StoreError;
use transport::{
    FOLDER_DEPTH_MAX, Far, FarError, FarFile, FarKind, create_anew, disk, make_folder, matches,
    not_plain, sync_folder, taken_below, touch_folder,
};

use super::back_off;
use super::book::{Book, Step, Version};
use super::settings::{After, Pull};

/// How long a file must not have changed at the far place before it is fetched.
const SETTLED: Duration = Duration::from_secs(1);

/// How often a file cannot be fetched as it is listed, though it is listed alike each time, until that is told.
const TRIES_UNTOLD: u32 = 2;

/// Most files of a far place that are looked at. What is beyond comes when others are gone.
const LISTED_MAX: usize = 200_000;

/// How often a name with a number is tried for a file that is moved to where others have its name.
const NAMES_TRIED: usize = 10;

/// Octets that are written before it is looked again how much room there is.
const LOOK_OCTETS: u64 = 16_000_000;

/// Why a pass ends before all is done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ends {
    #[error("{}", .0.told())]
    Far(FarError),
    #[error(transparent)]
    Journal(#[from] StoreError),
    #[error("{0}")]
    Full(String),
    /// What is here already could not be moved or deleted at the far place.
    #[error("what was fetched cannot be moved or deleted there: {}", .0.told())]
    Untold(FarError),
    #[error("the gateway stops")]
    Stopped,
}

/// What a pass found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How many files were fetched.
    pub(super) fetched: usize,
    /// How many are there that may still be written to.
    pub(super) unsettled: usize,
    /// What is there and is not fetched: the first of it, why, and how many there are.
    pub(super) refused: Vec<(String, String)>,
    /// What was fetched and cannot be moved or deleted there, and why.
    pub(super) untold: Vec<(String, String)>,
}

/// What is seen of the far place from one look to the next.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<String, Sight>);

impl Seen {
    /// What is known of a file as it is listed now.
    fn of(&mut self, name: &str, version: Version) -> &mut Sight {
        let sight = self.0.entry(name.to_owned()).or_insert_with(|| Sight::new(version));
        if sight.version != version {
            *sight = Sight::new(version);
        }
        sight
    }
}

/// A file as it has been listed for some time.
#[derive(Debug)]
struct Sight {
    version: Version,
    since: Instant,
    /// How often it could not be fetched so, why not, and when that is tried again.
    tries: u32,
    why: String,
    again: Instant,
}

impl Sight {
    fn new(version: Version) -> Self {
        let now = Instant::now();
        Sight { version, since: now, tries: 0, why: String::new(), again: now }
    }

    /// It cannot be fetched as it is listed, and is left alone for a while: longer each time.
    fn missed(&mut self, why: String) {
        self.tries += 1;
        self.why = why;
        self.again = Instant::now() + back_off(self.tries - 1);
    }

    /// Whether it is left alone.
    fn rests(&self) -> bool {
        Instant::now() < self.again
    }

    /// Adds it to what is found: it may have changed, or gone away, while it was fetched; not time and again.
    fn tell(&self, name: &str, found: &mut Found) {
        match self.tries < TRIES_UNTOLD {
            true => found.unsettled += 1,
            false => found.refused.push((name.to_owned(), self.why.clone())),
        }
    }
}

/// What is seen of the far place at one look.
#[derive(Debug, Default)]
struct Listed {
    /// By name, with the folders they are in.
    files: BTreeMap<String, FarFile>,
    /// Folders of which nobody knows what is in them now.
    unknown: Vec<String>,
    /// Whether there were more files than are looked at.
    is_cut: bool,
}

impl Listed {
    fn add(&mut self, name: String, file: FarFile) {
        match self.files.len() < LISTED_MAX {
            true => drop(self.files.insert(name, file)),
            false => self.is_cut = true,
        }
    }

    /// Whether a file that was there is not any more. Where that is not known, it may come again.
    fn is_gone(&self, name: &str) -> bool {
        let is_in = |folder: &String| {
            name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        !self.is_cut && !self.files.contains_key(name) && !self.unknown.iter().any(is_in)
    }
}

/// What became of a file that was to be fetched.
enum Fetched {
    Here,
    /// Another of its name is here.
    Waits,
    /// It came otherwise than it is listed.
    Otherwise(String),
}

/// A pass.
pub(super) struct Pass<'p> {
    pub(super) pull: &'p Pull,
    pub(super) far: &'p mut dyn Far,
    pub(super) book: &'p mut Book<'p>,
    pub(super) is_over: &'p dyn Fn() -> bool,
    /// Whether files are moved or deleted only when all were fetched, since that ended the pass before.
    pub(super) tells_last: bool,
}

impl Pass<'_> {
    /// Looks, and does what there is to do.
    pub(super) fn run(&mut self, seen: &mut Seen) -> Result<Found, Ends> {
        let mut found = Found::default();
        self.finish_begun()?;
        let listed = self.list(&mut found)?;
        seen.0.retain(|name, _| !listed.is_gone(name));
        if !self.tells_last {
            self.tell_far(&listed, &mut found)?;
        }
        for (name, file) in &listed.files {
            let version = Version::of(file);
            if self.book.step(name, version).is_some() {
                continue;
            }
            let sight = seen.of(name, version);
            if sight.since.elapsed() < SETTLED.max(self.pull.quiet) {
                found.unsettled += 1;
                continue;
            }
            if sight.rests() {
                sight.tell(name, &mut found);
                continue;
            }
            match self.fetch(name, version) {
                Ok(Fetched::Here) => {
                    found.fetched += 1;
                    if !self.tells_last {
                        self.tell(name, version, &mut found)?;
                    }
                }
                Ok(Fetched::Waits) => found.unsettled += 1,
                Ok(Fetched::Otherwise(why)) => {
                    sight.missed(why);
                    sight.tell(name, &mut found);
                }
                // It is about this file alone: the others are not held up.
                Err(Ends::Far(error @ (FarError::Refused(_) | FarError::Forbidden(_)))) => {
                    found.refused.push((name.clone(), error.told()));
                }
                Err(Ends::Far(FarError::NotThere(_))) => {
                    sight.missed("it is listed and cannot be opened".into());
                    sight.tell(name, &mut found);
                }
                Err(ends) => return Err(ends),
            }
        }
        if self.tells_last {
            self.tell_far(&listed, &mut found)?;
        }
        self.book.forget(|name| !listed.is_gone(name))?;
        Ok(found)
    }

    /// Gives what was fetched its name, where somebody was interrupted.
    fn finish_begun(&mut self) -> Result<(), Ends> {
        for (name, version) in self.book.on(Step::Fetched) {
            self.commit(&name, version)?;
        }
        Ok(())
    }

    /// The files that are there, with the folders they are in. A folder that is not shown keeps no other from being looked
    /// into.
    fn list(&mut self, found: &mut Found) -> Result<Listed, Ends> {
        let mut listed = Listed::default();
        let mut folders = vec![(String::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let files = match self.far.list(&folder) {
                Ok(files) => files,
                Err(error) if error.may_pass() || folder.is_empty() => {
                    return Err(Ends::Far(error));
                }
                Err(error) => {
                    // One that went away meanwhile is not asked for again.
                    if !matches!(error, FarError::NotThere(_)) {
                        let why = format!("what is in it is not shown: {}", error.told());
                        found.refused.push((folder.clone(), why));
                    }
                    listed.unknown.push(folder);
                    continue;
                }
            };
            for file in files {
                let own = file.name.rsplit('/').next().unwrap_or("").to_owned();
                // Those are hidden, and the listing's own.
                if own.starts_with('.') && !own.chars().any(char::is_control) {
                    continue;
                }
                let within = |name: &str| match folder.as_str() {
                    "" => name.to_owned(),
                    folder => format!("{folder}/{name}"),
                };
                let is_wanted = matches(&self.pull.pattern, &own);
                match file.kind {
                    FarKind::Folder if self.goes_into(&within(&own), &own, depth) => {
                        match not_read(&own) {
                            None => folders.push((within(&own), depth + 1)),
                            Some(why) => found.refused.push((within(&own), why.into())),
                        }
                    }
                    FarKind::File if is_wanted => match not_plain(&file.name).or(not_read(&own)) {
                        None => listed.add(within(&own), file),
                        Some(why) => found.refused.push((file.name.clone(), why.into())),
                    },
                    FarKind::Other if is_wanted => {
                        let why = "it is a link or no file, and not followed";
                        found.refused.push((file.name.clone(), why.into()));
                    }
                    _ => {}
                }
            }
        }
        Ok(listed)
    }

    fn goes_into(&self, folder: &str, own: &str, depth: usize) -> bool {
        let is_done = matches!(&self.pull.after, After::Move(done) if done == folder);
        self.pull.is_recursive && depth < FOLDER_DEPTH_MAX && not_plain(own).is_none() && !is_done
    }

    /// Fetches a file. One that is written to meanwhile is left for later.
    fn fetch(&mut self, name: &str, version: Version) -> Result<Fetched, Ends> {
        let target = self.target(name);
        // An earlier one of this name waits for the gateway.
        if target.try_exists().map_err(here)? {
            return Ok(Fetched::Waits);
        }
        let folder = target.parent().unwrap_or(&self.pull.root).to_owned();
        make_folder(&folder).map_err(here)?;
        let part = hidden(&target);
        let mut to = Partial {
            file: create_anew(&part).map_err(here)?,
            pull: self.pull,
            is_over: self.is_over,
            left: version.octets,
            unlooked: LOOK_OCTETS,
            ends: None,
        };
        let fetched = self.far.fetch(name, &mut to);
        let Partial { file: written, ends, .. } = to;
        let listed = version.octets;
        let otherwise = match (ends, fetched) {
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
            return otherwise.map(|why| Fetched::Otherwise(why.unwrap_or_default()));
        }
        // It is as old as it is there: by that files have their order, and their hour.
        version.written().map_or(Ok(()), |at| written.set_modified(at)).map_err(here)?;
        written.sync_all().map_err(here)?;
        sync_folder(&folder).map_err(here)?;
        self.book.note(name, version, Step::Fetched)?;
        self.commit(name, version)?;
        let (network_element, octets) = (&self.pull.network_element, version.octets);
        tracing::info!(
            network_element = %network_element, file = %name,
            "{network_element}: \"{name}\" was fetched, {octets} octets"
        );
        Ok(Fetched::Here)
    }

    fn is_as_it_was(&mut self, name: &str, version: Version) -> Result<bool, Ends> {
        let now = self.far.stat(name).map_err(Ends::Far)?;
        Ok(version.may_be(&now))
    }

    /// Gives a file that was fetched its name.
    fn commit(&mut self, name: &str, version: Version) -> Result<(), Ends> {
        let target = self.target(name);
        let part = hidden(&target);
        let folder = target.parent().unwrap_or(&self.pull.root);
        match part.try_exists().map_err(here)? {
            true => fs::rename(&part, &target).map_err(here)?,
            // It has its name, perhaps without a sync, or had it until the gateway was through with it.
            false if folder.is_dir() => touch_folder(folder).map_err(here)?,
            false => return self.committed(name, version),
        }
        sync_folder(folder).map_err(here)?;
        self.committed(name, version)?;
        self.pull.note_arrival();
        Ok(())
    }

    fn committed(&mut self, name: &str, version: Version) -> Result<(), Ends> {
        let step = if self.pull.after == After::Keep { Step::Done } else { Step::Committed };
        Ok(self.book.note(name, version, step)?)
    }

    /// Moves or deletes at the far place what is here, where that was not done yet or did not last: what is told now is not
    /// told again.
    fn tell_far(&mut self, listed: &Listed, found: &mut Found) -> Result<(), Ends> {
        let done = self.book.on(Step::Done);
        for (name, version) in self.book.on(Step::Committed) {
            match listed.files.get(&name).map(Version::of) {
                Some(there) if there == version => self.tell(&name, version, found)?,
                None if !listed.is_gone(&name) => {}
                // It is gone, or another file has its name, which is fetched as any other.
                _ => self.book.note(&name, version, Step::Done)?,
            }
        }
        if self.pull.after != After::Keep {
            for (name, version) in done {
                if listed.files.get(&name).is_some_and(|there| Version::of(there) == version) {
                    self.tell(&name, version, found)?;
                }
            }
        }
        Ok(())
    }

    /// Moves or deletes a file at the far place. A version that is not the one that was fetched stays. Where that is refused,
    /// it is about this file alone, and is tried again.
    fn tell(&mut self, name: &str, version: Version, found: &mut Found) -> Result<(), Ends> {
        if self.pull.after == After::Keep {
            return Ok(());
        }
        if self.is_another(name, version).map_err(Ends::Untold)? {
            // The one that was fetched is gone, and this one is fetched as any other.
            return Ok(self.book.note(name, version, Step::Done)?);
        }
        let told = match &self.pull.after {
            After::Keep => Ok(()),
            After::Delete => self.far.remove(name),
            After::Move(folder) => move_to(self.far, (name, version), folder),
        };
        match told {
            Ok(()) | Err(FarError::NotThere(_)) => Ok(self.book.note(name, version, Step::Done)?),
            Err(error) if error.may_pass() => Err(Ends::Untold(error)),
            Err(error) => {
                found.untold.push((name.to_owned(), error.told()));
                Ok(())
            }
        }
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

    fn target(&self, name: &str) -> PathBuf {
        self.pull.root.join(name)
    }
}

/// Why a name cannot be said to the far place, if so: what was no text there came as this sign.
fn not_read(name: &str) -> Option<&'static str> {
    let is_lost = name.contains(char::REPLACEMENT_CHARACTER);
    is_lost.then_some("its name is not UTF-8, and cannot be asked for")
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

/// What a file is called until all of it came.
fn hidden(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.part"))
}

fn here(error: io::Error) -> Ends {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Ends::Full(format!("there is no room here: {error}"))
        }
        _ => Ends::Far(FarError::Here(error)),
    }
}

/// What comes of a file, as long as there is room for it, and it is no longer than it was.
struct Partial<'p> {
    file: File,
    pull: &'p Pull,
    is_over: &'p dyn Fn() -> bool,
    /// Octets that are still to come.
    left: u64,
    /// Octets since it was looked how much room there is.
    unlooked: u64,
    ends: Option<Ended>,
}

enum Ended {
    Grows,
    Ends(Ends),
}

impl Partial<'_> {
    fn ends(&mut self, octets: u64) -> Option<Ended> {
        if (self.is_over)() {
            return Some(Ended::Ends(Ends::Stopped));
        }
        let Some(left) = self.left.checked_sub(octets) else { return Some(Ended::Grows) };
        self.left = left;
        self.unlooked += octets;
        if self.unlooked >= LOOK_OCTETS {
            self.unlooked = 0;
            return no_room(self.pull).map(|why| Ended::Ends(Ends::Full(why)));
        }
        None
    }
}

impl Write for Partial<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self.ends(octets.len() as u64) {
            None => {
                self.file.write_all(octets)?;
                Ok(octets.len())
            }
            Some(ended) => {
                self.ends = Some(ended);
                Err(io::Error::other("no more of it is taken"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why nothing more can be fetched now, if so.
fn no_room(pull: &Pull) -> Option<String> {
    if taken_below(&pull.root).unwrap_or(0) >= pull.limit {
        return Some("the in buffer has reached its limit".into());
    }
    let free = disk(&pull.root).map_or(u64::MAX, |disk| disk.free);
    (free < pull.disk_free).then(|| "the disk is nearly full".into())
}
