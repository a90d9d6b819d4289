//! Fetches the files of network elements from remote places. Each remote place has a thread, beside the processing.

mod book;
mod ends;
mod fault;
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
use reason::Reason;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use store::StoreError;
use transport::RemoteConnection;

pub use self::settings::{KEYS, Pull, is_pulled};
use alarm::{Completeness, Condition, EventType, Kind, Severity};

use crate::refused::{self, RefusedFileKind, RefusedThere};
use book::Book;
use ends::Ends;
pub(crate) use fault::FetchFault;
use flow::file::AT_ONCE;
use pass::{Found, Pass, PassMemory};

const UNREACHABLE: &Kind = &Kind::new(
    "far-unreachable",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);
const REFUSED: &Kind =
    &Kind::new("far-files-refused", Severity::Minor, EventType::Processing, "fileError");
/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[UNREACHABLE, REFUSED];

/// The wait before the next try after a failure.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(300));

/// The wait before the next pass while files may still be written to.
const SETTLING: Duration = Duration::from_millis(1_100);

/// The number of passes after which each file of the first pass was tried. Until then, an alarm that was raised before
/// the gateway started may still hold.
const LOOKS_UNTIL_KNOWN: u32 = 4;

/// The most characters of a file name in a message.
const NAME_SHOWN_MAX: usize = 100;

/// How soon a waiting thread notices a stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How often a run with an end tries a remote place, and how many passes it makes for files that may still be written to.
const TRIES_ONCE: u32 = 3;
const LOOKS_ONCE: u32 = 3;

/// The longest wait of such a run at the remote place's request. Longer waits are left to the next run.
const RETRY_AFTER_ONCE_MAX: Duration = Duration::from_secs(30);

/// Clears the alarms of remote places that are no longer in the flow. No other code does this.
pub fn forget_others(pulls: &[Arc<Pull>], journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let mut raised = journal.answer(alarm::raised(&reader, ALARMS))?;
    raised.retain(|wrong| !pulls.iter().any(|pull| pull.network_element == wrong.subject));
    alarm::reconcile(std::iter::empty(), &raised, journal)?;
    let known: Vec<String> = pulls.iter().map(|pull| pull.network_element.clone()).collect();
    journal.commit(move |db| refused::forget_others(db, &known))
}

/// Fetches in passes until `end` is set.
pub fn fetch(pull: &Pull, journal: &Journal, end: &Shutdown) {
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

/// Returns the wait after a pass. It is no shorter than the remote place asks for.
fn pause(pull: &Pull, looked: &Result<Found, Ends>, failures: u32) -> Duration {
    match looked {
        Ok(found) if found.unsettled > 0 => SETTLING.min(pull.every).max(found.retry_after),
        Ok(found) => pull.every.max(found.retry_after),
        Err(ends) => BACKOFF.after(failures + 1).max(ends.after()),
    }
}

/// Fetches the files that are there now. Returns messages about what went wrong.
pub fn fetch_once(pull: &Pull, journal: &Journal, end: &Shutdown) -> Vec<String> {
    let (mut fetcher, mut failures, mut looks) = (Fetcher::new(pull, journal, end), 0, 0);
    loop {
        // A file is fetched once two passes have found it.
        fetcher.memory.start_over();
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
                let refused = refused_message(pull, &found).into_iter();
                return refused.chain(unsettled_message(pull, &found)).collect();
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
            Err(ends) => return vec![describe(pull, &ends)],
        }
        if end.is_set() {
            return Vec::new();
        }
    }
}

/// The state of fetching from one remote place.
struct Fetcher<'f> {
    pull: &'f Pull,
    journal: &'f Journal,
    end: &'f Shutdown,
    far: Option<Box<dyn RemoteConnection>>,
    memory: PassMemory,
    /// Whether the last pass ended because fetched files could not be moved or deleted.
    is_hindered: bool,
    /// The conditions that were last reported as alarms.
    wrong: Option<Vec<Condition>>,
    /// The files of the place that were last noted as refused.
    refused: Option<Vec<RefusedThere>>,
    /// Whether the log already says that the place allows fewer connections than configured.
    is_fewer_logged: bool,
    /// The number of passes in which the place answered.
    looks: u32,
    knows: bool,
}

impl<'f> Fetcher<'f> {
    fn new(pull: &'f Pull, journal: &'f Journal, end: &'f Shutdown) -> Self {
        let (far, memory, is_hindered, wrong, refused, is_fewer_logged) = Default::default();
        let (looks, knows) = (0, false);
        Fetcher {
            pull,
            journal,
            end,
            far,
            memory,
            is_hindered,
            wrong,
            refused,
            is_fewer_logged,
            looks,
            knows,
        }
    }

