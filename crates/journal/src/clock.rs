//! The guarded clock: the time by which something is over or forgotten. It compares the machine's clock with the time at which
//! the service was last alive, which the journal has.
//!
//! A clock that is more than a day and two hours away from that was set, or the service was down for so long: nothing tells
//! which. The clock is believed when it has gone on for an hour, measured by how long the machine has been up, since a clock
//! that is doubted cannot measure itself. Until then time goes on by at most those 26 hours.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use runtime::time::since_epoch_ns;
use runtime::uptime::Uptime;
use store::{Answer, Connection, OptionalExtension as _, params};

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// How far from there a clock is believed at once: a flow may be run once a day, though not to the second.
const NEAR_MS: i64 = 26 * HOUR_MS;

/// How often the journal is told where nothing is new: a transaction each.
const NOTED_EVERY_MS: i64 = 60 * 1_000;

/// The clock of a service.
#[derive(Debug)]
pub struct Clock {
    /// What the machine's says.
    machine: fn() -> SystemTime,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    alive: Alive,
    /// What the journal was told.
    noted: Option<Alive>,
}

/// When the service was last alive, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alive {
    alive_ms: i64,
    /// Since when the clock says something that is not believed.
    doubted: Option<Doubt>,
}

/// Since when a clock is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doubt {
    /// What it said then.
    at_ms: i64,
    /// How long the machine was up, where that is known.
    uptime: Option<Uptime>,
}

impl Doubt {
    /// How long a clock has said the same that says this now. Where the machine was started since, only the clock knows;
    /// nothing where it was set once more.
    fn lasts_ms(self, clock_ms: i64, uptime: Option<Uptime>) -> Option<i64> {
        let elapsed_ms = clock_ms - self.at_ms;
        match self.uptime.zip(uptime).and_then(|(then, now)| now.since(then)) {
            Some(lasts_ms) => ((elapsed_ms - lasts_ms).abs() < HOUR_MS).then_some(lasts_ms),
            None => (elapsed_ms >= 0).then_some(elapsed_ms),
        }
    }
}

/// A clock is believed that was doubted: what was noted meanwhile was noted with another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Time went on, so that what was noted at one time was noted at the other.
    Ahead {
        /// At which time it was noted, in milliseconds since 1970.
        noted_ms: i64,
        /// When it was.
        was_ms: i64,
    },
    /// It did not: nothing was noted after now.
    Back {
        /// The time now, in milliseconds since 1970.
        now_ms: i64,
    },
}

impl Shift {
    /// Shifts the times in a column of a table, of those rows for which a condition holds.
    pub fn apply(
        self,
        db: &Connection,
        (table, column): (&str, &str),
        condition: &str,
    ) -> Answer<()> {
        let (are, to_ms, than_ms) = match self {
            Shift::Ahead { noted_ms, was_ms } => ("=", was_ms, noted_ms),
            Shift::Back { now_ms } => (">", now_ms, now_ms),
        };
        let update =
            format!("UPDATE {table} SET {column} = ? WHERE {condition} AND {column} {are} ?");
        db.execute(&update, [to_ms, than_ms]).map(drop)
    }
}

/// What the journal is to have of the clock now.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    alive: Alive,
    shift: Option<Shift>,
}

/// A clock that is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// What it said first that was doubted, in milliseconds since 1970.
    pub says_ms: i64,
    /// When the service was last alive.
    pub alive_ms: i64,
}

impl Alive {
    /// What time it is when the clock says so.
    fn time(self, clock_ms: i64) -> i64 {
        match clock_ms.saturating_sub(self.alive_ms) {
            ahead if ahead > NEAR_MS => self.alive_ms + NEAR_MS,
            ahead if ahead < -NEAR_MS => self.alive_ms,
            _ => clock_ms,
        }
    }

