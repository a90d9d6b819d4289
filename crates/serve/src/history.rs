//! Throughput of the past, in steps: of a second for the last hour, of a minute for two days, of a quarter of an hour
//! for a month.
//!
//! All steps are in memory, and their number is limited. Steps of a minute and more are also in a database in the state
//! folder. The task that takes the samples writes it once a minute, apart from record processing. A gateway that is
//! killed loses a minute of them.
//!
//! These figures are for plots only, so they never stop record processing. A damaged database is put aside as it is,
//! for later inspection, and a new one begins.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use runtime::time::{now_ms, shown};
use store::{Connection, QueryResult, Store, StoreError, params};

const MIGRATIONS: &[&str] = &[include_str!("history.sql")];

/// The name of the database file in the state folder.
const DATABASE: &str = "history.db";

/// The seconds of a minute, which is also the interval of writes to the database.
const MINUTE: i64 = 60;

/// The steps, finest first: the seconds of a step, and the number of steps kept.
const STEPS: [(i64, usize); 3] = [(1, 3_600), (MINUTE, 2 * 24 * 60), (15 * MINUTE, 30 * 24 * 4)];

/// The longest time that is kept, in seconds.
pub(crate) const HISTORY_SECONDS: i64 = STEPS[2].0 * STEPS[2].1 as i64;

/// The maximum number of points of a plot, since more cannot be made out. It equals a day at a minute's resolution.
const POINTS_MAX: i64 = 1_440;

const _: () = assert!(STEPS[1].0 * POINTS_MAX == 24 * 60 * MINUTE);
const _: () = assert!(
    STEPS[0].0 * STEPS[0].1 as i64 >= STEPS[1].0,
    "a step begins where a finer one is kept"
);

/// Totals of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Done {
    /// The seconds of the period in which the gateway ran.
    pub(crate) seconds: f64,
    pub(crate) records: f64,
    pub(crate) octets: f64,
    pub(crate) suspended: f64,
    /// The delay of the slowest file from arrival to delivery; `None` if no file was delivered.
    pub(crate) delay_seconds: Option<f64>,
}

impl Done {
    fn add(&mut self, other: &Done) {
        self.seconds += other.seconds;
        self.records += other.records;
        self.octets += other.octets;
        self.suspended += other.suspended;
        self.delay_seconds =
            [self.delay_seconds, other.delay_seconds].into_iter().flatten().reduce(f64::max);
    }
}

/// The start of a step, in seconds since 1970, and its totals.
type Step = (i64, Done);

/// Steps of one length, the oldest first. Each begins at a multiple of that length; no two begin at the same time.
#[derive(Debug)]
struct Steps {
    seconds: i64,
    steps_max: usize,
    steps: VecDeque<Step>,
}

impl Steps {
    /// Adds totals to the step that contains `at`. If the clock went back, this drops the steps after `at`: they lie in
    /// the future now.
    fn add(&mut self, at: i64, done: &Done) {
        let at = at - at.rem_euclid(self.seconds);
        while self.steps.back().is_some_and(|(last, _)| *last > at) {
            self.steps.pop_back();
        }
        match self.steps.back_mut() {
            Some((last, so_far)) if *last == at => so_far.add(done),
            _ => {
                if self.steps.len() == self.steps_max {
                    self.steps.pop_front();
                }
                self.steps.push_back((at, *done));
            }
        }
    }

    /// Returns the steps that begin from `from` to before `to`.
    fn within(&self, from: i64, to: i64) -> impl Iterator<Item = &Step> {
        let first = self.steps.partition_point(|(at, _)| *at < from);
        self.steps.range(first..).take_while(move |(at, _)| *at < to)
    }

    /// Returns the step that contains a moment.
    fn around(&self, at: i64) -> Option<&Step> {
        self.within(at - at.rem_euclid(self.seconds), at + 1).next()
    }
}

/// The steps of all lengths.
#[derive(Debug)]
struct All([Steps; STEPS.len()]);

impl Default for All {
    fn default() -> Self {
        All(STEPS.map(|(seconds, steps_max)| Steps { seconds, steps_max, steps: VecDeque::new() }))
    }
}

