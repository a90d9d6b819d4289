//! Where traces get the messages of a connection from.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use diameter::codes::ORIGIN_HOST;
use diameter::frame::Message;
use runtime::sync::lock;

use super::switch::Switch;
use crate::line::now;
use crate::message_log::LoggedMessage;

/// The room for messages that wait for the writer. A message that is larger is left out.
const OCTETS: usize = 512 << 10;

/// Where traces get the messages of a connection from.
pub(crate) struct Tap {
    switch: Arc<Switch>,
    /// The address of the peer.
    address: SocketAddr,
    /// The name of the peer, once it has said it.
    host: OnceLock<Arc<str>>,
    copied: Mutex<Copied>,
}

/// The messages that wait for the writer.
#[derive(Debug, Default)]
struct Copied {
    octets: Vec<u8>,
    /// How many had no room.
    dropped: u64,
}

/// What was taken from a tap.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) host: Arc<str>,
    pub(super) address: SocketAddr,
    pub(super) octets: Vec<u8>,
    pub(super) dropped: u64,
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Default for Tap {
    /// Returns one from which no trace gets anything.
    fn default() -> Self {
        Tap::new(Arc::default(), SocketAddr::from(([0; 4], 0)))
    }
}

impl Tap {
    pub(super) fn new(switch: Arc<Switch>, address: SocketAddr) -> Self {
        Tap { switch, address, host: OnceLock::new(), copied: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Copied> {
        lock(&self.copied)
    }

    /// Notes the name of the peer: that of the node in its first message. Whether it is true is found out later.
    pub(crate) fn name(&self, first: &Message<'_>) {
        if let Some(host) = first.find(ORIGIN_HOST).and_then(|avp| avp.text().ok()) {
            let _ = self.host.set(host.into());
        }
    }

    /// Copies a message that came, if a trace runs.
    #[inline]
    pub(crate) fn received(&self, octets: &[u8]) {
        if self.switch.is_on() {
            self.copy(octets, false);
        }
    }

    /// Copies a message that this node sends, if a trace runs.
    #[inline]
    pub(crate) fn sent(&self, octets: &[u8]) {
        if self.switch.is_on() {
            self.copy(octets, true);
        }
    }

    #[cold]
    fn copy(&self, octets: &[u8], is_sent: bool) {
        let mut copied = self.lock();
        // Under the lock, so that times follow one another.
        let logged = LoggedMessage { at: now(), is_sent, octets };
        let (before, room) = (copied.octets.len(), logged.room());
        if before + room > OCTETS || !self.switch.reserve(room) {
            copied.dropped += 1;
            return self.switch.hurry();
        }
        logged.append_to(&mut copied.octets);
        if before < OCTETS / 2 && before + room >= OCTETS / 2 {
            self.switch.hurry();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().octets.is_empty()
    }

    /// Empties it. Returns what was in it; `None` if it was empty, and nothing was left out.
    pub(super) fn take(&self) -> Option<Taken> {
        let Copied { octets, dropped } = std::mem::take(&mut *self.lock());
        self.switch.release(octets.len());
        let host = self.host.get().cloned().unwrap_or_default();
        let is_something = !octets.is_empty() || dropped > 0;
        is_something.then_some(Taken { host, address: self.address, octets, dropped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_left_out_and_counted_until_it_is_emptied() {
        let tap = Tap::default();
        tap.received(&[1; 100]);
        assert!(tap.take().is_none(), "no trace runs");
        tap.switch.turn(true);
        let message = [1; OCTETS / 4];
        (0..5).for_each(|_| tap.received(&message));
        let taken = tap.take().unwrap();
        assert_eq!((taken.octets.len(), taken.dropped), (3 * (9 + OCTETS / 4), 2));
        tap.sent(&message);
        assert_eq!(tap.take().map(|of| of.dropped), Some(0));
        assert!(tap.take().is_none() && tap.is_empty());
    }

    #[test]
    fn all_taps_together_have_a_limit() {
        let switch = Arc::new(Switch::default());
        switch.turn(true);
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let taps: Vec<Tap> = (0..200).map(|_| Tap::new(Arc::clone(&switch), address)).collect();
        taps.iter().for_each(|tap| tap.received(&[1; OCTETS - 9]));
        let dropped: u64 = taps.iter().filter_map(Tap::take).map(|of| of.dropped).sum();
        assert_eq!(dropped, 200 - 128);
        taps[199].received(&[1; OCTETS - 9]);
        assert_eq!(taps[199].take().map(|of| of.dropped), Some(0), "there is room again");
    }
}
