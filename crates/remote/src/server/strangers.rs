//! Connections that have not logged in yet. Any client can open any number of them, so they are counted apart and take
//! no permits from network elements. If there are too many, the oldest is closed: a client that means to log in does so
//! at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The maximum number of connections without a login in all, and per address, which several network elements may share.
pub(super) const STRANGERS_MAX: usize = 128;
pub(super) const OF_ONE_MAX: usize = 32;

const _: () = assert!(OF_ONE_MAX < STRANGERS_MAX, "one address leaves places to others");

/// All connections without a login.
#[derive(Debug, Default)]
pub(crate) struct Strangers(Mutex<Waiting>);

/// These connections in the order of their arrival.
#[derive(Debug, Default)]
struct Waiting {
    by_turn: BTreeMap<u64, (IpAddr, Arc<Notify>)>,
    turns: u64,
}

/// A connection. It counts as one without a login until it is known or closed.
#[derive(Debug)]
pub(crate) struct Stranger {
    strangers: Arc<Strangers>,
    address: IpAddr,
    turn: Mutex<Option<u64>>,
    is_sent_away: Arc<Notify>,
}

impl Strangers {
    /// Adds a new connection.
    pub(crate) fn come(self: &Arc<Self>, from: IpAddr) -> Stranger {
        let (address, turn, is_sent_away) = (counted(from), Mutex::default(), Arc::default());
        let stranger = Stranger { strangers: Arc::clone(self), address, turn, is_sent_away };
        stranger.wait();
        stranger
    }

    /// Sends away the oldest connection without a login. Returns whether there was one.
    pub(super) fn send_oldest_away(&self) -> bool {
        self.waiting().send_away(|_| true)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn add(&mut self, address: IpAddr, is_sent_away: &Arc<Notify>) -> u64 {
        let own = self.by_turn.values().filter(|(of, _)| *of == address).count();
        if own >= OF_ONE_MAX {
            self.send_away(|of| of == address);
        } else if self.by_turn.len() >= STRANGERS_MAX {
            self.send_away(|_| true);
        }
        self.turns += 1;
        self.by_turn.insert(self.turns, (address, Arc::clone(is_sent_away)));
        self.turns
    }

    /// Sends away the oldest of these connections whose address fits. Returns whether there was one.
    fn send_away(&mut self, is_of: impl Fn(IpAddr) -> bool) -> bool {
        let longest = self.by_turn.iter().find(|(_, (address, _))| is_of(*address));
        if let Some(turn) = longest.map(|(turn, _)| *turn)
            && let Some((address, is_sent_away)) = self.by_turn.remove(&turn)
        {
            tracing::debug!("a connection of {address} was ended: others wait to log in");
            is_sent_away.notify_one();
            return true;
        }
        false
    }
}

impl Stranger {
    /// Marks the connection as logged in: it is not sent away while the result lives.
    pub(crate) fn known(&self) -> LoggedIn<'_> {
        if let Some(turn) = self.turn().take() {
            self.strangers.waiting().by_turn.remove(&turn);
        }
        LoggedIn(self)
    }

    /// Waits until the connection is sent away.
    pub(crate) async fn sent_away(&self) {
        self.is_sent_away.notified().await;
    }

    fn wait(&self) {
        let turn = self.strangers.waiting().add(self.address, &self.is_sent_away);
        *self.turn() = Some(turn);
    }

    fn turn(&self) -> MutexGuard<'_, Option<u64>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.known().forget();
    }
}

/// Marks a connection as known. Dropping this makes it the newest connection without a login.
#[derive(Debug)]
pub(crate) struct LoggedIn<'s>(&'s Stranger);

impl LoggedIn<'_> {
    /// Leaves the connection known for good.
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for LoggedIn<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// Returns the address to count: for IPv6, the /64 network.
fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the connection was sent away.
    fn is_gone(stranger: &Stranger) -> bool {
        stranger
            .turn()
            .is_some_and(|turn| !stranger.strangers.waiting().by_turn.contains_key(&turn))
    }

    #[test]
    fn who_has_waited_longest_makes_room_and_nobody_who_is_known() {
        let strangers = Arc::new(Strangers::default());
        let from = |last| IpAddr::from([10, 0, 0, last]);
        let known = strangers.come(from(1));
        known.known().forget();
        let all: Vec<Stranger> = (0..OF_ONE_MAX).map(|_| strangers.come(from(1))).collect();
        assert!(!all.iter().any(is_gone));
        let other = strangers.come(from(2));
        let more = strangers.come(from(1));
        assert!(is_gone(&all[0]) && !all[1..].iter().any(is_gone));
        assert!(!is_gone(&known) && !is_gone(&other) && !is_gone(&more));

        let last = |at: usize| from(3 + (at / OF_ONE_MAX) as u8);
        let many: Vec<Stranger> = (0..STRANGERS_MAX).map(|at| strangers.come(last(at))).collect();
        assert!(all.iter().all(is_gone) && is_gone(&other) && !is_gone(&known));
        assert!(!many.iter().any(is_gone));
        // A connection that stops being known is the newest one without a login.
        drop(known.known());
        assert!(is_gone(&many[0]) && !is_gone(&known));
        drop((all, other, more, many, known));
        assert!(strangers.waiting().by_turn.is_empty());
    }

    #[test]
    fn neighbours_of_ipv6_are_one_address() {
        assert_eq!(
            counted("2001:db8::1".parse().unwrap()),
            counted("2001:db8::2".parse().unwrap())
        );
        assert_ne!(
            counted("2001:db8::1".parse().unwrap()),
            counted("2001:db9::1".parse().unwrap())
        );
        assert_eq!(counted("::ffff:10.0.0.1".parse().unwrap()), IpAddr::from([10, 0, 0, 1]));
    }
}
