//! What it costs the gateway that people look at its interface: the same records with viewers and without, and with many
//! records in suspense.
//! It is the time of processors that is measured, that of the viewers' own connections included.
//!
//! A viewer is what the page of the graph is in a browser (`ui/src/graph`, `ui/src/live`), each in a session of its own: it
//! reads who it is, the flow, the alarms and where records are in suspense; follows the live figures over one connection; and
//! asks over another for the alarms or the flow when it hears that they have changed, and for suspense each ten seconds, as
//! the page does where that changes all the time.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ::serve::Served;
use flow::RunOptions;
use flow::meters::Meters;

use super::folder::make_journal;
use super::measure::{Found, processor_time};
use super::work::{SCRIPTED, Work};
use crate::error::BenchError;
use crate::product::Product;

/// Records in suspense, which somebody has to see to: a switching centre's bad day.
const SUSPENDED: u32 = 50_000;

/// How often the page of the graph asks where records are in suspense.
const SUSPENSE_EVERY: Duration = Duration::from_secs(10);

/// The password of whoever looks.
const PASSWORD: &str = "who looks at benchmarks";

/// How often somebody who is not let in yet asks again.
const AGAIN: Duration = Duration::from_millis(20);

/// Measures it, with so many of them.
pub(super) fn measure(
    product: &Product,
    folder: &Path,
    (octets, rounds): (u64, u32),
    viewers: usize,
    found: &mut Found,
) -> Result<(), BenchError> {
    eprintln!("simulating {} MB of records", octets / 1_000_000);
    let work = Work::new(folder, octets)?;
    let mut alone = work.row("scripts in machine code, nobody looks");
    let mut seen = work.row(&format!("the same, {viewers} viewers"));
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        let mut ways = [(&mut alone, 0), (&mut seen, viewers)];
        ways.rotate_left(round as usize % 2);
        for (row, viewers) in ways {
            work.inputs()?;
            make_journal(product, folder, SCRIPTED)?;
            suspend(folder)?;
            row.took(run(product, &folder.join(SCRIPTED), viewers)?);
        }
    }
    eprintln!();
    found.ratios.push(("viewed_over_alone".into(), seen.over_in_turn(&alone)));
    found.rows.extend([alone, seen]);
    Ok(())
}

/// Runs the flow while so many look, and says how long processors worked for it.
fn run(product: &Product, flow: &Path, viewers: usize) -> Result<Duration, BenchError> {
    let (meters, stop) = (Arc::<Meters>::default(), Default::default());
    let run = || -> Result<Duration, BenchError> {
        let meters = Arc::clone(&meters);
        let options = RunOptions { workers: 2, meters, ..RunOptions::once() };
        let before = processor_time()?;
        flow::run(flow, product.parts, &options)?;
        Ok(processor_time()?.saturating_sub(before))
    };
    if viewers == 0 {
        return run();
    }
    let (parts, language) = (product.parts, product.language);
    let served = Served::new(flow.into(), (parts, language), (Arc::clone(&meters), stop), None)?;
    let link = served.first_link()?;
    let server = ::serve::start("127.0.0.1:0", None, served)?;
    let address = server.address;
    let first = Viewer::come_in(address, "/welcome", &[("link", &link.unwrap_or_default())])?;
    let others = (1..viewers).map(|_| Viewer::come_in(address, "/login", &[]));
    let all: Vec<Viewer> = std::iter::once(Ok(first)).chain(others).collect::<Result<_, _>>()?;
    let (is_over, looked) = (AtomicBool::new(false), AtomicBool::new(false));
    let look = |viewer: &Viewer| {
        while !is_over.load(Ordering::Relaxed) {
            // The gateway has not begun, or has ended.
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

/// Sets records aside, as a file did of which nothing could be read.
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

/// Somebody who looks at the graph.
struct Viewer {
    address: SocketAddr,
    cookie: String,
}

impl Viewer {
    /// Comes in, by a link or by the password that was chosen with that.
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

    /// Looks at the graph until the gateway ends, and notes that he was shown it.
    fn look(&self, looked: &AtomicBool) -> io::Result<()> {
        let mut asking =
            Asking { viewer: self, lines: BufReader::new(TcpStream::connect(self.address)?) };
        for path in ["/api/session", "/api/flow", "/api/alarms?all=false", "/api/suspense/nodes"] {
            if !asking.is_answered(path)? {
                return Ok(());
            }
        }
        looked.store(true, Ordering::Relaxed);
        let mut asked = Instant::now();
        let mut events = TcpStream::connect(self.address)?;
        self.ask(&mut events, "/api/live")?;
        for line in BufReader::new(events).lines() {
            let line = line?;
            match line.as_str() {
                r#"data: {"what":"alarms"}"# => asking.is_answered("/api/alarms?all=false")?,
                r#"data: {"what":"flow"}"# => asking.is_answered("/api/flow")?,
                _ => true,
            };
            if asked.elapsed() >= SUSPENSE_EVERY {
                asked = Instant::now();
                asking.is_answered("/api/suspense/nodes")?;
            }
        }
        Ok(())
    }
}

/// A connection that a page asks over, one thing after the other.
struct Asking<'v> {
    viewer: &'v Viewer,
    lines: BufReader<TcpStream>,
}

impl Asking<'_> {
    /// Reads an answer to its end; whether it is one.
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
