//! `tollgate charge`: runs a charging system, checks its definition, and shows its figures and sessions.

mod check;
mod defined;
mod fixed;
mod messages;
mod notifier;
mod peers;
mod sessions;
mod traces;
mod traffic;
mod versions;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use diagnostics::with_causes;
use operate::prepaid::calls::{ChargingFigures, NoticesWaiting, ShowCharging};
use prepaid::{
    Client, Definition, PeerAlarm, Queue, System, answer_calls, send_notices, send_peer_alarms,
    upkeep,
};
use runtime::file_watch::FileWatch;
use runtime::shutdown::Shutdown;

use crate::execute::Execute;
use crate::interrupt::interrupted;
use crate::json;
use crate::logging::{self, FilesDone};
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::table::{Column, Table, cell, number, text};
use defined::{Defined, read};
use fixed::Fixed;
use notifier::Notifier;

/// Run and check a charging system for prepaid accounts
#[derive(Debug, clap::Parser)]
#[command(name = "charge")]
pub(crate) enum Charge {
    /// Run a charging system, until it is interrupted
    #[command(after_help = "Example:\n  tollgate charge run charging.toml")]
    Run(Defined),
    /// Check a definition with its tariff, and change nothing
    #[command(after_help = "Example:\n  tollgate charge check charging.toml")]
    Check(Defined),
    /// Show how many accounts and sessions there are, and the account of every amount
    #[command(after_help = "Example:\n  tollgate charge show charging.toml")]
    Show(Defined),
    /// List the calls and connections in progress
    #[command(
        after_help = "Example:\n  tollgate charge sessions --number 4670123 --older-than 3600"
    )]
    Sessions(sessions::Sessions),
    /// Show the last messages between peers of Diameter and the system, and write them to a file
    #[command(
        after_help = "Example:\n  tollgate charge messages --number 46701234567 --pcapng call.pcapng"
    )]
    Messages(messages::ShownMessages),
    /// Write messages between peers of Diameter and the system to files from now on, and export these
    #[command(subcommand)]
    Traces(traces::Traces),
    /// Show the peers of Diameter, and let one in
    #[command(subcommand)]
    Peers(peers::Peers),
    /// List the versions of the definition that were in use, show their files, and put one back
    #[command(subcommand)]
    Versions(versions::Versions),
}

/// The log target. It is stable, since operators filter by it.
const LOG: &str = "charging";

/// The time between two looks whether the system ends, or its definition changed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Execute for Charge {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        if !matches!(self, Charge::Run(_)) {
            logging::console();
        }
        match self {
            Charge::Run(defined) => run(&defined),
            Charge::Check(defined) => check::check(&defined),
            Charge::Show(defined) => show(&defined),
            Charge::Sessions(sessions) => sessions.run(),
            Charge::Messages(messages) => messages.run(),
            Charge::Traces(traces) => traces.run(),
            Charge::Peers(peers) => peers.run(),
            Charge::Versions(versions) => versions.run(),
        }
    }
}

/// How a system ended.
enum Ended {
    /// It was stopped.
    InOrder,
    /// A change could not be stored, for this reason.
    Failed(String),
}

/// The pause before a definition that could not be used is read again.
const RELOAD_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The pause before a system is opened again.
const OPENED_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// A definition that a system begins with.
struct Begun {
    definition: Definition,
    /// When it was read.
    read_at: SystemTime,
    /// Why the files as they are now are not in use, if it is the last version.
    unused: Option<String>,
}

fn run(defined: &Defined) -> Result<Outcome, CommandError> {
    let stop = interrupted()?;
    logging::start(FilesDone::OnlyInFiles, None)?;
    let read_at = SystemTime::now();
    let definition = read(defined).map_err(|error| match error {
        CommandError::Mistakes(mistakes) => {
            CommandError::Mistakes(mistakes + earlier_version(defined))
        }
        error => error,
    })?;
    let mut ended = charge_until(defined, Begun { definition, read_at, unused: None }, &stop);
    // What was in memory may be ahead of the disk, so the accounts are read again.
    while let Ok(Ended::Failed(why)) = &ended {
        tracing::error!(target: LOG, "nothing can be charged: {why}; the accounts are opened again");
        if stop.wait(OPENED_AGAIN_AFTER) {
            return Ok(Outcome::Faults);
        }
        let begun = begin_again(defined).and_then(|begun| charge_until(defined, begun, &stop));
        ended = begun.or_else(|error| Ok(Ended::Failed(with_causes(&error))));
    }
    ended.map(|_| Outcome::Clean)
}

