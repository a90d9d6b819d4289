//! A client with many connections, which costs little itself: one thread, and requests that are written before.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use diameter::codes::RESULT_CODE;
use diameter::frame::{Frame, MESSAGE_OCTETS};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::requests::{Requests, SessionRequest, UPDATES, capabilities, disconnection};
use crate::error::BenchError;

/// The octets that are read at once.
const READ_OCTETS: usize = 64 << 10;

/// How long the last answers may take.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// The requests of a connection that are under way at most, where they arrive at a rate.
const PACED_DEPTH: usize = 256;

/// The result of an answer that grants.
const SUCCESS: u32 = 2001;

/// The unit in which waits are counted, and how many are counted each for itself.
const WAIT_UNIT: Duration = Duration::from_micros(10);
const WAITS: usize = 200_000;

/// How requests are sent.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// So many are under way on each connection.
    Depth(usize),
    /// So many arrive in a second, whether those before are answered or not.
    PerSecond(f64),
}

/// What a load has measured.
pub(super) struct Measured {
    /// The requests that were answered.
    pub(super) requests: u64,
    /// How long it took.
    pub(super) elapsed: Duration,
    waits: Vec<u64>,
}

impl Measured {
    /// Returns the time within which a share of the answers came.
    pub(super) fn wait(&self, share: f64) -> Duration {
        let mut rest = (self.requests as f64 * share) as u64;
        let place = self.waits.iter().position(|count| {
            let is_it = *count > rest;
            rest = rest.saturating_sub(*count);
            is_it
        });
        WAIT_UNIT * (place.unwrap_or(WAITS) as u32 + 1)
    }
}

/// Connections to a server.
pub(super) struct Load {
    connections: Vec<Connection>,
    epoll: Epoll,
    subscribers: u64,
    /// The number of the next session.
    next_session: u64,
}

struct Connection {
    host: String,
    stream: TcpStream,
    requests: Requests,
    input: Vec<u8>,
    output: Vec<u8>,
    /// The sessions in progress, by the identifiers of their requests.
    slots: Vec<Slot>,
    /// Those that wait for no answer.
    free: Vec<u32>,
}

/// A session in progress.
#[derive(Clone, Copy)]
struct Slot {
    request: SessionRequest,
    sent: Instant,
}

impl Load {
    /// Connects. Sessions of the same `first_session` are the same ones.
    pub(super) fn connect(
        address: SocketAddr,
        (connections, subscribers): (usize, u64),
        first_session: u64,
    ) -> Result<Self, BenchError> {
        let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(std::io::Error::from)?;
        let connections: Result<Vec<Connection>, BenchError> = (0..connections)
            .map(|number| {
                let connection = Connection::open(address, number)?;
                let event = EpollEvent::new(EpollFlags::EPOLLIN, number as u64);
                epoll.add(&connection.stream, event).map_err(std::io::Error::from)?;
                Ok(connection)
            })
            .collect();
        Ok(Load { connections: connections?, epoll, subscribers, next_session: first_session })
    }

    /// Sends requests for a time, and waits for the last answers.
    pub(super) fn run(&mut self, pace: Pace, within: Duration) -> Result<Measured, BenchError> {
        let begun = Instant::now();
        let mut measured = Measured { requests: 0, elapsed: within, waits: vec![0; WAITS + 1] };
        let mut arrived = 0;
        let depth = if let Pace::Depth(depth) = pace { depth } else { PACED_DEPTH };
        for connection in &mut self.connections {
            connection.make_room(depth, begun);
        }
        if let Pace::Depth(_) = pace {
            for place in 0..self.connections.len() {
                self.fill(place, begun);
                self.connections[place].send()?;
            }
        }
        let mut events = vec![EpollEvent::empty(); self.connections.len()];
        loop {
            let now = Instant::now();
            let is_over = now - begun >= within;
            if let Pace::PerSecond(rate) = pace
                && !is_over
            {
                let due = ((now - begun).as_secs_f64() * rate) as u64;
                while arrived < due {
                    let at = begun + Duration::from_secs_f64(arrived as f64 / rate);
                    let place = arrived as usize % self.connections.len();
                    self.begin(place, at);
                    arrived += 1;
                }
                self.connections.iter_mut().try_for_each(Connection::send)?;
            }
            if is_over && self.connections.iter().all(|of| of.free.len() == of.slots.len()) {
                measured.elapsed = begun.elapsed();
                return Ok(measured);
            }
            if now - begun > within + ENDS_WITHIN {
                return Err(BenchError::Answer { answer: "requests have no answer".to_owned() });
            }
            let timeout =
                EpollTimeout::from(if matches!(pace, Pace::Depth(_)) { 100u8 } else { 1 });
            let ready = match self.epoll.wait(&mut events, timeout) {
                Ok(ready) => ready,
                Err(nix::errno::Errno::EINTR) => 0,
                Err(error) => return Err(std::io::Error::from(error).into()),
            };
            for event in &events[..ready] {
                let place = event.data() as usize;
                self.connections[place].receive(&mut measured)?;
                if let Pace::Depth(_) = pace
                    && !is_over
                {
                    self.fill(place, Instant::now());
                }
                self.connections[place].send()?;
            }
        }
    }

