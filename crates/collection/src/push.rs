//! Runs the servers that network elements push to: reads them and their accounts from the flow, and raises alarms for
//! those that do not run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use alarm::{AlarmKey, Condition, EventType, Kind, Severity};
use diagnostics::{Diagnostic, did_you_mean, octets};
use journal::Journal;
use runtime::disk::reserve_of;
use runtime::shutdown::Shutdown;
use settings::Settings;
use store::StoreError;
use transport::{
    ACCEPT, Account, Accounts, Listener, RunningServer, Service, folder_octets_recursive,
};

use crate::fetch::Pull;
use flow::file::FlowFile;

const NOT_LISTENING: &Kind = &Kind::new(
    "not-listening",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);
const BUFFER_FULL: &Kind =
    &Kind::new("buffer-full", Severity::Major, EventType::Processing, "storageCapacityProblem");
/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[NOT_LISTENING, BUFFER_FULL];

/// How often a failed server is started again, and how often the in buffers are measured.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How soon a change of the flow or a stop is noticed.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The servers of a flow, and the accounts that may push to them.
#[derive(Default)]
pub struct Listened {
    servers: Vec<Server>,
    accounts: Vec<Account>,
    buffers: Vec<Buffer>,
}

/// An in buffer.
struct Buffer {
    network_element: String,
    root: PathBuf,
    limit: u64,
}

impl Listened {
    /// Sets the in buffers: those of the accounts, and those of fetched files.
    pub fn with_pulled(mut self, pulls: &[Pull]) -> Self {
        let pushed = self.accounts.iter().map(|of| (&of.network_element, &of.root, of.limit));
        let pulled = pulls.iter().map(|of| (&of.network_element, &of.root, of.limit));
        let buffer = |(network_element, root, limit): (&String, &PathBuf, u64)| Buffer {
            network_element: network_element.clone(),
            root: root.clone(),
            limit,
        };
        self.buffers = pushed.chain(pulled).map(buffer).collect();
        self
    }
}

/// A server of a flow.
struct Server {
    name: String,
    /// The settings in the flow file.
    settings: Vec<(String, String)>,
    service: Box<dyn Service>,
}

/// Returns the in buffer of a network element whose files do not come from a folder that the flow file names.
pub fn buffer(file: &FlowFile, element: &str) -> PathBuf {
    buffers(&file.state).join(transport::file_name(element))
}

/// Returns the folder of the in buffers, within a flow's state folder.
pub fn buffers(state: &Path) -> PathBuf {
    state.join("in")
}

/// Returns whether the files of a network element are pushed.
pub fn is_pushed(collect: &Settings) -> bool {
    collect.values.iter().any(|setting| setting.key.split('.').next() == Some(ACCEPT))
}

