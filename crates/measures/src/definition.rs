//! Which measures keys have.

use std::fmt;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// A step has no length, or a window no steps.
    NoLength,
    /// The window is longer than a hundred years.
    TooLong,
    /// Each step has distinct values of its own, so there are [few](Window::DISTINCT_STEPS_MAX) steps.
    TooManySteps,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::NoLength => {
                write!(f, "a window has one step at least, of one second at least")
            }
            LayoutError::TooLong => write!(f, "a window is 100 years long at most"),
            LayoutError::TooManySteps => {
                write!(
                    f,
                    "a window of distinct values has {} steps at most",
                    Window::DISTINCT_STEPS_MAX
                )
            }
        }
    }
}

impl std::error::Error for LayoutError {}

impl Window {
    /// The most steps of a window of distinct values.
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

    /// Returns the first step of the window that ends with a step.
    pub(crate) fn first_step(self, last: u32) -> u32 {
        last.saturating_sub(self.steps - 1)
    }

    /// Returns when a step counts no more: after the window that begins with it.
    pub(crate) fn until(self, step: u32) -> Seconds {
        step.saturating_add(self.steps).saturating_mul(self.step)
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
            let error = match kind {
                _ if length == 0 => LayoutError::NoLength,
                _ if length > Window::SECONDS_MAX => LayoutError::TooLong,
                Kind::Distinct if window.steps > Window::DISTINCT_STEPS_MAX => {
                    LayoutError::TooManySteps
                }
                _ => continue,
            };
            return Err((place, error));
        }
        Ok(Layout(measures.into()))
    }

    /// Returns the measures.
    pub fn measures(&self) -> &[Measure] {
        &self.0
    }
}
