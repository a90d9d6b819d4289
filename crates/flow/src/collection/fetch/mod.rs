//! Fetching the files of network elements from far places, each on a thread of its own beside the processing.

mod book;
mod ends;
mod folders;
mod line;
mod partial;
mod pass;
mod settings;
#[cfg(test)]
mod strange;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use diagnostics::{counted, visible};
use journal::Journal;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use store::StoreError;
use transport::Far;

pub(crate) use self::settings::{KEYS, Pull, is_pulled};
use alarm::{Completeness, Condition, EventType, Kind, Severity};

use crate::definition::file::AT_ONCE;
use book::Book;
use ends::Ends;
use pass::{Found, Pass, Seen};

const UNREACHABLE: &Kind = &Kind::new(
    "far-unreachable",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);
const REFUSED: &Kind =
    &Kind::new("far-files-refused", Severity::Minor, EventType::Processing, "fileError");
/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[UNREACHABLE, REFUSED];

/// How long after something went wrong the far place is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(300));

/// How soon it is looked again for files that may still be written to.
const SETTLING: Duration = Duration::from_millis(1_100);

/// Looks after which each file that was there at the first was tried: before that, what was wrong when the gateway was
/// started may be so still.
const LOOKS_UNTIL_KNOWN: u32 = 4;

/// Characters of a name that are shown.
const NAME_SHOWN_MAX: usize = 100;

/// How long a stop may wait to be seen.
const STOP_SEEN: Duration = Duration::from_millis(50);

/// How often a run that is to end tries a far place, and looks for files that may still be written to.
const TRIES_ONCE: u32 = 3;
const LOOKS_ONCE: u32 = 3;

/// How long such a run waits at most when the far place asks for it. What asks for longer is left to the next run.
const RETRY_AFTER_ONCE_MAX: Duration = Duration::from_secs(30);

/// Clears the alarms of far places that the flow has no more: nobody else would.
pub(crate) fn forget_others(pulls: &[Arc<Pull>], journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let mut raised = journal.answer(alarm::raised(&reader, ALARMS))?;
    raised.retain(|wrong| !pulls.iter().any(|pull| pull.network_element == wrong.subject));
    alarm::reconcile(std::iter::empty(), &raised, journal)
}

/// Fetches until it is to end.
pub(crate) fn fetch(pull: &Pull, journal: &Journal, end: &Shutdown) {
    let (mut fetcher, mut failures) = (Fetcher::new(pull, journal, end), 0_u32);
    while !end.is_set() {
        let looked = fetcher.look();
        if matches!(looked, Err(Ends::Stopped)) {
            return;
        }
        failures = if looked.is_err() { failures + 1 } else { 0 };
        end.wait(pause(pull, &looked, failures));
    }
}

/// How long after a look the next is taken: no sooner than the far place asks for.
fn pause(pull: &Pull, looked: &Result<Found, Ends>, failures: u32) -> Duration {
    match looked {
        Ok(found) if found.unsettled > 0 => SETTLING.min(pull.every).max(found.retry_after),
        Ok(found) => pull.every.max(found.retry_after),
        Err(ends) => BACKOFF.after(failures + 1).max(ends.after()),
    }
}

/// Fetches what is there now. What went wrong is told.
pub(crate) fn fetch_once(pull: &Pull, journal: &Journal, end: &Shutdown) -> Vec<String> {
    let (mut fetcher, mut failures, mut looks) = (Fetcher::new(pull, journal, end), 0, 0);
    loop {
        // A file is fetched when two looks have found it.
        fetcher.seen.start_over();
        match fetcher.look() {
            Ok(found)
                if found.unsettled > 0
                    && looks + 1 < LOOKS_ONCE
                    && found.retry_after <= RETRY_AFTER_ONCE_MAX =>
            {
                looks += 1;
                end.wait(SETTLING.max(pull.quiet).max(found.retry_after));
            }
            Ok(found) => {
                let told = told_refused(pull, &found).into_iter();
                return told.chain(told_unsettled(pull, &found)).collect();
            }
            Err(Ends::Stopped) => return Vec::new(),
            Err(ends)
                if ends.may_pass()
                    && failures + 1 < TRIES_ONCE
                    && ends.after() <= RETRY_AFTER_ONCE_MAX =>
            {
                failures += 1;
                end.wait(BACKOFF.after(failures + 1).max(ends.after()));
            }
            Err(ends) => return vec![told(pull, &ends)],
        }
        if end.is_set() {
            return Vec::new();
        }
    }
}

/// Who fetches from one far place.
struct Fetcher<'f> {
    pull: &'f Pull,
    journal: &'f Journal,
    end: &'f Shutdown,
    far: Option<Box<dyn Far>>,
    seen: Seen,
    /// Whether the pass before ended since what was fetched could not be moved or deleted there.
    is_hindered: bool,
    /// What was last told.
    wrong: Option<Vec<Condition>>,
    /// Whether it is told that there were fewer connections than may be.
    has_told_fewer: bool,
    /// How many looks there were in which the place answered.
    looks: u32,
    knows: bool,
}

impl<'f> Fetcher<'f> {
    fn new(pull: &'f Pull, journal: &'f Journal, end: &'f Shutdown) -> Self {
        let (far, seen, is_hindered, wrong, has_told_fewer) = Default::default();
        let (looks, knows) = (0, false);
        Fetcher { pull, journal, end, far, seen, is_hindered, wrong, has_told_fewer, looks, knows }
    }

