//! A line between the gateway and a server that a test cuts, slows, narrows and holds up. It is reached at 127.0.0.2, if
//! nothing is said.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long is waited for a port.
const PORT_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct Line {
    /// Octets that still go each way before the line is cut, by [`Way`]; less than 0 for no cut.
    until_cut: [AtomicI64; 2],
    /// How often it was cut.
    cuts: AtomicU64,
    /// Directions of connections that are not closed.
    open: AtomicU64,
    /// How many connections there were.
    connections: AtomicU64,
    /// How many there may be at a time; 0 for as many as are asked for.
    connections_max: AtomicU64,
    /// Milliseconds that each piece is late.
    late_ms: AtomicU64,
    /// Octets that go through in a second, each way of each connection; 0 where as many do as there are.
    rate: AtomicU64,
    /// Set while nothing goes through.
    is_held: AtomicBool,
    /// Set when it takes no more connections.
    is_ended: AtomicBool,
}

/// A direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Out,
    Back,
}

/// It listens as long as this lives: where it went on, the ports of a server that is gone would be taken from the next.
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
    /// To a server, and to where it sends those who ask it: those are reached at ports of the same numbers.
    pub(crate) fn to(server: u16, others: &[u16]) -> Self {
        let mut proxy = Proxy::at("127.0.0.2", server);
        let listeners =
            others.iter().map(|other| listen(&proxy.line, ("127.0.0.2", *other), *other));
        let listeners: Vec<_> = listeners.collect();
        proxy.listeners.extend(listeners);
        proxy
    }

    /// To a server, reached at another address.
    pub(crate) fn at(address: &'static str, server: u16) -> Self {
        let line = Arc::new(Line { until_cut: [-1, -1].map(AtomicI64::new), ..Line::default() });
        let listener = listen(&line, (address, 0), server);
        Proxy { line, port: listener.at.port(), listeners: vec![listener] }
    }

    /// Cuts the line when so many octets have gone to the server, once.
    pub(crate) fn cut_after(&self, octets: i64) {
        self.cut(Way::Out, octets);
    }

    /// The same, when so many have come from it.
    pub(crate) fn cut_back_after(&self, octets: i64) {
        self.cut(Way::Back, octets);
    }

    fn cut(&self, way: Way, octets: i64) {
        self.line.until_cut[way as usize].store(octets, Ordering::SeqCst);
    }

    pub(crate) fn cuts(&self) -> u64 {
        self.line.cuts.load(Ordering::SeqCst)
    }

    /// Whether nothing is under way: what is asked of it now is about what comes next.
    pub(crate) fn is_quiet(&self) -> bool {
        self.line.open.load(Ordering::SeqCst) == 0
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> u64 {
        self.line.connections.load(Ordering::SeqCst)
    }

    /// How many there may be at a time: what is more is closed at once.
    pub(crate) fn take_at_most(&self, connections: u64) {
        self.line.connections_max.store(connections, Ordering::SeqCst);
    }

    pub(crate) fn delay(&self, milliseconds: u64) {
        self.line.late_ms.store(milliseconds, Ordering::SeqCst);
    }

    /// How many octets go through in a second.
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
            // One more connection wakes it.
            let _ = TcpStream::connect(at);
            let _ = thread.join();
        }
    }
}

/// Ports that the system gives nobody who asks for any (32768 to 60999 are those it gives): a line that had one of its would
/// keep another from the port by whose number files come.
const OWN_PORTS: Range<u16> = 20_000..32_000;

/// The next that a line of this process tries.
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

/// How long a piece waits for those before it.
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
                // Only what was allowed arrives, and nothing comes behind it.
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
