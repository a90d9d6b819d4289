//! Delivers outputs from the out buffer of a receiver to its destination.
//!
//! ```text
//! out buffer ─▶ put under a temporary name ─▶ the journal: put ─▶ renamed ─▶ the journal: delivered ─▶ removed here
//! ```
//!
//! An output gets its name in the out buffer as it would in a receiver's own folder, and is
//! complete before a delivery begins. Each later step can be repeated, and the journal has the next
//! step. So the remote place gets each file once, even if the receiver takes it away at once. Files
//! that are split or merged for a receiver are put together during the transfer ([`packing`]). Each
//! receiver has its own connections and a thread that is reserved for it; further threads are
//! shared.
//!
//! A [`Route`] has the delivery settings of a receiver, and [`outbox`] the rows of its files.
//! [`service`] runs all deliveries: [`pool`] has the threads, [`destination`] finds the next task
//! of a receiver, and [`transfer`] delivers a file. [`report`] lists deliveries, and puts back or
//! discards those that were given up.
#![forbid(unsafe_code)]

pub mod destination;
pub(crate) mod fair_share;
mod fault;
pub mod listed;
pub(crate) mod maintenance;
pub mod outbox;
pub mod packing;
pub mod payload;
pub mod pool;
mod receivers;
pub mod report;
pub mod service;
mod temporary;
pub mod transfer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use runtime::backoff::Backoff;
use settings::{Setting, Settings};
use transport::{Access, Compression, KIND, LocalFolder, Place, RecordComponent, Scheme};

use flow::file::{AT_ONCE, Keys, TableSchema, at_once};
use flow::meters::DeliveringSizes;
pub use listed::{Listed as ListedDeliveries, deliveries};
pub use outbox::{ALARMS, insert, prune};
pub use packing::{Cuts, Cutter, Limits, PART_PLACEHOLDERS, insert as insert_slices};
use packing::{Merge, Packing};
use receivers::ReceiverSet;
pub use receivers::{Receivers, advice as advice_of_receivers};
pub use report::{
    Chosen as ChosenDeliveries, Closes, Delivery, DeliveryState, Gathered, GatheredState,
    discard as discard_deliveries, gathered, put_back,
};
pub use service::DeliveryService;
use temporary::{TEMPORARY, Temporary};

/// The keys of a `deliver` table about deliveries, except those for the access to a remote place.
pub const KEYS: [&str; 17] = [
    "retry.shortest",
    "retry.longest",
    "retry.give-up",
    "order",
    AT_ONCE,
    "compress",
    "checksum",
    TEMPORARY,
    "acknowledgement",
    "within",
    "keep",
    "split.records-max",
    "split.size-max",
    "merge.within",
    "merge.records-max",
    "merge.size-max",
    "merge.files-max",
];

/// The table `[delivering]`.
pub const DELIVERING: TableSchema =
    TableSchema { name: "delivering", keys: Keys::These(&["threads"]) };

/// The default waits after a failure: the first and the longest.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// The folders in a flow's state: for files to deliver, for dead letters, and for delivered files.
const OUT: &str = "out";
const DEAD: &str = "dead";
const SENT: &str = "sent";

/// The deliveries of a flow.
#[derive(Default)]
pub struct Distribution {
    /// The delivery of each post-processing system, if its files are delivered.
    pub routes: Vec<Option<Arc<Route>>>,
    /// The receivers that share threads.
    pub receivers: Receivers,
}

impl Distribution {
    /// Returns which of the receivers with deliveries share threads.
    fn sets(&self) -> Vec<ReceiverSet> {
        self.receivers.sets(&self.routes)
    }

    /// Returns the threads of each group of receivers.
    pub fn sizes(&self) -> DeliveringSizes {
        self.receivers.sizes(&self.routes)
    }
}

