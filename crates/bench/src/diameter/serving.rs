//! The servers that are measured beside the charging system as it is: each is a process of its own, so that its processor time is
//! known.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use prepaid::{Queue, System, upkeep};
use runtime::shutdown::Shutdown;

use super::{echo, site};
use crate::allocations;
use crate::error::BenchError;

/// A server, as the process of a benchmark is told on its command line.
#[derive(Clone, Debug)]
pub(super) enum Serving {
    /// Answers what was written before.
    Echo,
    /// Charges accounts, and stores nothing.
    Granting(PathBuf),
}

impl Serving {
    /// Reads the form of the command line.
    pub(super) fn read(text: &str) -> Result<Self, std::convert::Infallible> {
        Ok(match text {
            "echo" => Serving::Echo,
            definition => Serving::Granting(definition.into()),
        })
    }

    /// Serves until the standard input ends. The first line of the standard output is the address; each line of the input is
    /// answered by how many allocations there were, if they are counted.
    pub(super) fn serve(&self) -> Result<(), BenchError> {
        match self {
            Serving::Echo => {
                let listener = TcpListener::bind("127.0.0.1:0")?;
                announce(&listener.local_addr()?)?;
                thread::spawn(move || {
                    if let Err(error) = echo::serve(&listener) {
                        tracing::error!("the echo ends: {error}");
                    }
                });
                wait_for_the_end()
            }
            Serving::Granting(definition) => grant(definition),
        }
    }
}

/// Charges as a charging system does, with accounts in memory alone.
fn grant(definition: &Path) -> Result<(), BenchError> {
    let definition = site::read(definition)?;
    let node = definition.diameter.clone();
    let node = node.ok_or_else(|| site::unusable("the definition has no [diameter]"))?;
    let system = System::open_without_durability(definition).map_err(site::unusable)?;
    let (system, stop) = (Arc::new(system), Shutdown::default());
    let workers = thread::available_parallelism().map_or(2, |count| count.get().max(2));
    let queue = Arc::new(Queue::new(workers));
    thread::scope(|scope| {
        let _end = stop.set_on_drop();
        queue.work(scope, &system, &stop)?;
        let (kept_up, end) = (&system, stop.clone());
        scope.spawn(move || upkeep(kept_up, &end));
        let server = diameter_server::start(&node, Arc::clone(&system), Arc::clone(&queue));
        let server = server.map_err(site::unusable)?;
        announce(&server.addresses[0])?;
        wait_for_the_end()
    })
}

fn announce(what: &dyn std::fmt::Display) -> Result<(), BenchError> {
    let mut out = std::io::stdout();
    writeln!(out, "{what}")?;
    Ok(out.flush()?)
}

fn wait_for_the_end() -> Result<(), BenchError> {
    for line in std::io::stdin().lines() {
        line?;
        let count = allocations::count().map_or_else(String::new, |count| count.to_string());
        announce(&count)?;
    }
    Ok(())
}
