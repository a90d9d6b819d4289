//! The TLS sessions of lines on which files go. Many servers want each of them to go on with a session of the first line
//! (vsftpd, `require_ssl_reuse`). With TLS 1.3 what that is done by is a ticket that serves once, and the server gives others on
//! each line: where files only go, somebody has to read them.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};
use suppaftp::{DataStream, TlsStream, TransferStream};

/// How long the server may take to end its half of a line.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// Octets of messages behind a file, at most: tickets and a farewell.
const MESSAGES_MAX: usize = 1 << 16;

/// Says that all of a file was sent, and reads what the server says on the line before it ends it.
pub(super) fn end<T>(stream: &mut TransferStream<T>)
where
    T: TlsStream<InnerStream = StreamOwned<ClientConnection, TcpStream>>,
{
    if let DataStream::Ssl(stream) = stream.get_mut() {
        let StreamOwned { conn, sock } = stream.mut_ref();
        // Whether the file came the server says on the other line.
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
