//! Detects processes that hang. Each process regularly sends a sign of life, whatever else it does; a process that is
//! stopped or gets no processor time does not. File operations also have a time limit, because a disk may hang.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use alarm::{Condition, EventType, Kind, Severity};
use store::{Connection, StoreError};

use super::message::Number;
use super::{Processes, Remote};
use crate::commit::Transactions;

/// How often a process sends a sign, and how often the gateway looks for it. Looks are counted, not seconds, because
/// nothing looks while the gateway and its processes are stopped.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A process hangs after this many looks without a sign.
const SILENT_MAX: u32 = 10;

/// It hangs after this many looks at the same file operation. Large folders and outputs on slow disks take time.
const UNANSWERED_MAX: u32 = 60;

/// It is killed after this many looks without a sign, and its work is repeated. A process that only waits for a disk
/// gives signs; a kill would not end it.
const KILLED_AFTER: u32 = 60;

const KIND: &Kind = &Kind::new(
    "process-hangs",
    Severity::Critical,
    EventType::Processing,
    "applicationSubsystemFailure",
);

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[KIND];

/// The sign of life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    /// How many messages it has sent.
    pub(super) heard: u64,
    /// The oldest request that it has not answered.
    pub(super) oldest: Option<Number>,
}

/// Watches the processes until the sender of `over` is dropped. Raises and clears alarms of those that hang.
pub(crate) fn watch(processes: &Processes<'_>, journal: &Transactions, over: &Receiver<()>) {
    let outcome = journal.reader().and_then(|reader| {
        let outcome = look_on(processes, (journal, &reader), over);
        // Clears the alarms of processes that end now.
        outcome.and(tell(Vec::new(), journal, &reader))
    });
    if let Err(error) = outcome {
        tracing::warn!(target: "flow::processes", "it is not looked whether processes hang: {error}");
    }
}

fn look_on(
    processes: &Processes<'_>,
    (journal, reader): (&Transactions, &Connection),
    over: &Receiver<()>,
) -> Result<(), StoreError> {
    let mut all: Vec<_> = processes.all().map(|remote| (remote, Watched::default())).collect();
    if all.is_empty() {
        return Ok(());
    }
    tell(Vec::new(), journal, reader)?;
    let mut before = Vec::new();
    while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(LOOK_AGAIN) {
        let looked = all.iter_mut().filter_map(|(remote, watched)| look(remote, watched));
        let wrong: Vec<Condition> = looked.collect();
        if wrong != before {
            tell(wrong.clone(), journal, reader)?;
            before = wrong;
        }
    }
    Ok(())
}

fn tell(
    wrong: Vec<Condition>,
    journal: &Transactions,
    reader: &Connection,
) -> Result<(), StoreError> {
    let raised = journal.answer(alarm::raised(reader, &[KIND]))?;
    if raised.is_empty() && wrong.is_empty() {
        return Ok(());
    }
    alarm::reconcile(wrong.into_iter(), &raised, journal)?;
    journal.tell_alarms();
    Ok(())
}

/// Returns the condition of a process that hangs, if it does.
fn look(remote: &Remote<'_>, watched: &mut Watched) -> Option<Condition> {
    let process = remote.name();
    let why = match watched.see(remote.sign(), remote.runs_errands()) {
        ProcessHealth::Answers => return None,
        ProcessHealth::Silent(looks) => {
            if looks == KILLED_AFTER {
                tracing::error!(
                    target: "flow::processes",
                    process,
                    "the {process} has given no sign for {looks} seconds, and is killed"
                );
                remote.kill();
            }
            format!("has given no sign for {SILENT_MAX} seconds")
        }
        ProcessHealth::Unanswered => {
            format!("has not answered for {UNANSWERED_MAX} seconds: does a disk hang?")
        }
    };
    let text = format!("the {process} {why}; what it has in hand waits");
    Some(Condition { kind: KIND, subject: process.into(), text })
}

/// How many looks in a row saw the same.
#[derive(Debug, Default)]
struct Watched {
    sign: Option<Sign>,
    silent: u32,
    unanswered: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessHealth {
    Answers,
    /// Without a sign for this many looks.
    Silent(u32),
    Unanswered,
}

impl Watched {
    /// Takes the next sign of a process. It is none if the process does not run, or no thread waits for its messages
    /// now.
    fn see(&mut self, sign: Option<Sign>, runs_errands: bool) -> ProcessHealth {
        let before = std::mem::replace(&mut self.sign, sign);
        let both = before.zip(sign);
        let is_silent = both.is_some_and(|(before, now)| before.heard == now.heard);
        let is_unanswered = runs_errands
            && both
                .is_some_and(|(before, now)| now.oldest.is_some() && before.oldest == now.oldest);
        self.silent = if is_silent { self.silent.saturating_add(1) } else { 0 };
        self.unanswered = if is_unanswered { self.unanswered.saturating_add(1) } else { 0 };
        match self {
            Watched { silent, .. } if *silent >= SILENT_MAX => ProcessHealth::Silent(*silent),
            Watched { unanswered, .. } if *unanswered >= UNANSWERED_MAX => {
                ProcessHealth::Unanswered
            }
            _ => ProcessHealth::Answers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the states of a process. Each sign has the number of its messages, and its oldest unanswered request.
    fn states(
        signs: impl Iterator<Item = (u64, Number)>,
        runs_errands: bool,
    ) -> Vec<ProcessHealth> {
        let mut watched = Watched::default();
        let sign = |(heard, oldest)| Some(Sign { heard, oldest: Some(oldest) });
        signs.map(|pair| watched.see(sign(pair), runs_errands)).collect()
    }

    #[test]
    fn one_that_gives_no_sign_hangs_until_it_does() {
        let signs = std::iter::repeat_n((7, 1), 1 + KILLED_AFTER as usize).chain([(8, 1)]);
        let states = states(signs, false);
        let (well, hangs) = states.split_at(SILENT_MAX as usize);
        assert!(well.iter().all(|state| *state == ProcessHealth::Answers), "{well:?}");
        assert_eq!(hangs[0], ProcessHealth::Silent(SILENT_MAX));
        assert_eq!(
            hangs[hangs.len() - 2..],
            [ProcessHealth::Silent(KILLED_AFTER), ProcessHealth::Answers]
        );
    }

    #[test]
    fn an_errand_has_an_end_and_a_large_file_may_take_long() {
        let same = 1 + u64::from(UNANSWERED_MAX);
        let signs = || (0..same).map(|heard| (heard, 1)).chain([(same, 2)]);
        let errands = states(signs(), true);
        let end = [ProcessHealth::Answers, ProcessHealth::Unanswered, ProcessHealth::Answers];
        assert_eq!(errands[errands.len() - end.len()..], end);
        assert!(states(signs(), false).iter().all(|state| *state == ProcessHealth::Answers));
    }
}
