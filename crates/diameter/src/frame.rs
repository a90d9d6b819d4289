//! Messages in a stream of octets.

use crate::avp::{Avp, AvpCode, Avps};
use crate::header::{HEADER_OCTETS, Header, VERSION};

/// The most octets of a message that is read, without another setting. Those of credit control have about a thousand.
pub const MESSAGE_OCTETS: usize = 1 << 20;

/// The most octets whatever the setting is: the answer, which repeats some of them, has a length of 24 bits, too.
const MESSAGE_OCTETS_MAX: usize = 8 << 20;

/// A message in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'m> {
    /// Its header.
    pub header: Header,
    /// All its octets, with the header.
    pub octets: &'m [u8],
}

impl<'m> Message<'m> {
    /// Returns its AVPs.
    pub fn avps(&self) -> Avps<'m> {
        Avps::new(&self.octets[HEADER_OCTETS..])
    }

    /// Returns its first AVP with a code, as far as it can be read.
    pub fn find(&self, code: AvpCode) -> Option<Avp<'m>> {
        self.avps().find_code(code)
    }
}

/// What is at the beginning of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'m> {
    /// A message. The next one is behind its octets.
    Message(Message<'m>),
    /// The beginning of a message, of which so many octets are needed at least.
    Needs(usize),
}

/// The stream is not one of messages: nothing behind can be read (RFC 6733 section 2.1 closes the connection).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The first octet is no version of the protocol: it is another protocol.
    #[error("the first octet of a message is {version}, and not version {VERSION} of Diameter")]
    Version {
        /// The octet.
        version: u8,
        /// The header, if it is there: an answer says what is wrong.
        header: Option<Header>,
    },
    /// A message says that it is shorter than a header, or its length is no multiple of 4.
    #[error("a message says that it has {} octets", header.length)]
    Length {
        /// Its header.
        header: Header,
    },
    /// A message is longer than is read.
    #[error("a message says that it has {} octets; {most} at most are read", header.length)]
    TooLong {
        /// Its header.
        header: Header,
        /// The most.
        most: usize,
    },
}

impl Frame<'_> {
    /// Reads what is at the beginning of a stream. A message has `most` octets at most.
    ///
    /// # Errors
    ///
    /// The stream is not one of messages.
    pub fn read(octets: &[u8], most: usize) -> Result<Frame<'_>, FrameError> {
        let most = most.min(MESSAGE_OCTETS_MAX);
        if let Some(version) = octets.first().copied().filter(|version| *version != VERSION) {
            let header = octets.first_chunk().map(Header::read);
            return Err(FrameError::Version { version, header });
        }
        let Some(header) = octets.first_chunk().map(Header::read) else {
            return Ok(Frame::Needs(HEADER_OCTETS));
        };
        let length = header.length as usize;
        if length < HEADER_OCTETS || !length.is_multiple_of(4) {
            return Err(FrameError::Length { header });
        }
        if length > most {
            return Err(FrameError::TooLong { header, most });
        }
        Ok(match octets.get(..length) {
            Some(octets) => Frame::Message(Message { header, octets }),
            None => Frame::Needs(length),
        })
    }
}

/// Returns the first of the messages that octets consist of. Over SCTP, each message of Diameter is a message of SCTP
/// (RFC 6733 section 2.1.1), so messages that are together are sent one by one.
pub fn first_message(octets: &[u8]) -> &[u8] {
    match Frame::read(octets, usize::MAX) {
        Ok(Frame::Message(message)) => message.octets,
        Ok(Frame::Needs(_)) | Err(_) => octets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(version: u8, length: u32) -> Vec<u8> {
        let header = Header {
            version,
            length,
            flags: 0,
            command: 280,
            application: 0,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = header.octets().to_vec();
        octets.extend([0, 0, 1, 8, 0, 0, 0, 9, b'a', 0, 0, 0]);
        octets
    }

    #[test]
    fn messages_are_found_one_behind_the_other() {
        let octets = [stream(1, 32), stream(1, 20)].concat();
        for end in 0..20 {
            assert_eq!(Frame::read(&octets[..end], 100), Ok(Frame::Needs(20)), "{end}");
        }
        for end in 20..32 {
            assert_eq!(Frame::read(&octets[..end], 100), Ok(Frame::Needs(32)), "{end}");
        }
        let Ok(Frame::Message(first)) = Frame::read(&octets, 100) else { panic!() };
        assert_eq!((first.octets.len(), first.avps().count()), (32, 1));
        let Ok(Frame::Message(second)) = Frame::read(&octets[32..], 100) else { panic!() };
        assert_eq!((second.octets.len(), second.avps().count()), (20, 0));
        assert_eq!(first_message(&octets), &octets[..32]);
        assert_eq!(first_message(&octets[32..]), &octets[32..52]);
        assert_eq!(first_message(&octets[..10]), &octets[..10], "what is not whole is not cut");
    }

    #[test]
    fn what_is_no_message_is_refused_at_once() {
        for length in [0, 5, 19, 21, 34] {
            assert!(
                matches!(Frame::read(&stream(1, length), 100), Err(FrameError::Length { .. })),
                "{length}"
            );
        }
        assert!(matches!(Frame::read(&stream(1, 104), 100), Err(FrameError::TooLong { .. })));
        let longest = Frame::read(&stream(1, 0xff_fffc), usize::MAX).map(drop);
        assert!(matches!(longest, Err(FrameError::TooLong { .. })));
        let octets = stream(2, 32);
        let other = Frame::read(&octets, 100);
        assert!(matches!(other, Err(FrameError::Version { version: 2, header: Some(_) })));
        // TLS and HTTP begin so.
        for octets in [&[22, 3, 1][..], b"GET / HTTP/1.1\r\n"] {
            assert!(matches!(
                Frame::read(octets, 100),
                Err(FrameError::Version { header: None, .. })
            ));
        }
    }
}
