//! The address under which limits count a client.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the address to count: an IPv6 client counts as its /64 prefix, since one client has the whole prefix (RFC
/// 6177).
pub(crate) fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_ipv6_are_one_and_of_ipv4_are_not() {
        let is_one = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| counted(text.parse().expect("an address")));
            one == other
        };
        assert!(is_one("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!is_one("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!is_one("10.0.0.1", "10.0.0.2"));
        assert!(is_one("10.0.0.1", "::ffff:10.0.0.1"));
        assert!(counted("::1".parse().expect("an address")).is_loopback());
    }
}
