//! Files over networks. Each protocol to a remote place has a file of its own, behind
//! [`transport::RemoteConnection`]. Asynchronous code stays inside this crate: a connection has a
//! runtime of its own, on the thread of the caller, so it delays no other. The protocols over HTTP
//! share a client. The crate also has the servers that network elements push files to.
//!
//! One library for all protocols would do only if the next step did not depend on the kind of error
//! ([`transport::RemoteError`]). OpenDAL has one kind of error for a full disk, an existing file
//! and a broken connection; its SFTP needs OpenSSH's program and supports no passwords. So each
//! protocol has a library that passes on its errors.
#![forbid(unsafe_code)]

mod calls;
mod charging;
mod fault;
mod ftp;
mod http;
mod lasting;
pub mod loopback;
mod mode;
#[cfg(any(fuzzing, test))]
pub mod outside;
mod s3;
mod secured;
pub mod server;
mod sftp;
mod tls;
mod web;

/// Returns the codes of the errors of remote places, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [fault::Fault::codes(), transport::codes(), server::codes()].concat()
}

/// The kinds of remote places. A new kind adds a line here.
pub const SCHEMES: &[&dyn transport::Scheme] =
    &[&sftp::Sftp, &ftp::Ftp, &s3::S3, &http::Http, &charging::Charging];
