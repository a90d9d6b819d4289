//! Makes one pass over a remote place. Each file is fetched once, even if a pass is interrupted. A file is fetched [over a
//! connection](super::line) once two passes have listed it alike; several are fetched at once if configured.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use reason::Reason;
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::threads;
use transport::{
    FOLDER_DEPTH_MAX, Listing, RemoteConnection, RemoteError, RemoteFile, RemoteKind, matches,
    name_mistake,
};

use super::BACKOFF;
use super::book::{Book, FarVersion, Step};
use super::ends::Ends;
use super::fault::FetchFault;
use super::folders::{Folder, Folders, Half};
use super::line::{Blames, Fetched, Line, Missed, commit, is_about_name, unnameable};
use super::settings::{After, Pull};
use super::turns::Turns;
use diagnostics::octets;

/// How long a file must stay unchanged at the remote place before it is fetched.
const SETTLED: Duration = Duration::from_secs(1);

/// The number of failed tries, with an unchanged listing, before a failure is reported.
const QUIET_TRIES_MAX: u32 = 2;

/// The most files of a remote place that a pass lists. In a folder with more, the rest is listed when others are gone.
const LISTED_MAX: usize = 200_000;

/// The most folders that a pass lists, and the longest time it takes: a folder that links to its own parent has no end.
/// The next pass lists [others](super::folders).
const FOLDERS_MAX: usize = 10_000;
const LISTING_MAX: Duration = Duration::from_secs(300);

/// After this many failed files in a row the place is to blame. This avoids thousands of requests to a place that
/// answers each with an error.
const IN_A_ROW_MAX: usize = 5;

/// The result of a pass.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The number of fetched files.
    pub(super) fetched: usize,
    /// The number of files that may still be written to.
    pub(super) unsettled: usize,
    /// The first of those and the reason.
    pub(super) first_unsettled: Option<(String, String)>,
    /// The files that are not fetched, each with the reason.
    pub(super) refused: Vec<(String, Reason)>,
    /// The fetched files that cannot be moved or deleted, each with the reason.
    pub(super) untold: Vec<(String, Reason)>,
    /// The reason for fewer connections than allowed, if so.
    pub(super) fewer: Option<String>,
    /// Whether all allowed connections were made. With little to do, fewer are made too.
    pub(super) has_all: bool,
    /// How long the remote place asks to wait before the next listing.
    pub(super) retry_after: Duration,
}

/// The knowledge of the remote place that lasts from one pass to the next.
#[derive(Debug, Default)]
pub(super) struct PassMemory {
    /// The files to fetch.
    fetching: Sights,
    /// The fetched files that could not be moved or deleted.
    telling: Sights,
    /// The folder where the next pass continues, if the last one did not list all folders.
    left: Option<Folder>,
}

impl PassMemory {
    /// Lets the next pass list folders as a first pass does.
    pub(super) fn start_over(&mut self) {
        self.left = None;
    }

    fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        for sights in [&mut self.fetching, &mut self.telling] {
            sights.0.retain(|name, _| !is_gone(name));
        }
    }
}

/// The listed files by name.
#[derive(Debug, Default)]
struct Sights(HashMap<String, Sight>);

impl Sights {
    /// Returns the entry of a file. A changed version starts a new entry.
    fn of(&mut self, name: &str, version: FarVersion) -> &mut Sight {
        let sight = self.0.entry(name.to_owned()).or_insert_with(|| Sight::new(version));
        if sight.version != version {
            *sight = Sight::new(version);
        }
        sight
    }
}

/// A file whose listing has not changed for some time.
#[derive(Debug)]
struct Sight {
    version: FarVersion,
    since: Instant,
    /// The number of failed tries to fetch, move or delete it; the last reason; the time of the next try.
    tries: u32,
    why: Reason,
    again: Instant,
    /// Whether it may succeed later without a change by an operator. If so, the failure is reported after the second
    /// try.
    may_pass: bool,
}

impl Sight {
    fn new(version: FarVersion) -> Self {
        let now = Instant::now();
        Sight { version, since: now, tries: 0, why: Reason::default(), again: now, may_pass: true }
    }

    /// Notes a failed fetch. The wait before the next try grows each time.
    fn missed(&mut self, Missed { why, blames, after }: Missed) {
        self.left_alone(why, after);
        self.may_pass = blames != Blames::File;
    }

    /// Delays the next try, by no less than the remote place asks for.
    fn left_alone(&mut self, why: Reason, after: Option<Duration>) {
        self.tries += 1;
        self.why = why;
        self.again = Instant::now() + BACKOFF.after(self.tries).max(after.unwrap_or_default());
    }

