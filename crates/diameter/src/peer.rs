//! The state machine of a peer, row by row (RFC 6733 section 5.6). There may be two connections to a peer for a moment: one that
//! this node has initiated, and one that it has accepted. The rules leave one.
//!
//! What happens and what is to be done are values, so the machine does no input and output. Messages between peers that are
//! open are not the machine's.

use std::cmp::Ordering;

/// Where a peer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PeerState {
    /// There is no connection.
    #[default]
    Closed,
    /// This node connects.
    WaitConnAck,
    /// This node has connected, and has sent its capabilities.
    WaitICea,
    /// This node connects, and the peer has connected meanwhile.
    WaitConnAckElect,
    /// Both have connected. The peer keeps its own connection, which it closes or answers.
    WaitReturns,
    /// The peer has connected.
    ROpen,
    /// This node has connected.
    IOpen,
    /// One of both wants to disconnect.
    Closing,
}

/// Which connection to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one that this node has initiated.
    Initiator,
    /// The one that the peer has initiated.
    Responder,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeerEvent {
    /// A connection is wanted.
    Start,
    /// The peer has connected, and has sent its capabilities.
    ConnectionWithCer,
    /// This node has connected.
    Connected,
    /// This node could not connect.
    NotConnected,
    /// The peer has answered with its capabilities, on the connection of this node.
    Cea,
    /// It has sent something else before.
    NonCea,
    /// A connection is gone.
    Disconnected(Side),
    /// The peer asks to disconnect.
    Dpr(Side),
    /// It agrees to disconnect.
    Dpa(Side),
    /// It took too long.
    Timeout,
    /// The connection is to end.
    Stop,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeerAction {
    /// Connect.
    Connect,
    /// Keep the connection of the peer, and take its capabilities.
    Accept,
    /// Close the connection of the peer that has just sent its capabilities.
    Reject,
    /// Send the capabilities of this node.
    SendCer,
    /// Answer the capabilities of the peer.
    SendCea,
    /// Take the capabilities of the peer.
    TakeCea,
    /// Ask to disconnect.
    SendDpr(Side),
    /// Agree to disconnect.
    SendDpa(Side),
    /// Close a connection.
    Disconnect(Side),
    /// Close all connections, since something went wrong.
    Fail,
}

/// Returns whether this node wins an election: its name is the greater one as octets, without regard to the case of letters. It
/// keeps the connection of the peer then, and closes its own (section 5.6.4).
pub fn wins_election(local: &str, peer: &str) -> bool {
    let lower = |name: &str| name.to_ascii_lowercase().into_bytes();
    lower(local).cmp(&lower(peer)) == Ordering::Greater
}

impl PeerState {
    /// Returns whether requests may be sent and taken.
    pub fn is_open(self) -> bool {
        matches!(self, PeerState::ROpen | PeerState::IOpen)
    }

    /// Returns what is to be done after an event, in this order, and where the peer is then. `wins` says whether this node wins an
    /// [election](wins_election). What no row of the table has is passed over.
    pub fn after(self, event: PeerEvent, wins: bool) -> (&'static [PeerAction], PeerState) {
        use PeerAction::{
            Accept, Connect, Disconnect, Fail, Reject, SendCea, SendCer, SendDpa, SendDpr, TakeCea,
        };
        use PeerEvent::{
            Cea, Connected, ConnectionWithCer, Disconnected, Dpa, Dpr, NonCea, NotConnected, Start,
            Stop, Timeout,
        };
        use PeerState::{
            Closed, Closing, IOpen, ROpen, WaitConnAck, WaitConnAckElect, WaitICea, WaitReturns,
        };
        use Side::{Initiator, Responder};
        match (self, event) {
            (Closed, Start) => (&[Connect], WaitConnAck),
            (Closed, ConnectionWithCer) => (&[Accept, SendCea], ROpen),

            (WaitConnAck, Connected) => (&[SendCer], WaitICea),
            (WaitConnAck, NotConnected) => (&[Fail], Closed),
            (WaitConnAck, ConnectionWithCer) => (&[Accept], WaitConnAckElect),

            (WaitICea, Cea) => (&[TakeCea], IOpen),
            (WaitICea, ConnectionWithCer) if wins => {
                (&[Accept, Disconnect(Initiator), SendCea], ROpen)
            }
            (WaitICea, ConnectionWithCer) => (&[Accept], WaitReturns),
            (WaitICea, Disconnected(Initiator)) => (&[Disconnect(Initiator)], Closed),
            (WaitICea, NonCea) => (&[Fail], Closed),

            (WaitConnAckElect, Connected) if wins => {
                (&[SendCer, Disconnect(Initiator), SendCea], ROpen)
            }
            (WaitConnAckElect, Connected) => (&[SendCer], WaitReturns),
            (WaitConnAckElect, NotConnected) => (&[SendCea], ROpen),
            (WaitConnAckElect, Disconnected(Responder)) => (&[Disconnect(Responder)], WaitConnAck),

            (WaitReturns, Disconnected(Initiator)) => (&[Disconnect(Initiator), SendCea], ROpen),
            (WaitReturns, Cea) => (&[Disconnect(Responder), TakeCea], IOpen),
            (WaitReturns, Disconnected(Responder)) => (&[Disconnect(Responder)], WaitICea),

            (WaitConnAck | WaitICea | WaitConnAckElect | WaitReturns, Timeout) => (&[Fail], Closed),

            (ROpen, Stop) => (&[SendDpr(Responder)], Closing),
            (ROpen, Dpr(Responder)) => (&[SendDpa(Responder)], Closing),
            (ROpen, Disconnected(Responder)) => (&[Disconnect(Responder)], Closed),
            (IOpen, Stop) => (&[SendDpr(Initiator)], Closing),
            (IOpen, Dpr(Initiator)) => (&[SendDpa(Initiator)], Closing),
            (IOpen, Disconnected(Initiator)) => (&[Disconnect(Initiator)], Closed),

            (Closing, Dpa(Initiator) | Disconnected(Initiator)) => {
                (&[Disconnect(Initiator)], Closed)
            }
            (Closing, Dpa(Responder) | Disconnected(Responder)) => {
                (&[Disconnect(Responder)], Closed)
            }
            (Closing, Timeout) => (&[Fail], Closed),

            // The one that is there stays.
            (state, ConnectionWithCer) => (&[Reject], state),
            (state, _) => (&[], state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PeerAction::{
        Accept, Connect, Disconnect, Fail, Reject, SendCea, SendCer, SendDpa, SendDpr, TakeCea,
    };
    use PeerEvent::{
        Cea, Connected, ConnectionWithCer, Disconnected, Dpa, Dpr, NonCea, NotConnected, Start,
        Stop, Timeout,
    };
    use PeerState::{
        Closed, Closing, IOpen, ROpen, WaitConnAck, WaitConnAckElect, WaitICea, WaitReturns,
    };
    use Side::{Initiator as I, Responder as R};

    /// Where a peer is, what happens, who wins if that counts, what is done, and where the peer is then.
    type Row = (PeerState, PeerEvent, Option<bool>, &'static [PeerAction], PeerState);

    /// The table of section 5.6, without the rows of messages between open peers. Where it elects, there are two rows.
    const TABLE: &[Row] = &[
        (Closed, Start, None, &[Connect], WaitConnAck),
        (Closed, ConnectionWithCer, None, &[Accept, SendCea], ROpen),
        (WaitConnAck, Connected, None, &[SendCer], WaitICea),
        (WaitConnAck, NotConnected, None, &[Fail], Closed),
        (WaitConnAck, ConnectionWithCer, None, &[Accept], WaitConnAckElect),
        (WaitConnAck, Timeout, None, &[Fail], Closed),
        (WaitICea, Cea, None, &[TakeCea], IOpen),
        (WaitICea, ConnectionWithCer, Some(false), &[Accept], WaitReturns),
        (WaitICea, ConnectionWithCer, Some(true), &[Accept, Disconnect(I), SendCea], ROpen),
        (WaitICea, Disconnected(I), None, &[Disconnect(I)], Closed),
        (WaitICea, NonCea, None, &[Fail], Closed),
        (WaitICea, Timeout, None, &[Fail], Closed),
        (WaitConnAckElect, Connected, Some(false), &[SendCer], WaitReturns),
        (WaitConnAckElect, Connected, Some(true), &[SendCer, Disconnect(I), SendCea], ROpen),
        (WaitConnAckElect, NotConnected, None, &[SendCea], ROpen),
        (WaitConnAckElect, Disconnected(R), None, &[Disconnect(R)], WaitConnAck),
        (WaitConnAckElect, ConnectionWithCer, None, &[Reject], WaitConnAckElect),
        (WaitConnAckElect, Timeout, None, &[Fail], Closed),
        (WaitReturns, Disconnected(I), None, &[Disconnect(I), SendCea], ROpen),
        (WaitReturns, Cea, None, &[Disconnect(R), TakeCea], IOpen),
        (WaitReturns, Disconnected(R), None, &[Disconnect(R)], WaitICea),
        (WaitReturns, ConnectionWithCer, None, &[Reject], WaitReturns),
        (WaitReturns, Timeout, None, &[Fail], Closed),
        (ROpen, ConnectionWithCer, None, &[Reject], ROpen),
        (ROpen, Stop, None, &[SendDpr(R)], Closing),
        (ROpen, Dpr(R), None, &[SendDpa(R)], Closing),
        (ROpen, Disconnected(R), None, &[Disconnect(R)], Closed),
        (IOpen, ConnectionWithCer, None, &[Reject], IOpen),
        (IOpen, Stop, None, &[SendDpr(I)], Closing),
        (IOpen, Dpr(I), None, &[SendDpa(I)], Closing),
        (IOpen, Disconnected(I), None, &[Disconnect(I)], Closed),
        (Closing, Dpa(I), None, &[Disconnect(I)], Closed),
        (Closing, Dpa(R), None, &[Disconnect(R)], Closed),
        (Closing, Timeout, None, &[Fail], Closed),
        (Closing, Disconnected(I), None, &[Disconnect(I)], Closed),
        (Closing, Disconnected(R), None, &[Disconnect(R)], Closed),
    ];

    const STATES: [PeerState; 8] =
        [Closed, WaitConnAck, WaitICea, WaitConnAckElect, WaitReturns, ROpen, IOpen, Closing];
    const EVENTS: [PeerEvent; 14] = [
        Start,
        ConnectionWithCer,
        Connected,
        NotConnected,
        Cea,
        NonCea,
        Disconnected(I),
        Disconnected(R),
        Dpr(I),
        Dpr(R),
        Dpa(I),
        Dpa(R),
        Timeout,
        Stop,
    ];

    #[test]
    fn each_row_of_the_table_is_followed_and_nothing_else_happens() {
        for state in STATES {
            for (event, wins) in
                EVENTS.into_iter().flat_map(|event| [(event, false), (event, true)])
            {
                let is_row = |row: &&Row| {
                    (row.0, row.1) == (state, event) && row.2.is_none_or(|of| of == wins)
                };
                let (actions, next) = state.after(event, wins);
                match TABLE.iter().find(is_row) {
                    Some((.., expected, end)) => {
                        assert_eq!(
                            (actions, next),
                            (*expected, *end),
                            "{state:?} {event:?} {wins}"
                        );
                    }
                    // No row of the table has a second connection of a peer that is being closed.
                    None if event == ConnectionWithCer => {
                        assert_eq!((actions, next), (&[Reject][..], state))
                    }
                    None => assert_eq!((actions, next), (&[][..], state), "{state:?} {event:?}"),
                }
            }
        }
    }

    #[test]
    fn both_sides_of_an_election_come_to_inverse_results() {
        for (one, other) in [("a.example", "b.example"), ("A.example", "a.exampl"), ("x", "Y")] {
            assert_ne!(wins_election(one, other), wins_election(other, one), "{one} {other}");
        }
        assert!(wins_election("b.example.net", "A.example.net"));
        assert!(!wins_election("same", "SAME") && !wins_election("SAME", "same"));
    }
}