    /// The service is alive, and the clock says so.
    fn see(&mut self, clock_ms: i64, uptime: Option<Uptime>) -> Option<Shift> {
        let time = self.time(clock_ms);
        if time == clock_ms {
            *self = Alive { alive_ms: clock_ms, doubted: None };
            return None;
        }
        let lasts = |doubt: &Doubt| doubt.lasts_ms(clock_ms, uptime);
        let since = self.doubted.and_then(|doubt| Some((doubt.at_ms, lasts(&doubt)?)));
        let Some((was_ms, lasts_ms)) = since else {
            self.doubted = Some(Doubt { at_ms: clock_ms, uptime });
            return None;
        };
        if lasts_ms < HOUR_MS {
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
    /// With what the journal has of it. Where it has nothing, the service was alive at `newest_ms`.
    pub fn new(
        machine: fn() -> SystemTime,
        newest_ms: fn(&Connection) -> Answer<Option<i64>>,
        db: &Connection,
    ) -> Answer<Self> {
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
        let last = newest_ms(db)?;
        let new = Alive { alive_ms: last.unwrap_or_else(|| ms(machine())), doubted: None };
        let state = State { alive: noted.unwrap_or(new), noted };
        Ok(Clock { machine, state: Mutex::new(state) })
    }

    /// The time by which something is over or forgotten.
    pub fn now_ms(&self) -> i64 {
        self.state().alive.time(self.machine_ms())
    }

    /// The latest time that it may be: a record that was made later has a clock that is ahead.
    pub fn latest_ms(&self) -> i64 {
        self.now_ms().max(self.machine_ms())
    }

    /// What the machine's clock says, believed or not, in milliseconds since 1970.
    pub fn machine_ms(&self) -> i64 {
        ms((self.machine)())
    }

    /// The service is alive; returns what the journal is to have of that, if it is new.
    pub fn tick(&self) -> Option<Beat> {
        let mut state = self.state();
        let shift = state.alive.see(self.machine_ms(), Uptime::now());
        let State { alive, noted } = *state;
        let is_new = noted.is_none_or(|noted| {
            noted.doubted != alive.doubted
                || noted.alive_ms.abs_diff(alive.alive_ms) >= NOTED_EVERY_MS as u64
        });
        is_new.then(|| {
            state.noted = Some(alive);
            Beat { alive, shift }
        })
    }

    /// Whether the machine's clock is not believed.
    pub fn doubted(&self) -> Option<Doubted> {
        let alive = self.state().alive;
        let doubted = alive.doubted?;
        Some(Doubted { says_ms: doubted.at_ms, alive_ms: alive.alive_ms })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time that is believed when the machine's clock says so, as the journal was told last.
pub fn believed_ms(db: &Connection, clock_ms: i64) -> Answer<i64> {
    let select = "SELECT seen_ms FROM alive";
    let alive_ms = db.prepare_cached(select)?.query_row([], |row| row.get(0)).optional()?;
    Ok(alive_ms.map_or(clock_ms, |alive_ms| Alive { alive_ms, doubted: None }.time(clock_ms)))
}

impl Beat {
    /// Notes it.
    pub(crate) fn note(
        self,
        db: &Connection,
        shift: fn(&Connection, Shift) -> Answer<()>,
    ) -> Answer<()> {
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
        self.shift.map_or(Ok(()), |by| shift(db, by))
    }
}

fn ms(time: SystemTime) -> i64 {
    since_epoch_ns(time) / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the clock says at each look, in hours, and what time it is then; the machine is started before each.
    fn check(looks: &[(i64, i64)]) -> Vec<Shift> {
        check_up(looks.iter().map(|(clock, time)| (*clock, None, *time)))
    }

    /// The same, where the machine is up for so many hours.
    fn check_up(looks: impl IntoIterator<Item = (i64, Option<i64>, i64)>) -> Vec<Shift> {
        let mut alive = Alive { alive_ms: 0, doubted: None };
        let mut all = Vec::new();
        for (place, (clock, up, time)) in looks.into_iter().enumerate() {
            let uptime = up.map(|up| Uptime { up_ms: up * HOUR_MS, boot: 1 });
            all.extend(alive.see(clock * HOUR_MS, uptime));
            assert_eq!(alive.time(clock * HOUR_MS), time * HOUR_MS, "look {place} at {clock} h");
        }
        all
    }

    #[test]
    fn a_clock_that_is_doubted_does_not_say_itself_how_long_an_hour_is() {
        let year = 365 * 24;
        let up = |looks: &[(i64, i64, i64)]| {
            check_up(looks.iter().map(|(clock, up, time)| (*clock, Some(*up), *time)))
        };
        // It is set further and further, within the same hour: that is another thing each time.
        assert_eq!(up(&[(1, 1, 1), (year, 1, 27), (year + 1, 1, 27), (9 * year, 1, 27)]), []);
        assert_eq!(up(&[(1, 1, 1), (year, 1, 27), (2 * year, 2, 27), (2, 2, 2)]), []);
        // It goes on as the machine does.
        let believed = up(&[(1, 1, 1), (year, 1, 27), (year + 1, 2, year + 1)]);
        assert_eq!(
            believed,
            [Shift::Ahead { noted_ms: HOUR_MS + NEAR_MS, was_ms: year * HOUR_MS }]
        );
        let believed = up(&[(1, 1, 1), (-year, 1, 1), (1 - year, 2, 1 - year)]);
        assert_eq!(believed, [Shift::Back { now_ms: (1 - year) * HOUR_MS }]);
    }

    const DAYS: i64 = 24;
    const YEARS: i64 = 365 * DAYS;

    #[test]
    fn a_clock_is_believed_that_says_the_same_for_an_hour() {
        assert_eq!(check(&[(1, 1), (2, 2), (26, 26), (50, 50)]), [], "from day to day");
        // Nothing came for days, with --once: the second look believes the first.
        let believed = check(&[(2 * DAYS, 26), (4 * DAYS, 4 * DAYS), (8 * DAYS, 4 * DAYS + 26)]);
        let (noted_ms, was_ms) = (NEAR_MS, 2 * DAYS * HOUR_MS);
        assert_eq!(believed, [Shift::Ahead { noted_ms, was_ms }]);
        // It was set, and is set back.
        assert_eq!(check(&[(1, 1), (10 * YEARS, 27), (10 * YEARS, 27), (2, 2)]), []);
        assert_eq!(check(&[(1, 1), (-10 * YEARS, 1), (2, 2)]), []);
        assert_eq!(check(&[(1, 1), (10 * YEARS, 27), (3 * YEARS, 27), (3 * YEARS, 27)]), []);
        let back = -10 * YEARS;
        let believed = check(&[(1, 1), (back, 1), (back + 1, back + 1), (back + 2, back + 2)]);
        assert_eq!(believed, [Shift::Back { now_ms: (back + 1) * HOUR_MS }]);
    }
}
