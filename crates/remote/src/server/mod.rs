//! Servers to which network elements push files.
//!
//! A file is hidden until all of it is on the disk. Only then does the sender get the confirmation, and the gateway
//! find the file.

mod digests;
mod guard;
mod http;
pub(crate) mod limits;
mod root;
mod running;
mod secret;
mod sftp;
mod strangers;
mod tls;
mod upload;
mod visit;

pub(crate) use running::{Running, listen};
pub use tls::Tls;

use std::net::SocketAddr;

use diagnostics::Diagnostic;
use settings::Settings;
use transport::Listener;

/// The kinds of servers.
pub const LISTENERS: &[&dyn Listener] = &[&sftp::SftpListener, &http::HttpListener];

/// Reads the `address` to listen at.
fn address(settings: &Settings) -> Result<SocketAddr, Diagnostic> {
    let address = settings.require("address")?;
    address.value.parse().map_err(|_| {
        let message = format!("\"{}\" is no address with a port", address.value);
        settings.error(address, message).hint("write \"127.0.0.1:2222\" or \"[::]:2222\"")
    })
}

/// Returns where a path leads over SFTP and over HTTP: plain names that stay inside the folder.
#[cfg(any(fuzzing, test))]
pub(crate) fn paths(text: &str) -> Vec<String> {
    let over_sftp = root::Inside::parse(text).ok();
    let over_http = http::named(text).ok();
    let shown = |path: root::Inside| {
        let shown = path.shown();
        assert_eq!(root::Inside::parse(&shown).ok(), Some(path), "it is the same once more");
        shown
    };
    over_sftp.into_iter().chain(over_http).map(shown).collect()
}

#[cfg(test)]
fn account_for_tests(root: &std::path::Path) -> transport::Account {
    let source = diagnostics::Source::new("flow.toml", "${TOKEN}");
    let span = diagnostics::Span::new(0, 8);
    let setting = |(key, value): (&str, &str)| settings::Setting {
        key: key.into(),
        value: value.into(),
        span,
    };
    let values = [("accept.token", "sesame"), ("limit", "1 kB")].map(setting).into();
    let settings =
        settings::Settings { name: "msc".into(), span, source, folder: "".into(), values };
    transport::Account::read(&settings, root).unwrap().unwrap()
}

/// Returns the codes of refused pushes.
pub(crate) fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [root::Refused::codes(), http::RequestFault::codes(), digests::DigestError::codes()].concat()
}
