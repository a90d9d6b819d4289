//! A connection over SCTP, with the octets of one over TCP: what comes is joined, and what is written is cut.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use diameter::frame::first_message;
use sctp::Follows;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// The identifier of what is sent without DTLS, for the peer (RFC 6733 section 11.4).
pub(crate) const PAYLOAD: u32 = 46;

/// Returns what reads from a socket of SCTP and what writes to it.
pub(crate) fn split(socket: TcpStream) -> (SctpReader, SctpWriter) {
    let socket = Arc::new(socket);
    (SctpReader(Arc::clone(&socket)), SctpWriter(socket))
}

/// What a peer sends.
#[derive(Debug)]
pub(crate) struct SctpReader(Arc<TcpStream>);

impl AsyncRead for SctpReader {
    /// `poll_read` of the socket would wait for more after each message that is shorter than the buffer, and this does not.
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(context))?;
            match self.0.try_read_buf(to) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read.map(drop)),
            }
        }
    }
}

/// What is sent to a peer. Each message of Diameter is one of SCTP, whatever is written at once.
#[derive(Debug)]
pub(crate) struct SctpWriter(Arc<TcpStream>);

impl AsyncWrite for SctpWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let message = first_message(octets);
        let is_last = message.len() == octets.len();
        let follows = if is_last { Follows::Nothing } else { Follows::Message };
        loop {
            ready!(self.0.poll_write_ready(context))?;
            let send = || sctp::send(&*self.0, message, follows);
            match self.0.try_io(Interest::WRITABLE, send) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                sent => return Poll::Ready(sent.map(|()| message.len())),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(sctp::end(&*self.0))
    }
}
