//! The order in which requests of networks are worked on: what was used comes before what may begin, so that under overload calls
//! in progress are paid, and new ones are refused. A request never comes before another one of its session.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use ledger::{KeyHasher, SessionKey};

/// The most requests that are worked on at once.
const BATCH_MAX: usize = 1_000;

/// The most requests of a kind that wait. More are refused at once.
const WAITING_MAX: usize = 100_000;

/// How long a request that begins something may wait. A client gives up after 10 seconds (RFC 8506 section 13, Tx), and an
/// answer that comes late is worth nothing.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Requests that wait, in two lines.
pub(crate) struct Lines<T> {
    /// Requests that report what was used. They wait as long as they must.
    reports: VecDeque<T>,
    /// Requests that begin something, and reports of their sessions behind them.
    beginnings: VecDeque<Beginning<T>>,
    /// How many requests of a session are among the beginnings.
    sessions: HashMap<SessionKey, u32, KeyHasher>,
}

struct Beginning<T> {
    arrived: Instant,
    session: SessionKey,
    is_report: bool,
    request: T,
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        let (reports, beginnings) = (VecDeque::new(), VecDeque::new());
        Lines { reports, beginnings, sessions: HashMap::default() }
    }
}

impl<T> Lines<T> {
    /// Adds a request of a session at a time, or returns it: too many wait.
    pub(crate) fn add(
        &mut self,
        (session, is_report): (SessionKey, bool),
        arrived: Instant,
        request: T,
    ) -> Result<(), T> {
        let count = if is_report { self.reports.len() } else { self.beginnings.len() };
        if count >= WAITING_MAX {
            return Err(request);
        }
        // Clients report a short call before its beginning is answered (kamailio#2143).
        if is_report && !self.sessions.contains_key(&session) {
            self.reports.push_back(request);
            return Ok(());
        }
        *self.sessions.entry(session).or_default() += 1;
        self.beginnings.push_back(Beginning { arrived, session, is_report, request });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.beginnings.is_empty()
    }

    /// Removes the requests that have waited too long at a time. Reports among them wait on with the others, and so do the
    /// beginnings of their sessions: what was used must be paid.
    pub(crate) fn late(&mut self, now: Instant) -> Vec<T> {
        let is_late = |of: &Beginning<T>| now.duration_since(of.arrived) > WAIT_MAX;
        let count = self.beginnings.partition_point(is_late);
        let mut late = Vec::new();
        for _ in 0..count {
            match self.next_beginning() {
                Some(Beginning { is_report, session, request, .. })
                    if is_report || self.sessions.contains_key(&session) =>
                {
                    self.reports.push_back(request);
                }
                Some(Beginning { request, .. }) => late.push(request),
                None => {}
            }
        }
        late
    }

    /// Removes the next requests to work on.
    pub(crate) fn next(&mut self) -> Vec<T> {
        let reports = self.reports.len().min(BATCH_MAX);
        let mut batch: Vec<T> = self.reports.drain(..reports).collect();
        while batch.len() < BATCH_MAX
            && let Some(Beginning { request, .. }) = self.next_beginning()
        {
            batch.push(request);
        }
        batch
    }

    fn next_beginning(&mut self) -> Option<Beginning<T>> {
        let next = self.beginnings.pop_front()?;
        if let Some(count) = self.sessions.get_mut(&next.session) {
            *count -= 1;
            if *count == 0 {
                self.sessions.remove(&next.session);
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGINS: bool = false;
    const REPORTS: bool = true;

    #[test]
    fn reports_come_before_beginnings_and_late_beginnings_are_refused() {
        let mut lines = Lines::default();
        let begun = Instant::now();
        let after = |milliseconds| begun + Duration::from_millis(milliseconds);
        for (session, kind, at, request) in
            [(1, BEGINS, 0, "first a"), (2, BEGINS, 1_500, "first b"), (3, REPORTS, 0, "final c")]
        {
            lines.add((SessionKey(session), kind), after(at), request).unwrap();
        }
        assert_eq!(lines.late(after(2_001)), ["first a"]);
        assert_eq!(lines.next(), ["final c", "first b"]);
        assert!(lines.is_empty() && lines.sessions.is_empty());
    }

    #[test]
    fn a_report_comes_behind_the_beginning_of_its_session() {
        let mut lines = Lines::default();
        let now = Instant::now();
        for (session, kind, request) in [
            (1, BEGINS, "first a"),
            (1, REPORTS, "next a"),
            (2, REPORTS, "final b"),
            (1, REPORTS, "final a"),
        ] {
            lines.add((SessionKey(session), kind), now, request).unwrap();
        }
        assert_eq!(lines.next(), ["final b", "first a", "next a", "final a"]);
        // It keeps the beginning, however late that is.
        lines.add((SessionKey(3), BEGINS), now, "first c").unwrap();
        lines.add((SessionKey(4), BEGINS), now, "first d").unwrap();
        lines.add((SessionKey(3), REPORTS), now, "final c").unwrap();
        assert_eq!(lines.late(now + Duration::from_secs(3)), ["first d"]);
        assert_eq!(lines.next(), ["first c", "final c"]);
        assert!(lines.is_empty() && lines.sessions.is_empty());
    }

    #[test]
    fn under_overload_all_reports_are_done_first() {
        let mut lines = Lines::default();
        let now = Instant::now();
        for number in 0..BATCH_MAX {
            let session = |kind: usize| SessionKey((2 * number + kind) as u128);
            lines.add((session(0), BEGINS), now, ("first", number)).unwrap();
            lines.add((session(1), REPORTS), now, ("final", number)).unwrap();
        }
        let all = |batch: &[(&str, usize)], phase| batch.iter().all(|(of, _)| *of == phase);
        let reports = lines.next();
        assert!(reports.len() == BATCH_MAX && all(&reports, "final"));
        let beginnings = lines.next();
        assert!(beginnings.len() == BATCH_MAX && all(&beginnings, "first"));
    }

    #[test]
    fn too_many_beginnings_do_not_keep_reports_out() {
        let mut lines = Lines::default();
        let now = Instant::now();
        let session = |number: usize| SessionKey(number as u128);
        for number in 0..WAITING_MAX {
            lines.add((session(number), BEGINS), now, number).unwrap();
        }
        let one_more = (session(WAITING_MAX), BEGINS);
        assert_eq!(lines.add(one_more, now, WAITING_MAX), Err(WAITING_MAX));
        let report = (session(WAITING_MAX), REPORTS);
        assert_eq!(lines.add(report, now, WAITING_MAX), Ok(()));
        assert_eq!(lines.next()[0], WAITING_MAX);
    }
}
