//! The server: for each connection, workers that take turns at reading, and a thread that empties their queue.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use diameter::frame::{Frame, MESSAGE_OCTETS};

use crate::message::{self, Saved};
use crate::processor;
use crate::queue::{Queue, QueueKind};

/// How often a queue is emptied.
const EMPTIED_EVERY: Duration = Duration::from_millis(100);

const READ_OCTETS: usize = 4 << 10;

/// What differs between the servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variant {
    pub queue: QueueKind,
    pub copies_octets: bool,
    /// Whether all threads of a connection are on one processor.
    pub is_pinned: bool,
}

/// As an argument: three digits.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}",
            self.queue as u8,
            u8::from(self.copies_octets),
            u8::from(self.is_pinned)
        )
    }
}

impl FromStr for Variant {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kinds = [QueueKind::UnlockedList, QueueKind::LockedList, QueueKind::LockedVector];
        let [queue, copies @ (b'0' | b'1'), pinned @ (b'0' | b'1')] = *text.as_bytes() else {
            return Err("three digits are needed");
        };
        let queue =
            kinds.get(usize::from(queue.wrapping_sub(b'0'))).ok_or("there is no such queue")?;
        Ok(Variant { queue: *queue, copies_octets: copies == b'1', is_pinned: pinned == b'1' })
    }
}

pub struct Server {
    listener: TcpListener,
    variant: Variant,
    workers: usize,
}

struct Connection {
    input: Mutex<Input>,
    output: Mutex<TcpStream>,
    queue: Queue,
    is_over: AtomicBool,
    copies_octets: bool,
}

struct Input {
    stream: TcpStream,
    octets: Vec<u8>,
}

impl Server {
    /// Listens, and prints its port.
    pub fn listen(variant: Variant, workers: usize) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        println!("{}", listener.local_addr()?.port());
        Ok(Server { listener, variant, workers })
    }

    /// Serves until the process ends.
    pub fn serve(&self) -> io::Result<()> {
        let processors = thread::available_parallelism()?.get();
        for number in 0.. {
            let (stream, _) = self.listener.accept()?;
            stream.set_nodelay(true)?;
            let connection = Arc::new(Connection {
                output: Mutex::new(stream.try_clone()?),
                input: Mutex::new(Input { stream, octets: Vec::new() }),
                queue: Queue::new(self.variant.queue),
                is_over: AtomicBool::new(false),
                copies_octets: self.variant.copies_octets,
            });
            let processor = self.variant.is_pinned.then_some(number % processors);
            for _ in 0..self.workers {
                start(&connection, processor, Connection::work);
            }
            start(&connection, processor, Connection::empty);
        }
        Ok(())
    }
}

fn start(
    connection: &Arc<Connection>,
    processor: Option<usize>,
    work: fn(&Connection) -> io::Result<()>,
) {
    let connection = Arc::clone(connection);
    thread::spawn(move || {
        // A connection that is gone needs no more.
        let _ = processor.map_or(Ok(()), processor::pin).and_then(|()| work(&connection));
        connection.is_over.store(true, Ordering::Relaxed);
    });
}

impl Connection {
    fn work(&self) -> io::Result<()> {
        loop {
            let octets = self.read()?;
            let Ok(Frame::Message(message)) = Frame::read(&octets, MESSAGE_OCTETS) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            let request = Saved::read(&message, self.copies_octets);
            let answer = message::answer(message::header(&octets), &request, self.copies_octets);
            self.queue.save(request);
            self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(&answer)?;
        }
    }

    /// Reads a message.
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let Input { stream, octets } = &mut *input;
        loop {
            match Frame::read(octets, MESSAGE_OCTETS) {
                Ok(Frame::Message(message)) => {
                    let mut read = Vec::new();
                    message::append(&mut read, message.octets, self.copies_octets);
                    octets.drain(..read.len());
                    return Ok(read);
                }
                Ok(Frame::Needs(_)) => {}
                Err(_) => return Err(io::ErrorKind::InvalidData.into()),
            }
            let mut more = [0; READ_OCTETS];
            match stream.read(&mut more)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => octets.extend_from_slice(&more[..count]),
            }
        }
    }

    /// Empties the queue now and then. What it writes would be saved, which is no part of the experiment.
    fn empty(&self) -> io::Result<()> {
        let mut text = String::new();
        while !self.is_over.load(Ordering::Relaxed) {
            thread::sleep(EMPTIED_EVERY);
            self.queue.write(&mut text);
            std::hint::black_box(&text);
            text.clear();
        }
        Ok(())
    }
}

/// Returns the port that a server prints.
pub fn port_of(output: impl Read) -> Result<u16, Box<dyn std::error::Error>> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    Ok(line.trim().parse()?)
}