/// A plot, with a point for each of its steps.
#[derive(Debug, PartialEq)]
pub(crate) struct Points {
    pub(crate) step_seconds: i64,
    /// Begins with the first point that has data. A point is `None` where there is no data, since the gateway did not
    /// run.
    pub(crate) points: Vec<(i64, Option<Done>)>,
}

impl All {
    fn add(&mut self, at: i64, done: &Done) {
        self.0.iter_mut().for_each(|steps| steps.add(at, done));
    }

    /// Returns the plot of the last `span_seconds`, from the finest steps that reach so far. After a start these begin
    /// later; the next longer steps fill in the time before.
    fn points(&self, span_seconds: i64, now: i64) -> Points {
        let reaches = |steps: &Steps| steps.seconds * steps.steps_max as i64 >= span_seconds;
        let place = self.0.iter().position(reaches).unwrap_or(STEPS.len() - 1);
        let (finest, longer) = (&self.0[place], self.0.get(place + 1));
        let together = (span_seconds / finest.seconds + POINTS_MAX - 1) / POINTS_MAX;
        let step_seconds = finest.seconds * together.max(1);
        let known_from = finest.steps.front().map_or(now + 1, |(at, _)| *at);
        let of = |at: i64| {
            let mut steps = finest.within(at, at + step_seconds).map(|(_, done)| *done);
            let first = steps.next().map(|first| {
                steps.fold(first, |mut sum, done| {
                    sum.add(&done);
                    sum
                })
            });
            // A longer step that overlaps the first finer step is not used: the finer steps show that time themselves.
            let is_before = |(begin, _): &&Step| {
                begin + longer.map_or(0, |longer| longer.seconds) <= known_from
            };
            first.or_else(|| Some(longer?.around(at).filter(is_before)?.1))
        };
        let last = now - now.rem_euclid(step_seconds);
        let begin = last - (span_seconds / step_seconds - 1) * step_seconds;
        let all = (begin..=last).step_by(step_seconds as usize).map(|at| (at, of(at)));
        let points = all.skip_while(|(_, done)| done.is_none()).collect();
        Points { step_seconds, points }
    }
}

/// The history of a gateway.
pub(crate) struct ThroughputHistory {
    all: Mutex<All>,
    path: PathBuf,
    /// `None` after a failed write: the next write opens it again.
    store: Mutex<Option<Store>>,
    /// The databases that were put aside and are not in the audit trail yet.
    put_aside: Mutex<Vec<PutAside>>,
}

/// A damaged database that was put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PutAside {
    /// Its path now.
    pub(crate) place: PathBuf,
    pub(crate) why: String,
}

/// Opens the database at a path and reads it. A damaged one is put aside first and returned too.
///
/// # Errors
///
/// The database cannot be opened, or it is damaged and cannot be put aside.
fn open(path: &Path) -> Result<(Store, All, Option<PutAside>), StoreError> {
    let opened = || {
        let store = Store::open(path, MIGRATIONS)?;
        let reader = store.reader()?;
        let all = read(&reader).map_err(|error| store.readers().error(&error))?;
        Ok((store, all))
    };
    let damage = match opened() {
        Err(damage) if StoreError::is_damage(&damage) => damage,
        opened => return opened.map(|(store, all)| (store, all, None)),
    };
    let end = format!(".damaged-{}", shown(now_ms()).replace([':', '-'], ""));
    let Ok(place) = store::put_aside(path, &end) else { return Err(damage) };
    tracing::warn!("{damage}; it is put aside as \"{}\", and plots begin anew", place.display());
    let (store, all) = opened()?;
    Ok((store, all, Some(PutAside { place, why: damage.to_string() })))
}

impl ThroughputHistory {
    /// Opens the history of the gateway with this state folder.
    pub(crate) fn open(state: &Path) -> Result<Self, StoreError> {
        let path = state.join(DATABASE);
        let (store, all, put_aside) = open(&path)?;
        let put_aside = Mutex::new(put_aside.into_iter().collect());
        Ok(ThroughputHistory {
            all: Mutex::new(all),
            path,
            store: Mutex::new(Some(store)),
            put_aside,
        })
    }