/// Reads the servers of a flow and the accounts that may push.
pub fn read(file: &FlowFile, listeners: &[&dyn Listener]) -> Result<Listened, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let mut read = Listened::default();
    for settings in &file.listen {
        match server(file, settings, listeners) {
            Ok(server) => read.servers.push(server),
            Err(found) => mistakes.extend(found),
        }
    }
    for table in &file.network_elements {
        let root = buffer(file, &table.name.text);
        match Account::read(&table.collect, &root) {
            Ok(Some(account)) => {
                let disk_free = reserve_of(&root, file.disk_free);
                let account = account.with_free(disk_free);
                mistakes.extend(account_mistakes(file, &table.collect, &account, listeners));
                mistakes.extend(same(&table.collect, &account, &read.accounts));
                read.accounts.push(account);
            }
            Ok(None) => {}
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() { Ok(read) } else { Err(mistakes) }
}

fn server(
    file: &FlowFile,
    settings: &Settings,
    listeners: &[&dyn Listener],
) -> Result<Server, Vec<Diagnostic>> {
    let names = listeners.iter().map(|listener| listener.name());
    let Some(listener) = listeners.iter().find(|of| of.name() == settings.name) else {
        let message = format!("nothing listens by the name of \"{}\"", settings.name);
        let known = names.collect::<Vec<_>>();
        let hint = did_you_mean(&settings.name, known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        return Err(vec![Diagnostic::error(&settings.source, settings.span, message).hint(hint)]);
    };
    let unknown = settings.values.iter().find(|of| !listener.keys().contains(&of.key.as_str()));
    if let Some(unknown) = unknown {
        let hint = did_you_mean(&unknown.key, listener.keys().iter().copied())
            .unwrap_or_else(|| format!("known here: {}", listener.keys().join(", ")));
        let message = format!("no key is named \"{}\"", unknown.key);
        return Err(vec![settings.error(unknown, message).hint(hint)]);
    }
    let values = settings.values.iter().map(|of| (of.key.clone(), of.value.clone()));
    Ok(Server {
        name: settings.name.clone(),
        settings: values.collect(),
        service: listener.read(settings, &file.state)?,
    })
}

/// Makes a diagnostic at the `accept` of a network element.
fn mistake(collect: &Settings, message: String) -> Diagnostic {
    let span = collect.values.iter().find(|of| of.key.starts_with(ACCEPT));
    Diagnostic::error(&collect.source, span.map_or(collect.span, |of| of.span), message)
}

fn account_mistakes(
    file: &FlowFile,
    collect: &Settings,
    account: &Account,
    listeners: &[&dyn Listener],
) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for listener in listeners.iter().filter(|listener| listener.serves(account)) {
        mistakes.extend(listener.mistake(account).map(|message| mistake(collect, message)));
        if !file.listen.iter().any(|table| table.name == listener.name()) {
            let name = listener.name();
            let message =
                format!("\"{}\" cannot push: there is no server for it", account.network_element);
            let hint = format!("write [listen.{name}] with an address");
            mistakes.push(mistake(collect, message).hint(hint));
        }
    }
    mistakes
}

/// Returns a mistake if two accounts share a user or token: a client could not be told from the other.
fn same(collect: &Settings, account: &Account, others: &[Account]) -> Option<Diagnostic> {
    let is_both = |other: &&Account| {
        account.user.is_some() && account.user == other.user
            || account.token.is_some() && account.token == other.token
    };
    let other = others.iter().find(is_both)?;
    let what = if account.user.is_some() && account.user == other.user { "user" } else { "token" };
    let message = format!(
        "\"{}\" has this {what} too: it would not be known which of the two sent a file",
        other.network_element
    );
    Some(mistake(collect, message))
}

/// The servers of a gateway, over its whole life.
#[derive(Default)]
pub struct PushServers {
    /// The servers that the current flow wants.
    wanted: Mutex<Arc<Listened>>,
}

/// A server that is to run.
struct Ear {
    name: String,
    settings: Vec<(String, String)>,
    /// The running server, or the reason that it does not run.
    running: io::Result<Box<dyn RunningServer>>,
}

impl PushServers {
    /// Switches to the servers of another flow.
    pub fn follow(&self, listened: &Arc<Listened>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(listened);
    }

    fn wanted(&self) -> Arc<Listened> {
        Arc::clone(&self.wanted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs the servers of the current flow until `end` is set.
    pub fn listen(&self, journal: &Journal, end: &Shutdown) {
        let accounts = Arc::new(Accounts::default());
        let (mut ears, mut followed) = (Vec::new(), Arc::new(Listened::default()));
        let mut looked = None::<Instant>;
        while !end.is_set() {
            let wanted = self.wanted();
            let is_new = !Arc::ptr_eq(&wanted, &followed);
            if is_new || looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
                accounts.set(wanted.accounts.clone());
                follow(&wanted, &mut ears, &accounts);
                let outcome = tell(&wanted, &ears, journal);
                outcome
                    .unwrap_or_else(|error| tracing::warn!(target: "flow::listening", "{error}"));
                (followed, looked) = (wanted, Some(Instant::now()));
            }
            end.wait(STOP_CHECK_INTERVAL);
        }
    }
}

/// Starts servers that are new or failed before, and stops those that left the flow. Unchanged servers keep running.
fn follow(wanted: &Listened, ears: &mut Vec<Ear>, accounts: &Arc<Accounts>) {
    let is_of =
        |ear: &Ear, server: &Server| (&ear.name, &ear.settings) == (&server.name, &server.settings);
    ears.retain(|ear| wanted.servers.iter().any(|server| is_of(ear, server)));
    for server in &wanted.servers {
        let place = ears.iter().position(|ear| is_of(ear, server));
        if place.is_some_and(|place| ears[place].running.is_ok()) {
            continue;
        }
        let running = server.service.start(Arc::clone(accounts));
        match place {
            Some(place) => ears[place].running = running,
            None => {
                let (name, settings) = (server.name.clone(), server.settings.clone());
                ears.push(Ear { name, settings, running });
            }
        }
    }
}

/// Raises the alarms that hold, and clears those that no longer do.
fn tell(wanted: &Listened, ears: &[Ear], journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let raised = journal.answer(alarm::raised(&reader, ALARMS))?;
    let deaf = ears.iter().filter_map(|ear| {
        let why = ear.running.as_ref().err()?;
        let text = format!(
            "files cannot be pushed to [listen.{}]: {why}; that is tried again each second",
            ear.name
        );
        Some(Condition { kind: NOT_LISTENING, subject: ear.name.clone(), text })
    });
    let full = wanted.buffers.iter().filter_map(|buffer| {
        let Buffer { network_element, root, limit } = buffer;
        let key = AlarmKey { kind: BUFFER_FULL, subject: network_element };
        let is_raised = raised.iter().any(|raised| raised.key() == key);
        full(network_element, root, *limit, is_raised)
    });
    alarm::reconcile(deaf.chain(full), &raised, journal)
}

/// Returns the alarm of an in buffer that has reached its limit. The alarm stands until a tenth of the limit is free.
fn full(network_element: &str, root: &Path, limit: u64, is_raised: bool) -> Option<Condition> {
    let enough = if is_raised { limit - limit / 10 } else { limit };
    if folder_octets_recursive(root).unwrap_or(0) < enough {
        return None;
    }
    let text = format!(
        "{network_element}: the files in \"{}\" have reached its limit of {}: no more are taken",
        root.display(),
        octets(limit)
    );
    Some(Condition { kind: BUFFER_FULL, subject: network_element.to_owned(), text })
}
