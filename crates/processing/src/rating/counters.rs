//! The counters of subscribers that a file in hand meets. A subscriber's are one file's at a time, so that no unit of a
//! bundle is given twice; what the file's records counted goes into the journal with the file, or was never counted.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::SystemTime;

use ::rating::KeptCounters;
use node::{
    Claimed, Claims, Contested, FileNumber, JobNumber, Keeper, Kept, KeyDigest, Noted, Refusal,
    Refused, StateError, key_digest,
};

/// What the memory of a subscriber takes besides the octets of his counters.
const SUBSCRIBER_OCTETS: usize = 500;

/// What a node has for counters, in one worker.
pub(super) struct Counting {
    claims: Arc<Claims>,
    keeper: Option<Box<dyn Keeper>>,
    file: Option<FileInHand>,
    /// The file that goes first, where the one before gave up.
    after: Option<FileNumber>,
    /// What is kept of a subscriber, as it is read.
    octets: Vec<u8>,
}

struct FileInHand {
    claimed: Claimed,
    subscribers: Vec<Subscriber>,
    places: HashMap<KeyDigest, usize>,
    /// The places of those that the record in hand met.
    met: Vec<usize>,
}

struct Subscriber {
    name: String,
    counters: KeptCounters,
    is_changed: bool,
}

impl Counting {
    pub(super) fn new(claims: Arc<Claims>) -> Self {
        Counting { claims, keeper: None, file: None, after: None, octets: Vec::new() }
    }

    pub(super) fn entrust(&mut self, keeper: Box<dyn Keeper>) {
        self.keeper = Some(keeper);
    }

    pub(super) fn begin_file(&mut self, job: JobNumber) {
        self.file = Some(FileInHand {
            claimed: Claims::begin(&self.claims, job, self.after.take()),
            subscribers: Vec::new(),
            places: HashMap::new(),
            met: Vec::new(),
        });
    }

    /// The counters of a subscriber, for the current record.
    pub(super) fn of(&mut self, subscriber: &str) -> Result<&mut KeptCounters, Refusal> {
        let Self { keeper: Some(keeper), file: Some(file), after, octets, .. } = self else {
            return Err(Refusal::new("no file has begun"));
        };
        let digest = key_digest(subscriber.as_bytes());
        let place = match file.places.get(&digest) {
            Some(place) => *place,
            None => file.take(digest, subscriber, (keeper.as_mut(), octets), after)?,
        };
        file.met.push(place);
        Ok(&mut file.subscribers[place].counters)
    }

    pub(super) fn end_record(&mut self, is_kept: bool) {
        let Some(file) = &mut self.file else { return };
        for place in file.met.drain(..) {
            let subscriber = &mut file.subscribers[place];
            match is_kept {
                true => {
                    subscriber.is_changed |= subscriber.counters.is_changed();
                    subscriber.counters.keep();
                }
                false => subscriber.counters.take_back(),
            }
        }
    }

    pub(super) fn end_file(&mut self) -> Option<Box<dyn Noted>> {
        let FileInHand { claimed, subscribers, .. } = self.file.take()?;
        let changed = subscribers.into_iter().filter(|subscriber| subscriber.is_changed);
        let kept = changed.map(|Subscriber { name: key, counters, .. }| {
            let mut octets = Vec::new();
            counters.write(&mut octets);
            Kept { key, octets }
        });
        Some(Box::new(CountedByFile { kept: kept.collect(), _claimed: claimed }))
    }
}

impl FileInHand {
    /// Takes a subscriber for the file, with what is kept of him; returns his place.
    fn take(
        &mut self,
        digest: KeyDigest,
        subscriber: &str,
        (keeper, octets): (&mut dyn Keeper, &mut Vec<u8>),
        after: &mut Option<FileNumber>,
    ) -> Result<usize, Refusal> {
        if let Err(Contested(other)) = self.claimed.take(digest) {
            *after = Some(other);
            let reason = "a file that was begun later has a record of the same subscriber";
            return Err(Refusal::of(Refused::FileBegunAgain, reason));
        }
        octets.clear();
        keeper.read(subscriber, octets).map_err(not_now)?;
        let counters = match octets.as_slice() {
            [] => KeptCounters::default(),
            octets => KeptCounters::read(octets).map_err(|fault| {
                not_now(format!("the journal: subscriber \"{subscriber}\": {fault}"))
            })?,
        };
        self.claimed.grow(SUBSCRIBER_OCTETS + 4 * octets.len());
        let place = self.subscribers.len();
        self.subscribers.push(Subscriber { name: subscriber.into(), counters, is_changed: false });
        self.places.insert(digest, place);
        Ok(place)
    }
}

/// What two nodes have counted of one subscriber.
pub(super) fn add(one: &[u8], other: &[u8]) -> Result<Vec<u8>, StateError> {
    let read = |octets| KeptCounters::read(octets).map_err(StateError::octets);
    let mut both = read(one)?;
    both.add(&read(other)?);
    let mut octets = Vec::new();
    both.write(&mut octets);
    Ok(octets)
}

/// The file is tried again later.
#[cold]
fn not_now(why: impl Display) -> Refusal {
    Refusal::of(Refused::File, why.to_string())
}

/// What a file counted. Its subscribers are others' again when this goes away.
struct CountedByFile {
    kept: Vec<Kept>,
    _claimed: Claimed,
}

impl Noted for CountedByFile {
    fn kept(&mut self) -> Vec<Kept> {
        std::mem::take(&mut self.kept)
    }

    fn keep(self: Box<Self>, _: SystemTime) {}
}
