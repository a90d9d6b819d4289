//! More requests over HTTP than a charging system can answer: calls in progress are paid, new ones are answered or refused in
//! time, and what subscribers paid is what was charged.
//!
//! `tollgate bench` measures the queue itself under ten times its load. A client over HTTP has one request a connection in
//! progress, and connections are limited; so these tests fill all connections, and let the disk stall.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{Charging, FIRST, SUBSCRIBERS};
use crate::common::preload;

/// A client gives up after this time (RFC 8506 section 13, Tx).
const PATIENCE: Duration = Duration::from_secs(10);

/// The threads that make calls, each on many lines.
const SWITCHES: usize = 4;

/// The lines at the peak: as many as keep the charging system busy.
const LINES: usize = 44;

/// The lines under overload: nearly all connections that one address may have.
const LINES_OVERLOADED: usize = 10 * LINES;

/// How long a load lasts.
const WITHIN: Duration = Duration::from_secs(4);

/// The share of the peak that is answered under overload, by the processor time of the charging system: other programs use the
/// machine too, and not evenly. The goal is 80 %, which `tollgate bench charging` measures; here, a crowd asks besides.
const GOODPUT_MIN: f64 = 0.5;

/// The connections of a crowd at once: with the lines, more than one address may have.
const CROWD: usize = 32;

