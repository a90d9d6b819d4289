//! Whose a request is (RFC 6733 section 6.1). This node is no agent: what is not for it is refused.

use crate::check::Fault;
use crate::codes::{DESTINATION_HOST, DESTINATION_REALM, ROUTE_RECORD};
use crate::frame::Message;
use crate::node::Node;
use crate::result::ResultCode;

impl Node {
    /// Checks that a request is for this node.
    ///
    /// # Errors
    ///
    /// It is for another one (section 6.1.4), or came by here before (6.1.3), or is of an application that this node does not have,
    /// by its header: commands of several applications have the same code.
    pub fn is_for(&self, request: &Message<'_>) -> Result<(), Fault> {
        let application = request.header.application;
        if application != 0 && !self.applications.contains(&application) {
            let text = format!("the application {application} is not known");
            return Err(fault(ResultCode::APPLICATION_UNSUPPORTED, text));
        }
        let (mut host, mut realm) = (None, None);
        for avp in request.avps().map_while(Result::ok) {
            match avp.code {
                DESTINATION_HOST => host = avp.text().ok(),
                DESTINATION_REALM => realm = avp.text().ok(),
                ROUTE_RECORD if avp.text().is_ok_and(|host| is_same(host, self.name.host())) => {
                    let text = format!("the request was at {} before", self.name.host());
                    return Err(fault(ResultCode::LOOP_DETECTED, text));
                }
                _ => {}
            }
        }
        match (host, realm) {
            (Some(host), _) if is_same(host, self.name.host()) => Ok(()),
            (_, Some(realm)) if !is_same(realm, self.name.realm()) => {
                let text = format!("the realm \"{realm}\" is not served");
                Err(fault(ResultCode::REALM_NOT_SERVED, text))
            }
            (Some(host), _) => {
                let text = format!("no connection leads to \"{host}\"");
                Err(fault(ResultCode::UNABLE_TO_DELIVER, text))
            }
            (None, _) => Ok(()),
        }
    }
}

/// Returns whether two names are the same: those of nodes are names of hosts, in which the case of letters does not count.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn fault(result: ResultCode, text: String) -> Fault {
    Fault { result, failed: Vec::new(), text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Header;
    use crate::node::tests::{message, node, request};

    fn route(host: Option<&str>, realm: Option<&str>, record: Option<&str>) -> u32 {
        let octets = request(272, 0xc0, |to| {
            host.into_iter().for_each(|host| to.text(DESTINATION_HOST, host));
            realm.into_iter().for_each(|realm| to.text(DESTINATION_REALM, realm));
            record.into_iter().for_each(|record| to.text(ROUTE_RECORD, record));
        });
        node().is_for(&message(&octets)).map_or_else(|fault| fault.result.0, |()| 2001)
    }

    #[test]
    fn requests_are_for_this_node_by_host_or_realm_or_without_both() {
        let (host, realm) = ("Charging.example.net", "EXAMPLE.net");
        for (to_host, to_realm, result) in [
            (Some(host), Some(realm), 2001),
            (Some(host), None, 2001),
            (None, Some(realm), 2001),
            (None, None, 2001),
            (None, Some("example.org"), 3003),
            (Some("other.example.org"), Some("example.org"), 3003),
            (Some("other.example.net"), Some(realm), 3002),
            (Some("other.example.net"), None, 3002),
        ] {
            assert_eq!(route(to_host, to_realm, None), result, "{to_host:?} {to_realm:?}");
        }
        assert_eq!(route(None, Some(realm), Some("relay.example.net")), 2001);
        assert_eq!(route(None, Some(realm), Some(host)), 3005);
    }

    #[test]
    fn the_application_of_the_header_counts() {
        let octets = request(272, 0xc0, |_| {});
        let ours = message(&octets);
        let header = Header { application: 16_777_238, ..ours.header };
        let gx = Message { header, ..ours };
        assert_eq!(node().is_for(&gx).unwrap_err().result, ResultCode::APPLICATION_UNSUPPORTED);
        assert_eq!(node().is_for(&ours), Ok(()));
    }
}
