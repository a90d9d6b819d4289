//! Tests of charging.

mod calls;
mod network;
