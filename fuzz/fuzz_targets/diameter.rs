//! Octets of a peer: a message is found or refused, checked, and answered; the answer has no fault itself.
#![no_main]

use std::sync::LazyLock;

use credit_control::request::Request;
use diameter::capabilities::Security;
use diameter::check::check;
use diameter::dictionary::Dictionary;
use diameter::frame::{Frame, Message};
use diameter::node::{Node, NodeName};
use libfuzzer_sys::fuzz_target;

static DICTIONARY: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::standard(&[]).expect("the dictionaries of the standards"));

static NODE: LazyLock<Node> = LazyLock::new(|| Node {
    name: NodeName::new("charging.example.net", "example.net", Some(1)),
    addresses: vec![[127, 0, 0, 1].into()],
    vendor: 0,
    product: "Tollgate".to_owned(),
    applications: vec![4],
    supported_vendors: vec![10_415],
});

fuzz_target!(|octets: &[u8]| {
    let mut rest = octets;
    while let Ok(Frame::Message(message)) = Frame::read(rest, 1 << 20) {
        answer(&message);
        rest = &rest[message.octets.len()..];
    }
});

fn answer(message: &Message<'_>) {
    let fault = check(message, &DICTIONARY).and_then(|()| NODE.is_for(message)).err();
    let mut octets = Vec::new();
    match fault {
        Some(fault) => NODE.refuse(&mut octets, message, &fault),
        None => {
            let _ = NODE.meet(&mut octets, message, Security::None);
            if let Ok(request) = Request::read(message) {
                request.subscriptions().for_each(drop);
                request.services().for_each(drop);
            }
        }
    }
    assert!(matches!(Frame::read(&octets, octets.len()), Ok(Frame::Message(_))));
}
