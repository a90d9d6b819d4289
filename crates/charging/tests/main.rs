//! Tests of charging.

mod barred;
mod buckets;
mod calls;
mod ended;
mod events;
mod network;
mod orphans;
mod spend;
mod unreserved;
