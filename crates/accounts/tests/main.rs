//! Tests of durable accounts.

mod embedded;
