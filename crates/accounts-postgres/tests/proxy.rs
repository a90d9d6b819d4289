//! A proxy between a front and the server that cuts connections: before a request has reached the server, or before its
//! answer has reached the front.

use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::random::Random;

/// A proxy that runs until the test ends.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    faults: Arc<Faults>,
}

struct Faults {
    /// Of this many pieces of a connection, one is cut; 0 for none.
    one_of: AtomicU64,
    random: Mutex<Random>,
    /// The connections that were cut before a request, and before an answer.
    cut: [AtomicU64; 2],
}

impl Proxy {
    /// Starts a proxy in front of a socket.
    pub(crate) fn start(socket: PathBuf, seed: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let faults = Arc::new(Faults {
            one_of: AtomicU64::new(0),
            random: Mutex::new(Random(seed)),
            cut: Default::default(),
        });
        let shared = Arc::clone(&faults);
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                // The server may be down.
                let Ok(server) = UnixStream::connect(&socket) else { continue };
                let (to_server, to_client) = (server.try_clone(), client.try_clone());
                let (to_server, to_client) =
                    (to_server.expect("a copy"), to_client.expect("a copy"));
                let (up, down) = (Arc::clone(&shared), Arc::clone(&shared));
                thread::spawn(move || up.pump(0, client, to_server));
                thread::spawn(move || down.pump(1, server, to_client));
            }
        });
        Proxy { port, faults }
    }

    /// Cuts one of so many pieces from now on; 0 for none.
    pub(crate) fn cut_one_of(&self, count: u64) {
        self.faults.one_of.store(count, Ordering::Relaxed);
    }

    /// Returns how many connections were cut before a request, and before an answer.
    pub(crate) fn cut(&self) -> [u64; 2] {
        [0, 1].map(|way| self.faults.cut[way].load(Ordering::Relaxed))
    }
}

impl Faults {
    fn pump(&self, direction: usize, mut from: impl Stream, mut to: impl Stream) {
        let mut piece = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut piece) {
            let one_of = self.one_of.load(Ordering::Relaxed);
            if one_of > 0 && self.random.lock().expect("no panic").below(one_of) == 0 {
                self.cut[direction].fetch_add(1, Ordering::Relaxed);
                break;
            }
            if to.write_all(&piece[..count]).is_err() {
                break;
            }
        }
        from.end();
        to.end();
    }
}

trait Stream: std::io::Read + std::io::Write {
    fn end(&self);
}

impl Stream for TcpStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Stream for UnixStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}
