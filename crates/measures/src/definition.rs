//! Which measures keys have.

/// Seconds since 1970, until 2106.
pub type Seconds = u32;

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
}

/// For how long events count. It slides in steps that begin at multiples of their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The length of a step in seconds.
    pub step: u32,
    /// The steps of the window, that of the event included.
    pub steps: u32,
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

    /// Returns its length in seconds.
    pub fn seconds(self) -> u32 {
        self.step.saturating_mul(self.steps)
    }

    /// Returns the number of the step with a time.
    pub(crate) fn step_of(self, time: Seconds) -> u32 {
        time / self.step
    }

    /// Returns the last second of a step.
    fn end_of(self, step: u32) -> Seconds {
        step.saturating_mul(self.step).saturating_add(self.step - 1)
    }

    /// Returns the last second of a step, if it is behind that of a time and a window with both ends with it.
    pub(crate) fn later_end(self, step: u32, time: Seconds) -> Option<Seconds> {
        let of_time = self.step_of(time);
        let is_later = step > of_time && step - of_time < self.steps;
        is_later.then(|| self.end_of(step))
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
            let error = match length {
                0 => LayoutError::NoLength,
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