/// The delivery settings of a receiver.
#[derive(Debug)]
pub struct Route {
    /// The name of the post-processing system.
    pub system: String,
    /// The destination: a local folder or a remote place.
    pub place: Box<dyn Place>,
    /// The name of a file at the receiver until it is complete.
    temporary: Temporary,
    /// When a failed delivery is tried again, and when it is given up.
    pub retry: Retry,
    /// Whether files must arrive in order.
    pub is_ordered: bool,
    /// The maximum number of files that are transferred at once; 1 by default.
    pub at_once: usize,
    /// The sizes of its files, where outputs are split or merged.
    packing: Option<Packing>,
    /// The compression of the files at the receiver, if any.
    pub compress: Option<Compression>,
    pub(crate) checksum: Option<Checksum>,
    /// The file with which the receiver acknowledges each file; `None` if it acknowledges none.
    pub acknowledgement: Option<Acknowledgement>,
    /// How long delivered files stay on this machine.
    pub keep: Option<Duration>,
    /// The out buffer: the folder of its files before delivery.
    pub buffer: PathBuf,
    /// The folder of its dead letters: files whose delivery was given up.
    pub dead: PathBuf,
    /// The folder of its delivered files.
    pub sent: PathBuf,
}

/// When a failed delivery is tried again, and when it is given up.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The waits between tries: from 1 second to 5 minutes by default.
    pub backoff: Backoff,
    /// How long a file may fail until it is given up; `None` means forever.
    pub give_up: Option<Duration>,
}

/// The kind of checksum file that is put beside a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Checksum {
    Sha256,
}

impl Checksum {
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Checksum::Sha256 => ".sha256",
        }
    }
}

/// The file with which a receiver acknowledges a delivery.
#[derive(Clone, Debug)]
pub struct Acknowledgement {
    /// The end of its name.
    pub ending: String,
    /// The longest time until it must exist.
    pub within: Duration,
}

impl Acknowledgement {
    /// Returns its name for a delivered file.
    pub fn of(&self, name: &str) -> String {
        format!("{name}{}", self.ending)
    }
}

/// The default time for an acknowledgement.
const WITHIN: Duration = Duration::from_secs(60 * 60);

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    fault::DeliveryFault::codes()
}

/// Returns the out buffer of a receiver.
pub fn buffer(state: &std::path::Path, system: &str) -> PathBuf {
    state.join(OUT).join(transport::file_name(system))
}

/// Returns the folder of all out buffers.
pub fn buffers(state: &std::path::Path) -> PathBuf {
    state.join(OUT)
}

impl Route {
    /// Reads a `deliver` table. Returns `None` if files only get their names in a local folder.
    pub fn read(
        system: &str,
        settings: &Settings,
        state: &std::path::Path,
        schemes: &[&dyn Scheme],
    ) -> Result<Option<Arc<Self>>, Vec<Diagnostic>> {
        let is_place_setting =
            |setting: &Setting| setting.key == "url" || KEYS.contains(&setting.key.as_str());
        if let Some(kind) = settings.get(KIND)
            && settings.get("url").is_none()
        {
            let mistake = settings.error(kind, "\"kind\" needs \"url\"");
            return Err(vec![mistake.hint("write url = \"https://host:8090\"")]);
        }
        if !settings.values.iter().any(is_place_setting) {
            return Ok(None);
        }
        let place: Box<dyn Place> = match (settings.get("dir"), settings.get("url")) {
            (Some(dir), Some(_)) => {
                let message = "\"dir\" and \"url\" exclude each other";
                return Err(vec![
                    settings.error(dir, message).hint("leave out \"dir\" or \"url\""),
                ]);
            }
            (Some(dir), None) => Box::new(LocalFolder::new(settings.path(dir))),
            (None, _) => Access::place(settings, schemes)?,
        };
        check_records(settings, &*place)?;
        let one = |mistake| vec![mistake];
        let duration = |key: &str| {
            let setting = settings.get(key);
            setting.map(|setting| settings.duration(setting)).transpose().map_err(one)
        };
        let shortest = duration("retry.shortest")?.unwrap_or(SHORTEST);
        let longest = duration("retry.longest")?.unwrap_or(LONGEST);
        let backoff = Backoff::new(shortest, longest);
        let retry = Retry { backoff, give_up: duration("retry.give-up")? };
        if let Some(setting) = settings.get("retry.shortest")
            && shortest > longest
        {
            return Err(one(settings.error(setting, "it is longer than \"longest\"")));
        }
        let chosen = settings.get("compress");
        let compress = chosen.map(|setting| settings.choice(setting, &Compression::ALL));
        let chosen = settings.get("checksum");
        let known = [("sha256", Checksum::Sha256)];
        let checksum = chosen.map(|setting| settings.choice(setting, &known));
        let name = transport::file_name(system);
        let route = Route {
            system: system.to_owned(),
            temporary: Temporary::read(settings, &*place).map_err(one)?,
            place,
            retry,
            is_ordered: settings.get("order").is_some_and(|order| order.value == "true"),
            at_once: at_once(settings).map_err(one)?,
            packing: Packing::read(settings).map_err(one)?,
            compress: compress.transpose().map_err(one)?,
            checksum: checksum.transpose().map_err(one)?,
            acknowledgement: acknowledgement(settings, duration("within")?).map_err(one)?,
            keep: duration("keep")?,
            buffer: buffer(state, system),
            dead: state.join(DEAD).join(&name),
            sent: state.join(SENT).join(&name),
        };
        Ok(Some(Arc::new(route)))
    }

