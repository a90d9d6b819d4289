//! What counters of networks say, as values.
//!
//! A [`Formula`](formula::Formula) makes a KPI of counters. A value is an `f64`, and NaN means that it is not measured: it is never
//! taken for 0. Which [counters](counter) run on, and how values of many become one, is in a table. A [`Topology`](topology::Topology)
//! has which objects belong to which, and a [`Calendar`](calendar::Calendar) has the hour of the week where they are.
//! What is [usual] of a value is what it was in that hour of the weeks before.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod counter;
pub mod formula;
pub mod topology;
pub mod usual;
