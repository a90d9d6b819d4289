//! The alarm that a flow's files have mistakes while the gateway runs the flow as it was.
//!
//! The latest read of the files decides. Several threads read them, and one that began earlier may end later.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use alarm::{AlarmKey, EventType, Kind, Severity};
use diagnostics::{Diagnostic, counted};
use journal::Journal;
use runtime::time::now_ms;

use flow::drawing::Variables;

const KIND: &Kind = &Kind::new(
    "flow-refused",
    Severity::Minor,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[KIND];
const REFUSED: AlarmKey<'_> = AlarmKey { kind: KIND, subject: "" };

/// Raises and clears the alarm.
pub(crate) struct Refusal<'j> {
    journal: &'j Journal,
    /// When the files were read that the alarm is about.
    looked: Mutex<Instant>,
}

impl<'j> Refusal<'j> {
    /// Begins without an alarm: the flow of the run has no mistakes.
    pub(crate) fn none(journal: &'j Journal) -> Self {
        let refusal = Refusal { journal, looked: Mutex::new(Instant::now()) };
        refusal.tell(None);
        refusal
    }

    /// Raises the alarm: the files had mistakes when they were read at `looked`, and the old flow runs on.
    pub(crate) fn stands(&self, diagnostics: &[Diagnostic], looked: Instant) {
        self.tell_in_turn(Some(text(diagnostics)), looked);
    }

    /// Clears the alarm: the files had no mistakes when they were read at `looked`, and the flow runs as they are.
    pub(crate) fn is_over(&self, looked: Instant) {
        self.tell_in_turn(None, looked);
    }

    fn tell_in_turn(&self, refused: Option<String>, looked: Instant) {
        let mut last = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked >= *last {
            *last = looked;
            self.tell(refused);
        }
    }

    fn tell(&self, refused: Option<String>) {
        let committed = self.journal.commit(move |db| match refused {
            Some(text) => alarm::raise(db, now_ms(), REFUSED, &text),
            None => alarm::clear(db, now_ms(), REFUSED),
        });
        if let Err(error) = committed {
            tracing::warn!(target: "flow::refused", "the journal: {error}");
        }
    }
}

fn text(diagnostics: &[Diagnostic]) -> String {
    let mut mistakes = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let count = counted(mistakes.clone().count(), "mistake");
    let line = |first: &Diagnostic| {
        format!(": {}", Variables::of(&first.source.text).hidden_in(first.line()))
    };
    let first = mistakes.next().map_or_else(String::new, line);
    let more = match mistakes.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("the flow goes on as it was, since it has changed and has {count}{first}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::Transactions;
    use diagnostics::{Source, Span};
    use std::time::{Duration, SystemTime};

    #[test]
    fn what_was_looked_at_last_is_what_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let journal =
            Transactions::open((&folder.path().join("flow.toml"), &state), true, SystemTime::now)
                .expect("a journal");
        let reader = journal.reader().expect("it is open");
        let is_raised = || alarm::is_raised(&reader, REFUSED).expect("a list of alarms");
        let wrong = [Diagnostic::error(&Source::new("script", ""), Span::default(), "wrong")];
        let refusal = Refusal::none(&journal);
        let at = |seconds| Instant::now() + Duration::from_secs(seconds);
        let (first, second, third) = (at(1), at(1_001), at(2_001));
        refusal.stands(&wrong, second);
        refusal.is_over(first);
        assert!(is_raised());
        refusal.is_over(third);
        refusal.stands(&wrong, second);
        assert!(!is_raised());
        refusal.stands(&wrong, third);
        assert!(is_raised());
        Refusal::none(&journal);
        assert!(!is_raised(), "what begins has no mistakes");
    }
}
