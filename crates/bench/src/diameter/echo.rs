//! What any server costs: it reads, finds the ends of messages, and writes an answer that was written before. It reads no AVP.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use credit_control::codes::{
    APPLICATION, CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_TOTAL_OCTETS, COMMAND,
    GRANTED_SERVICE_UNIT, MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, VALIDITY_TIME,
};
use diameter::codes::{AUTH_APPLICATION_ID, RESULT_CODE, SESSION_ID};
use diameter::frame::{Frame, MESSAGE_OCTETS};
use diameter::header::flags;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::requests::{message, write_origin};
use crate::error::BenchError;

const READ_OCTETS: usize = 64 << 10;

/// The bytes of a header that an answer has from its request: both identifiers.
const IDENTIFIERS: std::ops::Range<usize> = 12..20;

/// The command of a message, in its header.
const COMMAND_OCTETS: std::ops::Range<usize> = 5..8;

/// The place of the listener among the events.
const LISTENER: u64 = u64::MAX;

struct Client {
    stream: TcpStream,
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Answers requests until the process ends.
pub(super) fn serve(listener: &TcpListener) -> Result<(), BenchError> {
    let granted = granted();
    let other = message((0, 0, 0), |to| {
        to.u32(RESULT_CODE, 2001);
        write_origin(to, "echo.example.net");
        to.u32(AUTH_APPLICATION_ID, APPLICATION);
    });
    let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(std::io::Error::from)?;
    let add = |of: &dyn std::os::fd::AsFd, place| {
        let event = EpollEvent::new(EpollFlags::EPOLLIN, place);
        epoll.add(of.as_fd(), event).map_err(std::io::Error::from)
    };
    add(&listener, LISTENER)?;
    let (mut clients, mut next) = (HashMap::<u64, Client>::new(), 0);
    let mut events = vec![EpollEvent::empty(); 64];
    loop {
        let ready = epoll.wait(&mut events, EpollTimeout::NONE).map_err(std::io::Error::from)?;
        for event in &events[..ready] {
            if event.data() == LISTENER {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                add(&stream, next)?;
                clients.insert(next, Client { stream, input: Vec::new(), output: Vec::new() });
                next += 1;
                continue;
            }
            let Some(client) = clients.get_mut(&event.data()) else { continue };
            if !client.answer(&granted, &other)? {
                clients.remove(&event.data());
            }
        }
    }
}

impl Client {
    /// Answers what is there. Returns whether the connection goes on.
    fn answer(&mut self, granted: &[u8], other: &[u8]) -> Result<bool, BenchError> {
        let from = self.input.len();
        self.input.resize(from + READ_OCTETS, 0);
        let read = match self.stream.read(&mut self.input[from..]) {
            Ok(0) => return Ok(false),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(_) => return Ok(false),
        };
        self.input.truncate(from + read);
        let mut at = 0;
        while let Ok(Frame::Message(message)) = Frame::read(&self.input[at..], MESSAGE_OCTETS) {
            at += message.octets.len();
            let answer = if message.header.command == COMMAND { granted } else { other };
            let from = self.output.len();
            self.output.extend_from_slice(answer);
            let answer = &mut self.output[from..];
            answer[IDENTIFIERS].copy_from_slice(&message.octets[IDENTIFIERS]);
            answer[COMMAND_OCTETS].copy_from_slice(&message.octets[COMMAND_OCTETS]);
        }
        self.input.drain(..at);
        while !self.output.is_empty() {
            match self.stream.write(&self.output) {
                Ok(count) => drop(self.output.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// Returns an answer as long as those of a charging system.
fn granted() -> Vec<u8> {
    message((COMMAND, APPLICATION, flags::PROXIABLE), |to| {
        to.text(SESSION_ID, "load-00.example.net;1700000000;0000000000000000");
        to.u32(RESULT_CODE, 2001);
        write_origin(to, "charging.example.net");
        to.u32(AUTH_APPLICATION_ID, APPLICATION);
        to.u32(CC_REQUEST_TYPE, 2);
        to.u32(CC_REQUEST_NUMBER, 1);
        to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
            to.group(GRANTED_SERVICE_UNIT, |to| to.u64(CC_TOTAL_OCTETS, 1_000_000));
            to.u32(VALIDITY_TIME, 600);
            to.u32(RATING_GROUP, 100);
            to.u32(RESULT_CODE, 2001);
        });
    })
}
