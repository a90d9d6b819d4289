//! The interface of servers to which clients push files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use diagnostics::Diagnostic;
use settings::Settings;

use crate::account::{Account, Accounts};

/// A kind of server: `[listen.NAME]` in a flow file.
pub trait Listener: Sync {
    /// Returns its name in the flow file.
    fn name(&self) -> &'static str;
    /// Returns the keys of its table.
    fn keys(&self) -> &'static [&'static str];
    /// Reads its table. Its own files are in the flow's state folder.
    fn read(&self, settings: &Settings, state: &Path) -> Result<Box<dyn Service>, Vec<Diagnostic>>;
    /// Returns why an account cannot log in here, although its settings are for such a server.
    fn mistake(&self, account: &Account) -> Option<String>;
    /// Returns whether an account can log in here.
    fn serves(&self, account: &Account) -> bool;
}

/// A server that can be started.
pub trait Service: Send + Sync {
    /// Starts the server. Dropping the result ends it.
    fn start(&self, accounts: Arc<Accounts>) -> io::Result<Box<dyn RunningServer>>;
}

/// A running server.
pub trait RunningServer: Send {
    /// Returns its address.
    fn address(&self) -> String;
}
