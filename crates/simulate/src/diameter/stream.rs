//! The stream of a connection, over TCP or SCTP.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use diameter::frame::first_message;
use sctp::{Follows, SctpError};

use super::{DiameterLoad, DiameterLoadError, LoadTransport};

/// The identifier of what is sent over SCTP without DTLS (RFC 6733 section 11.4).
const PAYLOAD: u32 = 46;

/// The stream of a connection.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Sctp(TcpStream),
}

impl Stream {
    /// Connects. Reading fails after a time in which nothing comes.
    pub(super) fn connect(
        load: &DiameterLoad,
        read_within: Duration,
    ) -> Result<Self, DiameterLoadError> {
        let address = load.address;
        let broken = |cause| DiameterLoadError::Connection { address, cause };
        match load.transport {
            LoadTransport::Tcp => {
                let stream = TcpStream::connect(address).map_err(broken)?;
                stream.set_nodelay(true).map_err(broken)?;
                stream.set_read_timeout(Some(read_within)).map_err(broken)?;
                Ok(Stream::Tcp(stream))
            }
            LoadTransport::Sctp => match sctp::connect(address, PAYLOAD, read_within) {
                Ok(socket) => Ok(Stream::Sctp(socket)),
                Err(SctpError::System(cause)) => Err(broken(cause)),
                Err(cause) => Err(DiameterLoadError::Sctp { address, cause }),
            },
        }
    }
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) | Stream::Sctp(stream) => stream.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(octets),
            Stream::Sctp(socket) => {
                let message = first_message(octets);
                let is_last = message.len() == octets.len();
                let follows = if is_last { Follows::Nothing } else { Follows::Message };
                sctp::send(socket, message, follows)?;
                Ok(message.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
