//! Files over networks. Far places by the protocols that lead to them: a file each, behind [`transport::Far`]. What is
//! asynchronous stays in here: a connection has a runtime of its own, on the thread that asks, and costs no other. What
//! goes over HTTP shares a client. And servers, which others push files to.
//!
//! One library for all protocols would serve only where what to do next does not depend on the answer ([`transport::FarError`]).
//! OpenDAL has one kind of error for a disk that is full, a file that is there and a line that broke; its SFTP needs
//! OpenSSH's program, and knows no passwords. So each protocol has the library that says what it says.
#![forbid(unsafe_code)]

mod calls;
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

/// The kinds of far places. One more is one more line here.
pub const SCHEMES: &[&dyn transport::Scheme] = &[&sftp::Sftp, &ftp::Ftp, &s3::S3, &http::Http];
