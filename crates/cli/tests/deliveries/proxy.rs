//! A line between the gateway and a server that a test can cut, slow down, narrow and hold up. Unless stated otherwise,
//! its address is 127.0.0.2.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long to wait for a port.
const PORT_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct Line {
    /// Octets that still pass in each direction before the line is cut, by [`Way`]; less than 0 for no cut.
    until_cut: [AtomicI64; 2],
    /// How often the line was cut.
    cuts: AtomicU64,
    /// The number of directions of connections that are not closed.
    open: AtomicU64,
    /// How many connections there were.
    connections: AtomicU64,
    /// How many connections may exist at a time; 0 for no limit.
    connections_max: AtomicU64,
    /// The delay of each piece, in milliseconds.
    late_ms: AtomicU64,
    /// Octets per second in each direction of each connection; 0 for no limit.
    rate: AtomicU64,
    /// Set while nothing passes.
    is_held: AtomicBool,
    /// Set when the line accepts no more connections.
    is_ended: AtomicBool,
}

/// A direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Out,
    Back,
}

/// A line that listens until it is dropped: if it went on, it would take the ports of a server that has ended from the
/// next one.
pub(crate) struct Proxy {
    line: Arc<Line>,
    pub(crate) port: u16,
    listeners: Vec<Listener>,
}

struct Listener {
    at: SocketAddr,
    thread: JoinHandle<()>,
}

impl Proxy {
    /// Creates a line to a server, and to the other ports that the server names to its clients, which have the same
    /// numbers on the line.
    pub(crate) fn to(server: u16, others: &[u16]) -> Self {
        let mut proxy = Proxy::at("127.0.0.2", server);
        let listeners =
            others.iter().map(|other| listen(&proxy.line, ("127.0.0.2", *other), *other));
        let listeners: Vec<_> = listeners.collect();
        proxy.listeners.extend(listeners);
        proxy
    }

    /// Creates a line to a server, at another address.
    pub(crate) fn at(address: &'static str, server: u16) -> Self {
        let line = Arc::new(Line { until_cut: [-1, -1].map(AtomicI64::new), ..Line::default() });
        let listener = listen(&line, (address, 0), server);
        Proxy { line, port: listener.at.port(), listeners: vec![listener] }
    }

    /// Cuts the line once, after `octets` octets have gone to the server.
    pub(crate) fn cut_after(&self, octets: i64) {
        self.cut(Way::Out, octets);
    }

    /// Cuts the line once, after `octets` octets have come from the server.
    pub(crate) fn cut_back_after(&self, octets: i64) {
        self.cut(Way::Back, octets);
    }

    fn cut(&self, way: Way, octets: i64) {
        self.line.until_cut[way as usize].store(octets, Ordering::SeqCst);
    }

    pub(crate) fn cuts(&self) -> u64 {
        self.line.cuts.load(Ordering::SeqCst)
    }

    /// Returns whether no connection is open, so that a cut that is requested now applies to the next one.
    pub(crate) fn is_quiet(&self) -> bool {
        self.line.open.load(Ordering::SeqCst) == 0
    }

    /// Returns how many connections there were.
    pub(crate) fn connections(&self) -> u64 {
        self.line.connections.load(Ordering::SeqCst)
    }

    /// Limits the number of connections at a time: additional ones are closed at once.
    pub(crate) fn take_at_most(&self, connections: u64) {
        self.line.connections_max.store(connections, Ordering::SeqCst);
    }

    pub(crate) fn delay(&self, milliseconds: u64) {
        self.line.late_ms.store(milliseconds, Ordering::SeqCst);
    }

    /// Limits the octets per second.
    pub(crate) fn limit(&self, octets: u64) {
        self.line.rate.store(octets, Ordering::SeqCst);
    }

    pub(crate) fn hold(&self, is_held: bool) {
        self.line.is_held.store(is_held, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.line.is_ended.store(true, Ordering::SeqCst);
        for Listener { at, thread } in self.listeners.drain(..) {
            // Another connection wakes the thread.
            let _ = TcpStream::connect(at);
            let _ = thread.join();
        }
    }
}

/// Ports that the system does not assign by itself (it assigns 32768 to 60999): a line with one of those could take a
/// port that a server needs for its data connections.
const OWN_PORTS: Range<u16> = 20_000..32_000;

/// The next port that a line of this process tries.
static NEXT_PORT: AtomicU64 = AtomicU64::new(0);

fn own_port() -> u16 {
    let next = NEXT_PORT.fetch_add(1, Ordering::SeqCst) + u64::from(std::process::id()) * 61;
    OWN_PORTS.start + (next % OWN_PORTS.len() as u64) as u16
}

fn listen(line: &Arc<Line>, (address, port): (&str, u16), server: u16) -> Listener {
    let begun = Instant::now();
    let listener = loop {
        let port = if port == 0 { own_port() } else { port };
        match TcpListener::bind((address, port)) {
            Ok(listener) => break listener,
            Err(error) => assert!(begun.elapsed() < PORT_WAIT, "{address}:{port}: {error}"),
        }
        thread::sleep(Duration::from_millis(50));
    };
    let at = listener.local_addr().unwrap();
    let shared = Arc::clone(line);
    let thread = thread::spawn(move || {
        for there in listener.incoming().map_while(Result::ok) {
            if shared.is_ended.load(Ordering::SeqCst) {
                return;
            }
            let most = shared.connections_max.load(Ordering::SeqCst);
            if most > 0 && shared.open.load(Ordering::SeqCst) >= 2 * most {
                continue;
            }
            let Ok(here) = TcpStream::connect(("127.0.0.1", server)) else { continue };
            shared.connections.fetch_add(1, Ordering::SeqCst);
            for (from, to, way) in [
                (there.try_clone().unwrap(), here.try_clone().unwrap(), Way::Out),
                (here, there, Way::Back),
            ] {
                let line = Arc::clone(&shared);
                line.open.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    carry(&line, from, to, way);
                    line.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        }
    });
    Listener { at, thread }
}

/// Waits as long as a piece takes at the rate of the line.
fn wait(line: &Line, octets: usize) {
    let begun = Instant::now();
    loop {
        let rate = line.rate.load(Ordering::SeqCst);
        let wait = if rate == 0 { 0.0 } else { octets as f64 / rate as f64 };
        if begun.elapsed().as_secs_f64() >= wait {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn carry(line: &Line, mut from: TcpStream, mut to: TcpStream, way: Way) {
    let until_cut = &line.until_cut[way as usize];
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer) {
        if read == 0 {
            break;
        }
        while line.is_held.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(line.late_ms.load(Ordering::SeqCst)));
        wait(line, read);
        let mut goes = read;
        if until_cut.load(Ordering::SeqCst) >= 0 {
            let left = until_cut.fetch_sub(read as i64, Ordering::SeqCst);
            if left < read as i64 {
                // Only the allowed octets arrive, and nothing after them.
                goes = left.max(0) as usize;
                until_cut.store(-1, Ordering::SeqCst);
                line.cuts.fetch_add(1, Ordering::SeqCst);
                let _ = from.shutdown(Shutdown::Both);
            }
        }
        if to.write_all(&buffer[..goes]).is_err() || goes < read {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
