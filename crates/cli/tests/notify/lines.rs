//! Tests notifications over lines that are cut, slow and silent.

use std::collections::BTreeMap;
use std::fs;

use super::{Site, UNREADABLE};
use crate::common::python::python_with;
use crate::common::wait::wait_for;
use crate::deliveries::proxy::Proxy;
use crate::servers;

/// Where the line is cut: octets of the request, and of the answer.
const CUTS: [(i64, i64); 4] = [(30, -1), (400, -1), (-1, 0), (-1, 9)];

/// Returns the notifications of a kind that the receiver has noted, by the number of the event, in the order in which
/// each first came.
fn noted(site: &Site) -> Vec<(String, usize)> {
    let mut times = BTreeMap::<String, usize>::new();
    let mut first = Vec::new();
    for request in site.requests() {
        let body = &request["body"];
        if body["kind"] == UNREADABLE {
            let id = body["id"].to_string();
            if !times.contains_key(&id) {
                first.push((id.clone(), body["event"].as_str().unwrap().to_owned()));
            }
            *times.entry(id).or_default() += 1;
        }
    }
    first.into_iter().map(|(id, event)| (event, times[&id])).collect()
}

#[test]
fn a_webhook_hears_each_event_over_a_line_that_is_cut_slow_and_silent() {
    let site = Site::with_receiver();
    let proxy = Proxy::to(site.port, &[]);
    site.add(&format!(
        "[notify.operations]\nurl = \"http://127.0.0.2:{}/\"\nallow = [\"127.0.0.2\"]\n\
         kinds = [\"folder-unreadable\"]\ntimeout = \"2 seconds\"\n",
        proxy.port
    ));
    let gateway = site.gateway();
    for (number, (out, back)) in (1..).zip(CUTS) {
        proxy.cut_after(out);
        proxy.cut_back_after(back);
        let event = ["cleared", "raised"][number % 2];
        match event {
            "raised" => site.take_away(),
            _ => site.give_back(),
        }
        wait_for("the cut", || proxy.cuts() == number as u64);
        // A request that arrived completely is repeated if its answer did not arrive; the receiver recognizes it by its
        // number.
        let least = if out < 0 { 2 } else { 1 };
        let last = || noted(&site).get(number - 1).cloned();
        wait_for("the event", || last().is_some_and(|(_, times)| times >= least));
        assert_eq!(last().map(|(event, _)| event).as_deref(), Some(event));
        wait_for("the answer to it", || proxy.is_quiet());
    }
    // Slow, and then silent for longer than an answer may take.
    proxy.limit(2_000);
    proxy.delay(100);
    site.take_away();
    wait_for("the event", || noted(&site).len() == CUTS.len() + 1);
    proxy.limit(0);
    proxy.delay(0);
    proxy.hold(true);
    site.give_back();
    wait_for("no answer", || site.said().contains("did not answer in time"));
    wait_for("boston", || site.path("flow/in/boston/boston-00004.ber.done").exists());
    proxy.hold(false);
    wait_for("the event", || noted(&site).len() == CUTS.len() + 2);
    let events: Vec<String> = noted(&site).into_iter().map(|(event, _)| event).collect();
    assert_eq!(events, ["raised", "cleared", "raised", "cleared", "raised", "cleared"]);
    gateway.stop();
}

#[test]
fn a_mail_arrives_over_a_line_that_is_cut_and_slow() {
    let mut site = Site::new();
    servers::certificate(&site.path("there"));
    fs::copy(site.path("there/server.pem"), site.path("there/certificate.pem")).unwrap();
    fs::write(site.path("there/implicit"), "").unwrap();
    site.start(&python_with(&["aiosmtpd==1.4.6"]), "mailbox.py");
    // The server's certificate is for localhost, so the line must have that name too.
    let proxy = Proxy::at("127.0.0.1", site.port);
    site.add(&format!(
        "[notify.people]\nsmtp = \"localhost:{}\"\nfrom = \"gateway@example.com\"\n\
         to = \"anna@example.com\"\nuser = \"gateway\"\npassword-file = \"secret\"\n\
         gather = \"1 second\"\ntimeout = \"5 seconds\"\ntls = \"tls\"\n\
         certificate-authority = \"../there/authority.pem\"\n",
        proxy.port
    ));
    proxy.delay(20);
    let gateway = site.gateway();
    // During the greeting of TLS, during that of the mail server, and after it.
    for (number, (octets, event)) in (1..).zip([(100, "major"), (300, "cleared"), (500, "major")]) {
        proxy.cut_after(octets);
        match event {
            "major" => site.take_away(),
            _ => site.give_back(),
        }
        wait_for("the cut", || proxy.cuts() == number);
        let mail = site.path(&format!("there/mail-{number}"));
        wait_for("the mail", || mail.exists());
        let text = fs::read_to_string(mail).unwrap();
        assert!(text.contains(&format!("{event}  folder-unreadable msc-boston")), "{text}");
        wait_for("the end of the connection", || proxy.is_quiet());
    }
    gateway.stop();
    site.tollgate("run flow.toml --once");
    assert!(!site.path("there/mail-4").exists(), "each came once");
}
