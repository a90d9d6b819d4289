//! Credit control over Diameter (RFC 8506, 3GPP TS 32.299): what clients ask, and what they are answered. It charges nothing
//! itself.

pub mod answer;
pub mod codes;
pub mod parties;
pub mod profile;
pub mod request;
pub mod service;
pub mod units;
