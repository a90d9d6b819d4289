//! Addresses as the kernel packs them: one behind the other, each as long as its family needs (RFC 6458 section 9.1).

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

const V4_OCTETS: usize = 16;
const V6_OCTETS: usize = 28;

/// An association and the number of addresses are before them.
const HEAD_OCTETS: usize = 8;

/// The most addresses of this machine that are read.
const ADDRESSES_MAX: usize = 64;

/// The room for all of them.
pub(crate) const ALL_OCTETS: usize = HEAD_OCTETS + ADDRESSES_MAX * V6_OCTETS;

/// Packs an address.
pub(crate) fn packed(address: &SocketAddr) -> Vec<u8> {
    let port = address.port().to_be_bytes();
    match address {
        SocketAddr::V4(of) => {
            let family = (libc::AF_INET as u16).to_ne_bytes();
            [&family[..], &port, &of.ip().octets(), &[0; 8]].concat()
        }
        SocketAddr::V6(of) => {
            let family = (libc::AF_INET6 as u16).to_ne_bytes();
            let (flow, scope) = (of.flowinfo().to_ne_bytes(), of.scope_id().to_ne_bytes());
            [&family[..], &port, &flow, &of.ip().octets(), &scope].concat()
        }
    }
}

/// Reads addresses behind their number. IPv4 in IPv6 is IPv4.
pub(crate) fn unpacked(octets: &[u8]) -> Vec<SocketAddr> {
    let Some((head, mut rest)) = octets.split_first_chunk::<HEAD_OCTETS>() else {
        return Vec::new();
    };
    let count = u32::from_ne_bytes([head[4], head[5], head[6], head[7]]) as usize;
    let mut addresses = Vec::new();
    while addresses.len() < count {
        let Some((address, more)) = first(rest) else { break };
        addresses.push(address);
        rest = more;
    }
    addresses
}

fn first(octets: &[u8]) -> Option<(SocketAddr, &[u8])> {
    let family = i32::from(u16::from_ne_bytes(*octets.first_chunk()?));
    let port = u16::from_be_bytes(octets.get(2..4)?.try_into().ok()?);
    match family {
        libc::AF_INET => {
            let (address, rest) = octets.split_at_checked(V4_OCTETS)?;
            let ip: [u8; 4] = address[4..8].try_into().ok()?;
            Some((SocketAddr::from((Ipv4Addr::from(ip), port)), rest))
        }
        libc::AF_INET6 => {
            let (address, rest) = octets.split_at_checked(V6_OCTETS)?;
            let ip: [u8; 16] = address[8..24].try_into().ok()?;
            let scope = u32::from_ne_bytes(address[24..28].try_into().ok()?);
            let address = SocketAddrV6::new(Ipv6Addr::from(ip), port, 0, scope);
            let ip = address.ip().to_canonical();
            let address = if ip.is_ipv4() { (ip, port).into() } else { address.into() };
            Some((address, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_packed() {
        let addresses = ["10.0.0.1:3868", "[2001:db8::1]:3868", "10.1.0.1:3868"];
        let addresses: Vec<SocketAddr> = addresses.iter().map(|of| of.parse().unwrap()).collect();
        let all: Vec<u8> = addresses.iter().flat_map(packed).collect();
        let head = |count: u32| [[0; 4], count.to_ne_bytes()].concat();
        assert_eq!(unpacked(&[head(3), all.clone()].concat()), addresses);
        assert_eq!(unpacked(&[head(2), all.clone()].concat()), addresses[..2]);
        // A number that is too great, an address that is cut, and another family end it.
        assert_eq!(unpacked(&[head(9), all.clone()].concat()), addresses);
        assert_eq!(unpacked(&[head(3), all[..20].to_vec()].concat()), addresses[..1]);
        assert_eq!(unpacked(&[head(1), vec![0; 40]].concat()), []);
        assert_eq!(unpacked(&[1, 2, 3]), []);
        let mapped = "[::ffff:10.0.0.1]:3868".parse().unwrap();
        assert_eq!(unpacked(&[head(1), packed(&mapped)].concat()), addresses[..1]);
    }

    #[test]
    fn an_address_has_the_form_of_the_kernel() {
        let family = (libc::AF_INET as u16).to_ne_bytes();
        let octets = packed(&"10.0.0.1:3868".parse().unwrap());
        assert_eq!(octets[..8], [family[0], family[1], 0x0f, 0x1c, 10, 0, 0, 1]);
        assert_eq!((octets.len(), packed(&"[::1]:1".parse().unwrap()).len()), (16, 28));
    }
}
