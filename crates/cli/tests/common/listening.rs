//! The ports on which a gateway listens.

use crate::common::gateway::Gateway;

/// Returns the port of a protocol, as the gateway reports it.
pub(crate) fn port(gateway: &Gateway, protocol: &str) -> u16 {
    let before = format!("files are taken over {protocol} at 127.0.0.1:");
    gateway.says(&before);
    let said = gateway.said();
    let (_, behind) = said.rsplit_once(&before).unwrap();
    let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap();
    behind[..digits].parse().unwrap()
}
