//! Measures the cost of viewers of the interface: the same records with viewers and without, and with many records in
//! suspense. It measures processor time, including that of the viewers' own connections.
//!
//! A viewer acts like the page of the graph in a browser (`ui/src/graph`, `ui/src/live`), each in its own session. It
//! reads its session, the flow, the alarms and where records are in suspense. It follows the live figures over one
//! connection. Over another it reads the alarms or the flow when the first says that they changed, and suspense every
//! ten seconds, as the page does if suspense changes all the time.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ::serve::{Served, ServedRun};
use flow::meters::Meters;
use gateway::RunOptions;

use super::folder::make_journal;
use super::measure::{Results, processor_time};
use super::work::{SCRIPTED, Work};
use crate::error::BenchError;
use crate::product::Product;

/// The records in suspense: a bad day of a switching centre.
const SUSPENDED: u32 = 50_000;

/// How often the page of the graph reads where records are in suspense.
const SUSPENSE_EVERY: Duration = Duration::from_secs(10);

/// The password of the viewers.
const PASSWORD: &str = "who looks at benchmarks";

/// The pause before a viewer who is not let in yet retries.
const AGAIN: Duration = Duration::from_millis(20);

/// Runs the measurement with so many viewers.
pub(super) fn measure(
    product: &Product,
    folder: &Path,
    (octets, rounds): (u64, u32),
    viewers: usize,
    found: &mut Results,
) -> Result<(), BenchError> {
    (product.stage)(&format!("simulating {} MB of records", octets / 1_000_000));
    let work = Work::new(folder, octets)?;
    let mut alone = work.row("scripts in machine code, no viewers");
    let mut viewed = work.row(&format!("the same, {viewers} viewers"));
    for round in 0..rounds {
        (product.stage)(&format!("round {} of {rounds}", round + 1));
        let mut variants = [(&mut alone, 0), (&mut viewed, viewers)];
        variants.rotate_left(round as usize % 2);
        for (row, viewers) in variants {
            work.inputs()?;
            make_journal(product, folder, SCRIPTED)?;
            suspend(folder)?;
            row.took(run(product, &folder.join(SCRIPTED), viewers)?);
        }
    }
    found.ratios.push(("viewed_over_alone".into(), viewed.over_in_turn(&alone)));
    found.rows.extend([alone, viewed]);
    Ok(())
}

/// Runs the flow with so many viewers. Returns the processor time.
fn run(product: &Product, flow: &Path, viewers: usize) -> Result<Duration, BenchError> {
    let (meters, stop) = (Arc::<Meters>::default(), Default::default());
    let run = || -> Result<Duration, BenchError> {
        let meters = Arc::clone(&meters);
        let options = RunOptions { workers: 2, meters, ..RunOptions::once() };
        let before = processor_time()?;
        gateway::run(flow, product.parts, &options)?;
        Ok(processor_time()?.saturating_sub(before))
    };
    if viewers == 0 {
        return run();
    }
    let (parts, language) = (product.parts, product.language);
    let (token, replays_by) = (None, None);
    let served_run =
        ServedRun { parts, language, meters: Arc::clone(&meters), stop, token, replays_by };
    let served = Served::new(flow.into(), served_run)?;
    let link = served.first_link()?;
    let server = ::serve::start("127.0.0.1:0", None, served)?;
    let address = server.address;
    let first = Viewer::come_in(address, "/welcome", &[("link", &link.unwrap_or_default())])?;
    let others = (1..viewers).map(|_| Viewer::come_in(address, "/login", &[]));
    let all: Vec<Viewer> = std::iter::once(Ok(first)).chain(others).collect::<Result<_, _>>()?;
    let (is_over, looked) = (AtomicBool::new(false), AtomicBool::new(false));
    let look = |viewer: &Viewer| {
        while !is_over.load(Ordering::Relaxed) {
            // Fails if the gateway has not begun, or has ended.
            let _ = viewer.look(&looked);
            thread::sleep(AGAIN);
        }
    };
    thread::scope(|scope| {
        for viewer in &all {
            scope.spawn(move || look(viewer));
        }
        let took = run();
        is_over.store(true, Ordering::Relaxed);
        drop(server);
        took
    })
    .and_then(|took| match looked.into_inner() {
        true => Ok(took),
        false => Err(BenchError::TooShort),
    })
}

