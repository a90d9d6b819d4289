//! Copies the same files over a bare local connection, without protocol and cipher. It shows how much of the work is
//! only carrying the octets.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::measure::processor_time;

/// The octets of a read or write: as many as in a request of SFTP.
const OCTETS_AT_ONCE: usize = 255 << 10;

/// Carries files into a folder, which is removed afterwards. Returns the processor time of both sides.
pub(super) fn carry(files: &[PathBuf], to: &Path) -> io::Result<Duration> {
    fs::create_dir_all(to)?;
    let sizes = files.iter().map(|file| Ok(fs::metadata(file)?.len()));
    let sizes: Vec<u64> = sizes.collect::<io::Result<_>>()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut there = TcpStream::connect(listener.local_addr()?)?;
    let (here, _) = listener.accept()?;
    let before = processor_time()?;
    thread::scope(|scope| {
        let sent = scope.spawn(move || files.iter().try_for_each(|file| send(file, &mut there)));
        // If a file cannot be received, the connection closes, and the sender stops.
        take(&sizes, here, to)?;
        sent.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let took = processor_time()?.saturating_sub(before);
    fs::remove_dir(to)?;
    Ok(took)
}

/// Receives files of these sizes, and removes each, as a gateway does with finished files.
fn take(sizes: &[u64], mut from: TcpStream, to: &Path) -> io::Result<()> {
    for (place, octets) in sizes.iter().enumerate() {
        let copied = to.join(place.to_string());
        match copy((&mut from).take(*octets), &mut File::create(&copied)?)? {
            taken if taken == *octets => fs::remove_file(copied)?,
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
    Ok(())
}

fn send(file: &Path, to: &mut TcpStream) -> io::Result<()> {
    copy(File::open(file)?, to).map(drop)
}

/// Copies through a buffer, as a program that looks at the octets must. Returns their number.
fn copy(mut from: impl Read, to: &mut impl Write) -> io::Result<u64> {
    let (mut octets, mut all) = (Vec::with_capacity(OCTETS_AT_ONCE), 0);
    loop {
        octets.clear();
        if (&mut from).take(OCTETS_AT_ONCE as u64).read_to_end(&mut octets)? == 0 {
            return Ok(all);
        }
        all += octets.len() as u64;
        to.write_all(&octets)?;
    }
}
