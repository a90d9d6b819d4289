//! Tests of charging.

mod buckets;
mod calls;
mod events;
mod network;
mod orphans;
mod spend;
mod unreserved;
