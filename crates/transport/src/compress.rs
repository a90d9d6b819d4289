//! Files that are made smaller on their way out, while they are read: the same octets each time.

use std::io::{self, BufReader, Read};

use flate2::read::GzEncoder;

use crate::BUFFER_OCTETS;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952, which every machine reads.
    Gzip,
    /// RFC 8878, smaller and faster.
    Zstd,
}

impl Compression {
    /// All, by their words.
    pub const ALL: [(&'static str, Compression); 2] =
        [("gzip", Compression::Gzip), ("zstd", Compression::Zstd)];

    /// What the name of a compressed file ends with.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    /// Octets, compressed. No time and no name is in them.
    pub fn compressed<'r>(self, octets: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
        let octets = BufReader::with_capacity(BUFFER_OCTETS, octets);
        Ok(match self {
            Compression::Gzip => Box::new(GzEncoder::new(octets, flate2::Compression::default())),
            Compression::Zstd => Box::new(zstd::stream::read::Encoder::with_buffer(octets, 0)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_is_smaller_the_same_each_time_and_comes_back() {
        let octets: Vec<u8> = (0..1_000_000_u32).map(|at| (at / 1_000) as u8).collect();
        for (word, how) in Compression::ALL {
            let made = || {
                let mut made = Vec::new();
                how.compressed(&*octets).unwrap().read_to_end(&mut made).unwrap();
                made
            };
            let compressed = made();
            assert!(compressed.len() < octets.len() / 10, "{word}");
            assert_eq!(compressed, made(), "{word}");
            let mut back = Vec::new();
            match how {
                Compression::Gzip => {
                    flate2::read::MultiGzDecoder::new(&*compressed).read_to_end(&mut back).unwrap();
                }
                Compression::Zstd => back = zstd::decode_all(&*compressed).unwrap(),
            }
            assert!(back == octets, "{word}");
        }
    }
}