/// Reads the definition again. If it has mistakes by now, it is the last version: a system that went by it goes on.
fn begin_again(defined: &Defined) -> Result<Begun, CommandError> {
    let read_at = SystemTime::now();
    let mistakes = match read(defined) {
        Ok(definition) => return Ok(Begun { definition, read_at, unused: None }),
        Err(mistakes) => mistakes,
    };
    match Definition::last(&defined.definition).map_err(refused)? {
        Some(definition) => Ok(Begun { definition, read_at, unused: Some(with_causes(&mistakes)) }),
        None => Err(mistakes),
    }
}

/// Returns what helps if the definition was in use before.
fn earlier_version(defined: &Defined) -> &'static str {
    match Client::new(&defined.definition).may_have_versions() {
        true => {
            "\n\nTo go back to a version that was in use: \"tollgate charge versions list\", and \"restore\""
        }
        false => "",
    }
}

/// Charges until the stop, or until a change cannot be stored.
fn charge_until(
    defined: &Defined,
    Begun { definition, read_at, unused }: Begun,
    stop: &Shutdown,
) -> Result<Ended, CommandError> {
    let fixed = Fixed::of(&definition);
    let (state, http) = (definition.state.clone(), definition.http.clone());
    let diameter = definition.diameter.clone();
    let files = definition.files.clone();
    let system = Arc::new(System::open(definition).map_err(refused)?);
    system.note_unused(unused);
    let workers = thread::available_parallelism().map_or(2, |count| count.get().max(2));
    let queue = Arc::new(Queue::new(workers));
    let end_of_work = Shutdown::default();
    let _notices = Notifier::start(&system, send_notices).map_err(refused)?;
    let _alarms = Notifier::start(&system, send_peer_alarms).map_err(refused)?;
    thread::scope(|scope| {
        // Workers end after the servers, so that each request is answered.
        let _end = end_of_work.set_on_drop();
        queue.work(scope, &system, &end_of_work).map_err(refused)?;
        answer_calls(scope, (&system, &state), &end_of_work).map_err(refused)?;
        let (kept_up, end) = (&system, end_of_work.clone());
        let upkeep = scope.spawn(move || upkeep(kept_up, &end));
        let network = http.as_ref().map(|http| {
            serve::start_network(http, Arc::clone(&system), Arc::clone(&queue)).map_err(refused)
        });
        let network = network.transpose()?;
        let peers = diameter.as_ref().map(|node| {
            diameter_server::start(node, Arc::clone(&system), Arc::clone(&queue)).map_err(refused)
        });
        let peers = peers.transpose()?;
        match (&network, &peers) {
            (Some(server), _) => tell!("charging; networks reach it at http://{}", server.address),
            (None, Some(_)) => tell!("charging"),
            (None, None) => tell!(
                "charging; no network reaches it, since the definition has no [http] and no [diameter]"
            ),
        }
        if let (Some(node), Some(server)) = (&diameter, &peers) {
            let tls = server.tls_addresses.iter().map(|address| format!("{address} (TLS)"));
            let addresses = server.addresses.iter().map(ToString::to_string);
            let sctp = server.sctp_addresses.iter().map(|address| format!("{address} (SCTP)"));
            let addresses: Vec<String> = addresses.chain(tls).chain(sctp).collect();
            tell!("peers of Diameter reach {} at {}", node.host, addresses.join(" and "));
        }
        let is_at_work = || !queue.has_panicked() && !upkeep.is_finished();
        let ended = follow((&system, &is_at_work), (defined, &fixed), (files, read_at), stop);
        drop((network, peers));
        end_of_work.set();
        // A panic was in the log when it happened.
        let _ = upkeep.join();
        Ok(ended)
    })
}

