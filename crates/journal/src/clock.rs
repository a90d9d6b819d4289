//! The guarded clock, which decides when waiting and retention end. It compares the machine's clock
//! with the time at which the service was last alive, which is in the journal.
//!
//! If they differ by more than 26 hours, either the machine's clock was set, or the service was
//! down for so long. The two cases cannot be distinguished. So the clock is trusted only after it
//! has been consistent for an hour. That hour is measured by the machine's uptime, since a doubtful
//! clock cannot measure itself. Until then, the time advances by 26 hours at most.
//!
//! A service that runs can distinguish them: after the machine was suspended, its uptime has advanced
//! as its clock has. And a service may trust the clock after each pause, see [`Schema`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use runtime::time::since_epoch_ns;
use runtime::uptime::Uptime;
use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::Schema;

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// The difference up to which a clock is trusted at once. A flow that runs once a day, at slightly
/// different times, must stay below it.
const PLAUSIBLE_MS: i64 = 26 * HOUR_MS;

/// The interval between notes in the journal if nothing else has changed. Each note is a
/// transaction.
const NOTE_INTERVAL_MS: i64 = 60 * 1_000;

/// The clock of a service.
#[derive(Debug)]
pub struct Clock {
    /// Returns the time of the machine's clock.
    machine: fn() -> SystemTime,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    alive: Alive,
    /// The uptime of the machine when the service was last alive, if this process has measured it.
    uptime: Option<Uptime>,
    /// The last note in the journal.
    noted: Option<Alive>,
}

/// When the service was last alive, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alive {
    alive_ms: i64,
    /// Set while the machine's clock is doubted.
    doubted: Option<Doubt>,
}

/// The begin of a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doubt {
    /// The time of the machine's clock then.
    at_ms: i64,
    /// The uptime of the machine then, if it is known.
    uptime: Option<Uptime>,
}

impl Doubt {
    /// Returns how long the clock has been consistent since the begin of the doubt. `None` if it
    /// was set again. After a reboot of the machine, only the clock itself can measure this.
    fn consistent_ms(self, clock_ms: i64, uptime: Option<Uptime>) -> Option<i64> {
        let elapsed_ms = clock_ms - self.at_ms;
        match self.uptime.zip(uptime).and_then(|(then, now)| now.since(then)) {
            Some(up_ms) => ((elapsed_ms - up_ms).abs() < HOUR_MS).then_some(up_ms),
            None => (elapsed_ms >= 0).then_some(elapsed_ms),
        }
    }
}

/// A correction of times that were written while the clock was doubted. It applies when the clock
/// is trusted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The guarded clock had stopped at a time that was too early.
    Ahead {
        /// The time that was written, in milliseconds since 1970.
        noted_ms: i64,
        /// The real time then.
        was_ms: i64,
    },
    /// The guarded clock was ahead: later times than now are wrong.
    Back {
        /// The time now, in milliseconds since 1970.
        now_ms: i64,
    },
}

impl Shift {
    /// Corrects the times in a column of a table, in the rows that match a condition.
    pub fn apply(
        self,
        db: &Connection,
        (table, column): (&str, &str),
        condition: &str,
    ) -> QueryResult<()> {
        let (comparison, to_ms, than_ms) = match self {
            Shift::Ahead { noted_ms, was_ms } => ("=", was_ms, noted_ms),
            Shift::Back { now_ms } => (">", now_ms, now_ms),
        };
        let update = format!(
            "UPDATE {table} SET {column} = ? WHERE {condition} AND {column} {comparison} ?"
        );
        db.execute(&update, [to_ms, than_ms]).map(drop)
    }
}

/// The state of the clock, to be written to the journal.
#[derive(Clone, Copy, Debug)]
pub struct Heartbeat {
    alive: Alive,
    shift: Option<Shift>,
}

/// A machine's clock that is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// Its time at the begin of the doubt, in milliseconds since 1970.
    pub clock_ms: i64,
    /// When the service was last alive.
    pub alive_ms: i64,
}

