//! What it costs the gateway that people look at its interface: the same records with viewers of its live figures and without.
//! It is the time of processors that is measured, that of the viewers' own connections included.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ::serve::Served;
use flow::RunOptions;
use flow::meters::Meters;

use super::folder::make_journal;
use super::gateway::{SCRIPTED, Work};
use super::measure::{Found, processor_time};
use crate::command::CommandError;
use crate::command::dup::Scripts;
use crate::command::run::{PARTS, mistakes};

const ROUNDS: u32 = 5;

/// How often somebody who is not let in yet asks again.
const AGAIN: Duration = Duration::from_millis(20);

/// Measures it, with so many of them.
pub(super) fn measure(
    folder: &Path,
    octets: u64,
    viewers: usize,
    found: &mut Found,
) -> Result<(), CommandError> {
    eprintln!("simulating {} MB of records", octets / 1_000_000);
    let work = Work::new(folder, octets)?;
    let mut alone = work.row("scripts in machine code, nobody looks");
    let mut seen = work.row(&format!("the same, {viewers} viewers"));
    for round in 0..ROUNDS {
        eprint!("\rround {} of {ROUNDS}", round + 1);
        let mut ways = [(&mut alone, 0), (&mut seen, viewers)];
        ways.rotate_left(round as usize % 2);
        for (row, viewers) in ways {
            work.inputs()?;
            make_journal(folder, SCRIPTED)?;
            row.took(run(&folder.join(SCRIPTED), viewers)?);
        }
    }
    eprintln!();
    found.ratios.push(("viewed_over_alone".into(), seen.over(&alone)));
    found.rows.extend([alone, seen]);
    Ok(())
}

/// Runs the flow while so many look, and says how long processors worked for it.
fn run(flow: &Path, viewers: usize) -> Result<Duration, CommandError> {
    let refused = |error: String| CommandError::Mistakes(error);
    let (meters, stop) = (Arc::<Meters>::default(), Arc::<AtomicBool>::default());
    let run = || -> Result<Duration, CommandError> {
        let meters = Arc::clone(&meters);
        let options = RunOptions { workers: 2, meters, ..RunOptions::once() };
        let before = processor_time()?;
        flow::run(flow, PARTS, &options).map_err(mistakes)?;
        Ok(processor_time()?.saturating_sub(before))
    };
    if viewers == 0 {
        return run();
    }
    let served = Served::new(flow.into(), (PARTS, &Scripts), (Arc::clone(&meters), stop), None);
    let served = served.map_err(|error| refused(crate::chain(&error)))?;
    let link = served.first_link().map_err(|error| refused(crate::chain(&error)))?;
    let server = ::serve::start("127.0.0.1:0", None, served);
    let server = server.map_err(|error| refused(crate::chain(&error)))?;
    let address = server.address;
    let cookie = come_in(address, &link.unwrap_or_default())?;
    let (is_over, looked) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..viewers {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    match look(address, &cookie) {
                        Ok(true) => looked.store(true, Ordering::Relaxed),
                        Ok(false) | Err(_) => thread::sleep(AGAIN),
                    }
                }
            });
        }
        let took = run();
        is_over.store(true, Ordering::Relaxed);
        drop(server);
        took
    })
    .and_then(|took| match looked.into_inner() {
        true => Ok(took),
        false => Err(refused("nobody saw anything: the work was too short".into())),
    })
}

/// Becomes the administrator; the cookie of the session.
fn come_in(address: SocketAddr, link: &str) -> Result<String, CommandError> {
    let body =
        format!(r#"{{"link":"{link}","name":"viewer","password":"who looks at benchmarks"}}"#);
    let length = body.len();
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST /welcome HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next());
    cookie.map(str::to_owned).ok_or_else(|| CommandError::Mistakes(format!("no session: {answer}")))
}

/// Looks at the live figures until they end; whether there were any.
fn look(address: SocketAddr, cookie: &str) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET /api/live HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    )?;
    let (mut octets, mut all) = ([0; 16 << 10], 0);
    loop {
        match stream.read(&mut octets)? {
            0 => return Ok(all > 1_000),
            read => all += read,
        }
    }
}
