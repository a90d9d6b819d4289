//! Tests of accounts that last.

mod embedded;
