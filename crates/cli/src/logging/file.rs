//! A log's file, and another when a day or an hour is over.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flow::Rotate;
use runtime::time::hour_of_now;

/// The file that is written to.
pub(super) struct LogFile {
    folder: PathBuf,
    name: OsString,
    rotate: Rotate,
    kept: u64,
    /// What is behind the name now.
    of: String,
    file: File,
}

impl LogFile {
    /// Begins, or goes on with, the file of now; the folder is made.
    pub(super) fn open(path: &Path, rotate: Rotate, kept: u64) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        fs::create_dir_all(&folder)?;
        let of = period(rotate);
        let file = append(&folder.join(named(&name, &of)))?;
        let log = LogFile { folder, name, rotate, kept, of, file };
        log.remove_old();
        Ok(log)
    }

    /// Begins another where it is time for that. Where that cannot be done, the one there is goes on.
    fn turn(&mut self) {
        let of = period(self.rotate);
        if of != self.of
            && let Ok(file) = append(&self.folder.join(named(&self.name, &of)))
        {
            (self.file, self.of) = (file, of);
            self.remove_old();
        }
    }

    /// Removes the oldest of this log's own files, never the one that is written to.
    fn remove_old(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let start = format!("{}.", self.name.to_string_lossy());
        let is_before = |of: &str| is_period(of) && of < self.of.as_str();
        let mut old: Vec<String> =
            names.filter(|name| name.strip_prefix(&start).is_some_and(is_before)).collect();
        old.sort_unstable();
        let kept = usize::try_from(self.kept - 1).unwrap_or(usize::MAX);
        let removed = old.len().saturating_sub(kept);
        for name in &old[..removed] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Write for LogFile {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.turn();
        self.file.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append(path: &Path) -> io::Result<File> {
    // Opening a pipe would block until something reads it.
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(io::Error::other("it is no plain file")),
        _ => File::options().create(true).append(true).open(path),
    }
}

fn named(name: &OsString, of: &str) -> OsString {
    let mut named = name.clone();
    if !of.is_empty() {
        named.push(".");
        named.push(of);
    }
    named
}

/// What the file of now has behind its name: `2026-11-22`, `2026-11-22-07`.
fn period(rotate: Rotate) -> String {
    let mut hour = hour_of_now();
    hour.truncate(match rotate {
        Rotate::Hourly => hour.len(),
        Rotate::Daily => "2026-11-22".len(),
        Rotate::Never => 0,
    });
    hour
}

/// Whether this is what is behind the name of a file.
fn is_period(of: &str) -> bool {
    let is_like = |like: &str| {
        let same = |(c, like): (u8, u8)| if like == b'-' { c == b'-' } else { c.is_ascii_digit() };
        of.len() == like.len() && of.bytes().zip(like.bytes()).all(same)
    };
    is_like("2026-11-22") || is_like("2026-11-22-07")
}
