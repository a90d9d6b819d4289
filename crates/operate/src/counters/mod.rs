//! Counters of subscribers: shown, listed if a user must decide about them, and moved, accepted or
//! forgotten.

mod change;
mod doubt;
mod show;

pub use change::{ChangeCounters, ChangeCountersError, ChangedCounters, CountersAction};
pub use doubt::{CountersInDoubt, Doubt, ListCountersInDoubt, NodeInDoubt, RequestedChange};
pub use show::{
    CounterKind, CounterUnit, ShowCounters, ShowCountersError, ShownCounters, SubscriberCounter,
};
