//! A Bloom filter that keeps all bits of a digest in one cache line of the processor.

/// A cache line.
type Line = [u64; 8];

/// Bits per digest: about two of a thousand absent digests are false positives.
const BITS: usize = 16;

/// Bits that each digest sets.
const SET: u32 = 5;

/// A set of digests.
#[derive(Debug)]
pub(super) struct Filter {
    /// Their number is a power of two.
    lines: Vec<Line>,
}

impl Filter {
    /// Returns a set with room for so many digests.
    pub(super) fn of(digests: usize) -> Self {
        let lines = (digests * BITS).div_ceil(Line::default().len() * 64);
        Filter { lines: vec![Line::default(); lines.max(1).next_power_of_two()] }
    }

    pub(super) fn insert(&mut self, digest: u64) {
        let line = self.line(digest);
        let line = &mut self.lines[line];
        bits(digest).for_each(|(word, bit)| line[word] |= bit);
    }

    /// Returns whether the set may have a digest; `false` is certain.
    pub(super) fn may_have(&self, digest: u64) -> bool {
        let line = &self.lines[self.line(digest)];
        bits(digest).all(|(word, bit)| line[word] & bit != 0)
    }

    /// Returns the octets of memory that it takes.
    pub(super) fn octets(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    /// Halves the memory, unless it is one line. No digest of the set is lost.
    pub(super) fn halve(&mut self) {
        if self.lines.len() == 1 {
            return;
        }
        let upper = self.lines.split_off(self.lines.len() / 2);
        for (line, upper) in self.lines.iter_mut().zip(upper) {
            line.iter_mut().zip(upper).for_each(|(word, upper)| *word |= upper);
        }
        self.lines.shrink_to_fit();
    }

    fn line(&self, digest: u64) -> usize {
        (digest >> 45) as usize & (self.lines.len() - 1)
    }
}

/// Returns the bits of a digest in its line, each as a word and a mask.
fn bits(digest: u64) -> impl Iterator<Item = (usize, u64)> {
    (0..SET).map(move |place| {
        let place = digest >> (place * 9) & 0x1ff;
        ((place >> 6) as usize, 1 << (place & 63))
    })
}

// The bits within a line and the line number use separate bits of the digest.
const _: () = assert!(SET * 9 <= 45);

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers that are distributed like digests.
    fn digests(first: u64, count: u64) -> Vec<u64> {
        let digest = |number: u64| {
            let digest = blake3::hash(&number.to_le_bytes());
            u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap())
        };
        (first..first + count).map(digest).collect()
    }

    fn positives(filter: &Filter, digests: &[u64]) -> usize {
        digests.iter().filter(|digest| filter.may_have(**digest)).count()
    }

    #[test]
    fn what_a_set_has_is_found_and_little_else() {
        let (has, others) = (digests(0, 1 << 14), digests(1 << 40, 100_000));
        let mut filter = Filter::of(has.len());
        has.iter().for_each(|digest| filter.insert(*digest));
        assert_eq!(filter.octets(), 2 << 14);
        for (octets, others_max) in [(2 << 14, 400), (1 << 14, 4_000), (1 << 13, 30_000)] {
            assert_eq!(filter.octets(), octets);
            assert_eq!(positives(&filter, &has), has.len());
            let others = positives(&filter, &others);
            assert!(others < others_max, "{others} of 100,000 with {octets} octets");
            filter.halve();
        }
    }

    #[test]
    fn an_empty_set_has_nothing() {
        let mut filter = Filter::of(0);
        assert_eq!(positives(&filter, &digests(0, 1_000)), 0);
        filter.halve();
        assert_eq!(filter.octets(), 64);
    }
}