/// The phases of a call, with the seconds that each reports, and its leg. A second costs a hundredth.
const PHASES: [(&str, u64, &str); 3] = [
    ("first", 0, r#""service":"telephony","other":"46812345678","wanted":{"seconds":60}"#),
    ("next", 60, r#""used":{"seconds":60},"wanted":{"seconds":60}"#),
    ("final", 30, r#""used":{"seconds":30}"#),
];

/// A request that charges nothing.
const ENQUIRY: &str = r#"{"session":"crowd","phase":"event","event":"price-enquiry","subscriber":"46701000001",
    "legs":[{"service":"sms","other":"46702000000","used":{"events":1}}]}"#;

/// Calls, each with a number of its own.
#[derive(Default)]
struct Calls(AtomicU64);

/// A connection to a charging system, with the call on it.
struct Line<'c> {
    stream: BufReader<TcpStream>,
    calls: &'c Calls,
    call: u64,
    /// The place of the next request in the phases of the call.
    phase: usize,
    /// What all calls of the line have cost, in hundredths.
    cost: u64,
}

impl<'c> Line<'c> {
    fn open(charging: &Charging, calls: &'c Calls) -> Self {
        let stream = TcpStream::connect(charging.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let call = calls.0.fetch_add(1, Ordering::Relaxed);
        Line { stream: BufReader::new(stream), calls, call, phase: 0, cost: 0 }
    }

    fn is_in_call(&self) -> bool {
        self.phase > 0
    }

    /// Sends the next request of the call.
    fn ask(&mut self) {
        let Line { call, phase, .. } = *self;
        let (name, _, leg) = PHASES[phase];
        let at = call % SUBSCRIBERS;
        // Each twentieth has hardly any money.
        let subscriber = if at.is_multiple_of(20) { FIRST + at + 1 } else { FIRST + at };
        let body = format!(
            r#"{{"session":"{call}","number":{phase},"phase":"{name}","subscriber":"{subscriber}","legs":[{{{leg}}}]}}"#
        );
        post(self.stream.get_mut(), &body).unwrap();
    }

    /// Reads the answer. Only a new call may be refused; it is followed by another one.
    fn answer(&mut self) -> Answer {
        let (name, used, _) = PHASES[self.phase];
        let (status, text) = response(&mut self.stream).expect("an answer in time");
        let answer = Answer::of(status, &text);
        assert!(answer == Answer::Useful || !self.is_in_call(), "{name}: {status} {text}");
        self.phase = if answer == Answer::Useful { (self.phase + 1) % PHASES.len() } else { 0 };
        self.cost += used;
        if !self.is_in_call() {
            self.call = self.calls.0.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    /// Ends its call, if there is one. Returns what all its calls have cost.
    fn end(mut self) -> u64 {
        while self.is_in_call() {
            self.ask();
            self.answer();
        }
        self.cost
    }
}

fn post(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let length = body.len();
    let request = format!(
        "POST /interrogations HTTP/1.1\r\nhost: charging\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())
}

/// Reads a response: its status and text.
fn response(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, String)> {
    let mut line = || -> io::Result<String> {
        let mut line = String::new();
        match stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.to_ascii_lowercase()),
        }
    };
    let status = line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
    let mut length = 0;
    loop {
        let header = line()?;
        match header.trim_end().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().expect("a length"),
            Some(_) => {}
            None => break,
        }
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    Ok((status.expect("a status"), String::from_utf8(text).expect("a text")))
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The call goes on, or is paid.
    Useful,
    /// The call does not begin.
    TooBusy,
}

impl Answer {
    fn of(status: u16, text: &str) -> Self {
        let answer: Value = serde_json::from_str(text).expect("JSON");
        match status {
            503 if answer["code"] == "too-busy" => Answer::TooBusy,
            200 if answer["legs"][0]["refused"].is_null() => Answer::Useful,
            _ => panic!("{status} {text}"),
        }
    }
}

/// Opens lines.
fn lines<'c>(charging: &Charging, calls: &'c Calls, count: usize) -> Vec<Line<'c>> {
    (0..count).map(|_| Line::open(charging, calls)).collect()
}

/// Sends the next request of each line, and expects that it is of use.
fn go_on(lines: &mut [Line<'_>]) {
    lines.iter_mut().for_each(Line::ask);
    for line in lines {
        assert_eq!(line.answer(), Answer::Useful);
    }
}

/// Makes calls on lines, one after another on each, and ends all of them. Each request is answered within the patience of its
/// client, and none that reports usage is refused. Returns the answers of use for a tick of the charging system's processor time.
fn load(charging: &Charging, lines: &mut [Line<'_>]) -> f64 {
    let before = processor_ticks(charging);
    let of_each = lines.len() / SWITCHES;
    let useful: u64 = thread::scope(|scope| {
        let switches = lines.chunks_mut(of_each).map(|lines| scope.spawn(|| switch(lines)));
        let switches: Vec<_> = switches.collect();
        switches.into_iter().map(|of| of.join().expect("each request is answered")).sum()
    });
    useful as f64 / (processor_ticks(charging) - before) as f64
}

/// Returns the processor time that a charging system has used, in ticks (proc_pid_stat(5)).
fn processor_ticks(charging: &Charging) -> u64 {
    let process = charging.process.as_ref().expect("it runs").id();
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program may have blanks.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let user_and_system = fields.split(' ').skip(11).take(2);
    user_and_system.map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}

/// Makes calls on the lines of one thread: each line has a request in progress. Returns the number of answers of use.
fn switch(lines: &mut [Line<'_>]) -> u64 {
    let begun = Instant::now();
    let mut useful = 0;
    loop {
        let is_over = begun.elapsed() >= WITHIN;
        let asking = lines.iter_mut().filter(|line| !is_over || line.is_in_call());
        let mut asking: Vec<_> = asking.collect();
        if asking.is_empty() {
            return useful;
        }
        asking.iter_mut().for_each(|line| line.ask());
        let answers = asking.iter_mut().map(|line| line.answer());
        useful += answers.filter(|answer| *answer == Answer::Useful).count() as u64;
    }
}

/// Opens connections for one request each, more at once than there is room for. Returns how many were closed at once.
fn crowd(charging: &Charging) -> u64 {
    let begun = Instant::now();
    let mut sent_away = 0;
    while begun.elapsed() < WITHIN {
        let connect = || TcpStream::connect(charging.address()).unwrap();
        let streams: Vec<TcpStream> = (0..CROWD).map(|_| connect()).collect();
        for mut stream in streams {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let sent = post(&mut stream, ENQUIRY);
            match sent.and_then(|()| response(&mut BufReader::new(stream))) {
                Ok((status, text)) => assert_eq!(status, 200, "{text}"),
                Err(error) => {
                    assert_ne!(error.kind(), io::ErrorKind::WouldBlock, "no answer in time");
                    sent_away += 1;
                }
            }
        }
    }
    sent_away
}

#[test]
fn under_ten_times_the_load_each_request_is_answered_and_the_rate_stays() {
    let mut charging = Charging::endless();
    charging.start();
    let calls = Calls::default();
    let mut few = lines(&charging, &calls, LINES);
    let peak = load(&charging, &mut few);
    let cost_of = |lines: Vec<Line<'_>>| lines.into_iter().map(Line::end).sum::<u64>();
    let mut cost = cost_of(few);
    let mut all = lines(&charging, &calls, LINES_OVERLOADED);
    // Until its first request, a connection loses its place to a newer one.
    go_on(&mut all);
    let (overload, sent_away) = thread::scope(|scope| {
        let crowd = scope.spawn(|| crowd(&charging));
        (load(&charging, &mut all), crowd.join().expect("each connection is answered or closed"))
    });
    // Back to normal.
    let ended = Instant::now();
    go_on(&mut all[..1]);
    assert!(ended.elapsed() < PATIENCE, "{:?}", ended.elapsed());
    cost += cost_of(all);
    assert!(overload >= GOODPUT_MIN * peak, "{overload} a tick of {peak} at the peak");
    assert!(sent_away > 0, "there is room for all connections");
    assert_eq!(charging.money_of("revenue"), i128::from(cost));
    charging.stop();
    assert!(charging.is_balanced());
}

#[test]
fn while_the_disk_stalls_new_calls_are_refused_and_those_in_progress_are_paid_afterwards() {
    let folder = TempDir::new().unwrap();
    let stalled = folder.path().join("stalled");
    let mut charging = Charging::endless();
    let mut run = charging.command("charge run");
    run.env("LD_PRELOAD", preload::library("stalled")).env("STALLED", &stalled);
    charging.start_as(run);
    let calls = Calls::default();
    let mut in_progress = lines(&charging, &calls, 20);
    go_on(&mut in_progress);
    std::fs::write(&stalled, "").unwrap();
    // Each worker of the charging system takes some of these, and waits for the disk.
    let mut taken = lines(&charging, &calls, 50);
    for line in &mut taken {
        line.ask();
        thread::sleep(Duration::from_millis(20));
    }
    in_progress.iter_mut().for_each(Line::ask);
    let mut beginning = lines(&charging, &calls, 300);
    beginning.iter_mut().for_each(Line::ask);
    for line in &mut beginning {
        assert_eq!(line.answer(), Answer::TooBusy);
    }
    std::fs::remove_file(&stalled).unwrap();
    for line in in_progress.iter_mut().chain(&mut taken) {
        line.answer();
    }
    go_on(&mut beginning);
    let cost = [in_progress, taken, beginning].into_iter().flatten().map(Line::end).sum::<u64>();
    assert_eq!(charging.money_of("revenue"), i128::from(cost));
    charging.stop();
    assert!(charging.is_balanced());
}