    /// Returns the limits of a part of an output, where outputs are split or merged.
    pub fn split(&self) -> Option<Limits> {
        self.packing.as_ref().map(|packing| packing.split)
    }

    /// Returns whether outputs are cut into parts with names of their own.
    pub fn has_parts(&self) -> bool {
        self.split().is_some_and(|split| split != Limits::default()) && self.merge().is_none()
    }

    /// Returns how outputs are merged, if they are.
    pub fn merge(&self) -> Option<&Merge> {
        self.packing.as_ref().and_then(|packing| packing.merge.as_ref())
    }

    /// Returns the components that each record must have, where the place reads records.
    pub fn record_components(&self) -> &'static [RecordComponent] {
        self.place.record_components()
    }

    /// Returns the address of the place, with the pattern of temporary names.
    fn destination(&self) -> String {
        self.temporary.place(self.place.address())
    }

    /// Returns the name at the remote place for a file of the out buffer.
    pub fn name_of(&self, file: &str) -> String {
        format!("{file}{}", self.compress.map_or("", Compression::ending))
    }
}

/// Checks that files come as they are to a place that reads their records.
fn check_records(settings: &Settings, place: &dyn Place) -> Result<(), Vec<Diagnostic>> {
    if place.record_components().is_empty() {
        return Ok(());
    }
    let of_files = ["compress", "checksum", "acknowledgement"];
    let of_files = of_files.iter().filter_map(|key| settings.get(key));
    let mistake = |setting: &Setting| {
        let message = format!("\"{}\" is for files, and this place takes records", setting.key);
        settings.error(setting, message).hint(format!("leave out \"{}\"", setting.key))
    };
    let mistakes: Vec<_> = of_files.map(mistake).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

fn acknowledgement(
    settings: &Settings,
    within: Option<Duration>,
) -> Result<Option<Acknowledgement>, Diagnostic> {
    let Some(ending) = settings.get("acknowledgement") else {
        return match settings.get("within") {
            Some(within) => {
                let hint = "write acknowledgement = \".ack\"";
                Err(settings.error(within, "\"within\" needs \"acknowledgement\"").hint(hint))
            }
            None => Ok(None),
        };
    };
    if ending.value.is_empty() || ending.value.contains(['/', '\\']) {
        let message = "\"acknowledgement\" is the ending of a file name, without slashes";
        return Err(settings.error(ending, message).hint("write \".ack\""));
    }
    let within = within.unwrap_or(WITHIN);
    Ok(Some(Acknowledgement { ending: ending.value.clone(), within }))
}
