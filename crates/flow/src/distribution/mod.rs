//! Roads out: what of outputs is carried on, from the out buffer of a receiver to where it wants them.
//!
//! ```text
//! out buffer ─▶ put under a name nobody looks at ─▶ the journal: put ─▶ renamed ─▶ the journal: delivered ─▶ removed here
//! ```
//!
//! An output gets its name in the out buffer as it would in a receiver's own folder, and is there, whole, before a road
//! looks at it. Each step behind that may be repeated, and the journal says which come next: so the far place has each
//! file once, also where a receiver takes it away at once. What is split or merged for a receiver is put together on the way
//! (`packing`). Each receiver has connections of its own, and a thread that is kept
//! for it; what there are beyond that, they share.

pub(crate) mod destination;
pub(crate) mod fair_share;
pub(crate) mod listed;
pub(crate) mod maintenance;
pub(crate) mod outbox;
pub(crate) mod packing;
pub(crate) mod payload;
pub(crate) mod pool;
mod receivers;
pub(crate) mod report;
pub(crate) mod service;
mod temporary;
pub(crate) mod transfer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use runtime::backoff::Backoff;
use settings::{Setting, Settings};
use transport::{Access, Compression, LocalFolder, Place, Scheme};

use crate::definition::file::{AT_ONCE, Keys, TableSchema, at_once};
use crate::definition::meters::DeliveringSizes;
pub(crate) use outbox::{ALARMS, insert, prune};
pub(crate) use packing::{Cuts, Cutting, Limits, PART_PLACEHOLDERS, insert as insert_slices};
use packing::{Merge, Packing};
use receivers::ReceiverSet;
pub(crate) use receivers::{Receivers, advice as advice_of_receivers};
pub(crate) use service::DeliveryService;
use temporary::{TEMPORARY, Temporary};

/// The keys of a `deliver` table that ask for a road, beside those by which a far place is reached.
pub(crate) const KEYS: [&str; 17] = [
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

/// `[delivering]`.
pub(crate) const DELIVERING: TableSchema =
    TableSchema { name: "delivering", keys: Keys::These(&["threads"]) };

/// How long after a first failure it is tried again, and how long at most, if nothing is said.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// The folders of a flow's state: of what is to be carried, of what was given up, and of what was carried and is kept.
const OUT: &str = "out";
const DEAD: &str = "dead";
const SENT: &str = "sent";

/// Where the files of a flow go that are carried on.
#[derive(Default)]
pub(crate) struct Distribution {
    /// By post-processing system: how its files are carried on, if they are.
    pub(crate) roads: Vec<Option<Arc<Road>>>,
    /// Which receivers share threads that carry to them.
    pub(crate) receivers: Receivers,
}

impl Distribution {
    /// Which receivers share threads, of those whose files are carried.
    fn sets(&self) -> Vec<ReceiverSet> {
        self.receivers.sets(&self.roads)
    }

    /// Which threads each group of receivers has.
    pub(crate) fn sizes(&self) -> DeliveringSizes {
        self.receivers.sizes(&self.roads)
    }
}

/// How a receiver gets its files.
#[derive(Debug)]
pub(crate) struct Road {
    pub(crate) system: String,
    pub(crate) place: Box<dyn Place>,
    /// What a file is called there while it is not whole.
    temporary: Temporary,
    pub(crate) retry: Retry,
    /// Whether no file may overtake another.
    pub(crate) is_ordered: bool,
    pub(crate) at_once: usize,
    /// How large its files are, where outputs are not carried as they are.
    packing: Option<Packing>,
    pub(crate) compress: Option<Compression>,
    pub(crate) checksum: Option<Checksum>,
    pub(crate) acknowledgement: Option<Acknowledgement>,
    /// How long what was carried is kept here.
    pub(crate) keep: Option<Duration>,
    /// Where its files are before they are carried, when they were given up, and when they were carried.
    pub(crate) buffer: PathBuf,
    pub(crate) dead: PathBuf,
    pub(crate) sent: PathBuf,
}

/// When what could not be delivered is tried again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    pub(crate) backoff: Backoff,
    pub(crate) give_up: Option<Duration>,
}

