//! Tests of charging.

mod buckets;
mod calls;
mod network;
