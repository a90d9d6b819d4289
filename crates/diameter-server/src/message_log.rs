//! The last messages of a connection, in memory. They are copied into room that is there, so a message costs no allocation.

use diameter::frame::{Frame, MESSAGE_OCTETS};

/// The octets before each message: its time, and whether it was sent.
const HEAD_OCTETS: usize = 9;

/// The last messages of a connection: as many as fit in its room, or half of it at least.
#[derive(Debug, Default)]
pub(crate) struct MessageLog {
    /// The room of each half.
    room: usize,
    /// The half that is written.
    newer: Vec<u8>,
    /// The half that was full.
    older: Vec<u8>,
}

/// A message of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoggedMessage<'l> {
    /// When, in microseconds since 1970.
    pub(crate) at: i64,
    /// Whether this node sent it.
    pub(crate) is_sent: bool,
    /// The message.
    pub(crate) octets: &'l [u8],
}

impl LoggedMessage<'_> {
    /// Returns the octets that it takes among others.
    pub(crate) fn room(&self) -> usize {
        HEAD_OCTETS + self.octets.len()
    }

    /// Appends it to others, to be read by [`messages`].
    pub(crate) fn append_to(&self, others: &mut Vec<u8>) {
        others.extend(self.at.to_be_bytes());
        others.push(u8::from(self.is_sent));
        others.extend_from_slice(self.octets);
    }
}

impl MessageLog {
    /// Returns a log with room for some octets.
    pub(crate) fn new(octets: usize) -> Self {
        MessageLog { room: octets / 2, ..MessageLog::default() }
    }

    /// Adds a message. One that is larger than the room is left out.
    pub(crate) fn add(&mut self, message: LoggedMessage<'_>) {
        let needed = message.room();
        if needed > self.room {
            return;
        }
        if self.newer.len() + needed > self.room {
            std::mem::swap(&mut self.newer, &mut self.older);
            self.newer.clear();
        }
        message.append_to(&mut self.newer);
    }

    /// Returns whether it has no messages.
    pub(crate) fn is_empty(&self) -> bool {
        self.newer.is_empty()
    }

    /// Returns a copy of its octets, to be read by [`messages`].
    pub(crate) fn octets(&self) -> Vec<u8> {
        [&self.older[..], &self.newer].concat()
    }
}

/// Returns the messages of a copy, in the order in which they were added.
pub(crate) fn messages(octets: &[u8]) -> impl Iterator<Item = LoggedMessage<'_>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        let (head, behind) = rest.split_first_chunk::<HEAD_OCTETS>()?;
        let (at, is_sent) = head.split_first_chunk()?;
        let Ok(Frame::Message(message)) = Frame::read(behind, MESSAGE_OCTETS) else { return None };
        rest = &behind[message.octets.len()..];
        let at = i64::from_be_bytes(*at);
        Some(LoggedMessage { at, is_sent: is_sent == [1], octets: message.octets })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diameter::avp::AvpCode;
    use diameter::header::{Header, VERSION};
    use diameter::write;

    fn message(text: &str) -> Vec<u8> {
        let header = Header {
            version: VERSION,
            length: 0,
            flags: 0,
            command: 280,
            application: 0,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, |to| to.text(AvpCode::ietf(1), text));
        octets
    }

    #[test]
    fn the_last_messages_are_there() {
        let mut log = MessageLog::new(1_000);
        for at in 0..100 {
            let octets = message(&format!("{at:04}"));
            log.add(LoggedMessage { at, is_sent: at % 2 == 1, octets: &octets });
        }
        let too_large = message(&"x".repeat(600));
        log.add(LoggedMessage { at: 100, is_sent: true, octets: &too_large });
        let copy = log.octets();
        let all: Vec<_> = messages(&copy).collect();
        assert!(all.len() >= 10 && copy.len() <= 1_000, "{}", all.len());
        let first = 100 - all.len() as i64;
        for (at, logged) in (first..).zip(&all) {
            let octets = message(&format!("{at:04}"));
            assert_eq!(*logged, LoggedMessage { at, is_sent: at % 2 == 1, octets: &octets });
        }
    }

    #[test]
    fn a_log_without_room_has_nothing() {
        let mut log = MessageLog::new(0);
        log.add(LoggedMessage { at: 1, is_sent: true, octets: &message("") });
        assert!(log.is_empty() && messages(&log.octets()).next().is_none());
    }
}
