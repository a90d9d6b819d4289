//! Files over networks: far places that the gateway reaches, and servers that it is reached at.
#![forbid(unsafe_code)]

pub mod server;
