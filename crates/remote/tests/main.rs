//! Tests of the public interface: one module per subject, all linked once.

mod charging;
mod ftp;
mod halves;
mod http;
mod kit;
mod odd_ftp;
mod odd_s3;
mod odd_sftp;
mod own;
mod pushed;
mod s3;
mod scripted;
mod servers;
mod sftp;
