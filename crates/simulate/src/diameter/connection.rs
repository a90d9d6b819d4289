//! A connection of a simulated client, with many sessions in progress.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use diameter::codes::DISCONNECT_CAUSE;
use diameter::codes::command::DISCONNECT_PEER;
use diameter::frame::{Frame, MESSAGE_OCTETS};

use super::message::{Answer, Client, again};
use super::script::{Ended, Outcome, Script, ScriptRequest, TOO_BUSY};
use super::stream::Stream;
use super::{DiameterLoad, DiameterLoadError, DiameterReport};
use crate::random::Random;

/// The pause before a connection is made again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// How long an answer may take: as long as clients wait (RFC 8506 section 13, Tx).
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The octets that are read at once.
const READ_OCTETS: usize = 256 << 10;

/// A request that has no answer yet.
struct Sent {
    /// The place of its session.
    place: usize,
    request: ScriptRequest,
    octets: Vec<u8>,
    at: Instant,
    /// Whether it is the one of two that counts; the other one must be answered alike.
    is_first: bool,
    /// The identifier of the other one, if it was sent twice.
    twin: Option<u32>,
}

/// A session in progress.
struct Going {
    script: Script,
    waiting: usize,
}

/// A connection.
pub(super) struct Connection<'l> {
    load: &'l DiameterLoad,
    client: Client,
    stream: Stream,
    input: Vec<u8>,
    output: Vec<u8>,
    next_id: u32,
    going: Vec<Option<Going>>,
    sent: HashMap<u32, Sent>,
    /// The answers to requests that were sent twice, until the other one is answered.
    first_answers: HashMap<u32, Vec<u8>>,
    random: Random,
    report: DiameterReport,
}

impl<'l> Connection<'l> {
    /// Connects as one of the clients.
    pub(super) fn open(load: &'l DiameterLoad, number: usize) -> Result<Self, DiameterLoadError> {
        let realm = load.realm.clone();
        let client = Client { host: format!("load-{number}.{realm}"), realm };
        let stream = connect(load, &client)?;
        Ok(Connection {
            load,
            client,
            stream,
            input: Vec::new(),
            output: Vec::new(),
            next_id: 1,
            going: (0..load.depth.max(1)).map(|_| None).collect(),
            sent: HashMap::new(),
            first_answers: HashMap::new(),
            random: Random::new(load.seed, number as u64),
            report: DiameterReport::default(),
        })
    }

    /// Works until all sessions are over. `next` counts those that have begun, `done` is called for each that is over.
    pub(super) fn work(
        mut self,
        next: &AtomicU64,
        done: &impl Fn(),
    ) -> Result<DiameterReport, DiameterLoadError> {
        loop {
            self.begin(next);
            if self.sent.is_empty() {
                break;
            }
            if let Err(cause) = self.exchange(done) {
                self.connect_again(cause)?;
            }
        }
        let dpr =
            self.client.of_base(DISCONNECT_PEER, self.next_id, |to| to.i32(DISCONNECT_CAUSE, 0));
        let _ = self.stream.write_all(&dpr).and_then(|()| self.stream.read(&mut [0; 1_024]));
        Ok(self.report)
    }

