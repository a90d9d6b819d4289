//! The options of sockets (RFC 6458 section 8, and `linux/sctp.h`), as their octets.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::AsRawFd as _;

use libc::socklen_t;
use socket2::Socket;

use crate::PROTOCOL;

/// An option, by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SocketOption(i32);

/// How many streams an association has.
pub(crate) const INITIAL: SocketOption = SocketOption(2);
/// Messages are sent at once.
pub(crate) const NO_DELAY: SocketOption = SocketOption(3);
/// How a message is sent that has no instructions.
pub(crate) const DEFAULT_SEND: SocketOption = SocketOption(34);
/// Adds addresses to an endpoint.
pub(crate) const MORE_ADDRESSES: SocketOption = SocketOption(100);
/// The addresses of this end of an association.
pub(crate) const LOCAL_ADDRESSES: SocketOption = SocketOption(109);

/// Returns the value of [`INITIAL`]: how many streams there are to the peer, and from it at most.
pub(crate) fn initial(to_peer: u16, from_peer_max: u16) -> [u8; 8] {
    // The attempts and the time of them are those of the system.
    joined([to_peer, from_peer_max, 0, 0])
}

fn joined(parts: [u16; 4]) -> [u8; 8] {
    let mut octets = [0; 8];
    for (to, part) in octets.chunks_exact_mut(2).zip(parts) {
        to.copy_from_slice(&part.to_ne_bytes());
    }
    octets
}

/// Returns the value of [`DEFAULT_SEND`]: the first stream, in order, with an identifier of the payload.
pub(crate) fn default_send(payload: u32) -> [u8; 16] {
    let mut octets = [0; 16];
    // The kernel sends the identifier as its octets are here.
    octets[4..8].copy_from_slice(&payload.to_be_bytes());
    octets
}

/// Sets an option.
pub(crate) fn set(
    socket: &Socket,
    SocketOption(name): SocketOption,
    value: &[u8],
) -> io::Result<()> {
    let length = socklen_t::try_from(value.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the kernel reads `length` octets at the beginning of `value`, which has as many.
    let done = unsafe {
        libc::setsockopt(socket.as_raw_fd(), PROTOCOL, name, value.as_ptr().cast(), length)
    };
    done_well(done)
}

/// Reads an option. How many octets the kernel says to have written is not returned: for addresses, it counts only some of them.
pub(crate) fn get(
    socket: &Socket,
    SocketOption(name): SocketOption,
    value: &mut [u8],
) -> io::Result<()> {
    let mut length = socklen_t::try_from(value.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the kernel writes `length` octets at most to `value`, which has as many, and to `length` how many it wrote.
    let done = unsafe {
        let to = value.as_mut_ptr().cast();
        libc::getsockopt(socket.as_raw_fd(), PROTOCOL, name, to, &mut length)
    };
    done_well(done)
}

fn done_well(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