/// Puts records into suspense, as if a file could not be read at all.
fn suspend(folder: &Path) -> Result<(), BenchError> {
    let journal = rusqlite::Connection::open(folder.join("flow.state/journal.db"))
        .map_err(BenchError::Journal)?;
    let file = "INSERT INTO file (network_element, path, size, modified_ns, done_ms, records, delivered, filtered, held,
            suspended, duplicate, finished, marked, name)
        VALUES ('boston', 'in/boston/bad.ber', 1, 1, unixepoch() * 1000, ?1, 0, 0, 0, ?1, 0, 1, 1, 'bad.ber')";
    journal.execute(file, [SUSPENDED]).map_err(BenchError::Journal)?;
    let records = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?1)
        INSERT INTO suspense (file, why, record, offset, node, reason, octets)
        SELECT ?2, 'suspended', n + 1, n * 300, iif(n % 3, 'isRoaming', ''),
            'no plan has \"' || n % 100 || '\" (at octet ' || n * 300 || ')', zeroblob(300) FROM n";
    journal
        .execute(records, (SUSPENDED, journal.last_insert_rowid()))
        .map_err(BenchError::Journal)?;
    Ok(())
}

/// A viewer of the graph.
struct Viewer {
    address: SocketAddr,
    cookie: String,
}

impl Viewer {
    /// Logs in, by a link or by the password that was chosen with the link.
    fn come_in(address: SocketAddr, door: &str, more: &[(&str, &str)]) -> Result<Self, BenchError> {
        let more: String =
            more.iter().map(|(name, value)| format!(r#""{name}":"{value}","#)).collect();
        let body = format!(r#"{{{more}"name":"viewer","password":"{PASSWORD}"}}"#);
        let length = body.len();
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "POST {door} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next());
        let Some(cookie) = cookie.map(str::to_owned) else {
            return Err(BenchError::NoSession(answer));
        };
        Ok(Viewer { address, cookie })
    }

    fn ask(&self, stream: &mut TcpStream, path: &str) -> io::Result<()> {
        let Viewer { address, cookie } = self;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n")
    }

    /// Acts as the page of the graph until the gateway ends. Sets `looked` once the page is complete.
    fn look(&self, looked: &AtomicBool) -> io::Result<()> {
        let mut asking =
            Asking { viewer: self, lines: BufReader::new(TcpStream::connect(self.address)?) };
        for path in ["/api/session", "/api/flow", "/api/alarms?all=false", "/api/suspense/nodes"] {
            if !asking.is_answered(path)? {
                return Ok(());
            }
        }
        looked.store(true, Ordering::Relaxed);
        let mut last_query = Instant::now();
        let mut events = TcpStream::connect(self.address)?;
        self.ask(&mut events, "/api/live")?;
        for line in BufReader::new(events).lines() {
            let line = line?;
            match line.as_str() {
                r#"data: {"what":"alarms"}"# => asking.is_answered("/api/alarms?all=false")?,
                r#"data: {"what":"flow"}"# => asking.is_answered("/api/flow")?,
                _ => true,
            };
            if last_query.elapsed() >= SUSPENSE_EVERY {
                last_query = Instant::now();
                asking.is_answered("/api/suspense/nodes")?;
            }
        }
        Ok(())
    }
}

/// A connection for requests of a page, one after the other.
struct Asking<'v> {
    viewer: &'v Viewer,
    lines: BufReader<TcpStream>,
}

impl Asking<'_> {
    /// Reads an answer to its end. Returns whether its status is 200.
    fn is_answered(&mut self, path: &str) -> io::Result<bool> {
        self.viewer.ask(self.lines.get_mut(), path)?;
        let (mut line, mut octets, mut is_done) = (String::new(), 0, false);
        loop {
            line.clear();
            if self.lines.read_line(&mut line)? == 0 {
                return Ok(false);
            }
            is_done |= line.starts_with("HTTP/1.1 200");
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    octets = value.parse().map_err(io::Error::other)?;
                }
                Some(_) => {}
                None if line == "\r\n" => break,
                None => {}
            }
        }
        io::copy(&mut (&mut self.lines).take(octets), &mut io::sink())?;
        Ok(is_done)
    }
}
