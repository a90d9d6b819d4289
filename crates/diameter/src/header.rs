//! The header of a message (RFC 6733 section 3).
//!
//! ```text
//! version (1) │ length (3) │ flags (1) │ command (3) │ application (4) │ hop-by-hop (4) │ end-to-end (4)
//! ```

/// The octets of a header.
pub const HEADER_OCTETS: usize = 20;

/// The version of the protocol.
pub const VERSION: u8 = 1;

/// The flags of a command.
pub mod flags {
    /// It is a request, and no answer.
    pub const REQUEST: u8 = 0x80;
    /// Agents may send it on.
    pub const PROXIABLE: u8 = 0x40;
    /// It is an answer to a protocol error.
    pub const ERROR: u8 = 0x20;
    /// It may have been sent before.
    pub const RETRANSMITTED: u8 = 0x10;
}

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version; 1.
    pub version: u8,
    /// The octets of the message with this header: 24 bits.
    pub length: u32,
    /// Its [`flags`].
    pub flags: u8,
    /// The command: 24 bits.
    pub command: u32,
    /// The application.
    pub application: u32,
    /// What matches requests and answers on a connection.
    pub hop_by_hop: u32,
    /// What finds requests that come again, together with their Origin-Host.
    pub end_to_end: u32,
}

impl Header {
    /// Reads a header.
    pub fn read(octets: &[u8; HEADER_OCTETS]) -> Self {
        let word = |place: usize| {
            u32::from_be_bytes([
                octets[place],
                octets[place + 1],
                octets[place + 2],
                octets[place + 3],
            ])
        };
        let (first, second) = (word(0), word(4));
        Header {
            version: (first >> 24) as u8,
            length: first & 0x00ff_ffff,
            flags: (second >> 24) as u8,
            command: second & 0x00ff_ffff,
            application: word(8),
            hop_by_hop: word(12),
            end_to_end: word(16),
        }
    }

    /// Returns its octets.
    pub fn octets(&self) -> [u8; HEADER_OCTETS] {
        let Header { version, length, flags, command, application, hop_by_hop, end_to_end } = *self;
        let first = u32::from(version) << 24 | length & 0x00ff_ffff;
        let second = u32::from(flags) << 24 | command & 0x00ff_ffff;
        let mut octets = [0; HEADER_OCTETS];
        let words = [first, second, application, hop_by_hop, end_to_end];
        for (place, word) in octets.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        octets
    }

    /// Returns whether it is that of a request.
    pub fn is_request(&self) -> bool {
        self.flags & flags::REQUEST != 0
    }

    /// Returns whether it may have been sent before.
    pub fn is_retransmitted(&self) -> bool {
        self.flags & flags::RETRANSMITTED != 0
    }

    /// Returns the header of an answer. The P bit is that of the request (RFC 6733 section 6.2); the length is set when the
    /// answer is written.
    pub fn answer(&self) -> Self {
        Header { version: VERSION, length: 0, flags: self.flags & flags::PROXIABLE, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_is_written() {
        let header = Header {
            version: 1,
            length: 0xab_cdef,
            flags: flags::REQUEST | flags::PROXIABLE | flags::RETRANSMITTED,
            command: 272,
            application: 4,
            hop_by_hop: 0x0102_0304,
            end_to_end: u32::MAX,
        };
        assert_eq!(Header::read(&header.octets()), header);
        assert!(header.is_request() && header.is_retransmitted());
        let answer = header.answer();
        assert!(!answer.is_request());
        assert_eq!((answer.flags, answer.hop_by_hop), (flags::PROXIABLE, header.hop_by_hop));
    }
}
