//! Where peers connect, over each transport.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};

use prepaid::DiameterNode;
use sctp::SctpError;
use tokio::net::TcpStream;

use crate::sctp_stream::PAYLOAD;
use crate::server::DiameterError;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Tcp,
    /// TLS over TCP.
    Tls,
    Sctp,
}

impl Transport {
    /// Its name, for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Tls => "tls",
            Transport::Sctp => "sctp",
        }
    }

    /// Prepares a connection that was accepted.
    pub(crate) fn prepare(self, stream: &TcpStream) {
        if self != Transport::Sctp {
            // Answers are gathered here, so Nagle's algorithm would only hold them back (RFC 3539 section 3.2 says otherwise).
            let _ = stream.set_nodelay(true);
        }
    }

    /// Returns the addresses of this node that a connection may use: one, or those of an endpoint of SCTP.
    pub(crate) fn local_addresses(self, stream: &TcpStream) -> io::Result<Vec<IpAddr>> {
        let addresses = match self {
            Transport::Tcp | Transport::Tls => vec![stream.local_addr()?],
            Transport::Sctp => sctp::local_addresses(stream)?,
        };
        Ok(addresses.iter().map(SocketAddr::ip).collect())
    }
}

/// Where peers connect.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) transport: Transport,
    /// The addresses, of which SCTP may have several.
    pub(crate) addresses: Vec<SocketAddr>,
    /// The socket, also one of SCTP.
    socket: TcpListener,
}

/// Listens at all addresses of a node.
pub(crate) fn all(settings: &DiameterNode) -> Result<Vec<Listener>, DiameterError> {
    let tls = settings.tls.iter().flat_map(|tls| &tls.listen);
    let tcp = settings.listen.iter().map(|address| Listener::tcp(Transport::Tcp, *address));
    let tls = tls.map(|address| Listener::tcp(Transport::Tls, *address));
    let sctp = settings.sctp.iter().map(|addresses| Listener::sctp(addresses));
    tcp.chain(tls).chain(sctp).collect()
}

impl Listener {
    fn tcp(transport: Transport, address: SocketAddr) -> Result<Self, DiameterError> {
        let refused = |cause| DiameterError::Listen { address, cause };
        let socket = TcpListener::bind(address).map_err(refused)?;
        let addresses = vec![socket.local_addr().map_err(refused)?];
        Ok(Listener { transport, addresses, socket })
    }

    fn sctp(addresses: &[SocketAddr]) -> Result<Self, DiameterError> {
        let refused = |cause| DiameterError::ListenSctp { addresses: addresses.to_vec(), cause };
        let socket = sctp::listen(addresses, PAYLOAD).map_err(refused)?;
        let local = socket.local_addr().map_err(|cause| refused(SctpError::System(cause)))?;
        let addresses = addresses.iter().map(|of| SocketAddr::new(of.ip(), local.port())).collect();
        Ok(Listener { transport: Transport::Sctp, addresses, socket })
    }

    /// Returns what accepts connections. It needs the runtime.
    pub(crate) fn accepting(self) -> io::Result<tokio::net::TcpListener> {
        self.socket.set_nonblocking(true)?;
        tokio::net::TcpListener::from_std(self.socket)
    }
}
