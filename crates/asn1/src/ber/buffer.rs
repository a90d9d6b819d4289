//! The buffer that a record is written to. Its memory is allocated and zeroed in advance, so that a short value is a
//! copy of fixed size after a single capacity check.

/// The octets copied for a short value, whatever its length.
pub(super) const COPIED_AT_ONCE: usize = 16;

/// The octets copied for a longer one, most often a list of a few small structures.
const COPIED_AT_MOST: usize = 64;

/// The size of a new buffer: more than most records need.
const ROOM_AT_FIRST: usize = 1 << 10;

/// A record being written.
#[derive(Debug)]
pub(super) struct Buffer {
    /// The octets before `end` are written.
    octets: Vec<u8>,
    end: usize,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Buffer { octets: vec![0; ROOM_AT_FIRST], end: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.end = 0;
    }

    /// Returns what was written.
    pub(super) fn written(&self) -> &[u8] {
        &self.octets[..self.end]
    }

    #[inline]
    pub(super) fn push(&mut self, octet: u8) {
        if self.end == self.octets.len() {
            self.grow(1);
        }
        self.octets[self.end] = octet;
        self.end += 1;
    }

    #[inline]
    pub(super) fn extend(&mut self, octets: &[u8]) {
        if self.octets.len() - self.end < octets.len() {
            self.grow(octets.len());
        }
        self.octets[self.end..self.end + octets.len()].copy_from_slice(octets);
        self.end += octets.len();
    }

    /// Writes an identifier, a length, and a value of `length` octets at the beginning of `octets`.
    #[inline(always)]
    pub(super) fn leaf(&mut self, identifier: u8, octets: &[u8; COPIED_AT_ONCE], length: usize) {
        loop {
            let mut leaves = self.leaves();
            if leaves.push(identifier, octets, length) {
                return leaves.end();
            }
            self.grow(COPIED_AT_ONCE + 2);
        }
    }

    /// Returns a writer for consecutive values into the available room.
    #[inline(always)]
    pub(super) fn leaves(&mut self) -> Leaves<'_> {
        let size = self.octets.len();
        Leaves { room: &mut self.octets[self.end..], size, end: &mut self.end }
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let size = (self.end + count).next_power_of_two();
        self.octets.resize(size, 0);
    }

    /// Writes an identifier and reserves one octet for the length. Returns where the content begins.
    #[inline]
    pub(super) fn open(&mut self, identifier: u8) -> usize {
        self.extend(&[identifier, 0]);
        self.end
    }

    /// Reserves octets for a length. Returns where the content begins.
    pub(super) fn reserve(&mut self, count: usize) -> usize {
        for _ in 0..count {
            self.push(0);
        }
        self.end
    }

    /// Writes the length of the content that begins at `start` into the reserved octets before it. Moves the content if
    /// they are too many or too few.
    #[inline(always)]
    pub(super) fn close(&mut self, start: usize, reserved: usize) {
        let length = self.end - start;
        if reserved == 1 && length < 0x80 {
            self.octets[start - 1] = length as u8;
            return;
        }
        self.close_long(start, length, reserved);
    }

    #[inline(never)]
    fn close_long(&mut self, start: usize, length: usize, reserved: usize) {
        let octets = length_octets(length);
        let begin = start - reserved;
        if octets != reserved {
            self.reserve(octets.saturating_sub(reserved));
            self.octets.copy_within(start..start + length, begin + octets);
            self.end = begin + octets + length;
        }
        if octets == 1 {
            self.octets[begin] = length as u8;
            return;
        }
        self.octets[begin] = 0x80 | (octets - 1) as u8;
        self.octets[begin + 1..begin + octets]
            .copy_from_slice(&length.to_be_bytes()[size_of::<usize>() + 1 - octets..]);
    }
}

/// A writer for consecutive values.
pub(super) struct Leaves<'b> {
    /// The room after the last value.
    room: &'b mut [u8],
    /// The size of the whole buffer.
    size: usize,
    /// The end of the completely written octets.
    end: &'b mut usize,
}

impl Leaves<'_> {
    /// Writes a value from within `octets`. Returns whether it was short enough and there was room. It also copies the
    /// octets after the value, so that the size of every copy is known at compile time.
    #[inline(always)]
    pub(super) fn copy(&mut self, identifier: u8, octets: &[u8], at: usize, length: usize) -> bool {
        if length > COPIED_AT_ONCE {
            return length <= COPIED_AT_MOST
                && self.copy_of::<COPIED_AT_MOST>(identifier, octets, at, length);
        }
        self.copy_of::<COPIED_AT_ONCE>(identifier, octets, at, length)
            || length <= 8 && self.copy_of::<8>(identifier, octets, at, length)
    }

    #[inline(always)]
    fn copy_of<const MOST: usize>(
        &mut self,
        identifier: u8,
        octets: &[u8],
        at: usize,
        length: usize,
    ) -> bool {
        let octets = octets.get(at..at + MOST).and_then(|octets| octets.first_chunk::<MOST>());
        octets.is_some_and(|octets| self.push(identifier, octets, length))
    }

    /// Writes a value at the beginning of `octets`. Returns whether there was room.
    #[inline(always)]
    pub(super) fn push<const MOST: usize>(
        &mut self,
        identifier: u8,
        octets: &[u8; MOST],
        length: usize,
    ) -> bool {
        if self.room.len() < 2 + MOST || length > MOST {
            return false;
        }
        let room = std::mem::take(&mut self.room);
        room[..2].copy_from_slice(&[identifier, length as u8]);
        room[2..2 + MOST].copy_from_slice(octets);
        self.room = &mut room[2 + length..];
        true
    }

    #[inline(always)]
    pub(super) fn end(self) {
        *self.end = self.size - self.room.len();
    }
}

/// Returns how many octets a length takes (X.690, 8.1.3).
pub(super) fn length_octets(length: usize) -> usize {
    if length < 0x80 { 1 } else { 1 + (usize::BITS - length.leading_zeros()).div_ceil(8) as usize }
}
