//! Tests of charging.

mod buckets;
mod calls;
mod ended;
mod events;
mod network;
mod orphans;
mod spend;
mod unreserved;
