//! Tests of charging.

mod barred;
mod buckets;
mod calls;
mod ended;
mod events;
mod network;
mod orphans;
mod refused;
mod spend;
mod unreserved;
