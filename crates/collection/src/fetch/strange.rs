//! Tests of remote places with failures: an error of one file does not hold up the others.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use alarm::Kind;
use journal::Journal;
use reason::{Fixed, Reason};
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use transport::{
    Listing, Parcel, Place, PutMethod, RemoteConnection, RemoteError, RemoteFile, RemoteKind,
};

use super::settings::{After, Pull};
use super::{Fetcher, REFUSED, UNREACHABLE, fetch_once};

/// The octets of each file.
const OCTETS: u64 = 1_000;

/// The answer of a place.
fn answer(text: &'static str) -> Fixed {
    Fixed("test-answer", text)
}

/// How a file of the place behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaves {
    Well,
    Unavailable,
    /// The place asks to wait for an hour.
    AsksToWait,
    Forbidden,
    Refused,
    IsNotThere,
    /// The connection breaks at nine tenths of it.
    Breaks,
    /// The place stops sending the file, and still answers other requests.
    FallsSilent,
    Endless,
    Short,
    /// All octets come, followed by an error.
    FailsAtItsEnd,
    /// The place does not say how large it is.
    HasNoSize,
    Huge,
    IsLink,
    IsUnknown,
    /// The file can be fetched, and then neither moved nor deleted.
    CannotBeRemoved,
    BreaksWhenRemoved,
    /// After the file was fetched, the place no longer tells its version.
    CannotBeChecked,
}

#[derive(Debug)]
struct FakePlace {
    files: Mutex<Vec<(String, Behaves)>>,
    /// The number of failed requests.
    failures: AtomicUsize,
    /// The number of `stat` requests for files that can be checked once.
    checks: AtomicUsize,
    /// Whether each folder contains two more.
    has_loop: bool,
    /// Whether there is a folder for each hour of some years.
    has_hours: bool,
}

#[derive(Clone, Debug)]
struct Fake(Arc<FakePlace>);

impl Fake {
    fn new(files: &[(&str, Behaves)]) -> Self {
        let files = files.iter().map(|(name, behaves)| ((*name).to_owned(), *behaves)).collect();
        let (files, failures) = (Mutex::new(files), AtomicUsize::new(0));
        let checks = AtomicUsize::new(0);
        Fake(Arc::new(FakePlace { files, failures, checks, has_loop: false, has_hours: false }))
    }

    fn behaves(&self, name: &str) -> Result<Behaves, RemoteError> {
        let files = lock(&self.0.files);
        let found = files.iter().find(|(known, _)| known == name);
        found.map(|(_, behaves)| *behaves).ok_or_else(|| RemoteError::NotThere(name.into()))
    }

    fn fails<T>(&self, error: RemoteError) -> Result<T, RemoteError> {
        self.0.failures.fetch_add(1, Ordering::Relaxed);
        Err(error)
    }

    fn names(&self) -> Vec<String> {
        lock(&self.0.files).iter().map(|(name, _)| name.clone()).collect()
    }
}

impl Place for Fake {
    fn address(&self) -> String {
        "fake://place".into()
    }

    fn put_method(&self) -> PutMethod {
        PutMethod::Rename
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        Ok(Box::new(self.clone()))
    }
}

fn remote_file(name: &str, behaves: Behaves) -> RemoteFile {
    RemoteFile {
        name: name.into(),
        kind: match behaves {
            Behaves::IsLink => RemoteKind::Other,
            Behaves::IsUnknown => RemoteKind::Unknown,
            _ => RemoteKind::File,
        },
        octets: match behaves {
            Behaves::HasNoSize => None,
            Behaves::Huge => Some(1 << 40),
            _ => Some(OCTETS),
        },
        modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)),
    }
}

/// Returns the folders at a depth, of a tree with a folder for each hour of some years.
fn hours(depth: usize) -> Vec<String> {
    let names = match depth {
        0 => 2024..2028,
        1 => 1..13,
        2 => 1..29,
        3 => 0..24,
        _ => 0..0,
    };
    names.map(|name| format!("{name:02}")).collect()
}

