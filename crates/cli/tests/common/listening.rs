//! The ports on which a gateway listens.

use crate::common::gateway::Gateway;
use crate::common::wait::wait_for;

/// Returns the port of a protocol, as the gateway reports it.
pub(crate) fn port(gateway: &Gateway, protocol: &str) -> u16 {
    let before = format!("files are taken over {protocol} at 127.0.0.1:");
    let mut port = None;
    wait_for(&format!("the port of {protocol}"), || {
        let said = gateway.said();
        let behind = said.rsplit_once(&before).map(|(_, behind)| behind);
        // The last line may not be complete.
        let digits = behind.and_then(|behind| behind.split_once(|c: char| !c.is_ascii_digit()));
        port = digits.map(|(digits, _)| digits.parse().unwrap());
        port.is_some()
    });
    port.unwrap()
}
