//! One look at a far place, and what is done of what is there: each file is fetched once, whenever this ends. A file that
//! two looks have found alike is fetched [over a line](super::line), several at once where that is asked for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use transport::{FOLDER_DEPTH_MAX, Far, FarError, FarFile, FarKind, Listing, matches, not_plain};

use super::back_off;
use super::book::{Book, Step, Version};
use super::ends::Ends;
use super::line::{Fetched, Line, commit};
use super::settings::{After, Pull};
use super::turns::Turns;
use crate::locked::lock;

/// How long a file must not have changed at the far place before it is fetched.
const SETTLED: Duration = Duration::from_secs(1);

/// How often a file cannot be fetched as it is listed, though it is listed alike each time, until that is told.
const TRIES_UNTOLD: u32 = 2;

/// Most files of a far place that are looked at. What is beyond comes when others are gone.
const LISTED_MAX: usize = 200_000;

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
    /// Why there were fewer connections than may be, if so.
    pub(super) fewer: Option<String>,
    /// Whether there were as many as may be: fewer are made where there is less to do, too.
    pub(super) has_all: bool,
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

/// A file that is to be fetched.
struct Wanted<'l> {
    name: &'l str,
    version: Version,
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
    pub(super) is_over: &'p (dyn Fn() -> bool + Sync),
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
        let wanted = self.wanted(&listed, seen, &mut found);
        self.fetch(&wanted, seen, &mut found)?;
        if self.tells_last {
            self.tell_far(&listed, &mut found)?;
        }
        self.book.forget(|name| !listed.is_gone(name))?;
        Ok(found)
    }

    /// Gives what was fetched its name, where somebody was interrupted.
    fn finish_begun(&mut self) -> Result<(), Ends> {
        for (name, version) in self.book.on(Step::Fetched) {
            commit(self.pull, self.book, &name, version)?;
        }
        Ok(())
    }

    /// What is to be fetched now, in its order.
    fn wanted<'l>(
        &self,
        listed: &'l Listed,
        seen: &mut Seen,
        found: &mut Found,
    ) -> Vec<Wanted<'l>> {
        let mut wanted = Vec::new();
        for (name, file) in &listed.files {
            let version = Version::of(file);
            if self.book.step(name, version).is_some() {
                continue;
            }
            let sight = seen.of(name, version);
            if sight.since.elapsed() < SETTLED.max(self.pull.quiet) {
                found.unsettled += 1;
            } else if sight.rests() {
                sight.tell(name, found);
            } else {
                wanted.push(Wanted { name, version });
            }
        }
        wanted
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
            let Wanted { name, version } = wanted[place];
            match fetched {
                Fetched::Here { untold } => {
                    found.fetched += 1;
                    found.untold.extend(untold.map(|why| (name.to_owned(), why)));
                }
                Fetched::Waits => found.unsettled += 1,
                Fetched::Otherwise(why) => {
                    let sight = seen.of(name, version);
                    sight.missed(why);
                    sight.tell(name, found);
                }
                Fetched::Refused(why) => found.refused.push((name.to_owned(), why)),
            }
        }
        ended
    }

    /// Fetches files over as many connections as there may be, which are made as long as there is something to do for them.
    /// What ends one ends all of them, behind the file that each has in hand.
    fn bring(&mut self, wanted: &[Wanted<'_>]) -> Brought {
        let turns = Turns::new(wanted.len());
        let (fetched, fewer) = (Mutex::new(Vec::new()), Mutex::new(None));
        let connected = AtomicUsize::new(1);
        let Pass { pull, book, is_over, tells_last, .. } = *self;
        let work = |far: &mut dyn Far| {
            let mut line = Line { pull, book, far, is_over };
            while let Some(turn) = turns.take() {
                let Wanted { name, version } = wanted[turn.place];
                match line.fetch((name, version), &turn, tells_last) {
                    Ok(done) => lock(&fetched).push((turn.place, done)),
                    Err(ends) => {
                        turn.end();
                        return Err(ends);
                    }
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
            let others: Vec<_> = others.map(|_| scope.spawn(another)).collect();
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
    /// into.
    fn list(&mut self, found: &mut Found) -> Result<Listed, Ends> {
        let mut listed = Listed::default();
        let mut folders = vec![(String::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let Listing { files, not_understood } = match self.far.list(&folder) {
                Ok(listing) => listing,
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
            let line = |line| (line, "this line of the list is not understood".to_owned());
            found.refused.extend(not_understood.into_iter().map(line));
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
                    FarKind::Unknown if is_wanted => {
                        let why = "the far place does not say whether it is a file";
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

    /// Moves or deletes at the far place what is here, where that was not done yet or did not last: what is told now is not
    /// told again.
    fn tell_far(&mut self, listed: &Listed, found: &mut Found) -> Result<(), Ends> {
        let Pass { pull, book, is_over, .. } = *self;
        let mut line = Line { pull, book, far: &mut *self.far, is_over };
        let mut tell = |name: String, version| {
            let untold = line.tell(&name, version)?;
            found.untold.extend(untold.map(|why| (name, why)));
            Ok::<_, Ends>(())
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

/// Why a name cannot be said to the far place, if so: what was no text there came as this sign.
fn not_read(name: &str) -> Option<&'static str> {
    let is_lost = name.contains(char::REPLACEMENT_CHARACTER);
    is_lost.then_some("its name is not UTF-8, and cannot be asked for")
}
