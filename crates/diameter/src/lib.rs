//! Diameter: messages, what a dictionary says of them, and the rules between two peers (RFC 6733). It does no input and output,
//! reads no clock, and knows of no application.

pub mod avp;
pub mod capabilities;
pub mod check;
pub mod codes;
pub mod decoded;
pub mod dictionary;
pub mod frame;
pub mod header;
pub mod node;
pub mod peer;
pub mod result;
mod route;
mod value;
pub mod watchdog;
pub mod write;

pub use value::{Address, ValueError, ntp_of};