impl Alive {
    /// Returns the guarded time for a time of the machine's clock.
    fn time(self, clock_ms: i64) -> i64 {
        match clock_ms.saturating_sub(self.alive_ms) {
            ahead if ahead > PLAUSIBLE_MS => self.alive_ms + PLAUSIBLE_MS,
            ahead if ahead < -PLAUSIBLE_MS => self.alive_ms,
            _ => clock_ms,
        }
    }

    /// Returns whether a time of the machine's clock agrees with its uptime since the service was last alive.
    fn agrees(self, clock_ms: i64, (then, now): (Uptime, Uptime)) -> bool {
        let ahead_ms = clock_ms.saturating_sub(self.alive_ms);
        let is_near = |up_ms| ahead_ms.saturating_sub(up_ms).unsigned_abs() < HOUR_MS as u64;
        now.since(then).is_some_and(is_near)
    }

    /// Notes that the service is alive at a time of the machine's clock. `then` is the uptime when it was last alive, if this
    /// process has measured it.
    fn update(
        &mut self,
        clock_ms: i64,
        (then, uptime): (Option<Uptime>, Option<Uptime>),
    ) -> Option<Shift> {
        let time = self.time(clock_ms);
        let agrees = || then.zip(uptime).is_some_and(|of| self.agrees(clock_ms, of));
        if time == clock_ms || agrees() {
            *self = Alive { alive_ms: clock_ms, doubted: None };
            return None;
        }
        let consistent = |doubt: Doubt| Some((doubt.at_ms, doubt.consistent_ms(clock_ms, uptime)?));
        let Some((was_ms, consistent_ms)) = self.doubted.and_then(consistent) else {
            self.doubted = Some(Doubt { at_ms: clock_ms, uptime });
            return None;
        };
        if consistent_ms < HOUR_MS {
            return None;
        }
        *self = Alive { alive_ms: clock_ms, doubted: None };
        Some(match clock_ms > time {
            true => Shift::Ahead { noted_ms: time, was_ms },
            false => Shift::Back { now_ms: clock_ms },
        })
    }
}

impl Clock {
    /// Makes a clock from its state in the journal. Without a state there, the service was last
    /// alive when it wrote its newest row.
    pub fn new(machine: fn() -> SystemTime, schema: &Schema, db: &Connection) -> QueryResult<Self> {
        let noted = db
            .query_row(
                "SELECT seen_ms, doubted_ms, doubted_up_ms, doubted_boot FROM alive",
                [],
                |row| {
                    let up = row.get::<_, Option<i64>>(2)?.zip(row.get::<_, Option<i64>>(3)?);
                    let uptime = up.map(|(up_ms, boot)| Uptime { up_ms, boot });
                    let doubted = row.get::<_, Option<i64>>(1)?;
                    let doubted = doubted.map(|at_ms| Doubt { at_ms, uptime });
                    Ok(Alive { alive_ms: row.get(0)?, doubted })
                },
            )
            .optional()?;
        let last = (schema.newest_ms)(db)?;
        let clock_ms = ms(machine());
        let new = Alive { alive_ms: last.unwrap_or(clock_ms), doubted: None };
        let mut alive = noted.unwrap_or(new);
        if schema.trusts_pauses && clock_ms > alive.alive_ms {
            alive = Alive { alive_ms: clock_ms, doubted: None };
        }
        let state = State { alive, uptime: None, noted };
        Ok(Clock { machine, state: Mutex::new(state) })
    }

