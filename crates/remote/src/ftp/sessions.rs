//! TLS sessions of data connections. Many servers require each data connection to resume a session
//! of the control connection (vsftpd, `require_ssl_reuse`). In TLS 1.3 a ticket resumes one
//! session, and the server sends new tickets on each connection. An upload reads nothing from its
//! connection, so the tickets have to be read explicitly.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};
use suppaftp::{DataStream, TlsStream, TransferStream};

/// How long the server may take to close its side of a connection.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// The maximum octets of messages after a file: tickets and the closing alert.
const MESSAGES_MAX: usize = 1 << 16;

/// Signals the end of an upload, and reads the server's messages until it closes its side.
pub(super) fn end<T>(stream: &mut TransferStream<T>)
where
    T: TlsStream<InnerStream = StreamOwned<ClientConnection, TcpStream>>,
{
    if let DataStream::Ssl(stream) = stream.get_mut() {
        let StreamOwned { conn, sock } = stream.mut_ref();
        // The control connection reports whether the file arrived.
        let _ = take_tickets(conn, sock);
    }
}

fn take_tickets(conn: &mut ClientConnection, sock: &mut TcpStream) -> io::Result<()> {
    conn.send_close_notify();
    while conn.wants_write() {
        conn.write_tls(sock)?;
    }
    sock.shutdown(Shutdown::Write)?;
    sock.set_read_timeout(Some(ENDS_WITHIN))?;
    let mut octets = 0;
    while octets < MESSAGES_MAX {
        match conn.read_tls(sock)? {
            0 => return Ok(()),
            read => octets += read,
        }
        conn.process_new_packets().map_err(io::Error::other)?;
    }
    Ok(())
}