    fn failed(&mut self, error: &RemoteError) {
        self.left_alone(error.reason(), error.after());
    }

    /// Returns whether the next try is not due yet.
    fn rests(&self) -> bool {
        Instant::now() < self.again
    }

    /// Adds the file to the result of the pass. A first failure counts as unsettled: the file may have changed or
    /// disappeared meanwhile. Repeated failures are reported.
    fn tell(&self, name: &str, found: &mut Found) {
        match self.may_pass && self.tries < QUIET_TRIES_MAX {
            true => found.unsettled(name, &self.why.to_string()),
            false => found.refused.push((name.to_owned(), self.why.clone())),
        }
    }
}

impl Found {
    fn unsettled(&mut self, name: &str, why: &str) {
        self.unsettled += 1;
        self.first_unsettled.get_or_insert_with(|| (name.to_owned(), why.to_owned()));
    }
}

/// The listing of the remote place in one pass.
#[derive(Debug, Default)]
struct Listed {
    /// The files by name, with their folders.
    files: BTreeMap<String, RemoteFile>,
    /// The folders that could not be listed in this pass.
    unknown: Vec<String>,
    /// The folders that were listed completely. This matters if not all folders were listed.
    whole: HashSet<String>,
    /// The reason that the listing may be incomplete, if so.
    cut: Option<Reason>,
}

impl Listed {
    fn add(&mut self, name: String, file: RemoteFile) {
        match self.files.len() < LISTED_MAX {
            true => drop(self.files.insert(name, file)),
            false => {
                self.cut = Some(Reason::of(&FetchFault::TooManyFiles));
            }
        }
    }

    /// Returns whether a file has disappeared. If its folder was not listed, the answer is no.
    fn is_gone(&self, name: &str) -> bool {
        let is_in = |folder: &String| {
            name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_looked_at = self.cut.is_none() || self.whole.contains(folder);
        is_looked_at && !self.files.contains_key(name) && !self.unknown.iter().any(is_in)
    }
}

/// Returns the share of its limits that a pass has used: of folders, files or time, whichever is greatest.
fn part_done(folders: usize, files: usize, took: Duration) -> f64 {
    let folders = folders as f64 / FOLDERS_MAX as f64;
    let files = files as f64 / LISTED_MAX as f64;
    folders.max(files).max(took.as_secs_f64() / LISTING_MAX.as_secs_f64())
}

/// A file to fetch.
struct Wanted<'l> {
    name: &'l str,
    version: FarVersion,
    /// Whether an earlier try failed.
    is_tried: bool,
}

/// The result of fetching over all connections.
struct Brought {
    /// The results of files, by their places in the list.
    fetched: Vec<(usize, Fetched)>,
    /// The reason for fewer connections than allowed, if so.
    fewer: Option<String>,
    /// Whether all allowed connections were made.
    has_all: bool,
    /// The reason for an early end, if any.
    ended: Result<(), Ends>,
}

/// A pass.
pub(super) struct Pass<'p> {
    pub(super) pull: &'p Pull,
    pub(super) far: &'p mut dyn RemoteConnection,
    pub(super) book: &'p Book<'p>,
    pub(super) end: &'p Shutdown,
    /// Whether files are moved or deleted after all are fetched. This is set if a failed move or deletion ended the
    /// last pass.
    pub(super) tells_last: bool,
}

