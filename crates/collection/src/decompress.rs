//! Unpacks compressed input files while they are read, within limits.
//!
//! A file is unpacked once before any of its records is processed. This tells whether it can be unpacked, and its size.
//! So a file that was made to fill memory or disk is set aside before it does harm.

mod members;

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diagnostics::{Diagnostic, plain};
use reason::Coded;
use settings::Settings;

use diagnostics::octets;
use members::{Members, Sort};

/// The highest ratio of unpacked to compressed size. It is checked once more than `RATIO_FROM` octets are unpacked.
/// Call records shrink to about a twentieth; a decompression bomb shrinks to a thousandth.
const RATIO_MAX: u64 = 200;
const RATIO_FROM: u64 = 10_000_000;

/// The unpacked size limit in octets, where the flow file sets none.
const UNPACKED_MAX: u64 = 20_000_000_000;

/// The largest window of a zstd file, as a power of two: 128 MiB, the limit of the `zstd` tool.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

/// The octets at the start of a file that identify its compression.
const FIRST_OCTETS: u64 = 4;

/// How the files of a network element are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    by: CompressionKind,
    unpacked_max: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompressionKind {
    Gzip,
    Zstd,
    /// The first octets of each file tell the compression, which may be none.
    Auto,
}

const WORDS: [(&str, CompressionKind); 3] = [
    ("gzip", CompressionKind::Gzip),
    ("zstd", CompressionKind::Zstd),
    ("auto", CompressionKind::Auto),
];

/// Why a file was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum NotUnpacked {
    /// It can never be unpacked.
    #[error(transparent)]
    ForGood(UnpackFault),
    /// It ends too early: it may not be whole yet.
    #[error("{}", UnpackFault::EndsTooEarly)]
    Half,
    /// The file cannot be read now.
    #[error(transparent)]
    Now(io::Error),
}

/// Why a file can never be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("unpack")]
pub enum UnpackFault {
    /// The file is damaged, or is not compressed as `compression` says.
    #[error("it cannot be unpacked: {cause}")]
    Damaged {
        /// Why.
        cause: String,
    },
    /// The file ends before its compressed contents do.
    #[error("it ends too early")]
    EndsTooEarly,
    /// The unpacked file is larger than `unpacked-limit`.
    #[error("unpacked, it has more than {limit}")]
    TooLarge {
        /// The limit, with its unit.
        limit: String,
    },
    /// The file grows so much that it was made to fill a disk.
    #[error("unpacked, it is more than {RATIO_MAX} times as large")]
    TooDense,
}

impl UnpackFault {
    /// Returns the fault that an error of reading carries, or is.
    fn of(error: io::Error) -> Self {
        let damaged = |error: io::Error| UnpackFault::Damaged { cause: error.to_string() };
        error.downcast().unwrap_or_else(damaged)
    }
}

impl Packed {
    /// Reads the compression of a `collect` table, if it has one.
    pub fn read(collect: &Settings) -> Result<Option<Self>, Vec<Diagnostic>> {
        let max = collect.get("unpacked-limit").map(|limit| (limit, collect.octets(limit)));
        let by = match (collect.get("compression"), &max) {
            (Some(compression), _) => collect.choice(compression, &WORDS),
            (None, None) => return Ok(None),
            (None, Some((limit, _))) => {
                Err(collect.error(limit, "nothing is unpacked without a \"compression\""))
            }
        };
        match (by, max.map(|(_, max)| max).transpose()) {
            (Ok(by), Ok(max)) => Ok(Some(Packed { by, unpacked_max: max.unwrap_or(UNPACKED_MAX) })),
            (by, max) => Err(by.err().into_iter().chain(max.err()).collect()),
        }
    }

    /// Returns the unpacked size of a file in octets.
    pub fn size(self, path: &Path) -> Result<u64, NotUnpacked> {
        let mut unpacked = self.open(path).map_err(NotUnpacked::Now)?;
        io::copy(&mut unpacked, &mut io::sink()).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                NotUnpacked::ForGood(UnpackFault::of(error))
            }
            io::ErrorKind::UnexpectedEof => NotUnpacked::Half,
            _ => NotUnpacked::Now(error),
        })
    }

    /// Opens a file for unpacking.
    pub(crate) fn open(self, path: &Path) -> io::Result<Unpacking> {
        self.unpack(plain::open(path)?)
    }

    /// Unpacks the octets of a file.
    pub fn unpack(self, mut file: impl Read + 'static) -> io::Result<Unpacking> {
        let mut first = Vec::new();
        let by = match self.by {
            CompressionKind::Auto => {
                file.by_ref().take(FIRST_OCTETS).read_to_end(&mut first)?;
                found(&first)
            }
            by => Some(by),
        };
        let consumed = Arc::new(AtomicU64::new(0));
        let file = Box::new(Cursor::new(first).chain(file));
        let counted = BufReader::new(Counted { file, consumed: Arc::clone(&consumed) });
        let from: Box<dyn Read> = match by {
            Some(CompressionKind::Gzip) => Box::new(Members::new(Sort::Gzip, counted)?),
            Some(CompressionKind::Zstd) => {
                let sort = Sort::Zstd { window_log_max: ZSTD_WINDOW_LOG_MAX };
                Box::new(Members::new(sort, counted)?)
            }
            _ => Box::new(counted),
        };
        Ok(Unpacking { from, consumed, produced: 0, max: self.unpacked_max })
    }
}

/// Returns the compression that the first octets show. An empty file is not compressed.
fn found(first: &[u8]) -> Option<CompressionKind> {
    match first[..] {
        [0x1f, 0x8b, ..] => Some(CompressionKind::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd] => Some(CompressionKind::Zstd),
        _ => None,
    }
}