impl RemoteConnection for Fake {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        let folders = match folder.split('/').filter(|name| !name.is_empty()).count() {
            _ if self.0.has_loop => vec!["x".into(), "y".into()],
            depth if self.0.has_hours => hours(depth),
            _ => Vec::new(),
        };
        let kind = RemoteKind::Folder;
        let folders = folders.iter().map(|name| remote_file(name, Behaves::Well));
        let mut files: Vec<RemoteFile> =
            folders.map(|folder| RemoteFile { kind, octets: None, ..folder }).collect();
        let own = lock(&self.0.files);
        let own = own.iter().map(|(name, behaves)| (name.rsplit_once('/'), name, *behaves));
        files.extend(own.filter_map(|(divided, name, behaves)| {
            let (of, own) = divided.unwrap_or(("", name));
            (of == folder).then(|| remote_file(own, behaves))
        }));
        Ok(Listing { files, unreadable: Vec::new() })
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        match self.behaves(name)? {
            Behaves::CannotBeChecked if self.0.checks.fetch_add(1, Ordering::Relaxed) > 0 => {
                self.fails(RemoteError::unavailable(answer("503 SlowDown")))
            }
            behaves => Ok(remote_file(name, behaves)),
        }
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let mut give = |octets: u64| -> Result<u64, RemoteError> {
            (0..octets).try_for_each(|_| to.write_all(&[7]))?;
            Ok(octets)
        };
        let error = match self.behaves(name)? {
            Behaves::Unavailable => RemoteError::unavailable(answer("it is in an archive")),
            Behaves::AsksToWait => {
                let after = Some(Duration::from_secs(3600));
                RemoteError::Unavailable { what: Reason::uncoded("503 SlowDown"), after }
            }
            Behaves::Forbidden => RemoteError::forbidden(answer("permission denied")),
            Behaves::Refused => RemoteError::refused(answer("no such form")),
            Behaves::IsNotThere => RemoteError::NotThere(name.into()),
            Behaves::Breaks => {
                give(OCTETS / 10 * 9)?;
                RemoteError::broken(answer("the connection broke"))
            }
            Behaves::FallsSilent => RemoteError::passing(answer("nothing came for 30 seconds")),
            Behaves::FailsAtItsEnd => {
                give(OCTETS)?;
                RemoteError::broken(answer("the connection broke"))
            }
            Behaves::Endless => return give(OCTETS * 1_000),
            Behaves::Short => return give(OCTETS / 2),
            _ => return give(OCTETS),
        };
        self.fails(error)
    }

    fn put(&mut self, _: &str, _: &dyn Parcel) -> Result<u64, RemoteError> {
        unreachable!("nothing is delivered")
    }

    fn rename(&mut self, _: &str, _: &str) -> Result<(), RemoteError> {
        unreachable!("what is fetched is deleted")
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        match self.behaves(name)? {
            Behaves::CannotBeRemoved => {
                self.fails(RemoteError::forbidden(answer("permission denied")))
            }
            Behaves::BreaksWhenRemoved => {
                self.fails(RemoteError::broken(answer("the connection broke")))
            }
            _ => {
                lock(&self.0.files).retain(|(known, _)| known != name);
                Ok(())
            }
        }
    }

    fn make_folder(&mut self, _: &str) -> Result<(), RemoteError> {
        Ok(())
    }
}

struct Site {
    folder: tempfile::TempDir,
    journal: Journal,
    pull: Pull,
    place: Fake,
}

impl Site {
    fn new(place: Fake, change: impl FnOnce(&mut Pull)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (state, flow) = (folder.path().join("state"), folder.path().join("flow.toml"));
        let journal = flow::flow_journal::open(&flow, &state, std::time::SystemTime::now).unwrap();
        let mut pull = Pull::of_place(Box::new(place.clone()), &folder.path().join("in"));
        change(&mut pull);
        Site { folder, journal, pull, place }
    }

