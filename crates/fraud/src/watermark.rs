//! The time of a node: until when records have come from all network elements.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use measures::Seconds;

use crate::octets::{Cut, Reader, write_number, write_sized};

/// How long a node waits for what is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// How late a record still counts.
    pub(crate) late: Seconds,
    /// An element of which no file came for so long is not waited for, nor is one that is so far behind the latest time.
    pub(crate) idle: Seconds,
}

/// The time of a node. It never goes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watermark {
    elements: Vec<Element>,
    /// The latest time of all elements.
    latest: Seconds,
    /// The earliest time of a record, until records count from a time on: nothing is over before it.
    first: Seconds,
    /// Records before it would not count if no other files were under way. A file that begins is held to it.
    free: Seconds,
    /// Records before it do not count.
    oldest: Seconds,
}

/// A network element.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Element {
    name: Arc<str>,
    /// The latest time of its records.
    latest: Seconds,
    /// When its last file was done.
    done: Seconds,
}

/// The element whose file is judged, and the time of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Current {
    place: usize,
    others: Seconds,
}

impl Watermark {
    /// Begins a file of an element that was done at a time.
    pub(crate) fn begin(&mut self, name: &str, done: Seconds, patience: Patience) -> Current {
        let known = self.elements.iter().position(|element| &*element.name == name);
        let place = known.unwrap_or_else(|| {
            self.elements.push(Element { name: name.into(), latest: 0, done });
            self.elements.len() - 1
        });
        let own = &mut self.elements[place];
        own.done = own.done.max(done);
        let waits_for = |(at, of): &(usize, &Element)| {
            *at != place && of.done.saturating_add(patience.idle) >= done
        };
        let others = self.elements.iter().enumerate().filter(waits_for);
        Current { place, others: others.map(|(_, of)| of.latest).min().unwrap_or(Seconds::MAX) }
    }

    /// Takes the time of a record. Returns the oldest time that still counts, which is not after that of the files under way.
    pub(crate) fn advance(
        &mut self,
        Current { place, others }: Current,
        time: Seconds,
        (patience, under_way): (Patience, Seconds),
    ) -> Seconds {
        let own = &mut self.elements[place];
        own.latest = own.latest.max(time);
        self.latest = self.latest.max(time);
        if self.oldest == 0 {
            self.first = if self.first == 0 { time } else { self.first.min(time) };
        }
        let all = own.latest.min(others).max(self.latest.saturating_sub(patience.idle));
        self.free = all.saturating_sub(patience.late).max(self.free);
        self.oldest = self.free.min(under_way).max(self.oldest);
        self.oldest
    }

    /// Returns the time after which hours and days are to be judged at their ends.
    pub(crate) fn judged_until(&self) -> Seconds {
        if self.oldest == 0 { self.first } else { self.oldest }
    }

    /// Returns the oldest time that counts for a file that begins now.
    pub(crate) fn free(&self) -> Seconds {
        self.free
    }

    /// Returns the oldest time that still counts.
    pub(crate) fn oldest(&self) -> Seconds {
        self.oldest
    }

    /// Returns the latest time of all elements.
    pub(crate) fn latest(&self) -> Seconds {
        self.latest
    }

    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        write_number(to, self.oldest.into());
        write_number(to, self.first.into());
        write_number(to, self.free.into());
        write_number(to, self.latest.into());
        write_number(to, self.elements.len() as u64);
        for Element { name, latest, done } in &self.elements {
            write_sized(to, name.as_bytes());
            write_number(to, (*latest).into());
            write_number(to, (*done).into());
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Cut> {
        let (oldest, first) = (seconds(reader)?, seconds(reader)?);
        let (free, latest) = (seconds(reader)?, seconds(reader)?);
        let mut elements = Vec::new();
        for _ in 0..reader.number()? {
            let name = str::from_utf8(reader.sized()?).map_err(|_| Cut)?.into();
            elements.push(Element { name, latest: seconds(reader)?, done: seconds(reader)? });
        }
        Ok(Watermark { elements, latest, first, free, oldest })
    }
}

fn seconds(reader: &mut Reader<'_>) -> Result<Seconds, Cut> {
    Seconds::try_from(reader.number()?).map_err(|_| Cut)
}

/// The files that workers have: their records are not late, even if a file that was taken after them is judged first.
#[derive(Debug, Default)]
pub(crate) struct UnderWay(Mutex<Files>);

/// The oldest time that counts for each file.
#[derive(Debug, Default)]
struct Files {
    /// Those that threads have taken and not begun: each looks for duplicates first, for example.
    taken: Vec<(ThreadId, Seconds)>,
    begun: Vec<Seconds>,
}

/// A file that is under way until this is dropped.
#[derive(Debug)]
pub struct FileUnderWay {
    files: Arc<UnderWay>,
    oldest: Seconds,
}

impl FileUnderWay {
    /// Returns the oldest time that counts for the file.
    pub fn oldest(&self) -> Seconds {
        self.oldest
    }
}

impl UnderWay {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a file for this thread. Which time is the oldest that counts for it is found while no other one is taken.
    pub(crate) fn take(&self, oldest: impl FnOnce() -> Seconds) {
        let mut files = self.files();
        let oldest = oldest();
        files.taken.push((thread::current().id(), oldest));
    }

