//! AVPs on the wire, read in place (RFC 6733 section 4.1).
//!
//! ```text
//! code (4) │ flags (1) │ length (3) │ vendor (4), if the V bit is set │ data │ padding to 4
//! ```
//!
//! The length counts header and data, and not the padding.

use crate::value::{self, Address, ValueError};

/// The octets of a header without a vendor, and of one with it.
const PLAIN_OCTETS: usize = 8;
const VENDOR_OCTETS: usize = 12;

/// The flags of an AVP.
pub mod flags {
    /// The header has a vendor.
    pub const VENDOR: u8 = 0x80;
    /// The receiver must understand it.
    pub const MANDATORY: u8 = 0x40;
    /// It was meant for end-to-end security, which no version of the protocol has.
    pub const PROTECTED: u8 = 0x20;
}

/// What an AVP is: its code among those of a vendor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AvpCode {
    /// The vendor, by its number at IANA; 0 for those of the IETF.
    pub vendor: u32,
    /// The code.
    pub code: u32,
}

impl AvpCode {
    /// Returns a code of the IETF.
    pub const fn ietf(code: u32) -> Self {
        AvpCode { vendor: 0, code }
    }

    /// Returns a code of 3GPP.
    pub const fn tgpp(code: u32) -> Self {
        AvpCode { vendor: 10_415, code }
    }
}

/// An AVP in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avp<'m> {
    /// What it is.
    pub code: AvpCode,
    /// Its [`flags`].
    pub flags: u8,
    /// Its data.
    pub data: &'m [u8],
    /// Header and data, without the padding.
    pub octets: &'m [u8],
}

impl<'m> Avp<'m> {
    /// Returns whether the receiver must understand it.
    pub fn is_mandatory(&self) -> bool {
        self.flags & flags::MANDATORY != 0
    }

    /// Returns its data as an Unsigned32.
    ///
    /// # Errors
    ///
    /// It has not 4 octets.
    pub fn u32(&self) -> Result<u32, ValueError> {
        self.data.try_into().map(u32::from_be_bytes).map_err(|_| ValueError::Length)
    }

    /// Returns its data as an Integer32 or an Enumerated.
    ///
    /// # Errors
    ///
    /// It has not 4 octets.
    pub fn i32(&self) -> Result<i32, ValueError> {
        self.u32().map(u32::cast_signed)
    }

    /// Returns its data as an Unsigned64.
    ///
    /// # Errors
    ///
    /// It has not 8 octets.
    pub fn u64(&self) -> Result<u64, ValueError> {
        self.data.try_into().map(u64::from_be_bytes).map_err(|_| ValueError::Length)
    }

    /// Returns its data as an Integer64.
    ///
    /// # Errors
    ///
    /// It has not 8 octets.
    pub fn i64(&self) -> Result<i64, ValueError> {
        self.u64().map(u64::cast_signed)
    }

    /// Returns its data as a UTF8String, a DiameterIdentity or a DiameterURI.
    ///
    /// # Errors
    ///
    /// It is not UTF-8.
    pub fn text(&self) -> Result<&'m str, ValueError> {
        std::str::from_utf8(self.data).map_err(|_| ValueError::Value)
    }

    /// Returns its data as a Time, in seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    ///
    /// It has not 4 octets.
    pub fn time(&self) -> Result<i64, ValueError> {
        self.u32().map(value::seconds_of)
    }

    /// Returns its data as an Address.
    ///
    /// # Errors
    ///
    /// It is shorter than the family of the address, or has another length than an address of its family.
    pub fn address(&self) -> Result<Address<'m>, ValueError> {
        Address::read(self.data)
    }

    /// Returns the AVPs in its data.
    pub fn members(&self) -> Avps<'m> {
        Avps::new(self.data)
    }
}

/// The AVPs of a message or of a group, in order.
#[derive(Clone, Copy, Debug)]
pub struct Avps<'m> {
    rest: &'m [u8],
}

impl<'m> Avps<'m> {
    /// Returns the AVPs in some octets.
    pub fn new(octets: &'m [u8]) -> Self {
        Avps { rest: octets }
    }

    /// Returns the first one with a code, as far as they can be read.
    pub fn find_code(self, code: AvpCode) -> Option<Avp<'m>> {
        self.map_while(Result::ok).find(|avp| avp.code == code)
    }
}