/// Waits for the end. When a file of the definition changes, the system goes by it from then on, if it can.
fn follow(
    (system, is_at_work): (&System, &dyn Fn() -> bool),
    (defined, fixed): (&Defined, &Fixed),
    (files, read_at): (Vec<PathBuf>, SystemTime),
    stop: &Shutdown,
) -> Ended {
    let mut watch = FileWatch::new(files.clone(), read_at);
    let mut files = files;
    let mut tried = Instant::now();
    while !stop.wait(LOOK_EVERY) {
        if let Some(why) = system.failure() {
            return Ended::Failed(why.to_owned());
        }
        if !is_at_work() {
            return Ended::Failed("a thread has panicked".to_owned());
        }
        // A file that only the new definition names is not watched yet, and a database comes back by itself.
        let is_due = system.unused().is_some() && tried.elapsed() >= RELOAD_AGAIN_AFTER;
        if !is_due && !watch.changed().load(Ordering::Relaxed) {
            continue;
        }
        let read_at = SystemTime::now();
        match reload(system, defined, fixed) {
            Ok(read) => files = read,
            Err(why) => say_unused(system, &why),
        }
        (watch, tried) = (FileWatch::new(files.clone(), read_at), Instant::now());
    }
    Ended::InOrder
}

/// Goes by the definition as it is now. Returns its files.
fn reload(system: &System, defined: &Defined, fixed: &Fixed) -> Result<Vec<PathBuf>, CommandError> {
    let definition = read(defined)?;
    let changed = fixed.changed(&Fixed::of(&definition));
    let files = definition.files.clone();
    system.replace(definition).map_err(refused)?;
    tracing::info!(target: LOG, "the changed definition is in use");
    if !changed.is_empty() {
        let changed = changed.join(", ");
        tracing::warn!(target: LOG, "{changed}: in use from the next start of the system on");
    }
    Ok(files)
}

/// Says why the definition as it is now is not in use, unless it was said before.
fn say_unused(system: &System, why: &CommandError) {
    let why = with_causes(why);
    if system.unused().as_ref() == Some(&why) {
        return;
    }
    // The lines of a file below a mistake are for people who see more than one line.
    let is_first = |line: &&str| !line.is_empty() && !line.starts_with(' ');
    let lines = why.lines().filter(is_first).collect::<Vec<_>>().join("; ");
    tracing::error!(target: LOG, "the definition stays as it was: {lines}");
    system.note_unused(Some(why));
}

const BALANCES: [Column; 3] = [text("what"), text("unit"), number("amount")];

fn show(defined: &Defined) -> Result<Outcome, CommandError> {
    let figures = charge(&defined.definition, ShowCharging {})?;
    if defined.json {
        json::line(&mut output::lines(), &figures)?;
        return Ok(outcome(&figures));
    }
    if let Some(why) = &figures.unused {
        say!("THE DEFINITION AS IT IS NOW IS NOT IN USE, but its last version:\n{why}\n")?;
    }
    say!("accounts:      {}", figures.accounts)?;
    say!("numbers:       {}", figures.numbers)?;
    say!("open sessions: {}", figures.open_sessions)?;
    say!("reserved:      {} {}", figures.reserved, figures.currency)?;
    if let Some(NoticesWaiting { waiting, failing }) = &figures.notices {
        let why = failing.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        say!("notices:       {waiting} wait{why}")?;
    }
    for PeerAlarm { peer, text, .. } in &figures.peer_alarms {
        say!("ALARM:         the peer {peer}: {text}")?;
    }
    if let Some(traffic) = &figures.traffic {
        traffic::show(traffic, &figures)?;
    }
    say!("")?;
    let mut table = Table::report(crate::progress::Aside(std::io::stdout()), &BALANCES);
    for balance in &figures.balances {
        let unit = match balance.unit.word() {
            "money" => figures.currency.as_str(),
            unit => unit,
        };
        table.row([cell(&balance.of), cell(unit), cell(&balance.amount)])?;
    }
    table.end()?;
    say!("")?;
    match figures.balanced {
        true => say!("the sum of each unit is zero")?,
        false => say!("THE SUM OF A UNIT IS NOT ZERO")?,
    }
    Ok(outcome(&figures))
}

fn outcome(figures: &ChargingFigures) -> Outcome {
    if figures.balanced { Outcome::Clean } else { Outcome::Faults }
}
