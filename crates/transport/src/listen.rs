//! Servers that files are pushed to, as the gateway sees them.

use std::io;
use std::path::Path;
use std::sync::Arc;

use diagnostics::Diagnostic;
use settings::Settings;

use crate::account::{Account, Accounts};

/// A kind of server: `[listen.NAME]` in a flow file.
pub trait Listener: Sync {
    /// What it is called there.
    fn name(&self) -> &'static str;
    /// The keys of its table.
    fn keys(&self) -> &'static [&'static str];
    /// Reads its table. What it keeps for itself lies in the folder of the flow's state.
    fn read(&self, settings: &Settings, state: &Path) -> Result<Box<dyn Service>, Vec<Diagnostic>>;
    /// Why an account cannot come in here, though it looks as if it could.
    fn mistake(&self, account: &Account) -> Option<String>;
    /// Whether an account can come in here.
    fn serves(&self, account: &Account) -> bool;
}

/// A server that may be started.
pub trait Service: Send + Sync {
    /// Starts it. It ends when what is returned is dropped.
    fn start(&self, accounts: Arc<Accounts>) -> io::Result<Box<dyn Listening>>;
}

/// A server that runs.
pub trait Listening: Send {
    /// Where it is reached.
    fn address(&self) -> String;
}
