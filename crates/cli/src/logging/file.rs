//! The file of a log, with rotation by day or hour.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flow::Rotate;
use runtime::time::hour_of_now;

/// The current file of the log.
pub(super) struct LogFile {
    folder: PathBuf,
    name: OsString,
    rotate: Rotate,
    files_max: u64,
    /// The period in the name of the current file.
    of: String,
    file: File,
}

impl LogFile {
    /// Opens the file of the current period, to append to it. Creates the folder.
    pub(super) fn open(path: &Path, rotate: Rotate, files_max: u64) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        fs::create_dir_all(&folder)?;
        let of = period(rotate);
        let file = append(&folder.join(named(&name, &of)))?;
        let log = LogFile { folder, name, rotate, files_max, of, file };
        log.remove_old();
        Ok(log)
    }

    /// Opens the next file when its period begins. If that fails, the log continues in the current one.
    fn turn(&mut self) {
        let of = period(self.rotate);
        if of != self.of
            && let Ok(file) = append(&self.folder.join(named(&self.name, &of)))
        {
            (self.file, self.of) = (file, of);
            self.remove_old();
        }
    }

    /// Removes the oldest files of this log, never the current one.
    fn remove_old(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let start = format!("{}.", self.name.to_string_lossy());
        let is_before = |of: &str| is_period(of) && of < self.of.as_str();
        let mut old: Vec<String> =
            names.filter(|name| name.strip_prefix(&start).is_some_and(is_before)).collect();
        old.sort_unstable();
        let old_max = usize::try_from(self.files_max - 1).unwrap_or(usize::MAX);
        let removed = old.len().saturating_sub(old_max);
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
    // Opening a pipe would block until a process reads it.
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

/// Returns the suffix of the current file: `2026-11-22`, `2026-11-22-07`.
fn period(rotate: Rotate) -> String {
    let mut hour = hour_of_now();
    hour.truncate(match rotate {
        Rotate::Hourly => hour.len(),
        Rotate::Daily => "2026-11-22".len(),
        Rotate::Never => 0,
    });
    hour
}

/// Returns whether a text is such a suffix.
fn is_period(of: &str) -> bool {
    let is_like = |like: &str| {
        let same = |(c, like): (u8, u8)| if like == b'-' { c == b'-' } else { c.is_ascii_digit() };
        of.len() == like.len() && of.bytes().zip(like.bytes()).all(same)
    };
    is_like("2026-11-22") || is_like("2026-11-22-07")
}
