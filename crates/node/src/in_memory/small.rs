//! Values that use little memory.

/// The maximum length of a value that is stored inline.
const INLINE_MAX: usize = 14;

/// A value. A short one is stored inline, in the memory of a pointer and a length.
pub(super) enum SmallOctets {
    Inline { len: u8, octets: [u8; INLINE_MAX] },
    Boxed(Box<Long>),
}

/// The octets of a long value. The second box makes the pointer in [`SmallOctets`] thin.
pub(super) struct Long(Box<[u8]>);

const _: () = assert!(size_of::<SmallOctets>() == 16);

impl SmallOctets {
    pub(super) fn new(value: &[u8]) -> Self {
        if value.len() > INLINE_MAX {
            return SmallOctets::Boxed(Box::new(Long(value.into())));
        }
        let mut octets = [0; INLINE_MAX];
        octets[..value.len()].copy_from_slice(value);
        SmallOctets::Inline { len: value.len() as u8, octets }
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            SmallOctets::Inline { len, octets } => &octets[..usize::from(*len)],
            SmallOctets::Boxed(long) => &long.0,
        }
    }

    /// Returns the octets of heap memory that it uses, including the overhead of the allocator.
    pub(super) fn heap_octets(&self) -> usize {
        match self {
            SmallOctets::Inline { .. } => 0,
            SmallOctets::Boxed(long) => long.0.len() + 48,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_length_are_read_as_written() {
        for len in [0, 1, INLINE_MAX, INLINE_MAX + 1, 1_000] {
            let octets: Vec<u8> = (0..len).map(|at| at as u8).collect();
            assert_eq!(SmallOctets::new(&octets).as_slice(), octets);
        }
    }
}
