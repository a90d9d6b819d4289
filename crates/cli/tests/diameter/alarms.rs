//! Alarms about peers.

use serde_json::{Value, json};

use super::client::{Ccr, Client, packets};
use super::{TABLES, charging, charging_in};
use crate::charging::{Charging, NoticeReceiver};
use crate::common::wait::wait_for;

/// Returns the kinds of the alarms, each with its peer.
fn alarms(charging: &Charging) -> Vec<(String, String)> {
    let list = charging.json("charge peers list")["alarms"].take();
    let text = |of: &Value| of.as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(|of| (text(&of["kind"]), text(&of["peer"]))).collect()
}

fn alarm(kind: &str, peer: &str) -> (String, String) {
    (kind.to_owned(), peer.to_owned())
}

#[test]
fn a_peer_that_goes_has_an_alarm_until_it_returns() {
    let receiver = NoticeReceiver::new();
    let (charging, address) = charging(&format!(
        "[diameter.peers.\"smf.example.net\"]\n[diameter.peers.\"pgw.example.net\"]\n\
         [diameter.alarms]\npeer-down = \"1 second\"\nurl = \"http://127.0.0.1:{}/\"\n\
         allow = [\"127.0.0.1\"]\n",
        receiver.port
    ));
    drop(Client::connect(address, "SMF.example.net"));
    let down = [alarm("peer-down", "smf.example.net")];
    wait_for("the alarm", || alarms(&charging) == down);
    let shown = charging.run("charge peers list");
    assert!(shown.contains("the peer smf.example.net: it is not connected since"), "{shown}");
    assert!(charging.run("charge show").contains("ALARM:         the peer smf.example.net"));
    let _client = Client::connect(address, "smf.example.net");
    wait_for("its end", || alarms(&charging).is_empty());
    wait_for("both messages", || receiver.received().len() == 2);
    let of = |key: &str| -> Vec<Value> {
        receiver.received().iter().map(|(_, body)| body[key].clone()).collect()
    };
    assert_eq!(of("event"), ["raised", "cleared"]);
    assert_eq!(of("subject"), ["smf.example.net"; 2]);
    assert_eq!(of("flow"), ["charging.example.net"; 2]);
    charging.expect_logged("alarm: the peer \"smf.example.net\": it is not connected since");
}

#[test]
fn silence_errors_and_peers_that_never_came_have_alarms_if_they_are_wanted() {
    let (charging, address) = charging(
        "[diameter.peers.\"smf.example.net\"]\n[diameter.peers.\"pgw.example.net\"]\n\
         [diameter.peers.\"smsc.example.net\"]\nno-traffic = \"off\"\n\
         [diameter.alarms]\npeer-missing = \"1 second\"\nno-traffic = \"2 seconds\"\n\
         error-percent = 50\nerror-minimum = 3\nerror-window = \"1 day\"\n",
    );
    let mut client = Client::connect(address, "smf.example.net");
    let _silent = Client::connect(address, "smsc.example.net");
    let unknown = Ccr { subscriber: "46709999999", ..Ccr::default() };
    for _ in 0..3 {
        client.ask(&unknown, |to| packets(to, 1, (Some(5), None)));
    }
    let expected = [
        alarm("peer-missing", "pgw.example.net"),
        alarm("no-traffic", "smf.example.net"),
        alarm("error-rate", "smf.example.net"),
    ];
    wait_for("all alarms", || alarms(&charging) == expected);
    let text = charging.json("charge show")["peer_alarms"][2]["text"].take();
    assert_eq!(text, json!("3 of its 3 answers within 86400 seconds are errors"));
}

#[test]
fn settings_of_alarms_are_checked() {
    let mistakes = |alarms: &str| {
        let charging = Charging::new();
        charging.define(&format!("{TABLES}[diameter.alarms]\n{alarms}\n"));
        let output = charging.command("charge check").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    for (alarms, expected) in [
        ("peer-down = \"soon\"", "\"soon\" is no length of time"),
        ("error-minimum = 5", "\"error-minimum\" needs \"error-percent\""),
        ("error-percent = 0", "\"error-percent\" is 1 to 100"),
        ("error-percent = 5\nerror-classes = [2]", "\"2\" is no class of errors"),
        ("error-percent = 5\nerror-window = \"1 second\"", "\"error-window\" is 10 seconds"),
        ("allow = [\"127.0.0.1\"]", "has no \"url\""),
    ] {
        let said = mistakes(alarms);
        assert!(said.contains(expected), "{alarms}: {said}");
    }
    let charging =
        charging_in(&format!("{TABLES}[diameter.alarms]\npeer-down = \"off\"\n"), |_| {});
    assert_eq!(alarms(&charging), []);
}