    /// Sends the next request of each session that waits for no answer.
    fn fill(&mut self, place: usize, now: Instant) {
        while !self.connections[place].free.is_empty() {
            self.begin(place, now);
        }
    }

    /// Sends the next request of a session that waits for no answer; its wait begins at a time. Without any, the request is left out.
    fn begin(&mut self, place: usize, at: Instant) {
        let connection = &mut self.connections[place];
        let Some(id) = connection.free.pop() else { return };
        let slot = &mut connection.slots[id as usize];
        if slot.request.number > UPDATES {
            let session = self.next_session;
            self.next_session += 1;
            // Subscribers come in no order (Knuth, "The Art of Computer Programming" 6.4).
            let subscriber = (session.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % self.subscribers;
            slot.request = SessionRequest { session, subscriber, number: 0 };
        } else {
            slot.request.number += 1;
        }
        slot.sent = at;
        connection.requests.append(&mut connection.output, id, slot.request);
    }

    /// Disconnects, so that the server knows that these clients are gone.
    pub(super) fn disconnect(mut self) {
        for connection in &mut self.connections {
            let _ = connection.stream.set_nonblocking(false);
            let _ = connection.stream.set_read_timeout(Some(Duration::from_secs(2)));
            let message = disconnection(&connection.host);
            let sent = connection.stream.write_all(&message);
            // The server closes, or answers and leaves that to its peer.
            let _ = sent.and_then(|()| connection.stream.read(&mut [0; 1_024]));
        }
    }
}

impl Connection {
    fn open(address: SocketAddr, number: usize) -> Result<Self, BenchError> {
        let host = format!("load-{number}.{}", super::requests::REALM);
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ENDS_WITHIN))?;
        stream.write_all(&capabilities(&host))?;
        let mut input = Vec::new();
        while !has_message(&input) {
            let mut read = [0; 4_096];
            let count = stream.read(&mut read)?;
            if count == 0 {
                return Err(BenchError::Answer { answer: format!("\"{host}\" is refused") });
            }
            input.extend_from_slice(&read[..count]);
        }
        check(&input)?;
        stream.set_nonblocking(true)?;
        let (requests, input, output) = (Requests::of(&host), Vec::new(), Vec::new());
        Ok(Connection {
            host,
            stream,
            requests,
            input,
            output,
            slots: Vec::new(),
            free: Vec::new(),
        })
    }

    fn make_room(&mut self, depth: usize, now: Instant) {
        let request = SessionRequest { session: 0, subscriber: 0, number: UPDATES + 1 };
        self.slots = vec![Slot { request, sent: now }; depth];
        self.free = (0..depth as u32).rev().collect();
    }

    /// Takes the answers that are there.
    fn receive(&mut self, measured: &mut Measured) -> Result<(), BenchError> {
        let from = self.input.len();
        self.input.resize(from + READ_OCTETS, 0);
        let read = match self.stream.read(&mut self.input[from..]) {
            Ok(0) => return Err(BenchError::Answer { answer: "the server hung up".to_owned() }),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error.into()),
        };
        self.input.truncate(from + read);
        let now = Instant::now();
        let mut at = 0;
        while let Ok(Frame::Message(message)) = Frame::read(&self.input[at..], MESSAGE_OCTETS) {
            at += message.octets.len();
            if message.header.is_request() {
                continue;
            }
            check(message.octets)?;
            let id = message.header.hop_by_hop;
            let Some(slot) = self.slots.get(id as usize) else { continue };
            let waited = now.saturating_duration_since(slot.sent).div_duration_f64(WAIT_UNIT);
            measured.waits[(waited as usize).min(WAITS)] += 1;
            measured.requests += 1;
            self.free.push(id);
        }
        self.input.drain(..at);
        Ok(())
    }

    fn send(&mut self) -> Result<(), BenchError> {
        while !self.output.is_empty() {
            match self.stream.write(&self.output) {
                Ok(count) => drop(self.output.drain(..count)),
                // The rest goes with the next requests.
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn has_message(octets: &[u8]) -> bool {
    matches!(Frame::read(octets, MESSAGE_OCTETS), Ok(Frame::Message(_)))
}

/// Checks that an answer says success.
fn check(octets: &[u8]) -> Result<(), BenchError> {
    let Ok(Frame::Message(message)) = Frame::read(octets, MESSAGE_OCTETS) else {
        return Err(BenchError::Answer { answer: "it is no message".to_owned() });
    };
    match message.find(RESULT_CODE).and_then(|avp| avp.u32().ok()) {
        Some(SUCCESS) => Ok(()),
        Some(result) => Err(BenchError::Answer { answer: format!("the result is {result}") }),
        None => Err(BenchError::Answer { answer: "there is no result".to_owned() }),
    }
}
