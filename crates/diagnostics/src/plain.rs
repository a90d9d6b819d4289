//! Files named in user-written text: scripts, modules, tables, plans, secrets. The author of such a
//! text can name any path, so only regular files on a disk are opened, without blocking, and
//! reading is bounded.
//!
//! A pipe has no end and blocks until a writer opens it. Opening a device may have side effects.
//! Kernel files (`/proc`, `/sys`) look regular, report size 0 and may be endless.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Maximum size of text that people write: a flow file, a script, a module.
pub const TEXT_OCTETS_MAX: u64 = 16 << 20;

/// Maximum size of a table, such as the number ranges of all networks.
pub const TABLE_OCTETS_MAX: u64 = 256 << 20;

/// Reasons to refuse a file, besides I/O errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreadable {
    /// Not a regular file.
    Other(&'static str),
    /// Larger than this many bytes.
    Large(u64),
    /// Not UTF-8.
    NoText,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unreadable::Other(what) => write!(out, "it is {what}, and has to be a plain file"),
            Unreadable::Large(most) if most % (1 << 20) == 0 => {
                write!(out, "it has more than {} MiB", most >> 20)
            }
            Unreadable::Large(most) => write!(out, "it has more than {most} octets"),
            Unreadable::NoText => out.write_str("it is not text in UTF-8"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<Unreadable> for io::Error {
    fn from(why: Unreadable) -> Self {
        let kind = match why {
            Unreadable::Other(_) => ErrorKind::InvalidInput,
            Unreadable::Large(_) => ErrorKind::FileTooLarge,
            Unreadable::NoText => ErrorKind::InvalidData,
        };
        io::Error::new(kind, why)
    }
}

/// Opens a regular file for reading without blocking. Anything else is refused with
/// [`ErrorKind::InvalidInput`].
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a device may have side effects such as rewinding a tape, so the path is checked
    // first. It is checked again after opening, since it may have been replaced in between.
    is_plain(&std::fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path)?;
    is_plain(&file.metadata()?)?;
    lies_on_a_disk(&file)?;
    Ok(file)
}

/// A regular file read in parts; see [`read_in_parts`].
#[derive(Debug)]
pub struct Parts {
    file: File,
    left: u64,
    octets_max: u64,
}

/// Reads a regular file in parts. Reading beyond `octets_max` fails with
/// [`ErrorKind::FileTooLarge`].
pub fn read_in_parts(path: &Path, octets_max: u64) -> io::Result<Parts> {
    let file = open(path)?;
    match file.metadata()?.len() > octets_max {
        true => Err(Unreadable::Large(octets_max).into()),
        false => Ok(Parts { file, left: octets_max, octets_max }),
    }
}

impl io::Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        // The file has grown since its size was checked.
        let left = self.left.checked_sub(read as u64).ok_or(Unreadable::Large(self.octets_max));
        self.left = left?;
        Ok(read)
    }
}

/// Reads a regular file whole. A file larger than `octets_max` fails with
/// [`ErrorKind::FileTooLarge`], even if it reported a smaller size.
pub fn read(path: &Path, octets_max: u64) -> io::Result<Vec<u8>> {
    let mut parts = read_in_parts(path, octets_max)?;
    let mut octets = Vec::with_capacity(parts.file.metadata()?.len().min(octets_max) as usize);
    parts.read_to_end(&mut octets)?;
    Ok(octets)
}

/// Reads a regular file as UTF-8. Other text fails with [`ErrorKind::InvalidData`].
pub fn read_text(path: &Path, octets_max: u64) -> io::Result<String> {
    String::from_utf8(read(path, octets_max)?).map_err(|_| Unreadable::NoText.into())
}

/// Reads at most the first `octets_max` bytes of a regular file.
pub fn read_beginning(path: &Path, octets_max: u64) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    open(path)?.take(octets_max).read_to_end(&mut octets)?;
    Ok(octets)
}

fn is_plain(found: &Metadata) -> io::Result<()> {
    match what(found) {
        None => Ok(()),
        Some(what) => Err(Unreadable::Other(what).into()),
    }
}

/// Names the kind of a file that is not regular.
#[cfg(unix)]
fn what(found: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;
    let sort = found.file_type();
    match () {
        () if sort.is_file() => None,
        () if sort.is_dir() => Some("a folder"),
        () if sort.is_fifo() => Some("a pipe"),
        () if sort.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

#[cfg(not(unix))]
fn what(found: &Metadata) -> Option<&'static str> {
    match () {
        () if found.is_file() => None,
        () if found.is_dir() => Some("a folder"),
        () => Some("something else"),
    }
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32);
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// Refuses files that the kernel generates on reading (`linux/magic.h`).
#[cfg(target_os = "linux")]
fn lies_on_a_disk(file: &File) -> io::Result<()> {
    const KERNELS: [u32; 14] = [
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x0027_e0eb, // cgroup
        0x6367_7270, // cgroup2
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x7363_6673, // securityfs
        0xf97c_ff8c, // selinuxfs
        0x6165_676c, // pstore
        0xde5e_81e4, // efivarfs
        0xcafe_4a11, // bpf
        0x6265_6570, // configfs
        0x4249_4e4d, // binfmt_misc
        0x1980_0202, // mqueue
    ];
    // The type of `f_type` differs between architectures in sign and width.
    let sort = rustix::fs::fstatfs(file)?.f_type as u32;
    match KERNELS.contains(&sort) {
        true => Err(Unreadable::Other("a file of the kernel").into()),
        false => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn lies_on_a_disk(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(read: io::Result<impl std::fmt::Debug>) -> String {
        read.expect_err("it is refused").to_string()
    }

    #[test]
    fn a_plain_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(read_text(&path, 5).unwrap(), "four");
        assert_eq!(read_beginning(&path, 2).unwrap(), b"fo");
        assert_eq!(message(read(&path, 3)), "it has more than 3 octets");
        let mut parts = read_in_parts(&path, 5).unwrap();
        std::fs::write(&path, "fourteen").unwrap();
        assert_eq!(message(parts.read_to_end(&mut Vec::new())), "it has more than 5 octets");
        std::fs::write(&path, "four").unwrap();
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(message(read_text(&path, 5)), "it is not text in UTF-8");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(message(read(&path, TEXT_OCTETS_MAX)), "it has more than 16 MiB");
        let missing = read(&folder.path().join("missing"), 4).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_no_plain_file_is_refused_and_nobody_waits_for_it() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        mkfifoat(CWD, at("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("/proc/self/pagemap", at("link")).unwrap();
        std::os::unix::fs::symlink("pipe", at("link-to-pipe")).unwrap();
        for (path, what) in [
            (at("pipe"), "a pipe"),
            (at("link-to-pipe"), "a pipe"),
            (at("socket"), "a socket"),
            (at("."), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/stdin".into(), ""),
            ("/proc/self/pagemap".into(), "a file of the kernel"),
            ("/proc/self/environ".into(), "a file of the kernel"),
            ("/proc/self/mem".into(), "a file of the kernel"),
            (at("link"), "a file of the kernel"),
            ("/sys/kernel/mm/transparent_hugepage/enabled".into(), "a file of the kernel"),
        ] {
            // Not every machine has all of these paths, and standard input may be any of them.
            if what.is_empty() || !path.exists() {
                let _ = read(&path, 4);
                continue;
            }
            let wanted = format!("it is {what}, and has to be a plain file");
            assert_eq!(message(read(&path, 4)), wanted, "{}", path.display());
            assert_eq!(message(open(&path)), wanted, "{}", path.display());
            assert_eq!(message(read_beginning(&path, 4)), wanted, "{}", path.display());
        }
    }
}
