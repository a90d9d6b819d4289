//! The addresses that a webhook may reach: those that the settings allow, or else all of the public network. What is
//! checked is the address that is connected to, so that no name leads elsewhere.

use std::io;
use std::net::IpAddr;

use ipnet::IpNet;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// What of IPv4 is not the public network (the registry of RFC 6890), and is reached where it is allowed alone.
const SPECIAL_IPV4: [&str; 16] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];

/// All of IPv6 that is assigned to be public, and what of it is not: what leads to IPv4 or is for documents.
const PUBLIC_IPV6: &str = "2000::/3";
const SPECIAL_IPV6: [&str; 4] = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/// The addresses that may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// None where nothing is said.
    allowed: Option<Vec<IpNet>>,
}

impl Reach {
    /// Of the public network.
    pub(crate) fn public() -> Self {
        Reach { allowed: None }
    }

    /// Of these alone.
    pub(crate) fn of(allowed: Vec<IpNet>) -> Self {
        Reach { allowed: Some(allowed) }
    }

    /// Whether an address may be reached.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        // An IPv4 address may be written as one of IPv6.
        let address = address.to_canonical();
        match &self.allowed {
            Some(allowed) => allowed.iter().any(|range| range.contains(&address)),
            None => is_public(address),
        }
    }
}

/// An address, or a range of them.
pub(crate) fn range(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

fn is_public(address: IpAddr) -> bool {
    let is_in = |ranges: &[&str]| {
        ranges.iter().filter_map(|text| range(text)).any(|range| range.contains(&address))
    };
    match address {
        IpAddr::V4(_) => !is_in(&SPECIAL_IPV4),
        IpAddr::V6(_) => is_in(&[PUBLIC_IPV6]) && !is_in(&SPECIAL_IPV6),
    }
}

/// Finds the addresses of a name, and gives those alone that may be reached: no other is connected to.
#[derive(Debug)]
pub(crate) struct WithinReach(pub(crate) Reach);

impl Resolver for WithinReach {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        let within = found.iter().filter(|address| self.0.allows(address.ip()));
        within.for_each(|address| allowed.push(*address));
        if !allowed.is_empty() {
            return Ok(allowed);
        }
        let host = uri.host().unwrap_or_default();
        let first = found.iter().map(|address| address.ip().to_string()).next().unwrap_or_default();
        let message = format!(
            "\"{host}\" leads to {first}, which \"allow\" does not have: what is not of the public network is reached \
             where it is allowed alone"
        );
        Err(ureq::Error::Io(io::Error::new(io::ErrorKind::PermissionDenied, message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reach: &Reach, address: &str) -> bool {
        reach.allows(address.parse().unwrap())
    }

    #[test]
    fn nothing_but_the_public_network_is_reached_where_nothing_is_said() {
        let public = Reach::public();
        for address in ["8.8.8.8", "193.0.6.139", "2001:4860:4860::8888", "2a00:1450::1"] {
            assert!(check(&public, address), "{address}");
        }
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2001::7f00:1",
            "2002:7f00:1::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
        ] {
            assert!(!check(&public, address), "{address}");
        }
    }

    #[test]
    fn what_is_allowed_is_reached_and_nothing_else() {
        let ranges = ["10.1.0.0/16", "127.0.0.1", "fd12::/16"];
        let reach = Reach::of(ranges.iter().map(|text| range(text).unwrap()).collect());
        for address in ["10.1.255.1", "127.0.0.1", "::ffff:127.0.0.1", "fd12::9"] {
            assert!(check(&reach, address), "{address}");
        }
        for address in ["10.2.0.1", "127.0.0.2", "8.8.8.8", "fd13::9"] {
            assert!(!check(&reach, address), "{address}");
        }
        assert!(range("localhost").is_none() && range("10.0.0.0/33").is_none());
    }
}