/// An AVP whose length is wrong. What comes behind it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the AVP {} of vendor {} has a wrong length", code.code, code.vendor)]
pub struct LengthError {
    /// What it is, as far as its header is there.
    pub code: AvpCode,
    /// Its flags.
    pub flags: u8,
}

impl<'m> Iterator for Avps<'m> {
    type Item = Result<Avp<'m>, LengthError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.rest);
        let Some(avp) = first(rest) else { return Some(Err(length_error(rest))) };
        // A message whose last AVP has no padding is taken as it is.
        let padded = avp.octets.len().next_multiple_of(4).min(rest.len());
        self.rest = &rest[padded..];
        Some(Ok(avp))
    }
}

/// Returns the first AVP. `None` if its length is wrong.
fn first(octets: &[u8]) -> Option<Avp<'_>> {
    let (header, behind) = octets.split_first_chunk::<PLAIN_OCTETS>()?;
    let [c0, c1, c2, c3, flags, l0, l1, l2] = *header;
    let code = u32::from_be_bytes([c0, c1, c2, c3]);
    let length = u32::from_be_bytes([0, l0, l1, l2]) as usize;
    let octets = octets.get(..length)?;
    let (vendor, header) = match flags & flags::VENDOR {
        0 => (0, PLAIN_OCTETS),
        _ => (u32::from_be_bytes(*behind.first_chunk()?), VENDOR_OCTETS),
    };
    let data = octets.get(header..)?;
    Some(Avp { code: AvpCode { vendor, code }, flags, data, octets })
}

/// Returns what is there of the header of an AVP; zeros stand for what is not.
fn length_error(octets: &[u8]) -> LengthError {
    let mut header = [0; VENDOR_OCTETS];
    let count = octets.len().min(VENDOR_OCTETS);
    header[..count].copy_from_slice(&octets[..count]);
    let [c0, c1, c2, c3, flags, _, _, _, v0, v1, v2, v3] = header;
    let vendor = match flags & flags::VENDOR {
        0 => 0,
        _ => u32::from_be_bytes([v0, v1, v2, v3]),
    };
    LengthError { code: AvpCode { vendor, code: u32::from_be_bytes([c0, c1, c2, c3]) }, flags }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(octets: &[u8]) -> Vec<Result<Avp<'_>, LengthError>> {
        Avps::new(octets).collect()
    }

    #[test]
    fn avps_are_read_with_and_without_a_vendor_and_their_padding() {
        let octets = [
            &[0, 0, 1, 7, 0x40, 0, 0, 11, b'a', b'b', b'c', 0][..],
            &[0, 0, 3, 0x69, 0xc0, 0, 0, 12, 0, 0, 0x28, 0xaf],
            &[0, 0, 1, 0x9f, 0, 0, 0, 12, 0xff, 0xff, 0xff, 0xfe],
        ]
        .concat();
        let [Ok(session), Ok(group), Ok(number)] = read(&octets)[..] else { panic!() };
        assert_eq!((session.code, session.text()), (AvpCode::ietf(263), Ok("abc")));
        assert!(session.is_mandatory());
        assert_eq!((group.code, group.data), (AvpCode::tgpp(873), &[][..]));
        assert_eq!((number.u32(), number.i32()), (Ok(u32::MAX - 1), Ok(-2)));
        assert_eq!(number.u64(), Err(ValueError::Length));
        // The last one may have no padding.
        assert_eq!(read(&octets[..11]).len(), 1);
    }

    #[test]
    fn what_is_behind_a_wrong_length_is_not_read() {
        let whole = [0, 0, 3, 0x69, 0xc0, 0, 0, 12, 0, 0, 0x28, 0xaf];
        for length in (0..12).chain([25, 255]) {
            let mut octets = [whole, whole].concat();
            octets[7] = length;
            let [Err(error)] = read(&octets)[..] else { panic!("{length}") };
            assert_eq!((error.code, error.flags), (AvpCode::tgpp(873), 0xc0), "{length}");
        }
        for cut in 1..8 {
            let [Err(_)] = read(&whole[..cut])[..] else { panic!("{cut}") };
        }
    }
}