/// What a file beside a file says of it.
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

/// The file by which a receiver says that it has one.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledgement {
    /// What its name ends with.
    pub(crate) ending: String,
    /// How long that may take.
    pub(crate) within: Duration,
}

impl Acknowledgement {
    /// What it is called where a file has a name.
    pub(crate) fn of(&self, name: &str) -> String {
        format!("{name}{}", self.ending)
    }
}

/// How long a receiver may take to acknowledge a file, if nothing is said.
const WITHIN: Duration = Duration::from_secs(60 * 60);

/// The out buffer of a receiver.
pub(crate) fn buffer(state: &std::path::Path, system: &str) -> PathBuf {
    state.join(OUT).join(transport::file_name(system))
}

/// Where all out buffers are.
pub(crate) fn buffers(state: &std::path::Path) -> PathBuf {
    state.join(OUT)
}

impl Road {
    /// Reads a `deliver` table: none, where its files are given their names in a folder, and that is all.
    pub(crate) fn read(
        system: &str,
        settings: &Settings,
        state: &std::path::Path,
        schemes: &[&dyn Scheme],
    ) -> Result<Option<Arc<Self>>, Vec<Diagnostic>> {
        let is_asked =
            |setting: &Setting| setting.key == "url" || KEYS.contains(&setting.key.as_str());
        if !settings.values.iter().any(is_asked) {
            return Ok(None);
        }
        let place: Box<dyn Place> = match (settings.get("dir"), settings.get("url")) {
            (Some(dir), Some(_)) => {
                let message = "a receiver has one place";
                return Err(vec![
                    settings.error(dir, message).hint("leave out \"dir\" or \"url\""),
                ]);
            }
            (Some(dir), None) => Box::new(LocalFolder::new(settings.path(dir))),
            (None, _) => Access::place(settings, schemes)?,
        };
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
        let road = Road {
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
        Ok(Some(Arc::new(road)))
    }

    /// How much a part of an output has at most, where outputs are not carried as they are.
    pub(crate) fn split(&self) -> Option<Limits> {
        self.packing.as_ref().map(|packing| packing.split)
    }

    /// Whether outputs are cut into parts that are carried by names of their own.
    pub(crate) fn has_parts(&self) -> bool {
        self.split().is_some_and(|split| split != Limits::default()) && self.merge().is_none()
    }

    /// How outputs are merged, if they are.
    pub(crate) fn merge(&self) -> Option<&Merge> {
        self.packing.as_ref().and_then(|packing| packing.merge.as_ref())
    }

    /// Where files are put, and under which names first.
    fn destination(&self) -> String {
        self.temporary.place(self.place.address())
    }

    /// What a file of the out buffer is called in the far place.
    pub(crate) fn name_of(&self, file: &str) -> String {
        format!("{file}{}", self.compress.map_or("", Compression::ending))
    }
}

fn acknowledgement(
    settings: &Settings,
    within: Option<Duration>,
) -> Result<Option<Acknowledgement>, Diagnostic> {
    let Some(ending) = settings.get("acknowledgement") else {
        return match settings.get("within") {
            Some(within) => {
                let hint = "write acknowledgement = \".ack\"";
                Err(settings.error(within, "no acknowledgement is waited for").hint(hint))
            }
            None => Ok(None),
        };
    };
    if ending.value.is_empty() || ending.value.contains(['/', '\\']) {
        let message = "\"acknowledgement\" is what the name of the receiver's file has at its end";
        return Err(settings.error(ending, message).hint("write \".ack\""));
    }
    let within = within.unwrap_or(WITHIN);
    Ok(Some(Acknowledgement { ending: ending.value.clone(), within }))
}