/// A file that is unpacked as it is read.
pub struct Unpacking {
    from: Box<dyn Read>,
    /// The octets read from the compressed file.
    consumed: Arc<AtomicU64>,
    produced: u64,
    max: u64,
}

impl Read for Unpacking {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, UnpackFault::Damaged { cause: error.to_string() }),
        })?;
        self.produced += read as u64;
        let consumed = self.consumed.load(Ordering::Relaxed);
        if self.produced > self.max {
            let fault = UnpackFault::TooLarge { limit: octets(self.max).to_string() };
            return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
        }
        if self.produced > RATIO_FROM && self.produced / RATIO_MAX > consumed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, UnpackFault::TooDense));
        }
        Ok(read)
    }
}

struct Counted {
    file: Box<dyn Read>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(octets: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }

    fn size(octets: &[u8], by: CompressionKind, unpacked_max: u64) -> Result<u64, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), octets).unwrap();
        let size = Packed { by, unpacked_max }.size(file.path());
        size.map_err(|not| match not {
            NotUnpacked::ForGood(why) => format!("for good: {why}"),
            NotUnpacked::Half => "half".to_owned(),
            NotUnpacked::Now(error) => format!("now: {:?}", error.kind()),
        })
    }

    #[test]
    fn what_is_packed_is_known_by_its_first_octets() {
        let text = b"records ".repeat(1000);
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        for (octets, by) in [
            (gzip(&text), CompressionKind::Gzip),
            (gzip(&text), CompressionKind::Auto),
            ([gzip(&text[..10]), gzip(&text[10..])].concat(), CompressionKind::Auto),
            (zstd.clone(), CompressionKind::Zstd),
            (zstd, CompressionKind::Auto),
            (text.clone(), CompressionKind::Auto),
        ] {
            assert_eq!(size(&octets, by, u64::MAX), Ok(8000), "{by:?}");
        }
        assert_eq!(size(b"", CompressionKind::Auto, u64::MAX), Ok(0));
    }

    /// For each compression: the octets after the last member, whether they are a member, and the message.
    #[test]
    fn what_lies_behind_the_last_member_is_zeros_another_member_or_too_much() {
        let text = b"records ".repeat(1000);
        let skippable = [0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7];
        for (by, member, word) in [
            (CompressionKind::Gzip, gzip(&text), "member"),
            (CompressionKind::Zstd, zstd::encode_all(&text[..], 3).unwrap(), "frame"),
        ] {
            let at = member.len();
            let behind = |more: &[u8]| size(&[&member[..], more].concat(), by, u64::MAX);
            assert_eq!(behind(&[0; 446]), Ok(8000), "{word}");
            assert_eq!(behind(&member), Ok(16000), "{word}");
            assert_eq!(behind(&[&[0; 100_000], &member[..]].concat()), Ok(16000), "{word}");
            let too_much = |octets: &str, at| {
                Err(format!(
                    "for good: it cannot be unpacked: {octets} behind the last {word}, at octet {at}"
                ))
            };
            assert_eq!(behind(b"\r\nEOF\r\n"), too_much("7 octets lie", at));
            assert_eq!(behind(b"\n"), too_much("1 octet lies", at));
            assert_eq!(behind(&[0, 0, 1]), too_much("1 octet lies", at + 2));
            let junk = [&[b'#'; 70_000][..], &member].concat();
            assert_eq!(behind(&junk), too_much(&format!("{} octets lie", junk.len()), at));
            // More of the file may come.
            for begun in [1, 2, 5, member.len() - 1] {
                assert_eq!(behind(&member[..begun]), Err("half".to_owned()), "{word} {begun}");
            }
        }
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        assert_eq!(
            size(&[&zstd[..], &skippable].concat(), CompressionKind::Zstd, u64::MAX),
            Ok(8000)
        );
        let many = gzip(b"records ").repeat(20_000);
        assert_eq!(size(&many, CompressionKind::Auto, u64::MAX), Ok(160_000));
    }

    #[test]
    fn what_is_larger_than_is_reasonable_is_refused_for_good() {
        let zeros = vec![0; 30_000_000];
        let bomb = Err("for good: unpacked, it is more than 200 times as large".to_owned());
        assert_eq!(size(&gzip(&zeros), CompressionKind::Auto, u64::MAX), bomb);
        assert_eq!(
            size(&zstd::encode_all(&zeros[..], 3).unwrap(), CompressionKind::Zstd, u64::MAX),
            bomb
        );
        let large = size(&gzip(&zeros[..5000]), CompressionKind::Auto, 4000);
        assert_eq!(large, Err("for good: unpacked, it has more than 4.0 kB".to_owned()));
    }

    #[test]
    fn half_a_file_may_become_whole_and_a_damaged_one_does_not() {
        let mut whole = gzip(&b"records ".repeat(1000));
        let zstd = zstd::encode_all(&b"records ".repeat(1000)[..], 3).unwrap();
        for (whole, by) in [(&whole, CompressionKind::Gzip), (&zstd, CompressionKind::Zstd)] {
            assert_eq!(size(&whole[..whole.len() / 2], by, u64::MAX), Err("half".to_owned()));
        }
        let end = whole.len() - 6;
        whole[end] ^= 1;
        assert!(size(&whole, CompressionKind::Gzip, u64::MAX).unwrap_err().starts_with("for good"));
        assert!(
            size(b"no gzip at all", CompressionKind::Gzip, u64::MAX)
                .unwrap_err()
                .starts_with("for good")
        );
    }
}
