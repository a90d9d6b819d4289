//! What the crate promises to others: a module a subject, all linked once.

mod ftp;
mod http;
mod kit;
mod s3;
mod servers;
mod sftp;
