//! One look at a far place, and what is done of what is there: each file is fetched once, whenever this ends. A file that
//! two looks have found alike is fetched [over a line](super::line), several at once where that is asked for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::threads;
use transport::{FOLDER_DEPTH_MAX, Far, FarError, FarFile, FarKind, Listing, matches, not_plain};

use super::BACKOFF;
use super::book::{Book, Step, Version};
use super::ends::Ends;
use super::folders::{Folder, Folders, Half};
use super::line::{Blames, Fetched, Line, Missed, commit, is_about_name, unnameable};
use super::settings::{After, Pull};
use super::turns::Turns;
use diagnostics::octets;

/// How long a file must not have changed at the far place before it is fetched.
const SETTLED: Duration = Duration::from_secs(1);

/// How often a file cannot be fetched as it is listed, though it is listed alike each time, until that is told.
const TRIES_UNTOLD: u32 = 2;

/// Most files of a far place that are looked at. Of a folder with more, what is beyond comes when others are gone.
const LISTED_MAX: usize = 200_000;

/// Most folders that a look goes into, and how long: a folder that leads back to itself has no end. The next look goes into
/// [others](super::folders).
const FOLDERS_MAX: usize = 10_000;
const LISTING_MAX: Duration = Duration::from_secs(300);

/// After so many files one after the other that were not to be had, it is the place that is to blame: what answers each with
/// an error is not asked for thousands more.
const IN_A_ROW_MAX: usize = 5;

/// What a pass found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How many files were fetched.
    pub(super) fetched: usize,
    /// How many are there that may still be written to.
    pub(super) unsettled: usize,
    /// One of those.
    pub(super) first_unsettled: Option<(String, String)>,
    /// What is there and is not fetched, and why.
    pub(super) refused: Vec<(String, String)>,
    /// What was fetched and cannot be moved or deleted there, and why.
    pub(super) untold: Vec<(String, String)>,
    /// Why there were fewer connections than may be, if so.
    pub(super) fewer: Option<String>,
    /// Whether there were as many as may be: fewer are made where there is less to do, too.
    pub(super) has_all: bool,
    /// How long the far place asks to wait before it is listed again.
    pub(super) retry_after: Duration,
}

/// What is known of the far place from one look to the next.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The files that are to be fetched.
    fetching: Sights,
    /// The files that could not be moved or deleted there when they were fetched.
    telling: Sights,
    /// The folder with which the next look goes on, where the last one did not go into all.
    left: Option<Folder>,
}

impl Seen {
    /// The next look goes into the same folders as one that is the first.
    pub(super) fn start_over(&mut self) {
        self.left = None;
    }

    fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        for sights in [&mut self.fetching, &mut self.telling] {
            sights.0.retain(|name, _| !is_gone(name));
        }
    }
}

/// Files, by their names, as they have been listed.
#[derive(Debug, Default)]
struct Sights(HashMap<String, Sight>);

impl Sights {
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
    /// How often it could not be fetched so, or moved or deleted; why not, and when that is tried again.
    tries: u32,
    why: String,
    again: Instant,
    /// Whether it may go well without anybody doing something: then that is told when it did not twice.
    may_pass: bool,
}

impl Sight {
    fn new(version: Version) -> Self {
        let now = Instant::now();
        Sight { version, since: now, tries: 0, why: String::new(), again: now, may_pass: true }
    }

    /// It cannot be had as it is listed, and is left alone for a while: longer each time.
    fn missed(&mut self, Missed { why, blames, after }: Missed) {
        self.left_alone(why, after);
        self.may_pass = blames != Blames::File;
    }

    /// It is left alone for a while, and no shorter than the far place asks for.
    fn left_alone(&mut self, why: String, after: Option<Duration>) {
        self.tries += 1;
        self.why = why;
        self.again = Instant::now() + BACKOFF.after(self.tries).max(after.unwrap_or_default());
    }

    fn failed(&mut self, error: &FarError) {
        self.left_alone(error.told(), error.after());
    }

    /// Whether it is left alone.
    fn rests(&self) -> bool {
        Instant::now() < self.again
    }