    /// Looks once, and has alarms stand for what is wrong.
    fn look(&mut self) -> Result<Found, Ends> {
        let passed = self.pass();
        if passed.is_err() {
            self.far = None;
        }
        let mut is_news = false;
        if let Ok(found) = &passed {
            self.tell_fewer(found);
            self.looks += 1;
            is_news = !self.knows && (found.unsettled == 0 || self.looks >= LOOKS_UNTIL_KNOWN);
            self.knows |= is_news;
        }
        self.is_hindered = matches!(passed, Err(Ends::Untold(_)));
        let wrong = match &passed {
            Err(Ends::Stopped) => return passed,
            Err(ends) => vec![(UNREACHABLE, told(self.pull, ends))],
            Ok(found) => {
                let refused = told_refused(self.pull, found);
                refused.map(|text| (REFUSED, text)).into_iter().collect()
            }
        };
        let subject = &self.pull.network_element;
        let of = |(kind, text)| Condition { kind, subject: subject.clone(), text };
        let wrong: Vec<Condition> = wrong.into_iter().map(of).collect();
        if is_news || self.wrong.as_ref() != Some(&wrong) {
            let say = |wrong: &Condition| tracing::warn!(target: "flow::fetching", network_element = subject, "{}", wrong.text);
            wrong.iter().for_each(say);
            match self.stand(&wrong) {
                Ok(()) => self.wrong = Some(wrong),
                Err(error) => tracing::warn!(target: "flow::fetching", "{error}"),
            }
        }
        passed
    }

    /// Says that there were fewer connections than may be, until there are as many again: once. Files are fetched all the
    /// same.
    fn tell_fewer(&mut self, Found { fewer, has_all, .. }: &Found) {
        self.has_told_fewer &= !has_all;
        // The other side may refuse each in other words.
        if let Some(why) = fewer
            && !std::mem::replace(&mut self.has_told_fewer, true)
        {
            let (network_element, place) = (&self.pull.network_element, self.pull.place.shown());
            tracing::warn!(
                target: "flow::fetching",
                network_element = %network_element,
                "{network_element}: \"{place}\" gives fewer connections than \"{AT_ONCE}\" says: {why}"
            );
        }
    }

    fn pass(&mut self) -> Result<Found, Ends> {
        let book = Book::open(self.journal, &self.pull.network_element)?;
        let far = match &mut self.far {
            Some(far) => far,
            none => none.insert(self.pull.place.connect().map_err(Ends::Far)?),
        };
        let mut pass = Pass {
            pull: self.pull,
            far: &mut **far,
            book: &book,
            end: self.end,
            tells_last: self.is_hindered,
        };
        pass.run(&mut self.seen)
    }

    /// Raises the alarms of what is wrong with this far place, and clears those of what is over.
    fn stand(&self, wrong: &[Condition]) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        let mut raised = self.journal.answer(alarm::raised(&reader, ALARMS))?;
        raised.retain(|wrong| wrong.subject == self.pull.network_element);
        let known = if self.knows { Completeness::Complete } else { Completeness::Partial };
        alarm::reconcile_partly(known, wrong.iter().cloned(), &raised, self.journal)
    }
}

fn told(pull: &Pull, ends: &Ends) -> String {
    let (network_element, place) = (&pull.network_element, pull.place.shown());
    match ends {
        Ends::Untold(_) => format!("{network_element}: \"{place}\": {ends}; that is tried again"),
        _ => format!(
            "{network_element}: files of \"{place}\" cannot be fetched: {ends}; that is tried again"
        ),
    }
}

/// What is said of files that were left as they are, though all else is well.
fn told_refused(pull: &Pull, found: &Found) -> Option<String> {
    let place = pull.place.shown();
    let such = |files: &[(String, String)], what: &str| {
        let (first, why) = files.iter().min()?;
        let count = counted(files.len(), "file");
        // It is about all of them.
        if first.is_empty() {
            return Some(format!("of \"{place}\" not all was looked at: {why}"));
        }
        Some(format!("{count} of \"{place}\" {what}, such as \"{}\": {why}", shown(first)))
    };
    let refused = such(&found.refused, "not fetched");
    let untold = such(&found.untold, "fetched and neither moved nor deleted there");
    let said: Vec<String> = refused.into_iter().chain(untold).collect();
    (!said.is_empty()).then(|| format!("{}: {}", pull.network_element, said.join("; ")))
}

/// What is said of files that a run leaves for the next, since they may not be complete.
fn told_unsettled(pull: &Pull, found: &Found) -> Option<String> {
    let (first, why) = found.first_unsettled.as_ref()?;
    let (network_element, place) = (&pull.network_element, pull.place.shown());
    let files = counted(found.unsettled, "file");
    Some(format!(
        "{network_element}: {files} of \"{place}\" left for the next run, such as \"{}\": {why}",
        shown(first)
    ))
}

/// A name of the far place, which may be long.
fn shown(name: &str) -> String {
    visible(&name.chars().take(NAME_SHOWN_MAX).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use transport::FarError;

    use super::*;

    #[test]
    fn the_next_look_is_taken_no_sooner_than_the_far_place_asks_for() {
        let place = Box::new(transport::LocalFolder::new("far".into()));
        let pull = Pull::of_place(place, std::path::Path::new("in"));
        let (retry_after, second) = (Duration::from_secs(3600), Duration::from_secs(1));
        let busy = |after| FarError::Passing { what: "busy".into(), after, cause: None };
        for (looked, least, most) in [
            (Ok(Found::default()), pull.every, pull.every),
            (Ok(Found { retry_after, unsettled: 1, ..Found::default() }), retry_after, retry_after),
            (Err(Ends::Far(busy(Some(retry_after)))), retry_after, retry_after),
            (Err(Ends::Untold(busy(Some(retry_after)))), retry_after, retry_after),
            (Err(Ends::Far(busy(None))), second, 2 * second),
        ] {
            let pause = pause(&pull, &looked, 1);
            assert!(pause >= least && pause <= most, "{looked:?}: {pause:?}");
        }
    }
}