    /// Makes one pass. Raises and clears the alarms of this remote place.
    fn look(&mut self) -> Result<Found, Ends> {
        let passed = self.pass();
        if passed.is_err() {
            self.far = None;
        }
        let mut is_news = false;
        if let Ok(found) = &passed {
            self.log_fewer(found);
            self.looks += 1;
            is_news = !self.knows && (found.unsettled == 0 || self.looks >= LOOKS_UNTIL_KNOWN);
            self.knows |= is_news;
            self.note_refused(found, is_news)
                .unwrap_or_else(|error| tracing::warn!(target: "flow::fetching", "{error}"));
        }
        self.is_hindered = matches!(passed, Err(Ends::NotRemoved(_)));
        let wrong = match &passed {
            Err(Ends::Stopped) => return passed,
            Err(ends) => vec![(UNREACHABLE, describe(self.pull, ends))],
            Ok(found) => {
                let refused = refused_message(self.pull, found);
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

    /// Logs once that the place allows fewer connections than configured, until it allows all again. Files are fetched
    /// all the same.
    fn log_fewer(&mut self, Found { fewer, has_all, .. }: &Found) {
        self.is_fewer_logged &= !has_all;
        // The text of the refusal may differ each time, so it is not compared.
        if let Some(why) = fewer
            && !std::mem::replace(&mut self.is_fewer_logged, true)
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
            none => none.insert(self.pull.place.connect().map_err(Ends::Remote)?),
        };
        let mut pass = Pass {
            pull: self.pull,
            far: &mut **far,
            book: &book,
            end: self.end,
            tells_last: self.is_hindered,
        };
        pass.run(&mut self.memory)
    }

    /// Notes which files of the place are not fetched, or not moved or deleted there, if that changed.
    fn note_refused(&mut self, found: &Found, is_news: bool) -> Result<(), StoreError> {
        let of = |kind, (name, reason): &(String, Reason)| RefusedThere {
            kind,
            name: name.clone(),
            reason: reason.clone(),
        };
        let not_fetched = found.refused.iter().map(|each| of(RefusedFileKind::NotFetched, each));
        let not_removed = found.untold.iter().map(|each| of(RefusedFileKind::NotRemoved, each));
        let refused = refused::first(not_fetched.chain(not_removed).collect());
        if !is_news && self.refused.as_ref() == Some(&refused) {
            return Ok(());
        }
        let (element, noted) = (self.pull.network_element.clone(), refused.clone());
        // Before each file was tried, those that an earlier run noted may still be refused.
        let knows = self.knows;
        let now_ms = self.journal.now_ms();
        self.journal.commit(move |db| refused::note(db, &element, &noted, (knows, now_ms)))?;
        self.refused = Some(refused);
        Ok(())
    }

    /// Raises the alarms of this remote place that hold, and clears those that no longer do.
    fn stand(&self, wrong: &[Condition]) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        let mut raised = self.journal.answer(alarm::raised(&reader, ALARMS))?;
        raised.retain(|wrong| wrong.subject == self.pull.network_element);
        let known = if self.knows { Completeness::Complete } else { Completeness::Partial };
        alarm::reconcile_partly(known, wrong.iter().cloned(), &raised, self.journal)
    }
}

fn describe(pull: &Pull, ends: &Ends) -> String {
    let (network_element, place) = (&pull.network_element, pull.place.shown());
    match ends {
        Ends::NotRemoved(_) => {
            format!("{network_element}: \"{place}\": {ends}; that is tried again")
        }
        _ => format!(
            "{network_element}: files of \"{place}\" cannot be fetched: {ends}; that is tried again"
        ),
    }
}

/// Returns the message about files that were not fetched, moved or deleted in a pass that was otherwise fine.
fn refused_message(pull: &Pull, found: &Found) -> Option<String> {
    let place = pull.place.shown();
    let such = |files: &[(String, Reason)], what: &str| {
        let (first, why) = files.iter().min_by(|one, other| {
            let by_text = || one.1.to_string().cmp(&other.1.to_string());
            one.0.cmp(&other.0).then_with(by_text)
        })?;
        let count = counted(files.len(), "file");
        // An empty name stands for all files of the place.
        if first.is_empty() {
            return Some(format!("of \"{place}\" not all was looked at: {why}"));
        }
        Some(format!("{count} of \"{place}\" {what}, such as \"{}\": {why}", shown(first)))
    };
    let refused = such(&found.refused, "not fetched");
    let untold = such(&found.untold, "fetched and neither moved nor deleted there");
    let parts: Vec<String> = refused.into_iter().chain(untold).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", pull.network_element, parts.join("; ")))
}

/// Returns the message about files that a run leaves for the next, since they may be incomplete.
fn unsettled_message(pull: &Pull, found: &Found) -> Option<String> {
    let (first, why) = found.first_unsettled.as_ref()?;
    let (network_element, place) = (&pull.network_element, pull.place.shown());
    let files = counted(found.unsettled, "file");
    Some(format!(
        "{network_element}: {files} of \"{place}\" left for the next run, such as \"{}\": {why}",
        shown(first)
    ))
}

/// Shortens a file name of the remote place for messages.
fn shown(name: &str) -> String {
    visible(&name.chars().take(NAME_SHOWN_MAX).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use transport::RemoteError;

    use super::*;

    #[test]
    fn the_next_look_is_taken_no_sooner_than_the_far_place_asks_for() {
        let place = Box::new(transport::LocalFolder::new("far".into()));
        let pull = Pull::of_place(place, std::path::Path::new("in"));
        let (retry_after, second) = (Duration::from_secs(3600), Duration::from_secs(1));
        let busy =
            |after| RemoteError::Passing { what: Reason::uncoded("busy"), after, cause: None };
        for (looked, least, most) in [
            (Ok(Found::default()), pull.every, pull.every),
            (Ok(Found { retry_after, unsettled: 1, ..Found::default() }), retry_after, retry_after),
            (Err(Ends::Remote(busy(Some(retry_after)))), retry_after, retry_after),
            (Err(Ends::NotRemoved(busy(Some(retry_after)))), retry_after, retry_after),
            (Err(Ends::Remote(busy(None))), second, 2 * second),
        ] {
            let pause = pause(&pull, &looked, 1);
            assert!(pause >= least && pause <= most, "{looked:?}: {pause:?}");
        }
    }
}