impl Pass<'_> {
    /// Runs the pass.
    pub(super) fn run(&mut self, memory: &mut PassMemory) -> Result<Found, Ends> {
        let mut found = Found::default();
        self.finish_begun(&mut found)?;
        let listed = self.list(&mut memory.left, &mut found)?;
        memory.forget(|name| listed.is_gone(name));
        if !self.tells_last {
            self.tell_far(&listed, memory, &mut found)?;
        }
        let wanted = self.wanted(&listed, memory, &mut found);
        self.fetch(&wanted, memory, &mut found)?;
        if self.tells_last {
            self.tell_far(&listed, memory, &mut found)?;
        }
        self.book.forget(|name| !listed.is_gone(name))?;
        Ok(found)
    }

    /// Renames fetched files whose rename was interrupted.
    fn finish_begun(&mut self, found: &mut Found) -> Result<(), Ends> {
        for (name, version) in self.book.on(Step::Fetched) {
            match commit(self.pull, self.book, &name, version) {
                // A folder has this name now. The other files do not wait for it.
                Err(Ends::Remote(RemoteError::Here(error))) if is_about_name(&error) => {
                    found.refused.push((name, unnameable(&error).why));
                }
                committed => committed?,
            }
        }
        Ok(())
    }

    /// Returns the files to fetch, in order. Files that failed before come last, so that they hold up nothing.
    fn wanted<'l>(
        &self,
        listed: &'l Listed,
        memory: &mut PassMemory,
        found: &mut Found,
    ) -> Vec<Wanted<'l>> {
        let (mut wanted, mut again) = (Vec::new(), Vec::new());
        for (name, file) in &listed.files {
            let version = FarVersion::of(file);
            if self.book.step(name, version).is_some() {
                continue;
            }
            if let Some(why) = self.too_large(version) {
                found.refused.push((name.clone(), why));
                continue;
            }
            let sight = memory.fetching.of(name, version);
            if sight.since.elapsed() < SETTLED.max(self.pull.quiet) {
                found.unsettled(name, "it may still be written to");
            } else if sight.rests() {
                sight.tell(name, found);
            } else {
                let is_tried = sight.tries > 0;
                let list = if is_tried { &mut again } else { &mut wanted };
                list.push(Wanted { name, version, is_tried });
            }
        }
        wanted.append(&mut again);
        wanted
    }

    /// Returns the reason that a file is too large, if it is.
    fn too_large(&self, version: FarVersion) -> Option<Reason> {
        let (size, most) = (version.octets?, self.pull.most_octets());
        let why = || {
            let (size, limit) = (octets(size).to_string(), octets(most).to_string());
            Reason::of(&FetchFault::TooLarge { size, limit })
        };
        (size > most).then(why)
    }

    /// Fetches files and notes the result of each.
    fn fetch(
        &mut self,
        wanted: &[Wanted<'_>],
        memory: &mut PassMemory,
        found: &mut Found,
    ) -> Result<(), Ends> {
        let Brought { fetched, fewer, has_all, ended } = self.bring(wanted);
        (found.fewer, found.has_all) = (fewer, has_all);
        for (place, fetched) in fetched {
            let Wanted { name, version, .. } = wanted[place];
            match fetched {
                Fetched::Here { untold } => {
                    found.fetched += 1;
                    memory.fetching.0.remove(name);
                    if let Some(error) = untold {
                        memory.telling.of(name, version).failed(&error);
                        found.untold.push((name.to_owned(), error.reason()));
                    }
                }
                Fetched::Waits => found.unsettled(name, "another of its name is in the in buffer"),
                Fetched::Missed(missed) => {
                    let sight = memory.fetching.of(name, version);
                    sight.missed(missed);
                    sight.tell(name, found);
                }
            }
        }
        ended
    }

    /// Fetches files over up to `at_once` connections. Connections are made while there is work for them. An error that
    /// ends one connection ends all of them, each after its current file.
    fn bring(&mut self, wanted: &[Wanted<'_>]) -> Brought {
        let turns = Turns::new(wanted.len());
        let (fetched, fewer) = (Mutex::new(Vec::new()), Mutex::new(None));
        let (connected, in_a_row) = (AtomicUsize::new(1), AtomicUsize::new(0));
        let Pass { pull, book, end, tells_last, .. } = *self;
        let work = |far: &mut dyn RemoteConnection| {
            let mut line = Line { pull, book, far, end };
            while let Some(turn) = turns.take() {
                let Wanted { name, version, is_tried } = wanted[turn.place];
                let done = line.fetch((name, version), &turn, tells_last);
                let ends = match done {
                    Ok(done) => {
                        // A file that failed before tells nothing new about the place.
                        let ends =
                            (!is_tried).then(|| is_place_to_blame(&done, &in_a_row)).flatten();
                        lock(&fetched).push((turn.place, done));
                        ends
                    }
                    Err(ends) => {
                        // Other files go first next time: this file may be what ends connections.
                        if let Ends::Remote(error) = &ends {
                            let missed = Missed::by(error, Blames::FileOrPlace);
                            lock(&fetched).push((turn.place, Fetched::Missed(missed)));
                        }
                        Some(ends)
                    }
                };
                if let Some(ends) = ends {
                    turn.end();
                    return Err(ends);
                }
            }
            Ok(())
        };
        let another = || match turns.are_left().then(|| pull.place.connect()) {
            None => Ok(()),
            Some(Ok(mut far)) => {
                connected.fetch_add(1, Ordering::Relaxed);
                work(&mut *far)
            }
            // The other connections do the work.
            Some(Err(error)) => {
                *lock(&fewer) = Some(error.with_causes());
                Ok(())
            }
        };
        let ended = thread::scope(|scope| {
            let others = 1..pull.at_once.min(wanted.len());
            let others: Vec<_> =
                others.filter_map(|_| threads::spawn_scoped(scope, another).ok()).collect();
            let mut ended = work(&mut *self.far);
            for other in others {
                let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                ended = match (ended, other) {
                    // The others end because one did, or because the gateway stops.
                    (Err(Ends::Stopped), Err(ends)) | (Ok(()), Err(ends)) => Err(ends),
                    (ended, _) => ended,
                };
            }
            ended
        });
        let (fetched, fewer) = (std::mem::take(&mut *lock(&fetched)), lock(&fewer).take());
        let has_all = connected.into_inner() >= pull.at_once;
        Brought { fetched, fewer, has_all, ended }
    }

    /// Lists the files with their folders. A folder that cannot be listed does not keep others from being listed. With
    /// more folders than a pass may list, the next pass continues with the remaining ones.
    fn list(&mut self, left: &mut Option<Folder>, found: &mut Found) -> Result<Listed, Ends> {
        let (mut listed, begun, mut looked, mut in_a_row) =
            (Listed::default(), Instant::now(), 0, 0);
        let (mut folders, mut in_part) = (Folders::new(left.clone()), None);
        loop {
            if self.end.is_set() {
                return Err(Ends::Stopped);
            }
            let files_before = listed.files.len();
            let part = part_done(looked, files_before, begun.elapsed());
            if looked > 0 && part >= 1.0 {
                break;
            }
            let half = if part < 0.5 { Half::Newest } else { Half::GoingOn };
            let Some(folder) = folders.next(half) else { break };
            looked += 1;
            match self.far.list(&folder.name) {
                Ok(Listing { files, unreadable }) => {
                    in_a_row = 0;
                    let line = |line| (line, Reason::of(&FetchFault::ListLine));
                    found.refused.extend(unreadable.into_iter().map(line));
                    for file in files {
                        self.sort((&folder, file), &mut listed, &mut folders, found);
                    }
                    if listed.cut.is_none() {
                        listed.whole.insert(folder.name);
                    } else if files_before > LISTED_MAX / 2 {
                        // The next pass continues with this folder and has more room for it.
                        in_part = Some(folder);
                    }
                }
                Err(error) if folder.name.is_empty() => return Err(Ends::Remote(error)),
                Err(error) if error.is_about_place() && in_a_row == IN_A_ROW_MAX => {
                    return Err(Ends::Remote(error));
                }
                Err(error) => {
                    in_a_row += usize::from(error.is_about_place());
                    found.retry_after = found.retry_after.max(error.after().unwrap_or_default());
                    // A folder that disappeared meanwhile is not reported.
                    if !matches!(error, RemoteError::NotThere(_)) {
                        let why = FetchFault::Folder { problem: error.reason() };
                        found.refused.push((folder.name.clone(), Reason::of(&why)));
                    }
                    listed.unknown.push(folder.name);
                }
            }
        }
        *left = in_part.or_else(|| folders.left());
        if left.is_some() {
            listed.cut = Some(Reason::of(&FetchFault::TooManyFolders));
        }
        let cut = listed.cut.iter().map(|why| (String::new(), why.clone()));
        found.refused.extend(cut);
        Ok(listed)
    }

    /// Sorts an entry of a folder: a file is listed, a folder is queued, and an entry that is unusable for its kind or
    /// name is reported.
    fn sort(
        &self,
        (folder, file): (&Folder, RemoteFile),
        listed: &mut Listed,
        folders: &mut Folders,
        found: &mut Found,
    ) {
        let own = file.name.rsplit('/').next().unwrap_or("").to_owned();
        // Skips hidden files and the entries `.` and `..`.
        if own.starts_with('.') && !own.chars().any(char::is_control) {
            return;
        }
        let within = match folder.name.as_str() {
            "" => own.clone(),
            folder => format!("{folder}/{own}"),
        };
        let (is_wanted, is_recursive) = (matches(&self.pull.pattern, &own), self.pull.is_recursive);
        let why = match file.kind {
            RemoteKind::File if !is_wanted => return,
            RemoteKind::File => match unusable(&file.name, &own) {
                None => return listed.add(within, file),
                Some(why) => why,
            },
            RemoteKind::Folder if !is_recursive || self.is_moved_to(&within) => return,
            RemoteKind::Folder if folder.depth == FOLDER_DEPTH_MAX => FetchFault::TooDeep,
            RemoteKind::Folder => match unusable(&own, &own) {
                None => return folders.add(folder.within(within)),
                Some(why) => why,
            },
            // A link may lead to a folder. The remote place does not tell.
            _ if !is_wanted && !is_recursive => return,
            RemoteKind::Other => FetchFault::NoFile,
            RemoteKind::Unknown => FetchFault::UnknownKind,
        };
        found.refused.push((within, Reason::of(&why)));
    }

    /// Returns whether this is the folder that fetched files are moved to.
    fn is_moved_to(&self, folder: &str) -> bool {
        matches!(&self.pull.after, After::Move(done) if done == folder)
    }

    /// Moves or deletes fetched files that are still at the remote place: the move or deletion was not done yet, or the
    /// file is back. Files that were just reported are not reported again. A file that fails does not keep others
    /// waiting.
    fn tell_far(
        &mut self,
        listed: &Listed,
        memory: &mut PassMemory,
        found: &mut Found,
    ) -> Result<(), Ends> {
        let Pass { pull, book, end, .. } = *self;
        let mut line = Line { pull, book, far: &mut *self.far, end };
        let mut in_a_row = 0;
        let mut tell = |name: String, version| {
            let sight = memory.telling.of(&name, version);
            if !sight.rests() {
                match line.tell(&name, version) {
                    Ok(None) => {
                        in_a_row = 0;
                        memory.telling.0.remove(&name);
                        return Ok(());
                    }
                    Ok(Some(error)) => sight.failed(&error),
                    Err(Ends::NotRemoved(error)) if in_a_row < IN_A_ROW_MAX => {
                        in_a_row += 1;
                        sight.failed(&error);
                    }
                    Err(ends) => return Err(ends),
                }
            }
            found.untold.push((name, sight.why.clone()));
            Ok(())
        };
        let done = self.book.on(Step::Done);
        for (name, version) in self.book.on(Step::Committed) {
            match listed.files.get(&name).map(FarVersion::of) {
                Some(there) if there == version => tell(name, version)?,
                None if !listed.is_gone(&name) => {}
                // The file is gone, or another version has its name. That version is fetched like any file.
                _ => self.book.note(&name, version, Step::Done)?,
            }
        }
        if self.pull.after != After::Keep {
            for (name, version) in done {
                if listed.files.get(&name).is_some_and(|there| FarVersion::of(there) == version) {
                    tell(name, version)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the end of a pass after too many failures in a row that may be the place's fault.
fn is_place_to_blame(done: &Fetched, in_a_row: &AtomicUsize) -> Option<Ends> {
    let Fetched::Missed(Missed { why, blames: Blames::FileOrPlace, after }) = done else {
        in_a_row.store(0, Ordering::Relaxed);
        return None;
    };
    let count = in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
    let (what, after) = (why.clone(), *after);
    (count >= IN_A_ROW_MAX).then_some(Ends::Remote(RemoteError::Passing {
        what,
        after,
        cause: None,
    }))
}

/// Returns the reason that a name cannot be used here, or cannot be sent to the remote place, if any. A replacement
/// character stands for octets that were not UTF-8.
fn unusable(name: &str, own: &str) -> Option<FetchFault> {
    let is_lost = own.contains(char::REPLACEMENT_CHARACTER);
    let mistake = name_mistake(name).map(|mistake| FetchFault::Name { mistake });
    mistake.or(is_lost.then_some(FetchFault::NotUtf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_hard_to_fetch_is_deleted_there_as_soon_as_any_other() {
        let file = RemoteFile {
            name: "a.x".into(),
            kind: RemoteKind::File,
            octets: Some(1),
            modified: None,
        };
        let (version, mut memory) = (FarVersion::of(&file), PassMemory::default());
        let error = RemoteError::unavailable(reason::Fixed("test-locked", "it is locked"));
        (0..10).for_each(|_| memory.fetching.of("a.x", version).failed(&error));
        let sight = memory.telling.of("a.x", version);
        sight.failed(&error);
        assert!(sight.again <= Instant::now() + BACKOFF.longest_after(2), "{:?}", sight.again);
    }

    #[test]
    fn a_file_of_a_folder_that_was_not_looked_into_is_not_gone() {
        let whole = ["a".to_owned()].into();
        let listed =
            Listed { whole, cut: Some(Reason::uncoded("there are more")), ..Listed::default() };
        assert!(listed.is_gone("a/a.x") && !listed.is_gone("b/a.x") && !listed.is_gone("a/b/a.x"));
    }
}
