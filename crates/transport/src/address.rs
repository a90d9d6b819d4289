//! Addresses of remote places: `sftp://user@host:22/folder`.

use std::fmt;

/// A parsed address. An address with a password is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The scheme, in lower case: `sftp`.
    pub scheme: String,
    /// The user name, if there is one.
    pub user: Option<String>,
    /// The host: a name or an IP address; IPv6 without brackets.
    pub host: String,
    /// The port, if there is one.
    pub port: Option<u16>,
    /// The rest from its "/" on; may be empty.
    pub path: String,
}

/// The error of an address. It shows nothing of the address, which may contain a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The address has white space or control characters.
    #[error("an address cannot contain spaces; write %20")]
    Blank,
    /// The address has no scheme.
    #[error("an address begins with a protocol, such as \"sftp://\"")]
    NoScheme,
    /// The address has a password.
    #[error("an address cannot contain a password")]
    Password,
    /// An IPv6 address has no closing bracket.
    #[error("\"[\" without \"]\"")]
    OpenBracket,
    /// The address has no host.
    #[error("the address has no host")]
    NoHost,
    /// The port is not valid.
    #[error("expected a port from 1 to 65535 after \":\"")]
    NoPort,
    /// Two hexadecimal digits are missing after a percent sign.
    #[error("expected two hexadecimal digits after \"%\"; write %25 for a percent sign")]
    NoOctet,
    /// The address is not UTF-8.
    #[error("the address is not UTF-8")]
    NoText,
    /// The address has a NUL.
    #[error("an address cannot contain NUL")]
    Nul,
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(AddressError::Blank);
        }
        let (scheme, rest) = text
            .split_once("://")
            .filter(|(scheme, _)| {
                !scheme.is_empty() && scheme.bytes().all(|c| c.is_ascii_alphanumeric())
            })
            .ok_or(AddressError::NoScheme)?;
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err(AddressError::Password);
        }
        let (host, port) = host_and_port(place)?;
        Ok(Address {
            scheme: scheme.to_ascii_lowercase(),
            user: user.map(decoded).transpose()?,
            host: host.to_owned(),
            port,
            path: decoded(path)?,
        })
    }

    /// Returns the host, in brackets if it is an IPv6 address.
    pub fn host_in_brackets(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        self.user.iter().try_for_each(|user| write!(f, "{user}@"))?;
        write!(f, "{}", self.host_in_brackets())?;
        self.port.iter().try_for_each(|port| write!(f, ":{port}"))?;
        write!(f, "{}", self.path)
    }
}

fn host_and_port(place: &str) -> Result<(&str, Option<u16>), AddressError> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(AddressError::OpenBracket)?;
            (host, after.strip_prefix(':').or((!after.is_empty()).then_some(after)))
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    if host.is_empty() {
        return Err(AddressError::NoHost);
    }
    // The value is not shown: a "/" in a password makes the part before it look like a port.
    let number = |port: &str| {
        let number = port.parse().ok().filter(|number| *number > 0);
        number.ok_or(AddressError::NoPort)
    };
    Ok((host, port.map(number).transpose()?))
}

/// Decodes %XX in a text.
pub(crate) fn decoded(text: &str) -> Result<String, AddressError> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            octets.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let octet = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        octets.push(octet.ok_or(AddressError::NoOctet)?);
        rest = &after[2..];
    }
    let text = String::from_utf8(octets).map_err(|_| AddressError::NoText)?;
    match text.contains('\0') {
        true => Err(AddressError::Nul),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_PORT: &str = "expected a port from 1 to 65535 after \":\"";

    #[test]
    fn addresses_are_read_and_shown() {
        for (text, expected) in [
            (
                "sftp://cdr@billing:2222/in/daily",
                "user cdr, host billing, port 2222, path /in/daily",
            ),
            ("SFTP://billing", "user -, host billing, port -, path "),
            ("ftp://[::1]:21/a%20b%2F", "user -, host ::1, port 21, path /a b/"),
            ("s3://bucket/sub", "user -, host bucket, port -, path /sub"),
            ("https://a@b/c?d=%25", "user a, host b, port -, path /c?d=%"),
            ("sftp://a:secret@b/", "an address cannot contain a password"),
            ("sftp://b:0/", NO_PORT),
            ("sftp://b:70000/", NO_PORT),
            ("sftp://a:sec/ret@b/", NO_PORT),
            ("sftp:///in", "the address has no host"),
            ("sftp://[::1/in", "\"[\" without \"]\""),
            (
                "sftp://b/%0",
                "expected two hexadecimal digits after \"%\"; write %25 for a percent sign",
            ),
            ("sftp://b/%00", "an address cannot contain NUL"),
            ("sftp://b/%ff", "the address is not UTF-8"),
            ("sftp://b/a b", "an address cannot contain spaces; write %20"),
            ("billing/in", "an address begins with a protocol, such as \"sftp://\""),
        ] {
            let found = match Address::parse(text) {
                Ok(Address { user, host, port, path, .. }) => {
                    let user = user.unwrap_or("-".into());
                    let port = port.map_or("-".into(), |port| port.to_string());
                    format!("user {user}, host {host}, port {port}, path {path}")
                }
                Err(mistake) => mistake.to_string(),
            };
            assert_eq!(found, expected, "{text}");
        }
        let shown = Address::parse("sftp://cdr@[::1]:2222/in").unwrap().to_string();
        assert_eq!(shown, "sftp://cdr@[::1]:2222/in");
    }
}