    /// Begins sessions where there is room.
    fn begin(&mut self, next: &AtomicU64) {
        for place in 0..self.going.len() {
            if self.going[place].is_some() {
                continue;
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.load.sessions {
                return;
            }
            let script = Script::new(self.load, &self.client.host, number, &mut self.random);
            self.going[place] = Some(Going { script, waiting: 0 });
            self.send_next(place);
        }
    }

    /// Sends the next requests of a session.
    fn send_next(&mut self, place: usize) {
        let Some(going) = &mut self.going[place] else { return };
        let requests = going.script.next(self.load);
        going.waiting = requests.len();
        for request in requests {
            let id = self.id();
            let Some(going) = &self.going[place] else { return };
            let octets = self.client.credit_request(id, going.script.named(request));
            let twin = self.random.chance(self.load.repeated).then(|| self.id());
            self.output.extend_from_slice(&octets);
            if let Some(twin_id) = twin {
                self.report.counts.repeated += 1;
                let copy = again(&octets, twin_id);
                self.output.extend_from_slice(&copy);
                let (at, is_first) = (Instant::now(), false);
                let sent = Sent { place, request, octets: copy, at, is_first, twin: Some(id) };
                self.sent.insert(twin_id, sent);
            }
            let (at, is_first) = (Instant::now(), true);
            self.sent.insert(id, Sent { place, request, octets, at, is_first, twin });
        }
    }

    fn id(&mut self) -> u32 {
        self.next_id = self.next_id.wrapping_add(1);
        self.next_id
    }

    /// Sends what waits, and takes what comes.
    fn exchange(&mut self, done: &impl Fn()) -> io::Result<()> {
        self.stream.write_all(&self.output)?;
        self.output.clear();
        let from = self.input.len();
        self.input.resize(from + READ_OCTETS, 0);
        let read = self.stream.read(&mut self.input[from..]);
        self.input.truncate(from + read.as_ref().copied().unwrap_or(0));
        if read? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let input = std::mem::take(&mut self.input);
        let mut at = 0;
        let mut is_over = false;
        while let Ok(Frame::Message(message)) = Frame::read(&input[at..], MESSAGE_OCTETS) {
            at += message.octets.len();
            match message.header.is_request() {
                true => {
                    let answer = self.client.answer(&message);
                    self.output.extend_from_slice(&answer);
                    is_over |= message.header.command == DISCONNECT_PEER;
                }
                false => self.answered(message.header.hop_by_hop, message.octets, done),
            }
        }
        self.input = input;
        self.input.drain(..at);
        if is_over {
            let _ = self.stream.write_all(&self.output);
            self.output.clear();
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    fn answered(&mut self, id: u32, octets: &[u8], done: &impl Fn()) {
        let Ok(Frame::Message(message)) = Frame::read(octets, MESSAGE_OCTETS) else { return };
        let answer = Answer::read(&message);
        let Some(sent) = self.sent.remove(&id) else {
            return self.report.fault(format!("an answer to no request: {answer:?}"));
        };
        self.report.counts.requests += 1;
        self.report.waited(sent.at.elapsed());
        if answer.result == TOO_BUSY {
            self.report.counts.too_busy += 1;
            self.output.extend_from_slice(&sent.octets);
            self.sent.insert(id, Sent { at: Instant::now(), ..sent });
            return;
        }
        self.compare(id, &sent, message.octets);
        if !sent.is_first {
            return;
        }
        let Some(going) = &mut self.going[sent.place] else { return };
        going.waiting -= 1;
        let is_last = going.waiting == 0;
        match going.script.answered(sent.request, &answer) {
            Outcome::GoesOn if is_last => self.send_next(sent.place),
            Outcome::GoesOn => {}
            Outcome::Ended(ended) => self.end(sent.place, ended, done),
            Outcome::Wrong(why) => {
                let request = format!("{} {:?}", going.script.id, sent.request);
                self.report.fault(format!("{request}: {why}"));
                self.end(sent.place, Ended::Session, done);
            }
        }
    }

    /// Checks that both answers to a request that was sent twice are the same.
    fn compare(&mut self, id: u32, sent: &Sent, octets: &[u8]) {
        const BODY_AT: usize = 20;
        let Some(twin) = sent.twin else { return };
        let body = &octets[BODY_AT..];
        match self.first_answers.remove(&twin) {
            Some(other) if other != body => {
                let text = format!("{:?} was answered in two ways", sent.request);
                self.report.fault(text);
            }
            Some(_) => {}
            None => {
                self.first_answers.insert(id, body.to_vec());
            }
        }
    }

    fn end(&mut self, place: usize, ended: Ended, done: &impl Fn()) {
        let Some(Going { script, .. }) = self.going[place].take() else { return };
        // After a fault, some may be on their way still: they are of no other session.
        self.sent
            .values_mut()
            .filter(|sent| sent.place == place)
            .for_each(|sent| sent.is_first = false);
        let counts = &mut self.report.counts;
        match ended {
            Ended::Session => counts.sessions += 1,
            Ended::Refused => counts.refused += 1,
            Ended::Event => {
                counts.events += 1;
                self.report.cost += i128::from(self.load.event_price);
            }
        }
        self.report.cost += i128::from(script.used) * i128::from(self.load.octet_price);
        done();
    }

    /// Connects once more, and sends what has no answer again.
    fn connect_again(&mut self, mut cause: io::Error) -> Result<(), DiameterLoadError> {
        let begun = Instant::now();
        self.report.counts.reconnects += 1;
        self.input.clear();
        self.output.clear();
        loop {
            if begun.elapsed() >= self.load.patience {
                let address = self.load.address;
                return Err(DiameterLoadError::Connection { address, cause });
            }
            thread::sleep(AGAIN_AFTER);
            match connect(self.load, &self.client) {
                Ok(stream) => {
                    self.stream = stream;
                    break;
                }
                Err(DiameterLoadError::Connection { cause: latest, .. }) => cause = latest,
                Err(error @ DiameterLoadError::Sctp { .. }) => return Err(error),
                // The server has not noticed the end of the connection before.
                Err(DiameterLoadError::Refused { .. }) => {}
            }
        }
        for (id, sent) in &self.sent {
            self.output.extend(again(&sent.octets, *id));
        }
        Ok(())
    }
}

/// Connects, and exchanges capabilities.
fn connect(load: &DiameterLoad, client: &Client) -> Result<Stream, DiameterLoadError> {
    let address = load.address;
    let broken = |cause| DiameterLoadError::Connection { address, cause };
    let mut stream = Stream::connect(load, ANSWER_WITHIN)?;
    let answer = capabilities(&mut stream, client).map_err(broken)?;
    match answer.result {
        2001 => Ok(stream),
        result => {
            let (host, text) = (client.host.clone(), answer.text);
            Err(DiameterLoadError::Refused { address, host, result, text })
        }
    }
}

fn capabilities(stream: &mut Stream, client: &Client) -> io::Result<Answer> {
    stream.write_all(&client.capabilities())?;
    let mut octets = Vec::new();
    loop {
        match Frame::read(&octets, MESSAGE_OCTETS) {
            Ok(Frame::Message(message)) => return Ok(Answer::read(&message)),
            Ok(Frame::Needs(_)) => {}
            Err(error) => return Err(io::Error::other(error)),
        }
        let mut read = [0; 1_024];
        match stream.read(&mut read)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => octets.extend_from_slice(&read[..count]),
        }
    }
}
