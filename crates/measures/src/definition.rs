//! Which measures keys have.

/// Seconds since 1970, until 2106.
pub type Seconds = u32;

/// A moment, in seconds since 1970 and as a clock shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The seconds since 1970.
    pub time: Seconds,
    /// What a clock at the place of calendar windows shows, as the seconds since it showed the begin of 1970.
    pub local: Seconds,
}

impl Moment {
    /// Returns a moment of a place whose clock shows UTC.
    pub fn utc(time: Seconds) -> Self {
        Moment { time, local: time }
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// How many events there are.
    Count,
    /// The sum of their values.
    Sum,
    /// The least of their values.
    Least,
    /// The greatest of their values.
    Greatest,
    /// How many different values they have. A value is a digest here, such as of a number that was called.
    Distinct,
    /// The value of the first event. It lasts until there was none for a window's length.
    First,
    /// The value of the last event.
    Last,
    /// The last events, so many at most, with their [values](crate::recent_events). It has no value itself.
    Recent(u8),
    /// How many events there are at once, at most, while the last one that begins at the time lasts. A value is how many seconds an
    /// event lasts, from its time on.
    Concurrent,
    /// How many events have no answer. A value is an [inquiry](crate::inquiry) or an [answer](crate::answer), each with a digest of
    /// what both have.
    Unanswered {
        /// An answer comes so many seconds after its event at most.
        within: Seconds,
        /// So many seconds after the event, the answer is missing.
        missing: Seconds,
    },
    /// The usual sum of the hour: the median of the same hour of the week, in the eight weeks before.
    Usual,
    /// How far these sums are from the usual one. It is that of the measure before it, and has no values itself.
    Deviation,
}

impl Kind {
    /// Returns whether it may be measured in sessions.
    fn has_sessions(self) -> bool {
        matches!(self, Kind::Count | Kind::Sum | Kind::Least | Kind::Greatest | Kind::Distinct)
    }
}

/// For how long events count. It slides in steps that begin at multiples of their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The length of a step in seconds.
    pub step: u32,
    /// The steps of the window, that of the event included.
    pub steps: u32,
    /// What its steps are.
    pub form: Form,
}

/// What the steps of a window are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Seconds since 1970.
    Sliding,
    /// Hours or days of a clock.
    Calendar,
    /// A session, which ends when there was no event for the length of a step.
    Session,
}

/// Something that is measured of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    /// What.
    pub kind: Kind,
    /// For how long.
    pub window: Window,
}

/// Why a measure cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A step has no length, or a window no steps.
    #[error("a window has one step at least, of one second at least")]
    NoLength,
    /// The window is too long.
    #[error("a window is 100 years long at most")]
    TooLong,
    /// There are no sessions of this kind.
    #[error("only counts, sums, min, max and distinct have sessions")]
    NoSession,
    /// There is no [usual](Kind::Usual) measure before a [deviation](Kind::Deviation).
    #[error("a deviation comes behind what is usual")]
    NoUsual,
    /// The window has more [steps](Window::STEPS_MAX) than a profile may have, or more steps of [distinct
    /// values](Window::DISTINCT_STEPS_MAX).
    #[error("a window of this kind has {most} steps at most")]
    TooManySteps {
        /// The most that it may have.
        most: u32,
    },
}

impl Window {
    /// The most steps of a window, each of which may take 12 octets of a profile.
    pub const STEPS_MAX: u32 = 10_000;

    /// The most steps of a window of distinct values, each of which may take 256.
    pub const DISTINCT_STEPS_MAX: u32 = 6;

    const SECONDS_MAX: u64 = 100 * 366 * 86_400;

    /// Clocks go back by an hour in autumn.
    const CLOCK_CHANGE: u32 = 3_600;

    /// Returns a window of so many steps of some seconds.
    pub const fn sliding(step: u32, steps: u32) -> Self {
        Window { step, steps, form: Form::Sliding }
    }

    /// Returns a window of so many steps of a clock: hours or days, in seconds.
    pub const fn calendar(step: u32, steps: u32) -> Self {
        Window { step, steps, form: Form::Calendar }
    }

    /// Returns a window that ends when there was no event for so many seconds.
    pub const fn session(gap: u32) -> Self {
        Window { step: gap, steps: 1, form: Form::Session }
    }

    /// Returns for how long an event counts at most, in seconds, if no other one comes.
    pub fn seconds(self) -> u32 {
        let length = self.step.saturating_mul(self.steps);
        match self.form {
            Form::Calendar => length.saturating_add(Self::CLOCK_CHANGE),
            Form::Sliding | Form::Session => length,
        }
    }

    /// Returns the number of the step with a moment.
    pub(crate) fn step_of(self, moment: Moment) -> u32 {
        match self.form {
            Form::Calendar => moment.local / self.step,
            Form::Sliding | Form::Session => moment.time / self.step,
        }
    }

    /// Returns the last second of a step.
    fn end_of(self, step: u32) -> Seconds {
        step.saturating_mul(self.step).saturating_add(self.step - 1)
    }

    /// Returns the last second of a step, if it is behind that of a moment and a window with both ends with it.
    pub(crate) fn later_end(self, step: u32, moment: Moment) -> Option<Seconds> {
        let of_moment = self.step_of(moment);
        let is_later = step > of_moment && step - of_moment < self.steps;
        (is_later && self.form == Form::Sliding).then(|| self.end_of(step))
    }

    /// Returns the first step of the window that ends with a step.
    pub(crate) fn first_step(self, last: u32) -> u32 {
        last.saturating_sub(self.steps - 1)
    }
}

/// The measures of keys, in an order: values and inputs of events have the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(Box<[Measure]>);

impl Layout {
    /// Returns a layout of measures.
    ///
    /// # Errors
    ///
    /// A measure cannot be; the number is its place.
    pub fn new(measures: Vec<Measure>) -> Result<Self, (usize, LayoutError)> {
        for (place, Measure { kind, window }) in measures.iter().enumerate() {
            let length = u64::from(window.step) * u64::from(window.steps);
            let most = match kind {
                Kind::Distinct => Window::DISTINCT_STEPS_MAX,
                _ => Window::STEPS_MAX,
            };
            let before = place.checked_sub(1).map(|before| measures[before].kind);
            let error = match length {
                0 => LayoutError::NoLength,
                _ if window.form == Form::Session && !kind.has_sessions() => LayoutError::NoSession,
                _ if *kind == Kind::Deviation && before != Some(Kind::Usual) => {
                    LayoutError::NoUsual
                }
                _ if length > Window::SECONDS_MAX => LayoutError::TooLong,
                _ if window.steps > most => LayoutError::TooManySteps { most },
                _ => continue,
            };
            return Err((place, error));
        }
        Ok(Layout(measures.into()))
    }

    /// Returns for how long after its last event something of a profile counts, in seconds.
    pub fn longest(&self) -> Seconds {
        self.0.iter().map(|measure| measure.window.seconds()).max().unwrap_or_default()
    }

    /// Returns the measures.
    pub fn measures(&self) -> &[Measure] {
        &self.0
    }
}