    /// Returns the guarded time, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.state().alive.time(self.machine_ms())
    }

    /// Returns the latest possible time. A record with a later time comes from a clock that is
    /// ahead.
    pub fn latest_ms(&self) -> i64 {
        self.now_ms().max(self.machine_ms())
    }

    /// Returns the time of the machine's clock, trusted or not, in milliseconds since 1970.
    pub fn machine_ms(&self) -> i64 {
        ms((self.machine)())
    }

    /// Notes that the service is alive. Returns the heartbeat that is due in the journal, if any.
    pub fn tick(&self) -> Option<Heartbeat> {
        let mut state = self.state();
        let (clock_ms, uptime) = (self.machine_ms(), Uptime::now());
        let then = state.uptime;
        let shift = state.alive.update(clock_ms, (then, uptime));
        if state.alive.alive_ms == clock_ms {
            state.uptime = uptime;
        }
        let State { alive, noted, .. } = *state;
        let is_new = noted.is_none_or(|noted| {
            noted.doubted != alive.doubted
                || noted.alive_ms.abs_diff(alive.alive_ms) >= NOTE_INTERVAL_MS as u64
        });
        is_new.then(|| {
            state.noted = Some(alive);
            Heartbeat { alive, shift }
        })
    }

    /// Returns the doubt about the machine's clock, if there is one.
    pub fn doubted(&self) -> Option<Doubted> {
        let alive = self.state().alive;
        let doubted = alive.doubted?;
        Some(Doubted { clock_ms: doubted.at_ms, alive_ms: alive.alive_ms })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the guarded time for a time of the machine's clock, by the last note in the journal.
pub fn guarded_ms(db: &Connection, clock_ms: i64) -> QueryResult<i64> {
    let select = "SELECT seen_ms FROM alive";
    let alive_ms = db.prepare_cached(select)?.query_row([], |row| row.get(0)).optional()?;
    Ok(alive_ms.map_or(clock_ms, |alive_ms| Alive { alive_ms, doubted: None }.time(clock_ms)))
}

impl Heartbeat {
    /// Writes it to the journal.
    pub(crate) fn note(
        self,
        db: &Connection,
        shift: fn(&Connection, Shift) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let Alive { alive_ms, doubted } = self.alive;
        let uptime = doubted.and_then(|doubt| doubt.uptime);
        db.prepare_cached(
            "INSERT OR REPLACE INTO alive (one, seen_ms, doubted_ms, doubted_up_ms, doubted_boot) VALUES (1, ?, ?, ?, ?)",
        )?
        .execute(params![
            alive_ms,
            doubted.map(|doubt| doubt.at_ms),
            uptime.map(|uptime| uptime.up_ms),
            uptime.map(|uptime| uptime.boot)
        ])?;
        self.shift.map_or(Ok(()), |correction| shift(db, correction))
    }
}

fn ms(time: SystemTime) -> i64 {
    since_epoch_ns(time) / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the guarded time for each time of the machine's clock, both in hours. The machine
    /// reboots before each tick.
    fn check(ticks: &[(i64, i64)]) -> Vec<Shift> {
        check_with_uptime(ticks.iter().map(|(clock, time)| (*clock, None, *time)))
    }

    /// The same, with the machine's uptime in hours.
    fn check_with_uptime(ticks: impl IntoIterator<Item = (i64, Option<i64>, i64)>) -> Vec<Shift> {
        let mut alive = Alive { alive_ms: 0, doubted: None };
        let mut all = Vec::new();
        for (index, (clock, up, time)) in ticks.into_iter().enumerate() {
            let uptime = up.map(|up| Uptime { up_ms: up * HOUR_MS, boot: 1 });
            all.extend(alive.update(clock * HOUR_MS, (None, uptime)));
            assert_eq!(alive.time(clock * HOUR_MS), time * HOUR_MS, "tick {index} at {clock} h");
        }
        all
    }

    #[test]
    fn the_hour_of_a_doubted_clock_is_measured_by_uptime() {
        let year = 365 * 24;
        let up = |ticks: &[(i64, i64, i64)]| {
            check_with_uptime(ticks.iter().map(|(clock, up, time)| (*clock, Some(*up), *time)))
        };
        // It is set again and again within the same hour: each time is a new doubt.
        assert_eq!(up(&[(1, 1, 1), (year, 1, 27), (year + 1, 1, 27), (9 * year, 1, 27)]), []);
        assert_eq!(up(&[(1, 1, 1), (year, 1, 27), (2 * year, 2, 27), (2, 2, 2)]), []);
        // It agrees with the uptime.
        let shifts = up(&[(1, 1, 1), (year, 1, 27), (year + 1, 2, year + 1)]);
        assert_eq!(
            shifts,
            [Shift::Ahead { noted_ms: HOUR_MS + PLAUSIBLE_MS, was_ms: year * HOUR_MS }]
        );
        let shifts = up(&[(1, 1, 1), (-year, 1, 1), (1 - year, 2, 1 - year)]);
        assert_eq!(shifts, [Shift::Back { now_ms: (1 - year) * HOUR_MS }]);
    }

    #[test]
    fn a_machine_that_was_suspended_is_trusted_at_once() {
        let up = |hours: i64, boot| Some(Uptime { up_ms: hours * HOUR_MS, boot });
        let time_after = |now| {
            let mut alive = Alive { alive_ms: 0, doubted: None };
            assert_eq!(alive.update(60 * HOUR_MS, (up(5, 1), now)), None);
            alive.time(60 * HOUR_MS) / HOUR_MS
        };
        assert_eq!(time_after(up(65, 1)), 60);
        assert_eq!(time_after(up(6, 1)), 26, "it was set");
        assert_eq!(time_after(up(65, 2)), 26, "it was booted");
    }

    #[test]
    fn a_pause_is_doubted_unless_the_service_trusts_it_and_a_clock_that_is_behind_always() {
        fn at(days: u64) -> SystemTime {
            SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(days * 86_400)
        }
        let monday: [fn() -> SystemTime; 3] = [|| at(100), || at(103), || at(97)];
        let time = |trusts_pauses| {
            let folder = tempfile::TempDir::new().unwrap();
            let folders = || crate::Folders { state: folder.path(), base: folder.path() };
            let schema: &'static Schema = Box::leak(Box::new(Schema {
                versions: store::Versions::new(&[crate::TABLES]),
                newest_ms: |_| Ok(None),
                trusts_pauses,
            }));
            monday.map(|machine| {
                let journal = crate::Journal::open(folders(), schema, machine).unwrap();
                let time = journal.now_ms();
                journal.beat(|_, _| Ok(()));
                time
            })
        };
        const DAY_MS: i64 = 24 * HOUR_MS;
        assert_eq!(time(false), [100 * DAY_MS, 100 * DAY_MS + PLAUSIBLE_MS, 100 * DAY_MS]);
        assert_eq!(time(true), [100 * DAY_MS, 103 * DAY_MS, 103 * DAY_MS]);
    }

    const DAYS: i64 = 24;
    const YEARS: i64 = 365 * DAYS;

    #[test]
    fn a_doubted_clock_is_trusted_after_a_consistent_hour() {
        assert_eq!(check(&[(1, 1), (2, 2), (26, 26), (50, 50)]), [], "from day to day");
        // Runs with --once, days apart: the second tick confirms the first.
        let shifts = check(&[(2 * DAYS, 26), (4 * DAYS, 4 * DAYS), (8 * DAYS, 4 * DAYS + 26)]);
        let (noted_ms, was_ms) = (PLAUSIBLE_MS, 2 * DAYS * HOUR_MS);
        assert_eq!(shifts, [Shift::Ahead { noted_ms, was_ms }]);
        // It was set by mistake, and is set back.
        assert_eq!(check(&[(1, 1), (10 * YEARS, 27), (10 * YEARS, 27), (2, 2)]), []);
        assert_eq!(check(&[(1, 1), (-10 * YEARS, 1), (2, 2)]), []);
        assert_eq!(check(&[(1, 1), (10 * YEARS, 27), (3 * YEARS, 27), (3 * YEARS, 27)]), []);
        let back = -10 * YEARS;
        let shifts = check(&[(1, 1), (back, 1), (back + 1, back + 1), (back + 2, back + 2)]);
        assert_eq!(shifts, [Shift::Back { now_ms: (back + 1) * HOUR_MS }]);
    }
}
