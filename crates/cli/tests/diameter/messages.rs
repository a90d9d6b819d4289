//! The last messages of peers, as people find them, and as files.

use super::client::{Ccr, Client, TERMINATION, packets};
use super::{charging, connected};

/// The commands of messages, in their order, each with an arrow.
fn ladder(list: &str) -> Vec<(String, String)> {
    let lines = list.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text = |of: &serde_json::Value| of.as_str().unwrap_or_default().to_owned();
    lines.map(|of| (text(&of["command"]), text(&of["summary"]))).collect()
}

#[test]
fn the_messages_of_a_session_a_number_and_a_peer_are_found() {
    let (charging, address) = charging("");
    let mut smf = Client::connect(address, "smf.example.net");
    let mut pgw = Client::connect(address, "pgw.example.net");
    smf.ask(&Ccr::default(), |to| packets(to, 100, (Some(1_000_000), None)));
    let other = Ccr { session: "b", subscriber: "46701000002", ..Ccr::default() };
    pgw.ask(&other, |to| packets(to, 100, (Some(5), None)));
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    smf.ask(&end, |to| packets(to, 100, (None, Some(400_000))));
    let unknown = Ccr { session: "c", subscriber: "46709999999", ..Ccr::default() };
    smf.ask(&unknown, |to| packets(to, 1, (Some(5), None)));

    let of_number = ladder(&charging.run("charge messages --number +46701000001 --json"));
    let commands: Vec<&str> = of_number.iter().map(|(command, _)| command.as_str()).collect();
    assert_eq!(commands, ["CCR", "CCA", "CCR", "CCA"]);
    assert_eq!(of_number[0].1, "initial 0: 1000000 octets wanted (rating group 100)");
    assert!(of_number[1].1.starts_with("2001: 1000000 octets granted for "), "{of_number:?}");
    assert_eq!(of_number[2].1, "termination 1: 400000 octets used (rating group 100)");
    assert_eq!(of_number[3].1, "2001: done (rating group 100)");
    // By the name of the session, and by its key in lists.
    let by_name = "charge messages --session pgw.example.net;b --json";
    let key = charging.json("charge sessions --number 46701000002")["session"].take();
    let by_key = format!("charge messages --session {} --json", key.as_str().unwrap());
    assert_eq!(ladder(&charging.run(by_name)).len(), 2);
    assert_eq!(charging.run(by_name), charging.run(&by_key));
    let of_peer = ladder(&charging.run("charge messages --peer PGW.example.net --json"));
    let commands: Vec<&str> = of_peer.iter().map(|(command, _)| command.as_str()).collect();
    assert_eq!(commands, ["CER", "CEA", "CCR", "CCA"]);
    let refused = ladder(&charging.run("charge messages --number 46709999999 --json"));
    assert_eq!(refused[1].1, "5030: no account has the subscriber");
    assert_eq!(ladder(&charging.run("charge messages --limit 3 --json")).len(), 3);
    // All that a message has.
    let avps = charging.run("charge messages --session pgw.example.net;b --avps");
    for part in ["CC-Request-Type: INITIAL_REQUEST (1)", "  Subscription-Id-Data: 46701000002"] {
        assert!(avps.contains(part), "{part}: {avps}");
    }
    // Names without digits are not the same one.
    for (session, subscriber) in [("d", "anna@example.net"), ("e", "bob@example.net")] {
        let ccr = Ccr { session, subscriber, ..Ccr::default() };
        smf.ask(&ccr, |to| packets(to, 1, (Some(5), None)));
    }
    let anna = ladder(&charging.run("charge messages --number anna@example.net --json"));
    assert_eq!(anna.len(), 2, "{anna:?}");
    // A peer that has gone leaves its messages.
    drop(pgw);
    assert_eq!(ladder(&charging.run(by_name)).len(), 2);
}

#[test]
fn messages_are_written_to_files() {
    let (charging, mut client) = connected("");
    client.ask(&Ccr::default(), |to| {
        packets(to, 100, (Some(1_000_000), None));
        // What no file of XML may have.
        to.avp(diameter::avp::AvpCode::ietf(1), 0x40, |to| to.extend("<a> & \"b\"\u{1}".bytes()));
    });
    charging.run("charge messages --xml messages.xml");
    let xml = std::fs::read_to_string(charging.folder().join("messages.xml")).unwrap();
    for part in [
        "command=\"CCR\" application=\"4\"",
        "<avp code=\"421\" name=\"CC-Total-Octets\" value=\"1000000\"/>",
        "name=\"User-Name\" value=\"&lt;a&gt; &amp; &quot;b&quot;\u{fffd}\"/>",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    charging.run("charge messages --pcapng messages.pcapng");
    let file = std::fs::read(charging.folder().join("messages.pcapng")).unwrap();
    let mut blocks = Vec::new();
    let mut rest = &file[..];
    while let Some((head, _)) = rest.split_first_chunk::<8>() {
        let [kind, length] =
            [0, 4].map(|at| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()));
        let (block, behind) = rest.split_at(length as usize);
        assert_eq!(block[block.len() - 4..], length.to_le_bytes());
        blocks.push((kind, block));
        rest = behind;
    }
    let kinds: Vec<u32> = blocks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [0x0a0d_0d0a, 1, 6, 6, 6, 6], "a section, an interface, and 4 messages");
    let request = String::from_utf8_lossy(blocks[4].1);
    assert!(request.contains("diameter") && request.contains("smf.example.net;a"));
    assert!(request.contains("initial 0: 1000000 octets wanted (rating group 100)"));
}

#[test]
fn without_room_no_message_is_there() {
    let (charging, address) =
        super::charging_of(&super::TABLES.replace("realm =", "message-log = \"off\"\nrealm ="));
    let mut client = Client::connect(address, "smf.example.net");
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(5), None)));
    assert_eq!(charging.run("charge messages --json"), "");
}
