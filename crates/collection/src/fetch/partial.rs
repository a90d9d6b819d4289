//! Writes a file while it is received, within limits.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runtime::disk::Disk;
use runtime::shutdown::Shutdown;
use transport::folder_octets_recursive;

use super::ends::Ends;
use super::settings::Pull;

/// The octets written between two checks of free space.
const LOOK_OCTETS: u64 = 16_000_000;

/// A file that is being received. It takes octets while there is room, and no more than are listed.
pub(super) struct Partial<'p> {
    file: File,
    pull: &'p Pull,
    end: &'p Shutdown,
    /// The octets received, and the most that are allowed.
    received: u64,
    most: u64,
    /// The octets since the last check of free space.
    unlooked: u64,
    ended: Option<Ended>,
}

/// The reason that no more octets are taken.
pub(super) enum Ended {
    Grows,
    Ends(Ends),
}

impl<'p> Partial<'p> {
    /// Starts to receive a file of `octets`, if the size is known.
    pub(super) fn new(file: File, octets: Option<u64>, pull: &'p Pull, end: &'p Shutdown) -> Self {
        // The first write checks the free space too.
        let most = octets.unwrap_or(pull.most_octets());
        Partial { file, pull, end, received: 0, most, unlooked: LOOK_OCTETS, ended: None }
    }

    /// Returns the file, the octets received, and the reason for an early end, if any.
    pub(super) fn end(self) -> (File, u64, Option<Ended>) {
        (self.file, self.received, self.ended)
    }

    fn ends(&mut self, octets: u64) -> Option<Ended> {
        if self.end.is_set() {
            return Some(Ended::Ends(Ends::Stopped));
        }
        if octets > self.most - self.received {
            return Some(Ended::Grows);
        }
        self.unlooked += octets;
        if self.unlooked >= LOOK_OCTETS {
            self.unlooked = 0;
            return no_room(self.pull).map(|why| Ended::Ends(Ends::Full(why)));
        }
        None
    }
}

impl Write for Partial<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self.ends(octets.len() as u64) {
            None => {
                self.file.write_all(octets)?;
                self.received += octets.len() as u64;
                Ok(octets.len())
            }
            Some(ended) => {
                self.ended = Some(ended);
                Err(io::Error::other("no more of it is taken"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the reason that nothing can be fetched now, if there is one.
fn no_room(pull: &Pull) -> Option<String> {
    if folder_octets_recursive(&pull.root).unwrap_or(0) >= pull.limit {
        return Some("the in buffer has reached its limit".into());
    }
    let free = Disk::of(&pull.root).map_or(u64::MAX, |disk| disk.free);
    (free < pull.disk_free).then(|| "the disk is nearly full".into())
}

/// Returns the hidden name of a file that is not complete.
pub(super) fn hidden(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.part"))
}