    /// Passes each database that was put aside to `tell`, until that succeeds once. After an error, the rest waits for
    /// the next call.
    pub(crate) fn tell<E>(&self, tell: impl Fn(&PutAside) -> Result<(), E>) -> Result<(), E> {
        // The lock is not held while `tell` runs.
        let untold = || self.put_aside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut telling = std::mem::take(&mut *untold());
        while let Some(first) = telling.first() {
            if let Err(error) = tell(first) {
                telling.append(&mut untold());
                *untold() = telling;
                return Err(error);
            }
            telling.remove(0);
        }
        Ok(())
    }

    /// Returns whether a database that was put aside waits for [`ThroughputHistory::tell`].
    pub(crate) fn has_to_tell(&self) -> bool {
        !self.put_aside.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Adds the totals of a second that ended at `at`. Returns whether a new minute began, so that it is time to write.
    pub(crate) fn add(&self, at: i64, done: &Done) -> bool {
        let mut all = self.all();
        let minute = |all: &All| all.0[1].steps.back().map(|(at, _)| *at);
        let before = minute(&all);
        all.add(at, done);
        before != minute(&all)
    }

    pub(crate) fn points(&self, span_seconds: i64, now: i64) -> Points {
        self.all().points(span_seconds, now)
    }

    /// Writes what is not written yet. After an error, the next call tries again.
    pub(crate) fn keep(&self) -> Result<(), StoreError> {
        let mut held = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let (store, changed_max) = match held.take() {
            Some(store) => (store, CHANGED_MAX),
            None => {
                let (store, _, put_aside) = open(&self.path)?;
                let changed_max = if put_aside.is_some() { usize::MAX } else { CHANGED_MAX };
                self.put_aside.lock().unwrap_or_else(PoisonError::into_inner).extend(put_aside);
                (store, changed_max)
            }
        };
        let last = self.last(changed_max);
        store.commit(move |db| last.iter().try_for_each(|last| last.write(db)))?;
        *held = Some(store);
        Ok(())
    }

    /// Returns what to write of each length of steps that the database has: the last steps, which may have changed
    /// since the last write, and where all begin and end.
    fn last(&self, changed_max: usize) -> Vec<Last> {
        let all = self.all();
        let coarser = all.0.iter().skip(1);
        let last = coarser.filter_map(|steps| {
            let (first, last) = (steps.steps.front()?.0, steps.steps.back()?.0);
            let changed = steps.steps.iter().rev().take(changed_max).copied().collect();
            Some(Last { seconds: steps.seconds, first, last, changed })
        });
        last.collect()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum number of steps per write. If writes failed for some time, the last hour of minutes is still written.
const CHANGED_MAX: usize = 60;

/// The end of the steps of one length.
struct Last {
    seconds: i64,
    first: i64,
    last: i64,
    changed: Vec<Step>,
}

impl Last {
    fn write(&self, db: &Connection) -> QueryResult<()> {
        let mut insert = db.prepare_cached(
            "INSERT OR REPLACE INTO step (step_seconds, at, seconds, records, octets, suspended, delay_seconds)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (at, done) in &self.changed {
            let Done { seconds, records, octets, suspended, delay_seconds } = *done;
            insert.execute(params![
                self.seconds,
                at,
                seconds,
                records,
                octets,
                suspended,
                delay_seconds
            ])?;
        }
        db.prepare_cached("DELETE FROM step WHERE step_seconds = ? AND (at < ? OR at > ?)")?
            .execute(params![self.seconds, self.first, self.last])
            .map(drop)
    }
}

/// Reads all steps from the database.
fn read(db: &Connection) -> QueryResult<All> {
    let mut all = All::default();
    for steps in all.0.iter_mut().skip(1) {
        let mut select = db.prepare(
            "SELECT at, seconds, records, octets, suspended, delay_seconds FROM step WHERE step_seconds = ? ORDER BY at",
        )?;
        let rows = select.query_map([steps.seconds], |row| {
            let done = Done {
                seconds: row.get(1)?,
                records: row.get(2)?,
                octets: row.get(3)?,
                suspended: row.get(4)?,
                delay_seconds: row.get(5)?,
            };
            Ok((row.get(0)?, done))
        })?;
        for row in rows {
            let (at, done): Step = row?;
            steps.add(at, &done);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;

    /// Returns totals of one second with this many records.
    fn second(records: f64) -> Done {
        Done { seconds: 1.0, records, ..Done::default() }
    }

    fn run(all: &mut All, times: impl Iterator<Item = i64>, records: f64) {
        times.for_each(|at| all.add(at, &second(records)));
    }

    /// Returns each point: its time, and its records per second.
    fn rates(all: &All, span: i64, now: i64) -> (i64, Vec<(i64, Option<f64>)>) {
        let Points { step_seconds, points } = all.points(span, now);
        let rate = |done: Done| done.records / done.seconds;
        (step_seconds, points.into_iter().map(|(at, done)| (at, done.map(rate))).collect())
    }

    #[test]
    fn a_plot_has_the_finest_steps_that_reach_so_far() {
        let all = All::default();
        for (span, step) in
            [(15 * MINUTE, 1), (HOUR, 3), (DAY, 60), (2 * DAY, 120), (30 * DAY, 1_800)]
        {
            assert_eq!(rates(&all, span, 100 * DAY), (step, vec![]), "{span}");
        }
    }

    #[test]
    fn a_step_is_the_mean_of_the_time_in_which_the_gateway_ran() {
        let mut all = All::default();
        run(&mut all, 600..610, 4.0);
        run(&mut all, 610..612, 10.0);
        let minutes = rates(&all, DAY, 700);
        assert_eq!(minutes, (60, vec![(600, Some(5.0)), (660, None)]), "it stood in the next");
        let (step, seconds) = rates(&all, HOUR, 612);
        assert_eq!(
            (step, seconds.first(), seconds.last()),
            (3, Some(&(600, Some(4.0))), Some(&(612, None)))
        );
        assert_eq!(seconds[3], (609, Some(8.0)));
    }

    #[test]
    fn the_slowest_file_of_a_step_is_that_of_its_slowest_second() {
        let mut all = All::default();
        for (at, delay_seconds) in
            [(0, None), (1, Some(2.0)), (2, Some(7.0)), (3, None), (4, Some(3.0))]
        {
            all.add(at, &Done { delay_seconds, ..second(1.0) });
        }
        assert_eq!(all.points(DAY, 5).points[0].1.unwrap().delay_seconds, Some(7.0));
        run(&mut all, 60..70, 1.0);
        assert_eq!(all.points(DAY, 70).points[1].1.unwrap().delay_seconds, None);
    }

    #[test]
    fn no_steps_are_kept_without_end() {
        let mut all = All::default();
        for at in (0..40 * DAY).step_by(30) {
            all.add(at, &second(1.0));
        }
        let lengths = all.0.each_ref().map(|steps| steps.steps.len());
        assert_eq!(lengths, STEPS.map(|(_, steps_max)| steps_max));
        let points = all.points(30 * DAY, 40 * DAY - 1).points;
        assert_eq!(points.len() as i64, POINTS_MAX);
        assert!(points.iter().all(|(_, done)| done.is_some()));
    }

    #[test]
    fn a_clock_that_goes_back_takes_with_it_what_was_ahead() {
        let mut all = All::default();
        run(&mut all, 0..10, 1.0);
        run(&mut all, DAY..DAY + 10, 1.0);
        run(&mut all, 10..20, 3.0);
        assert_eq!(rates(&all, DAY, 20).1, [(0, Some(2.0))]);
        assert!(all.0.iter().all(|steps| steps.steps.iter().is_sorted_by_key(|(at, _)| at)));
    }

    #[test]
    fn what_is_past_is_there_behind_a_start_and_its_minute_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let history = ThroughputHistory::open(folder.path()).unwrap();
        let begin = 7 * DAY;
        for at in begin..begin + 130 {
            let begins = history.add(at, &second(2.0));
            assert_eq!(begins, at % 60 == 0, "{at}");
        }
        history.keep().unwrap();
        drop(history);
        let history = ThroughputHistory::open(folder.path()).unwrap();
        for at in begin + 150..begin + 160 {
            history.add(at, &second(5.0));
        }
        let now = begin + 160;
        let all = history.all();
        let expected = [(begin, Some(2.0)), (begin + 60, Some(2.0)), (begin + 120, Some(3.5))];
        assert_eq!(rates(&all, DAY, now).1, expected);
        // Seconds are not in the database: minutes fill in the time before the start. For the minute of the start there
        // is no data before it.
        let (step, points) = rates(&all, HOUR, now);
        assert_eq!(step, 3);
        assert_eq!(points[0], (begin, Some(2.0)));
        let of = |at: i64| points.iter().find(|point| point.0 == begin + at).unwrap().1;
        assert_eq!((of(117), of(120), of(147), of(150)), (Some(2.0), None, None, Some(5.0)));
    }

    #[test]
    fn what_is_too_old_or_ahead_is_forgotten_on_the_disk_too() {
        let folder = tempfile::tempdir().unwrap();
        let history = ThroughputHistory::open(folder.path()).unwrap();
        let rows = || -> (i64, i64, i64) {
            history.keep().unwrap();
            let store = history.store.lock().unwrap();
            let reader = store.as_ref().unwrap().reader().unwrap();
            let count = "SELECT count(*), min(at), max(at) FROM step WHERE step_seconds = 60";
            reader.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
        };
        history.add(0, &second(1.0));
        assert_eq!(rows(), (1, 0, 0));
        for minute in 1..=2_880 {
            history.add(minute * MINUTE, &second(1.0));
        }
        // Only the last hour of the minutes that were not written in time is written.
        assert_eq!(rows(), (60, 2_821 * MINUTE, 2_880 * MINUTE));
        history.add(2_850 * MINUTE, &second(1.0));
        assert_eq!(rows().2, 2_850 * MINUTE);
    }

    #[test]
    fn a_write_that_failed_is_made_up_for_when_there_is_room_again() {
        let folder = tempfile::tempdir().unwrap();
        let history = ThroughputHistory::open(folder.path()).unwrap();
        history.add(60, &second(1.0));
        *history.store.lock().unwrap() = None;
        history.keep().unwrap();
        drop(history);
        let history = ThroughputHistory::open(folder.path()).unwrap();
        assert_eq!(history.points(DAY, 61).points.len(), 1);
    }

    #[test]
    fn a_file_that_is_damaged_is_put_aside_whole_and_what_is_known_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let text = "no database, and long enough to be seen as none at all";
        std::fs::write(&path, text).unwrap();
        let history = ThroughputHistory::open(folder.path()).unwrap();
        let reported = std::cell::RefCell::new(Vec::new());
        let tell = |put_aside: &PutAside| -> Result<(), ()> {
            reported.borrow_mut().push(put_aside.clone());
            Ok(())
        };
        assert_eq!(history.tell(|_| Err("not now")), Err("not now"));
        history.tell(tell).unwrap();
        assert!(!history.has_to_tell());
        let [PutAside { place, why }] = &reported.take()[..] else { panic!("it is told once") };
        assert_eq!(std::fs::read_to_string(place).unwrap(), text, "{why}");

        // The same happens to a running gateway, once a write has failed.
        for minute in 1..=2 * CHANGED_MAX as i64 {
            history.add(minute * MINUTE, &second(1.0));
        }
        *history.store.lock().unwrap() = None;
        std::fs::write(&path, text).unwrap();
        history.keep().unwrap();
        assert!(history.has_to_tell());
        drop(history);
        let history = ThroughputHistory::open(folder.path()).unwrap();
        let points = history.points(DAY, 2 * CHANGED_MAX as i64 * MINUTE).points;
        assert_eq!(points.len(), 2 * CHANGED_MAX);
    }

    #[test]
    fn one_that_a_later_program_wrote_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        drop(ThroughputHistory::open(folder.path()).unwrap());
        let path = folder.path().join(DATABASE);
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "user_version", 1_000).unwrap();
        drop(db);
        assert!(matches!(ThroughputHistory::open(folder.path()), Err(StoreError::Newer { .. })));
    }
}
