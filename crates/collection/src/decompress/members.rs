//! Reads the members of a compressed file, one after the other: appending one compressed file to another makes such a
//! file. Zeros after the last member are skipped, since tools such as `tar` pad to whole blocks, and `gzip` skips them
//! too. Any other octets after it are an error that a later try does not mend.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

/// How members are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Gzip,
    /// The members are called frames. Some frames are skippable.
    Zstd {
        window_log_max: u32,
    },
}

impl Sort {
    fn word(self) -> &'static str {
        match self {
            Sort::Gzip => "member",
            Sort::Zstd { .. } => "frame",
        }
    }

    /// Returns whether a member can begin with these octets. With fewer octets than the magic number, it compares
    /// those.
    fn begins(self, first: &[u8]) -> bool {
        let fits = |magic: &[u8]| first.iter().zip(magic).all(|(octet, wanted)| octet == wanted);
        match self {
            Sort::Gzip => fits(&[0x1f, 0x8b]),
            Sort::Zstd { .. } => {
                let is_skippable = |first: u8| (0x50..=0x5f).contains(&first);
                fits(&[0x28, 0xb5, 0x2f, 0xfd])
                    || first.split_first().is_some_and(|(first, rest)| {
                        let rest = rest.iter().zip([0x2a, 0x4d, 0x18]);
                        is_skippable(*first) && rest.clone().all(|(octet, wanted)| *octet == wanted)
                    })
            }
        }
    }

    /// Returns the length of the magic number in octets.
    fn magic_octets(self) -> usize {
        match self {
            Sort::Gzip => 2,
            Sort::Zstd { .. } => 4,
        }
    }
}

/// A reader of the contents of all members of a file.
pub(super) struct Members<R: BufRead> {
    sort: Sort,
    member: Option<Member<R>>,
}

enum Member<R: BufRead> {
    Gzip(GzDecoder<Placed<R>>),
    Zstd(ZstdDecoder<'static, Placed<R>>),
}

impl<R: BufRead> Member<R> {
    fn begin(sort: Sort, from: Placed<R>) -> io::Result<Self> {
        Ok(match sort {
            Sort::Gzip => Member::Gzip(GzDecoder::new(from)),
            Sort::Zstd { window_log_max } => {
                let mut decoder = ZstdDecoder::with_buffer(from)?.single_frame();
                decoder.window_log_max(window_log_max)?;
                Member::Zstd(decoder)
            }
        })
    }

    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Member::Gzip(member) => member.read(to),
            Member::Zstd(member) => member.read(to),
        }
    }

    fn end(self) -> Placed<R> {
        match self {
            Member::Gzip(member) => member.into_inner(),
            Member::Zstd(member) => member.finish(),
        }
    }
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(sort: Sort, from: R) -> io::Result<Self> {
        let from = Placed { from, at: 0, given_back: Vec::new() };
        Ok(Members { sort, member: Some(Member::begin(sort, from)?) })
    }

    /// Begins the next member, if there is one.
    fn next(&mut self, mut from: Placed<R>) -> io::Result<()> {
        from.pass_over_zeros()?;
        let at = from.at;
        let mut first = Vec::new();
        from.by_ref().take(self.sort.magic_octets() as u64).read_to_end(&mut first)?;
        if first.is_empty() {
            return Ok(());
        }
        if !self.sort.begins(&first) {
            let octets = first.len() as u64 + io::copy(&mut from, &mut io::sink())?;
            let why = match octets {
                1 => format!("1 octet lies behind the last {}, at octet {at}", self.sort.word()),
                _ => format!(
                    "{octets} octets lie behind the last {}, at octet {at}",
                    self.sort.word()
                ),
            };
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        from.give_back(first);
        self.member = Some(Member::begin(self.sort, from)?);
        Ok(())
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(to)?;
            if read > 0 || to.is_empty() {
                return Ok(read);
            }
            if let Some(member) = self.member.take() {
                self.next(member.end())?;
            }
        }
        Ok(0)
    }
}

/// A reader that counts its offset and can take octets back.
struct Placed<R> {
    from: R,
    at: u64,
    given_back: Vec<u8>,
}

impl<R: BufRead> Placed<R> {
    fn pass_over_zeros(&mut self) -> io::Result<()> {
        loop {
            let octets = self.fill_buf()?;
            let zeros = octets.iter().take_while(|octet| **octet == 0).count();
            if zeros == 0 {
                return Ok(());
            }
            self.consume(zeros);
        }
    }

    /// Puts back the octets that were read last. They are read again.
    fn give_back(&mut self, octets: Vec<u8>) {
        self.at -= octets.len() as u64;
        self.given_back = octets;
    }
}

impl<R: BufRead> BufRead for Placed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given_back.is_empty() { self.from.fill_buf() } else { Ok(&self.given_back) }
    }

    fn consume(&mut self, octets: usize) {
        self.at += octets as u64;
        if self.given_back.is_empty() {
            self.from.consume(octets);
        } else {
            self.given_back.drain(..octets);
        }
    }
}

impl<R: BufRead> Read for Placed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let octets = self.fill_buf()?;
        let read = octets.len().min(to.len());
        to[..read].copy_from_slice(&octets[..read]);
        self.consume(read);
        Ok(read)
    }
}