    /// Adds it to what is found: it may have changed, or gone away, while it was fetched; not time and again.
    fn tell(&self, name: &str, found: &mut Found) {
        match self.may_pass && self.tries < TRIES_UNTOLD {
            true => found.unsettled(name, &self.why),
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

/// What is seen of the far place at one look.
#[derive(Debug, Default)]
struct Listed {
    /// By name, with the folders they are in.
    files: BTreeMap<String, FarFile>,
    /// Folders of which nobody knows what is in them now.
    unknown: Vec<String>,
    /// The folders of which all files are among those, where not all folders were looked into.
    whole: HashSet<String>,
    /// Why there may be more than was looked at, if so.
    cut: Option<String>,
}

impl Listed {
    fn add(&mut self, name: String, file: FarFile) {
        match self.files.len() < LISTED_MAX {
            true => drop(self.files.insert(name, file)),
            false => {
                let why =
                    "there are more than 200,000 files: what is beyond comes when others are gone";
                self.cut = Some(why.into());
            }
        }
    }

    /// Whether a file that was there is not any more. Where that is not known, it may come again.
    fn is_gone(&self, name: &str) -> bool {
        let is_in = |folder: &String| {
            name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_looked_at = self.cut.is_none() || self.whole.contains(folder);
        is_looked_at && !self.files.contains_key(name) && !self.unknown.iter().any(is_in)
    }
}

/// How far a look has come, as a part of what it may take: that of folders, of files or of time, whichever is greatest.
fn part_done(folders: usize, files: usize, took: Duration) -> f64 {
    let folders = folders as f64 / FOLDERS_MAX as f64;
    let files = files as f64 / LISTED_MAX as f64;
    folders.max(files).max(took.as_secs_f64() / LISTING_MAX.as_secs_f64())
}

/// A file that is to be fetched.
struct Wanted<'l> {
    name: &'l str,
    version: Version,
    /// Whether it was tried before, and could not be had.
    is_tried: bool,
}

/// What connections have brought.
struct Brought {
    /// What became of files, by their places.
    fetched: Vec<(usize, Fetched)>,
    /// Why there were fewer connections than may be, if so.
    fewer: Option<String>,
    /// Whether there were as many as may be.
    has_all: bool,
    /// What ended it before all were fetched, if so.
    ended: Result<(), Ends>,
}

/// A pass.
pub(super) struct Pass<'p> {
    pub(super) pull: &'p Pull,
    pub(super) far: &'p mut dyn Far,
    pub(super) book: &'p Book<'p>,
    pub(super) end: &'p Shutdown,
    /// Whether files are moved or deleted only when all were fetched, since that ended the pass before.
    pub(super) tells_last: bool,
}

impl Pass<'_> {
    /// Looks, and does what there is to do.
    pub(super) fn run(&mut self, seen: &mut Seen) -> Result<Found, Ends> {
        let mut found = Found::default();
        self.finish_begun(&mut found)?;
        let listed = self.list(&mut seen.left, &mut found)?;
        seen.forget(|name| listed.is_gone(name));
        if !self.tells_last {
            self.tell_far(&listed, seen, &mut found)?;
        }
        let wanted = self.wanted(&listed, seen, &mut found);
        self.fetch(&wanted, seen, &mut found)?;
        if self.tells_last {
            self.tell_far(&listed, seen, &mut found)?;
        }
        self.book.forget(|name| !listed.is_gone(name))?;
        Ok(found)
    }

    /// Gives what was fetched its name, where somebody was interrupted.
    fn finish_begun(&mut self, found: &mut Found) -> Result<(), Ends> {
        for (name, version) in self.book.on(Step::Fetched) {
            match commit(self.pull, self.book, &name, version) {
                // A folder has its name meanwhile: that keeps no other file waiting.
                Err(Ends::Far(FarError::Here(error))) if is_about_name(&error) => {
                    found.refused.push((name, unnameable(&error).why));
                }
                committed => committed?,
            }
        }
        Ok(())
    }

    /// What is to be fetched now, in its order; behind the rest what could not be had before, so that it holds up nothing.
    fn wanted<'l>(
        &self,
        listed: &'l Listed,
        seen: &mut Seen,
        found: &mut Found,
    ) -> Vec<Wanted<'l>> {
        let (mut wanted, mut again) = (Vec::new(), Vec::new());
        for (name, file) in &listed.files {
            let version = Version::of(file);
            if self.book.step(name, version).is_some() {
                continue;
            }
            if let Some(why) = self.too_large(version) {
                found.refused.push((name.clone(), why));
                continue;
            }
            let sight = seen.fetching.of(name, version);
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

    /// Why a file is too large to be fetched, if it is.
    fn too_large(&self, version: Version) -> Option<String> {
        let (size, most) = (version.octets?, self.pull.most_octets());
        let why = || {
            let (size, most) = (octets(size), octets(most));
            format!("it has {size}, and \"size-limit\" or \"limit\" lets a file have {most}")
        };
        (size > most).then(why)
    }

    /// Fetches files, and notes what became of each.
    fn fetch(
        &mut self,
        wanted: &[Wanted<'_>],
        seen: &mut Seen,
        found: &mut Found,
    ) -> Result<(), Ends> {
        let Brought { fetched, fewer, has_all, ended } = self.bring(wanted);
        (found.fewer, found.has_all) = (fewer, has_all);
        for (place, fetched) in fetched {
            let Wanted { name, version, .. } = wanted[place];
            match fetched {
                Fetched::Here { untold } => {
                    found.fetched += 1;
                    seen.fetching.0.remove(name);
                    if let Some(error) = untold {
                        seen.telling.of(name, version).failed(&error);
                        found.untold.push((name.to_owned(), error.told()));
                    }
                }
                Fetched::Waits => found.unsettled(name, "another of its name is in the in buffer"),
                Fetched::Missed(missed) => {
                    let sight = seen.fetching.of(name, version);
                    sight.missed(missed);
                    sight.tell(name, found);
                }
            }
        }
        ended
    }

    /// Fetches files over as many connections as there may be, which are made as long as there is something to do for them.
    /// What ends one ends all of them, behind the file that each has in hand.
    fn bring(&mut self, wanted: &[Wanted<'_>]) -> Brought {
        let turns = Turns::new(wanted.len());
        let (fetched, fewer) = (Mutex::new(Vec::new()), Mutex::new(None));
        let (connected, in_a_row) = (AtomicUsize::new(1), AtomicUsize::new(0));
        let Pass { pull, book, end, tells_last, .. } = *self;
        let work = |far: &mut dyn Far| {
            let mut line = Line { pull, book, far, end };
            while let Some(turn) = turns.take() {
                let Wanted { name, version, is_tried } = wanted[turn.place];
                let done = line.fetch((name, version), &turn, tells_last);
                let ends = match done {
                    Ok(done) => {
                        // What could not be had before says nothing new of the place.
                        let ends =
                            (!is_tried).then(|| is_place_to_blame(&done, &in_a_row)).flatten();
                        lock(&fetched).push((turn.place, done));
                        ends
                    }
                    Err(ends) => {
                        // Next time others go first: it may be what ends connections.
                        if let Ends::Far(error) = &ends {
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
            // What there is to do is done over the others.
            Some(Err(error)) => {
                *lock(&fewer) = Some(error.told());
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
                    // Others end since one did, or since the gateway does.
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

    /// The files that are there, with the folders they are in. A folder that is not shown keeps no other from being looked
    /// into. Where there are more folders than may be looked into, the next look goes on with the one that is left.
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
                Ok(Listing { files, not_understood }) => {
                    in_a_row = 0;
                    let line = |line| (line, "this line of the list is not understood".to_owned());
                    found.refused.extend(not_understood.into_iter().map(line));
                    for file in files {
                        self.sort((&folder, file), &mut listed, &mut folders, found);
                    }
                    if listed.cut.is_none() {
                        listed.whole.insert(folder.name);
                    } else if files_before > LISTED_MAX / 2 {
                        // It has more room where the next look goes on with it.
                        in_part = Some(folder);
                    }
                }
                Err(error) if folder.name.is_empty() => return Err(Ends::Far(error)),
                Err(error) if error.is_about_place() && in_a_row == IN_A_ROW_MAX => {
                    return Err(Ends::Far(error));
                }
                Err(error) => {
                    in_a_row += usize::from(error.is_about_place());
                    found.retry_after = found.retry_after.max(error.after().unwrap_or_default());
                    // One that went away meanwhile is not asked for again.
                    if !matches!(error, FarError::NotThere(_)) {
                        let why = format!("what is in it is not shown: {}", error.told());
                        found.refused.push((folder.name.clone(), why));
                    }
                    listed.unknown.push(folder.name);
                }
            }
        }
        *left = in_part.or_else(|| folders.left());
        if left.is_some() {
            // No figure of this look: the alarm would have another text after each.
            let why = "there are more folders than one look goes into: it goes into those first whose names come last, and the \
                       next look goes on with others; does one lead back to itself?";
            listed.cut = Some(why.into());
        }
        let cut = listed.cut.iter().map(|why| (String::new(), why.clone()));
        found.refused.extend(cut);
        Ok(listed)
    }

    /// What becomes of a name in a folder: a file is listed, a folder looked into, and what would be one of them, if it were
    /// not what it is, is told.
    fn sort(
        &self,
        (folder, file): (&Folder, FarFile),
        listed: &mut Listed,
        folders: &mut Folders,
        found: &mut Found,
    ) {
        let own = file.name.rsplit('/').next().unwrap_or("").to_owned();
        // Those are hidden, and the listing's own.
        if own.starts_with('.') && !own.chars().any(char::is_control) {
            return;
        }
        let within = match folder.name.as_str() {
            "" => own.clone(),
            folder => format!("{folder}/{own}"),
        };
        let (is_wanted, is_recursive) = (matches(&self.pull.pattern, &own), self.pull.is_recursive);
        let why = match file.kind {
            FarKind::File if !is_wanted => return,
            FarKind::File => match not_plain(&file.name).or(not_read(&own)) {
                None => return listed.add(within, file),
                Some(why) => why.to_owned(),
            },
            FarKind::Folder if !is_recursive || self.is_moved_to(&within) => return,
            FarKind::Folder if folder.depth == FOLDER_DEPTH_MAX => {
                format!("it is more than {FOLDER_DEPTH_MAX} folders deep, and not looked into")
            }
            FarKind::Folder => match not_plain(&own).or(not_read(&own)) {
                None => return folders.add(folder.within(within)),
                Some(why) => why.to_owned(),
            },
            // Whether there is a folder behind, nobody says.
            _ if !is_wanted && !is_recursive => return,
            FarKind::Other => "it is a link or no file, and not followed".to_owned(),
            FarKind::Unknown => "the far place does not say whether it is a file".to_owned(),
        };
        found.refused.push((within, why));
    }

    /// Whether files are moved to a folder when they are here.
    fn is_moved_to(&self, folder: &str) -> bool {
        matches!(&self.pull.after, After::Move(done) if done == folder)
    }

    /// Moves or deletes at the far place what is here, where that was not done yet or did not last: what is told now is not
    /// told again. One where that cannot be done keeps no other waiting.
    fn tell_far(
        &mut self,
        listed: &Listed,
        seen: &mut Seen,
        found: &mut Found,
    ) -> Result<(), Ends> {
        let Pass { pull, book, end, .. } = *self;
        let mut line = Line { pull, book, far: &mut *self.far, end };
        let mut in_a_row = 0;
        let mut tell = |name: String, version| {
            let sight = seen.telling.of(&name, version);
            if !sight.rests() {
                match line.tell(&name, version) {
                    Ok(None) => {
                        in_a_row = 0;
                        seen.telling.0.remove(&name);
                        return Ok(());
                    }
                    Ok(Some(error)) => sight.failed(&error),
                    Err(Ends::Untold(error)) if in_a_row < IN_A_ROW_MAX => {
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
            match listed.files.get(&name).map(Version::of) {
                Some(there) if there == version => tell(name, version)?,
                None if !listed.is_gone(&name) => {}
                // It is gone, or another file has its name, which is fetched as any other.
                _ => self.book.note(&name, version, Step::Done)?,
            }
        }
        if self.pull.after != After::Keep {
            for (name, version) in done {
                if listed.files.get(&name).is_some_and(|there| Version::of(there) == version) {
                    tell(name, version)?;
                }
            }
        }
        Ok(())
    }
}

/// What ends a pass when so many files one after the other were not to be had, perhaps since the place is not well.
fn is_place_to_blame(done: &Fetched, in_a_row: &AtomicUsize) -> Option<Ends> {
    let Fetched::Missed(Missed { why, blames: Blames::FileOrPlace, after }) = done else {
        in_a_row.store(0, Ordering::Relaxed);
        return None;
    };
    let count = in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
    let (what, after) = (why.clone(), *after);
    (count >= IN_A_ROW_MAX).then_some(Ends::Far(FarError::Passing { what, after, cause: None }))
}

/// Why a name cannot be said to the far place, if so: what was no text there came as this sign.
fn not_read(name: &str) -> Option<&'static str> {
    let is_lost = name.contains(char::REPLACEMENT_CHARACTER);
    is_lost.then_some("its name is not UTF-8, and cannot be asked for")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_hard_to_fetch_is_deleted_there_as_soon_as_any_other() {
        let file =
            FarFile { name: "a.x".into(), kind: FarKind::File, octets: Some(1), modified: None };
        let (version, mut seen) = (Version::of(&file), Seen::default());
        let error = FarError::unavailable("it is locked");
        (0..10).for_each(|_| seen.fetching.of("a.x", version).failed(&error));
        let sight = seen.telling.of("a.x", version);
        sight.failed(&error);
        assert!(sight.again <= Instant::now() + BACKOFF.longest_after(2), "{:?}", sight.again);
    }

    #[test]
    fn a_file_of_a_folder_that_was_not_looked_into_is_not_gone() {
        let whole = ["a".to_owned()].into();
        let listed = Listed { whole, cut: Some("there are more".into()), ..Listed::default() };
        assert!(listed.is_gone("a/a.x") && !listed.is_gone("b/a.x") && !listed.is_gone("a/b/a.x"));
    }
}