    fn fetched(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("in")).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }

    fn alarms(&self) -> Vec<(&'static Kind, String)> {
        let reader = self.journal.reader().unwrap();
        let raised = alarm::raised(&reader, super::ALARMS).unwrap();
        raised.into_iter().map(|wrong| (wrong.kind, wrong.text)).collect()
    }

    /// Makes passes until a condition holds. Panics after a minute.
    fn look_until(&self, is_so: impl Fn(&Site) -> bool) {
        let end = Shutdown::default();
        let mut fetcher = Fetcher::new(&self.pull, &self.journal, &end);
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while !is_so(self) {
            assert!(std::time::Instant::now() < end, "{:?}, {:?}", self.fetched(), self.alarms());
            let _ = fetcher.look();
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Each way in which a fetch can fail, the message, and whether the file comes after all.
const ALL: [(Behaves, &str, bool); 14] = [
    (Behaves::Unavailable, "it is in an archive", false),
    (Behaves::Forbidden, "permission denied", false),
    (Behaves::Refused, "no such form", false),
    (Behaves::IsNotThere, "it is listed and cannot be opened", false),
    (Behaves::Breaks, "the connection broke", false),
    (Behaves::FallsSilent, "nothing came for 30 seconds", false),
    (Behaves::Endless, "1000 octets are listed, more came", false),
    (Behaves::Short, "1000 octets are listed, 500 came", false),
    (Behaves::FailsAtItsEnd, "", true),
    (Behaves::HasNoSize, "", true),
    (Behaves::Huge, "it has 1.1 TB", false),
    (Behaves::IsLink, "it is a link or no file", false),
    (Behaves::IsUnknown, "does not say whether it is a file", false),
    (Behaves::Well, "", true),
];

#[test]
fn what_is_wrong_with_one_file_holds_up_no_other_and_is_told() {
    for (behaves, why, comes) in ALL {
        // More files than may fail in a row, all listed before the good ones.
        let bad: Vec<String> = (0..8).map(|number| format!("a{number}.x")).collect();
        let mut files: Vec<(&str, Behaves)> =
            bad.iter().map(|name| (name.as_str(), behaves)).collect();
        files.extend([("b.x", Behaves::Well), ("c.x", Behaves::Well)]);
        let site = Site::new(Fake::new(&files), |pull| pull.at_once = 2);
        let is_refused = |(kind, text): &(&Kind, String)| *kind == REFUSED && text.contains(why);
        site.look_until(|site| {
            let fetched = site.fetched();
            let is_told = why.is_empty() || site.alarms().iter().any(is_refused);
            fetched.ends_with(&["b.x".into(), "c.x".into()]) && is_told
        });
        let count = if comes { 10 } else { 2 };
        site.look_until(|site| site.fetched().len() == count);
        if comes {
            site.look_until(|site| site.alarms().is_empty());
        }
        let hidden = std::fs::read_dir(site.folder.path().join("in")).unwrap().count();
        assert_eq!(hidden, count, "{behaves:?}: nothing is left of what did not come");
    }
}

#[test]
fn what_cannot_be_deleted_there_keeps_no_other_from_it() {
    for behaves in [Behaves::CannotBeRemoved, Behaves::BreaksWhenRemoved] {
        let files = [("a.x", behaves), ("b.x", Behaves::Well), ("c.x", Behaves::Well)];
        let site = Site::new(Fake::new(&files), |pull| pull.after = After::Delete);
        site.look_until(|site| site.place.names() == ["a.x"] && !site.alarms().is_empty());
        assert_eq!(site.fetched(), ["a.x", "b.x", "c.x"]);
        let alarms = site.alarms();
        assert!(alarms[0].1.contains("fetched and neither moved nor deleted"), "{alarms:?}");
    }
}

#[test]
fn nothing_is_deleted_there_while_the_place_does_not_say_which_version_is_there() {
    let files = [("a.x", Behaves::CannotBeChecked), ("b.x", Behaves::Well)];
    let site = Site::new(Fake::new(&files), |pull| pull.after = After::Delete);
    site.look_until(|site| site.place.names() == ["a.x"] && !site.alarms().is_empty());
    assert_eq!(site.fetched(), ["a.x", "b.x"]);
    assert!(site.alarms()[0].1.contains("503 SlowDown"), "{:?}", site.alarms());
}

#[test]
fn what_cannot_be_had_is_asked_for_less_and_less_often() {
    let site = Site::new(Fake::new(&[("a.x", Behaves::Unavailable)]), |_| {});
    let end = Shutdown::default();
    let mut fetcher = Fetcher::new(&site.pull, &site.journal, &end);
    let end = std::time::Instant::now() + Duration::from_secs(5);
    while std::time::Instant::now() < end {
        let _ = fetcher.look();
        std::thread::sleep(Duration::from_millis(20));
    }
    let requests = site.place.0.failures.load(Ordering::Relaxed);
    assert!((2..=6).contains(&requests), "{requests} times in four seconds");
}

#[test]
fn a_folder_that_leads_back_to_itself_ends_and_is_told() {
    let mut place = Fake::new(&[("a.x", Behaves::Well)]);
    Arc::get_mut(&mut place.0).unwrap().has_loop = true;
    let site = Site::new(place, |pull| pull.is_recursive = true);
    site.look_until(|site| site.fetched() == ["a.x"] && !site.alarms().is_empty());
    let alarms = site.alarms();
    assert!(alarms.iter().any(|(_, text)| text.contains("does one lead back")), "{alarms:?}");
}

#[test]
fn the_newest_of_more_folders_than_a_look_goes_into_are_looked_into() {
    let newest = "2027/12/28/23/a.x";
    let mut place = Fake::new(&[(newest, Behaves::Well)]);
    Arc::get_mut(&mut place.0).unwrap().has_hours = true;
    let site = Site::new(place, |pull| pull.is_recursive = true);
    let target = site.folder.path().join("in").join(newest);
    site.look_until(|site| target.exists() && !site.alarms().is_empty());
    let alarms = site.alarms();
    assert!(alarms.iter().any(|(_, text)| text.contains("the next look goes on")), "{alarms:?}");
}

#[test]
fn what_the_place_asks_to_wait_for_is_waited_for() {
    let site = Site::new(Fake::new(&[("a.x", Behaves::AsksToWait)]), |_| {});
    let end = Shutdown::default();
    let mut fetcher = Fetcher::new(&site.pull, &site.journal, &end);
    let end = std::time::Instant::now() + Duration::from_secs(4);
    while std::time::Instant::now() < end {
        let _ = fetcher.look();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(site.place.0.failures.load(Ordering::Relaxed), 1);
}

#[test]
fn an_alarm_that_a_run_does_not_disprove_stands_as_it_did() {
    let files = [("a.x", Behaves::Unavailable), ("b.x", Behaves::Breaks)];
    let site = Site::new(Fake::new(&files), |_| {});
    let raised = || {
        let reader = site.journal.reader().unwrap();
        let count = "SELECT count(*), count(cleared_ms) FROM alarm";
        reader.query_row(count, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
    };
    for run in 0..3 {
        let messages = fetch_once(&site.pull, &site.journal, &Shutdown::default());
        assert!(messages.iter().any(|message| message.contains("a.x")), "run {run}: {messages:?}");
        assert_eq!(raised().unwrap(), (1, 0), "run {run}: {:?}", site.alarms());
    }
    // Once the place recovers, the alarm clears.
    lock(&site.place.0.files).iter_mut().for_each(|(_, behaves)| *behaves = Behaves::Well);
    fetch_once(&site.pull, &site.journal, &Shutdown::default());
    assert_eq!((site.fetched().len(), raised().unwrap()), (2, (1, 1)));
    assert!(site.alarms().iter().all(|(kind, _)| *kind != UNREACHABLE));
}

#[test]
fn a_run_that_ends_says_what_it_leaves() {
    let site = Site::new(Fake::new(&[("a.x", Behaves::Well)]), |pull| pull.every = Duration::ZERO);
    std::fs::create_dir_all(site.folder.path().join("in")).unwrap();
    std::fs::write(site.folder.path().join("in/a.x"), "an earlier one of its name").unwrap();
    let messages = fetch_once(&site.pull, &site.journal, &Shutdown::default());
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(
        message.contains("1 file of \"fake://place\" left for the next run, such as \"a.x\""),
        "{message}"
    );
    assert!(Path::new(&site.pull.root).exists());
}
