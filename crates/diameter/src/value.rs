//! The basic types of AVPs (RFC 6733 sections 4.2 and 4.3).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why the data of an AVP is no value of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// It has another length.
    #[error("its length is not that of its type")]
    Length,
    /// It has the right length, and no value of the type.
    #[error("its value is none of its type")]
    Value,
}

/// The seconds from 1900-01-01, where the time of NTP begins, to 1970-01-01.
const NTP_TO_UNIX: i64 = 2_208_988_800;

/// The seconds of an era of NTP.
const ERA: i64 = 1 << 32;

/// Returns the seconds since 1970-01-01 UTC of a Time. Without the high bit, it is after 2036 (RFC 6733 section 4.3.1, RFC 4330
/// section 3).
pub(crate) fn seconds_of(ntp: u32) -> i64 {
    let since_1900 = i64::from(ntp) + if ntp >> 31 == 0 { ERA } else { 0 };
    since_1900 - NTP_TO_UNIX
}

/// Returns a Time. Times before 1968 and after 2104 have none that is read as they are.
pub fn ntp_of(seconds: i64) -> u32 {
    // The era is not written.
    (seconds + NTP_TO_UNIX) as u32
}

/// An Address (RFC 6733 section 4.3.1): a family of IANA and the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address<'m> {
    /// An address of the Internet.
    Ip(IpAddr),
    /// One of another family, such as a number of E.164 (8), which is written as digits.
    Other {
        /// The family.
        family: u16,
        /// The address.
        octets: &'m [u8],
    },
}

/// The families of the Internet.
const FAMILY_IPV4: u16 = 1;
const FAMILY_IPV6: u16 = 2;

impl<'m> Address<'m> {
    pub(crate) fn read(data: &'m [u8]) -> Result<Self, ValueError> {
        let (family, octets) = data.split_first_chunk().ok_or(ValueError::Length)?;
        match u16::from_be_bytes(*family) {
            FAMILY_IPV4 => {
                let octets: [u8; 4] = octets.try_into().map_err(|_| ValueError::Length)?;
                Ok(Address::Ip(Ipv4Addr::from(octets).into()))
            }
            FAMILY_IPV6 => {
                let octets: [u8; 16] = octets.try_into().map_err(|_| ValueError::Length)?;
                Ok(Address::Ip(Ipv6Addr::from(octets).into()))
            }
            family => Ok(Address::Other { family, octets }),
        }
    }
}

/// Appends the data of an Address.
pub(crate) fn write_address(address: IpAddr, to: &mut Vec<u8>) {
    match address {
        IpAddr::V4(address) => {
            to.extend(FAMILY_IPV4.to_be_bytes());
            to.extend(address.octets());
        }
        IpAddr::V6(address) => {
            to.extend(FAMILY_IPV6.to_be_bytes());
            to.extend(address.octets());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_on_after_2036() {
        // 2036-02-07T06:28:16Z is where the seconds of NTP begin again.
        for (ntp, seconds) in
            [(0x8000_0000, -61_505_152), (u32::MAX, 2_085_978_495), (0, 2_085_978_496)]
        {
            assert_eq!((seconds_of(ntp), ntp_of(seconds)), (seconds, ntp), "{ntp:x}");
        }
    }

    #[test]
    fn addresses_have_the_length_of_their_family() {
        assert_eq!(Address::read(&[0, 1, 127, 0, 0, 1]), Ok(Address::Ip([127, 0, 0, 1].into())));
        let e164 = Address::Other { family: 8, octets: b"123456" };
        assert_eq!(Address::read(b"\0\x08123456"), Ok(e164));
        for wrong in [&[][..], &[0], &[0, 1, 127, 0, 0], &[0, 1, 127, 0, 0, 1, 1], &[0, 2, 0]] {
            assert_eq!(Address::read(wrong), Err(ValueError::Length), "{wrong:?}");
        }
        for address in ["127.0.0.1", "2001:db8::1"] {
            let address: IpAddr = address.parse().unwrap();
            let mut data = Vec::new();
            write_address(address, &mut data);
            assert_eq!(Address::read(&data), Ok(Address::Ip(address)));
        }
    }
}
