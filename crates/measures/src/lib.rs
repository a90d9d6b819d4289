//! Measures of keys in windows of event time: how many calls of a subscriber in an hour, to how many numbers, when the last one was.
//!
//! What is known of a key is its [profile](apply): octets that have each measure of a [layout](Layout). An event changes them, and
//! they have the [value](Values) of each measure at a time. Times are those of events and not of the machine.
//!
//! A window ends with the step of the event in which it is looked at, and steps are aligned to the clock: so the order of events
//! within a step does not matter, and an event that is late counts where it belongs. Distinct values are counted exactly up to
//! [64 a step](EXACT_MAX), and estimated beyond.

mod concurrent;
mod definition;
mod distinct;
mod latest;
mod numbers;
pub mod octets;
mod profile;
mod recent;
mod sessions;
mod unanswered;
mod usual;

pub use definition::{Form, Kind, Layout, LayoutError, Measure, Moment, Seconds, Window};
pub use distinct::EXACT_MAX;
pub use profile::{
    Event, Octets, Values, applied, apply, known_from, later_ends, rearranged, recent_events,
};
pub use unanswered::{answer, inquiry};
pub use usual::USUAL;
