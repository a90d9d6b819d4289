//! The watchdog of a connection (RFC 3539 section 3.4.1): a peer that says nothing gets a question, and is given up if it does
//! not answer.
//!
//! Each interval differs a little, so that the watchdogs of many connections do not fire at once. The caller has the timer.

/// The least interval, in milliseconds (RFC 3539 section 3.4.1).
pub const INTERVAL_MIN: u64 = 6_000;

/// The usual interval.
pub const INTERVAL: u64 = 30_000;

/// How much an interval is longer or shorter at most.
const JITTER: u64 = 2_000;

/// How the peer of a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Liveness {
    /// There was no connection yet.
    #[default]
    Initial,
    /// It answers.
    Okay,
    /// It does not answer: what waits for its answers goes elsewhere.
    Suspect,
    /// The connection was given up, or is gone.
    Down,
    /// It is back, and must prove itself.
    Reopen,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchdogAction {
    /// Ask the peer whether it is there.
    SendDwr,
    /// Send requests that wait elsewhere, and new ones too.
    FailOver,
    /// Use the peer again.
    FailBack,
    /// Close the connection.
    Close,
    /// Connect.
    Connect,
}

/// What came from a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// The answer to a question of the watchdog.
    Dwa,
    /// Something else.
    Other,
}

/// The answers that a peer that is back must give before it is used.
const PROOFS: i8 = 3;

/// The watchdog of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watchdog {
    state: Liveness,
    /// Whether a question has no answer yet.
    is_pending: bool,
    /// The answers since the peer is back. Its second chance counts as one that it owes.
    proofs: i8,
}

impl Watchdog {
    /// Returns how the peer is.
    pub fn liveness(&self) -> Liveness {
        self.state
    }

    /// Returns whether requests may be sent to the peer.
    pub fn is_usable(&self) -> bool {
        self.state == Liveness::Okay
    }

    /// Notes that something came. The timer begins again, unless the peer is only back.
    pub fn received(&mut self, what: Received) -> Option<WatchdogAction> {
        if what == Received::Dwa {
            self.is_pending = false;
        }
        match (self.state, what) {
            (Liveness::Suspect, _) => {
                self.state = Liveness::Okay;
                Some(WatchdogAction::FailBack)
            }
            (Liveness::Reopen, Received::Dwa) => {
                self.proofs += 1;
                if self.proofs < PROOFS {
                    return None;
                }
                self.state = Liveness::Okay;
                Some(WatchdogAction::FailBack)
            }
            _ => None,
        }
    }

    /// Notes that the timer is over. It begins again.
    pub fn timer_over(&mut self) -> Option<WatchdogAction> {
        Some(match self.state {
            Liveness::Okay | Liveness::Reopen if !self.is_pending => {
                self.is_pending = true;
                WatchdogAction::SendDwr
            }
            Liveness::Okay => {
                self.state = Liveness::Suspect;
                WatchdogAction::FailOver
            }
            Liveness::Reopen if self.proofs >= 0 => {
                self.proofs = -1;
                return None;
            }
            Liveness::Suspect | Liveness::Reopen => {
                self.state = Liveness::Down;
                WatchdogAction::Close
            }
            Liveness::Initial | Liveness::Down => WatchdogAction::Connect,
        })
    }

    /// Notes that the peer is connected. The timer begins.
    pub fn connected(&mut self) -> Option<WatchdogAction> {
        match self.state {
            Liveness::Down => {
                *self = Watchdog { state: Liveness::Reopen, is_pending: true, proofs: 0 };
                Some(WatchdogAction::SendDwr)
            }
            _ => {
                *self = Watchdog { state: Liveness::Okay, ..Watchdog::default() };
                None
            }
        }
    }

    /// Notes that the connection is gone.
    pub fn disconnected(&mut self) -> Option<WatchdogAction> {
        let before = std::mem::replace(&mut self.state, Liveness::Down);
        (before == Liveness::Okay).then_some(WatchdogAction::FailOver)
    }
}

/// Returns the milliseconds of a timer, by a random number: the interval, 2 seconds longer or shorter at most.
pub fn timer(interval: u64, random: u64) -> u64 {
    interval.max(INTERVAL_MIN) - JITTER + random % (2 * JITTER + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up() -> Watchdog {
        let mut watchdog = Watchdog::default();
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::Connect));
        assert_eq!(watchdog.connected(), None);
        watchdog
    }

    #[test]
    fn a_peer_that_answers_is_asked_and_stays() {
        let mut watchdog = up();
        for _ in 0..10 {
            assert_eq!(watchdog.timer_over(), Some(WatchdogAction::SendDwr));
            assert_eq!(watchdog.received(Received::Dwa), None);
            assert!(watchdog.is_usable());
        }
    }

    #[test]
    fn a_peer_that_is_silent_is_given_up_after_two_intervals() {
        let mut watchdog = up();
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::SendDwr));
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::FailOver));
        assert_eq!(watchdog.liveness(), Liveness::Suspect);
        let mut other = watchdog;
        assert_eq!(other.received(Received::Other), Some(WatchdogAction::FailBack));
        assert!(other.is_usable());
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::Close));
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::Connect));
    }

    #[test]
    fn a_peer_that_is_back_proves_itself_three_times() {
        let mut watchdog = up();
        assert_eq!(watchdog.disconnected(), Some(WatchdogAction::FailOver));
        assert_eq!(watchdog.connected(), Some(WatchdogAction::SendDwr));
        for proof in 1..=3 {
            assert!(!watchdog.is_usable());
            let expected = (proof == 3).then_some(WatchdogAction::FailBack);
            assert_eq!(watchdog.received(Received::Other), None);
            assert_eq!(watchdog.received(Received::Dwa), expected, "{proof}");
            if proof < 3 {
                assert_eq!(watchdog.timer_over(), Some(WatchdogAction::SendDwr));
            }
        }
        assert!(watchdog.is_usable());
    }

    #[test]
    fn a_peer_that_is_back_and_silent_is_given_up_after_its_second_chance() {
        let mut watchdog = up();
        watchdog.disconnected();
        watchdog.connected();
        assert_eq!(watchdog.timer_over(), None);
        assert_eq!(watchdog.liveness(), Liveness::Reopen);
        assert_eq!(watchdog.timer_over(), Some(WatchdogAction::Close));
        assert_eq!(watchdog.liveness(), Liveness::Down);
    }

    #[test]
    fn intervals_differ_and_are_not_too_short() {
        assert_eq!((timer(30_000, 0), timer(30_000, 4_000)), (28_000, 32_000));
        assert_eq!(timer(1, 2_000), INTERVAL_MIN);
    }
}
