//! SCTP of the kernel (RFC 9260). A socket has one association (RFC 6458 section 4), so the types for sockets of TCP fit: reading,
//! accepting and ending are the same. Three things differ:
//!
//! - What is [sent](send) at once is one message for the peer. Reading returns octets of one message at most, so a read that is
//!   shorter than its buffer says nothing about what else is there.
//! - Both ends may have several addresses.
//! - The options of TCP are not there.
//!
//! Where the kernel has no SCTP, there is none.

mod address;
mod option;

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use option::{DEFAULT_SEND, INITIAL, LOCAL_ADDRESSES, MORE_ADDRESSES, NO_DELAY};

/// The number of the protocol in IP.
const PROTOCOL: i32 = 132;

/// The connections that wait until they are accepted. The kernel may allow fewer.
const BACKLOG: i32 = 1_024;

/// The streams of a peer at most: the kernel has room for each. Everything is sent on the first one.
const STREAMS_MAX: u16 = 64;

/// The room for what waits to be sent, in octets, which is also the longest message. The kernel may allow less
/// (`net.core.wmem_max`).
const SEND_OCTETS: usize = 1 << 20;

/// Why SCTP cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SctpError {
    /// The kernel has no SCTP, or may not load it.
    #[error("this kernel has no SCTP: load its module with \"modprobe sctp\"")]
    Absent,
    /// The system refuses.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// What follows a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Nothing for now: it is sent at once.
    Nothing,
    /// Another message, which may go into the same packet.
    Message,
}

/// Listens at one or more addresses of the same port, which are one endpoint. A peer may use each of them, and another
/// one if one fails (RFC 9260 section 6.4). Port 0 is one that is free. `payload` is the identifier of what is sent.
///
/// # Errors
///
/// There is no SCTP, or an address is in use or not one of this machine.
pub fn listen(addresses: &[SocketAddr], payload: u32) -> Result<TcpListener, SctpError> {
    let is_v6 = addresses.iter().any(SocketAddr::is_ipv6);
    let socket = socket(if is_v6 { Domain::IPV6 } else { Domain::IPV4 }, payload)?;
    // A restart need not wait until associations of before have ended.
    socket.set_reuse_address(true)?;
    let packed: Vec<u8> = addresses.iter().flat_map(address::packed).collect();
    option::set(&socket, MORE_ADDRESSES, &packed)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Connects. Reading fails after a time in which nothing comes.
///
/// # Errors
///
/// There is no SCTP, or the peer does not answer.
pub fn connect(
    address: SocketAddr,
    payload: u32,
    read_within: Duration,
) -> Result<TcpStream, SctpError> {
    let socket = socket(Domain::for_address(address), payload)?;
    socket.connect(&address.into())?;
    socket.set_read_timeout(Some(read_within))?;
    Ok(socket.into())
}

fn socket(domain: Domain, payload: u32) -> Result<Socket, SctpError> {
    let socket =
        Socket::new(domain, Type::STREAM, Some(Protocol::from(PROTOCOL))).map_err(|error| {
            match error.raw_os_error() {
                Some(libc::EPROTONOSUPPORT | libc::ESOCKTNOSUPPORT) => SctpError::Absent,
                _ => error.into(),
            }
        })?;
    // Sockets that are accepted inherit all of them.
    option::set(&socket, NO_DELAY, &1_i32.to_ne_bytes())?;
    option::set(&socket, INITIAL, &option::initial(1, STREAMS_MAX))?;
    option::set(&socket, DEFAULT_SEND, &option::default_send(payload))?;
    socket.set_send_buffer_size(SEND_OCTETS)?;
    Ok(socket)
}

/// Sends a message.
///
/// # Errors
///
/// There is no room for it now, it is longer than the room for all, or the association is broken.
pub fn send(socket: &impl AsFd, message: &[u8], follows: Follows) -> io::Result<()> {
    let more = if follows == Follows::Message { libc::MSG_MORE } else { 0 };
    SockRef::from(socket).send_with_flags(message, libc::MSG_NOSIGNAL | more).map(drop)
}

/// Ends an association after what was sent.
///
/// # Errors
///
/// There is no association any more.
pub fn end(socket: &impl AsFd) -> io::Result<()> {
    SockRef::from(socket).shutdown(Shutdown::Write)
}

/// Returns the addresses of this end of an association.
///
/// # Errors
///
/// There is no association any more.
pub fn local_addresses(socket: &impl AsFd) -> io::Result<Vec<SocketAddr>> {
    // What the kernel does not write is no address.
    let mut packed = [0; address::ALL_OCTETS];
    option::get(&SockRef::from(socket), LOCAL_ADDRESSES, &mut packed)?;
    match address::unpacked(&packed) {
        addresses if addresses.is_empty() => Err(io::ErrorKind::AddrNotAvailable.into()),
        addresses => Ok(addresses),
    }
}