    /// Leaves the file that this thread has taken.
    pub(crate) fn leave(&self) {
        let own = thread::current().id();
        self.files().taken.retain(|(thread, _)| *thread != own);
    }

    /// Begins a file: that which this thread has taken, if there is one.
    pub(crate) fn begin(self: &Arc<Self>, oldest: impl FnOnce() -> Seconds) -> FileUnderWay {
        let own = thread::current().id();
        let mut files = self.files();
        let taken = files.taken.iter().find(|(thread, _)| *thread == own);
        let oldest = taken.map_or_else(oldest, |(_, oldest)| *oldest);
        files.begun.push(oldest);
        FileUnderWay { files: Arc::clone(self), oldest }
    }

    /// Returns the oldest time that counts for one of them.
    pub(crate) fn oldest(&self) -> Seconds {
        let files = self.files();
        let taken = files.taken.iter().map(|(_, oldest)| *oldest);
        taken.chain(files.begun.iter().copied()).min().unwrap_or(Seconds::MAX)
    }
}

impl Drop for FileUnderWay {
    fn drop(&mut self) {
        let Files { begun, .. } = &mut *self.files.files();
        if let Some(place) = begun.iter().position(|oldest| *oldest == self.oldest) {
            begun.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience { late: 10, idle: 100 };

    /// Judges a file with a record, and returns the oldest time that counts then.
    fn judge(watermark: &mut Watermark, (name, time): (&str, Seconds), done: Seconds) -> Seconds {
        let current = watermark.begin(name, done, PATIENCE);
        watermark.advance(current, time, (PATIENCE, Seconds::MAX))
    }

    #[test]
    fn an_element_that_is_behind_is_waited_for() {
        let mut watermark = Watermark::default();
        assert_eq!(judge(&mut watermark, ("a", 1_000), 5_000), 990);
        // Time does not go back for one that is new.
        assert_eq!(judge(&mut watermark, ("b", 950), 5_000), 990);
        assert_eq!(judge(&mut watermark, ("a", 1_040), 5_010), 990);
        assert_eq!(judge(&mut watermark, ("b", 1_030), 5_020), 1_020);
    }

    #[test]
    fn a_silent_element_is_not_waited_for_and_one_far_behind_is_not_either() {
        let mut watermark = Watermark::default();
        judge(&mut watermark, ("a", 1_000), 5_000);
        judge(&mut watermark, ("b", 1_000), 5_000);
        assert_eq!(judge(&mut watermark, ("a", 1_090), 5_100), 990);
        assert_eq!(judge(&mut watermark, ("a", 1_095), 5_101), 1_085, "b is silent");
        assert_eq!(judge(&mut watermark, ("b", 1_001), 5_102), 1_085);
        assert_eq!(judge(&mut watermark, ("a", 1_500), 5_103), 1_390, "b is far behind");
    }

    #[test]
    fn files_under_way_hold_the_time_until_they_end() {
        let files = Arc::new(UnderWay::default());
        let mut watermark = Watermark::default();
        let first = files.begin(|| 5);
        let second = files.begin(|| 7);
        let current = watermark.begin("a", 5_000, PATIENCE);
        assert_eq!(watermark.advance(current, 1_000, (PATIENCE, files.oldest())), 5);
        drop(first);
        assert_eq!(watermark.advance(current, 1_000, (PATIENCE, files.oldest())), 7);
        drop(second);
        assert_eq!(watermark.advance(current, 1_000, (PATIENCE, files.oldest())), 990);
    }

    #[test]
    fn a_file_that_was_taken_holds_the_time_before_it_begins() {
        let files = Arc::new(UnderWay::default());
        files.take(|| 5);
        assert_eq!(files.oldest(), 5);
        // Others have gone on meanwhile.
        let begun = files.begin(|| 50);
        assert_eq!(begun.oldest(), 5);
        files.leave();
        assert_eq!(files.oldest(), 5, "it is not judged yet");
        drop(begun);
        files.take(|| 60);
        files.leave();
        assert_eq!(files.oldest(), Seconds::MAX, "one that never begins holds nothing");
        assert_eq!(files.begin(|| 70).oldest(), 70);
    }

    #[test]
    fn with_files_under_way_at_all_times_the_time_goes_on() {
        let files = Arc::new(UnderWay::default());
        let mut watermark = Watermark::default();
        let mut under_way =
            vec![files.begin(|| watermark.free()), files.begin(|| watermark.free())];
        for time in (1_000..2_000).step_by(10) {
            let current = watermark.begin("a", 5_000, PATIENCE);
            watermark.advance(current, time, (PATIENCE, files.oldest()));
            // The next one begins before this one ends.
            under_way.push(files.begin(|| watermark.free()));
            under_way.remove(0);
        }
        assert_eq!(watermark.oldest(), 1_960, "that of when the file that is judged began");
    }

    #[test]
    fn it_comes_back_from_its_octets() {
        let mut watermark = Watermark::default();
        judge(&mut watermark, ("a", 1_000), 5_000);
        judge(&mut watermark, ("b", 2_000), 5_001);
        let mut octets = Vec::new();
        watermark.write(&mut octets);
        assert_eq!(Watermark::read(&mut Reader(&octets)), Ok(watermark));
        for length in 0..octets.len() {
            assert!(Watermark::read(&mut Reader(&octets[..length])).is_err());
        }
    }
}
