//! The clients: a thread for each connection, which keeps so many requests under way.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use diameter::avp::AvpCode;
use diameter::frame::{Frame, MESSAGE_OCTETS};
use diameter::header::{Header, VERSION, flags};
use diameter::write;

const CREDIT_CONTROL: u32 = 272;
const APPLICATION: u32 = 4;
const READ_OCTETS: usize = 64 << 10;

#[derive(Clone, Copy)]
pub struct Load {
    pub port: u16,
    pub connections: usize,
    pub depth: usize,
    /// On all connections together.
    pub requests: usize,
}

impl Load {
    /// Sends all requests. Returns how long it took until all were answered.
    pub fn run(self) -> io::Result<Duration> {
        let begun = Instant::now();
        thread::scope(|scope| {
            let share = self.requests.div_ceil(self.connections);
            let run = |_| scope.spawn(move || self.connection(share));
            let all: Vec<_> = (0..self.connections).map(run).collect();
            let gone = |_| Err(io::Error::other("a client has panicked"));
            all.into_iter().try_for_each(|client| client.join().unwrap_or_else(gone))
        })?;
        Ok(begun.elapsed())
    }

    fn connection(self, requests: usize) -> io::Result<()> {
        let request = request();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        let (mut sent, mut answered) = (self.depth.min(requests), 0);
        stream.write_all(&request.repeat(sent))?;
        let (mut input, mut read) = (Vec::new(), vec![0; READ_OCTETS]);
        while answered < requests {
            let count = stream.read(&mut read)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            input.extend_from_slice(&read[..count]);
            let (mut at, before) = (0, answered);
            while let Ok(Frame::Message(message)) = Frame::read(&input[at..], MESSAGE_OCTETS) {
                at += message.octets.len();
                answered += 1;
            }
            input.drain(..at);
            let more = (answered - before).min(requests - sent);
            stream.write_all(&request.repeat(more))?;
            sent += more;
        }
        Ok(())
    }
}

/// Returns a request of credit control of 11 AVPs.
fn request() -> Vec<u8> {
    let header = Header {
        version: VERSION,
        length: 0,
        flags: flags::REQUEST | flags::PROXIABLE,
        command: CREDIT_CONTROL,
        application: APPLICATION,
        hop_by_hop: 1,
        end_to_end: 1,
    };
    let mut octets = Vec::new();
    let code = AvpCode::ietf;
    write::message(&mut octets, header, |to| {
        to.text(code(263), "client.example.net;1700000000;1");
        to.text(code(264), "client.example.net");
        to.text(code(296), "example.net");
        to.text(code(283), "example.net");
        to.u32(code(258), APPLICATION);
        to.text(code(461), "32251@3gpp.org");
        to.u32(code(416), 2);
        to.u32(code(415), 1);
        to.u32(code(55), 3_900_000_000);
        to.group(code(443), |to| {
            to.i32(code(450), 0);
            to.text(code(444), "46701000000");
        });
        to.group(code(456), |to| {
            to.group(code(437), |to| to.u64(code(421), 1_000_000));
            to.group(code(446), |to| to.u64(code(421), 500_000));
            to.u32(code(432), 1);
        });
    });
    octets
}
