//! Compresses files while they are read for delivery. The result is the same each time.

use std::io::{self, BufReader, Read};

use flate2::read::GzEncoder;

use crate::BUFFER_OCTETS;

/// The format of a compressed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952, which every system reads.
    Gzip,
    /// RFC 8878, smaller and faster.
    Zstd,
}

impl Compression {
    /// All formats, by their names in a flow file.
    pub const ALL: [(&'static str, Compression); 2] =
        [("gzip", Compression::Gzip), ("zstd", Compression::Zstd)];

    /// Returns the file extension of a compressed file.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    /// Compresses octets. The result contains no time and no file name.
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
    fn compression_is_reproducible_and_lossless() {
        let octets: Vec<u8> = (0..1_000_000_u32).map(|at| (at / 1_000) as u8).collect();
        for (word, how) in Compression::ALL {
            let compress = || {
                let mut compressed = Vec::new();
                how.compressed(&*octets).unwrap().read_to_end(&mut compressed).unwrap();
                compressed
            };
            let compressed = compress();
            assert!(compressed.len() < octets.len() / 10, "{word}");
            assert_eq!(compressed, compress(), "{word}");
            let mut decompressed = Vec::new();
            match how {
                Compression::Gzip => {
                    flate2::read::MultiGzDecoder::new(&*compressed)
                        .read_to_end(&mut decompressed)
                        .unwrap();
                }
                Compression::Zstd => decompressed = zstd::decode_all(&*compressed).unwrap(),
            }
            assert!(decompressed == octets, "{word}");
        }
    }
}
