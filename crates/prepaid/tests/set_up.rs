//! A charging system in a folder.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use prepaid::calls::{
    Authority, Call, Clerk, HistoryEntry, OpenAccount, PrepaidAccount, RefillAccount, ShowAccount,
    ShowHistory,
};
use prepaid::{
    Answered, Definition, Interrogation, LegInterrogation, PhaseName, QuantityText, Queue,
    QueuedInterrogation, Refused, System,
};
use runtime::shutdown::Shutdown;
use tempfile::TempDir;

use crate::database::new_database;

pub(crate) const ANNA: &str = "46701234567";
pub(crate) const OTHER: &str = "46812345678";

/// A folder with a definition that names the example's tariff.
pub(crate) struct SetUp {
    folder: TempDir,
    /// The address of the database that has the accounts, if they are in one.
    database: Option<String>,
}

impl SetUp {
    pub(crate) fn new() -> Self {
        SetUp::defined("")
    }

    /// Creates a definition with more than the tariff.
    pub(crate) fn defined(tables: &str) -> Self {
        let set_up = SetUp { folder: TempDir::new().unwrap(), database: new_database() };
        set_up.define(tables);
        set_up
    }

    /// Creates another folder whose accounts are in the same database. `None` if they are in none.
    pub(crate) fn another(&self) -> Option<Self> {
        let database = Some(self.database.clone()?);
        let another = SetUp { folder: TempDir::new().unwrap(), database };
        another.define("");
        Some(another)
    }

    /// Replaces all of the definition but the tariff.
    pub(crate) fn define(&self, tables: &str) {
        let tariff = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
        let database = self.database.as_ref();
        let database = database.map(|of| format!("[database]\nserver = \"{of}\"\n"));
        self.write(&format!("plan = \"{tariff}\"\n{tables}\n{}", database.unwrap_or_default()));
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("charging.toml")
    }

    /// Opens the system. A program that another test starts has the lock of a system that was just closed, until it has begun:
    /// so this waits for it.
    pub(crate) fn system(&self) -> System {
        for _ in 0..100 {
            match System::open(Definition::read(&self.path()).expect("a definition")) {
                Err(why) if why.is_in_use() => thread::sleep(Duration::from_millis(20)),
                opened => return opened.expect("a system"),
            }
        }
        panic!("another process has the system")
    }

    /// Returns a system with an account that has an amount.
    pub(crate) fn with(&self, amount: &str) -> System {
        let system = self.system();
        open(&system, ANNA, amount);
        system
    }
}

/// Opens an account with an amount.
pub(crate) fn open(system: &System, number: &str, amount: &str) {
    let numbers = vec![format!("+{number}")];
    call(system, OpenAccount { numbers, standing: None, credit_limit: None });
    let (account, amount) = (number.to_owned(), amount.to_owned());
    let (reference, because) = ("p-1".to_owned(), String::new());
    call(system, RefillAccount { account, amount, reference, because });
}

pub(crate) fn call<C: Call>(system: &System, call: C) -> C::Reply {
    call.perform(&Clerk { system, who: "anna", authority: Authority::Person }).expect("it is done")
}

/// Sends requests of a client and returns their answers, in the order of the requests.
pub(crate) fn ask(system: &System, requests: Vec<Interrogation>) -> Vec<Answered> {
    let (queue, stop) = (Queue::new(2), Shutdown::default());
    thread::scope(|scope| {
        queue.work(scope, system, &stop).expect("threads");
        let mut answers = Vec::new();
        for request in requests {
            let (sender, answer) = mpsc::channel();
            queue.add(Box::new(QueuedInterrogation::new(
                "msc1".into(),
                request,
                Box::new(move |of| sender.send(of).unwrap()),
            )));
            answers.push(answer.recv_timeout(Duration::from_secs(10)).expect("an answer"));
        }
        stop.set();
        answers
    })
}

pub(crate) fn request(phase: PhaseName, number: u32) -> Interrogation {
    Interrogation {
        session: "call-1".to_owned(),
        number,
        phase,
        event: Default::default(),
        subscriber: format!("tel:+{ANNA}"),
        legs: vec![LegInterrogation {
            service: (number == 0).then(|| "telephony".to_owned()),
            other: OTHER.to_owned(),
            ..LegInterrogation::default()
        }],
    }
}

pub(crate) fn seconds(seconds: u64) -> Option<QuantityText> {
    Some(QuantityText { seconds: Some(seconds), ..QuantityText::default() })
}

pub(crate) fn refusal<C: Call>(system: &System, call: C) -> Refused
where
    C::Reply: std::fmt::Debug,
{
    call.perform(&Clerk { system, who: "anna", authority: Authority::Person })
        .expect_err("it is refused")
}

/// Returns the account of Anna.
pub(crate) fn shown(system: &System) -> PrepaidAccount {
    call(system, ShowAccount { account: ANNA.to_owned() })
}

/// Returns the entries of Anna's account, the newest first.
pub(crate) fn entries(system: &System) -> Vec<HistoryEntry> {
    let account = ANNA.to_owned();
    call(system, ShowHistory { account, ..ShowHistory::default() }).entries
}
