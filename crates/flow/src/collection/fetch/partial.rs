//! What has come of a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runtime::disk::Disk;
use runtime::shutdown::Shutdown;
use transport::taken_below;

use super::ends::Ends;
use super::settings::Pull;

/// Octets that are written before it is looked again how much room there is.
const LOOK_OCTETS: u64 = 16_000_000;

/// What comes of a file, as long as there is room for it, and it is no longer than it was.
pub(super) struct Partial<'p> {
    file: File,
    pull: &'p Pull,
    end: &'p Shutdown,
    /// Octets that came, and that may come.
    came: u64,
    most: u64,
    /// Octets since it was looked how much room there is.
    unlooked: u64,
    ended: Option<Ended>,
}

/// Why no more of it is taken.
pub(super) enum Ended {
    Grows,
    Ends(Ends),
}

impl<'p> Partial<'p> {
    /// Of so many octets, if that is known.
    pub(super) fn new(file: File, octets: Option<u64>, pull: &'p Pull, end: &'p Shutdown) -> Self {
        // How much room there is, is looked at before the first octet.
        let most = octets.unwrap_or(pull.most_octets());
        Partial { file, pull, end, came: 0, most, unlooked: LOOK_OCTETS, ended: None }
    }

    /// The file, how many octets came of it, and why no more of it was taken, if so.
    pub(super) fn end(self) -> (File, u64, Option<Ended>) {
        (self.file, self.came, self.ended)
    }

    fn ends(&mut self, octets: u64) -> Option<Ended> {
        if self.end.is_set() {
            return Some(Ended::Ends(Ends::Stopped));
        }
        if octets > self.most - self.came {
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
                self.came += octets.len() as u64;
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

/// Why nothing more can be fetched now, if so.
fn no_room(pull: &Pull) -> Option<String> {
    if taken_below(&pull.root).unwrap_or(0) >= pull.limit {
        return Some("the in buffer has reached its limit".into());
    }
    let free = Disk::of(&pull.root).map_or(u64::MAX, |disk| disk.free);
    (free < pull.disk_free).then(|| "the disk is nearly full".into())
}

/// What a file is called until all of it came.
pub(super) fn hidden(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.part"))
}
