//! Notices: when they are made, and how they reach the program that tells subscribers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime};

use prepaid::calls::{
    AdjustAccount, BuyBundle, ListNotices, NoticeKind, RefillAccount, ShowCharging,
    SubscriberNotice,
};
use prepaid::{Definition, PhaseName, System, send_notices, settle, upkeep, watch_accounts};
use runtime::shutdown::Shutdown;
use serde_json::Value;

use crate::set_up::{ANNA, SetUp, ask, call, request, seconds};

const DAY: i64 = 86_400_000;

const LOW: &str = "[thresholds.low]\nbelow = \"20.00\"\nagain-above = \"30.00\"\n";

fn now() -> i64 {
    runtime::time::since_epoch_ns(SystemTime::now()) / 1_000_000
}

fn notices(system: &System) -> Vec<SubscriberNotice> {
    call(system, ListNotices { account: ANNA.to_owned() }).notices
}

fn kinds(system: &System) -> Vec<(NoticeKind, Option<String>)> {
    notices(system).into_iter().map(|notice| (notice.kind, notice.name)).collect()
}

/// Adds to the main balance, or takes from it.
fn adjust(system: &System, amount: &str, reference: &str) {
    let [account, amount, because, reference] =
        [ANNA, amount, "a test", reference].map(str::to_owned);
    call(system, AdjustAccount { account, amount, because, reference, bucket: 0, new: None });
}

#[test]
fn there_is_one_notice_below_a_threshold_and_another_after_a_rise_above_it() {
    let set_up = SetUp::defined(LOW);
    let system = set_up.with("100");
    adjust(&system, "-80", "1");
    assert_eq!(notices(&system), [], "20.00 are not below 20.00");
    adjust(&system, "-0.50", "2");
    let [notice] = &notices(&system)[..] else { panic!("one notice") };
    let SubscriberNotice { kind, name, left, below, text, .. } = notice;
    assert_eq!((*kind, name.as_deref()), (NoticeKind::Low, Some("low")));
    assert_eq!((left.as_deref(), below.as_deref()), (Some("19.50"), Some("20.00")));
    assert_eq!(text, "less than 20.00 SEK is left: 19.50 SEK");
    for (place, amount) in ["-5", "10", "-10"].into_iter().enumerate() {
        adjust(&system, amount, &format!("3-{place}"));
    }
    assert_eq!(notices(&system).len(), 1, "it was never above 30.00");
    adjust(&system, "20", "4");
    adjust(&system, "-20", "5");
    assert_eq!(notices(&system).len(), 2);
}

#[test]
fn accounts_that_are_there_get_the_thresholds_of_a_new_definition() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    adjust(&system, "-85", "1");
    adjust(&system, "85", "2");
    let go_by = |tables: &str| {
        set_up.define(tables);
        system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
        watch_accounts(&system, now()).unwrap();
    };
    go_by(LOW);
    adjust(&system, "-85", "3");
    assert_eq!(notices(&system).len(), 1);
    // It is below the new level already, and has heard of that.
    go_by("[thresholds.lower]\nbelow = \"16\"\n");
    adjust(&system, "-1", "4");
    assert_eq!(kinds(&system), [], "there is no threshold of 20.00 any more");
    go_by("");
    adjust(&system, "20", "5");
    adjust(&system, "-20", "6");
    assert_eq!(notices(&system), []);
}

#[test]
fn thresholds_are_of_any_unit() {
    let rules = "[thresholds.data]\nunit = \"octets\"\nbelow = \"1 kB\"\n
[bundles.data]\nprice = \"1\"\noctets = \"5 kB\"\nservices = [\"data\"]\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("100");
    let [account, bundle, reference] = [ANNA, "data", "o-1"].map(str::to_owned);
    call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    let mut first = request(PhaseName::First, 0);
    first.legs[0].service = Some("data".to_owned());
    first.legs[0].other = String::new();
    let octets = |octets| prepaid::QuantityText { octets: Some(octets), ..Default::default() };
    first.legs[0].wanted = Some(octets(4_500));
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = Some(octets(4_500));
    ask(&system, vec![first, last]);
    let [notice] = &notices(&system)[..] else { panic!("one notice") };
    assert_eq!(notice.text, "less than 1000 octets is left: 500 octets");
}

#[test]
fn a_threshold_in_percent_is_of_what_bundles_gave() {
    let rules = "[thresholds.data]\nunit = \"octets\"\nbelow = \"20 %\"\n
[bundles.data]\nprice = \"1\"\noctets = \"5 kB\"\nservices = [\"data\"]\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("100");
    let take = |amount: &str, reference: &str| {
        let [account, amount, because, reference] =
            [ANNA, amount, "a test", reference].map(str::to_owned);
        call(&system, AdjustAccount { account, amount, because, reference, bucket: 1, new: None });
    };
    let buy = |reference: &str| {
        let [account, bundle, reference] = [ANNA, "data", reference].map(str::to_owned);
        call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    };
    buy("o-1");
    take("-4000", "1");
    assert_eq!(notices(&system), [], "20 % are not below 20 %");
    take("-1", "2");
    let [notice] = &notices(&system)[..] else { panic!("one notice") };
    assert_eq!(notice.text, "less than 20 % is left: 999 octets");
    assert_eq!(notice.below.as_deref(), Some("20 %"));
    // 5,999 of 10,000.
    buy("o-2");
    take("-999", "3");
    assert_eq!(notices(&system).len(), 1, "half of what both gave is left");
}

#[test]
fn what_ends_soon_is_noticed_once() {
    let rules = "[life]\nactive = \"90 days\"\ngrace = \"5 days\"\nsuspended = \"5 days\"\n
[bundles.month]\nprice = \"1\"\nevents = 5\nvalid = \"30 days\"\n
[bundles.day]\nprice = \"1\"\nevents = 7\nvalid = \"1 day\"\n
[bundles.always]\nprice = \"1\"\noctets = \"1 kB\"\nvalid = \"30 days\"\nrenews = true\n
[notices]\nbefore-end = \"3 days\"\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("100");
    let begin = now();
    for bundle in ["month", "day", "always"] {
        let [account, bundle, reference] = [ANNA, bundle, bundle].map(str::to_owned);
        call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    }
    let at = |day: i64| {
        settle(&system, begin + day * DAY + 60_000).unwrap();
        kinds(&system)
    };
    assert_eq!(at(0), [], "a bundle of a day does not end soon when it is bought");
    assert_eq!(at(26), []);
    let balance = (NoticeKind::BalanceEnding, Some("month".to_owned()));
    assert_eq!(at(27), std::slice::from_ref(&balance), "the other one renews");
    assert!(notices(&system)[0].text.starts_with("5 events of month can be used until "));
    drop(system);
    let system = set_up.system();
    settle(&system, begin + 28 * DAY).unwrap();
    assert_eq!(kinds(&system), std::slice::from_ref(&balance), "once, also after a start");
    settle(&system, begin + 87 * DAY + 60_000).unwrap();
    let newest = notices(&system).remove(0);
    assert_eq!((newest.kind, newest.until.is_some()), (NoticeKind::AccountEnding, true));
    assert!(newest.text.starts_with("without a refill, the account pays for services until "));
}

#[test]
fn after_a_pause_what_has_ended_is_not_noticed_and_what_ends_later_is() {
    let rules = "[bundles.month]\nprice = \"1\"\nevents = 5\nvalid = \"30 days\"\n
[bundles.season]\nprice = \"1\"\nevents = 7\nvalid = \"60 days\"\n
[notices]\nbefore-end = \"3 days\"\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("100");
    let begin = now();
    for bundle in ["month", "season"] {
        let [account, bundle, reference] = [ANNA, bundle, bundle].map(str::to_owned);
        call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    }
    settle(&system, begin + 40 * DAY).unwrap();
    assert_eq!(kinds(&system), []);
    settle(&system, begin + 58 * DAY).unwrap();
    assert_eq!(kinds(&system), [(NoticeKind::BalanceEnding, Some("season".to_owned()))]);
    assert!(notices(&system)[0].text.starts_with("7 events"));
}

#[test]
fn accounts_that_are_there_hear_of_ends_when_the_definition_says_so() {
    const BUNDLE: &str = "[bundles.week]\nprice = \"1\"\nevents = 5\nvalid = \"7 days\"\n";
    let set_up = SetUp::defined(BUNDLE);
    let system = set_up.with("100");
    let [account, bundle, reference] = [ANNA, "week", "o-1"].map(str::to_owned);
    call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    settle(&system, now() + 5 * DAY).unwrap();
    assert_eq!(kinds(&system), []);
    set_up.define(&format!("{BUNDLE}[notices]\nbefore-end = \"3 days\"\n"));
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    watch_accounts(&system, now() + 5 * DAY).unwrap();
    settle(&system, now() + 5 * DAY).unwrap();
    assert_eq!(kinds(&system), [(NoticeKind::BalanceEnding, Some("week".to_owned()))]);
    set_up.define(BUNDLE);
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    assert_eq!(kinds(&system), [], "they are listed no more");
}

#[test]
fn stages_limits_and_what_cannot_be_paid_are_noticed() {
    let rules = "[life]\nactive = \"90 days\"\ngrace = \"5 days\"\nsuspended = \"5 days\"\n
[fees.monthly]\namount = \"10.00\"\nevery = \"1 month\"\n
[bundles.week]\nprice = \"30\"\noctets = \"5 kB\"\nvalid = \"7 days\"\nrenews = true\nretry = \"1 day\"\n
[limits.calls]\nservices = [\"telephony\"]\namount = \"0.80\"\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("41");
    let begin = now();
    settle(&system, begin + 1).unwrap();
    let [account, bundle, reference] = [ANNA, "week", "o-1"].map(str::to_owned);
    call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(60);
    // 0.67 without tax.
    ask(&system, vec![first, last]);
    let name = |of: &str| Some(of.to_owned());
    let mut all = vec![(NoticeKind::LimitNear, name("calls"))];
    assert_eq!(kinds(&system), all);
    // There is one notice a period, however often it is tried again.
    for day in [8, 9, 10] {
        settle(&system, begin + day * DAY).unwrap();
    }
    all.insert(0, (NoticeKind::BundleUnpaid, name("week")));
    assert_eq!(kinds(&system), all);
    settle(&system, begin + 32 * DAY).unwrap();
    let of_fee: Vec<_> =
        kinds(&system).into_iter().filter(|(_, of)| *of == name("monthly")).collect();
    assert_eq!(of_fee, [(NoticeKind::FeeUnpaid, name("monthly"))]);
    for day in [91, 96, 101] {
        settle(&system, begin + day * DAY).unwrap();
    }
    let stages: Vec<_> = kinds(&system).into_iter().filter(|(_, of)| of.is_none()).collect();
    let expected = [NoticeKind::Closed, NoticeKind::Suspended, NoticeKind::Grace];
    assert_eq!(stages, expected.map(|kind| (kind, None)));
}

/// A program that is sent notices: it answers with one status after another, and with the last one again and again.
fn receiver(statuses: &'static [u16]) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, received) = mpsc::channel();
    thread::spawn(move || {
        for (stream, place) in listener.incoming().zip(0..) {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut key, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                let line = line.trim_end();
                let header = |name: &str| {
                    line.to_ascii_lowercase().starts_with(name).then(|| line[name.len()..].trim())
                };
                key = header("idempotency-key:").map_or(key, str::to_owned);
                length = header("content-length:").map_or(length, |text| text.parse().unwrap());
                if line.is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let status = statuses[statuses.len().min(place + 1) - 1];
            let answer = format!("HTTP/1.1 {status} Some\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.get_mut().write_all(answer.as_bytes());
            if sender.send((key, serde_json::from_slice(&body).unwrap())).is_err() {
                return;
            }
        }
    });
    (format!("[notices]\nurl = \"http://{address}/notices\"\nallow = [\"127.0.0.1\"]\n"), received)
}

/// Sends the notices of systems until so many were received, and some time longer.
fn sent(
    systems: &[&System],
    received: &Receiver<(String, Value)>,
    count: usize,
) -> Vec<(String, Value)> {
    let stop = Shutdown::default();
    thread::scope(|scope| {
        let _stop = stop.set_on_drop();
        for system in systems {
            // Listing folds what is new.
            notices(system);
            let stop = stop.clone();
            scope.spawn(move || send_notices(system, &stop));
        }
        let next = || received.recv_timeout(Duration::from_secs(20)).expect("a notice");
        let mut all: Vec<_> = (0..count).map(|_| next()).collect();
        thread::sleep(Duration::from_millis(2_500));
        all.extend(received.try_iter());
        all
    })
}

fn waiting(system: &System) -> u64 {
    call(system, ShowCharging {}).notices.expect("they are sent").waiting
}

#[test]
fn notices_are_sent_once_and_in_order() {
    let (notices_to, received) = receiver(&[503, 204, 413, 204]);
    let set_up = SetUp::defined(&format!("{LOW}{notices_to}"));
    let system = set_up.with("100");
    for round in 0..4 {
        adjust(&system, "-90", &format!("{round}-a"));
        adjust(&system, "90", &format!("{round}-b"));
    }
    let systems = set_up.another().map(|another| {
        another.define(&format!("{LOW}{notices_to}"));
        (another.system(), another)
    });
    let both: Vec<&System> =
        [&system].into_iter().chain(systems.iter().map(|(of, _)| of)).collect();
    // The first is refused, and comes again; the third is refused for good.
    let all = sent(&both, &received, 5);
    let numbers: Vec<_> = all.iter().map(|(_, body)| body["notice"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 1, 2, 3, 4]);
    let (first, again) = (&all[0], &all[1]);
    assert_eq!(first, again, "the same message with the same key");
    let (key, body) = first;
    assert_eq!(Some(key.as_str()), body["id"].as_str());
    assert_eq!((&body["numbers"], &body["kind"]), (&serde_json::json!([ANNA]), &"low".into()));
    assert_eq!((&body["left"], &body["currency"]), (&"10.00".into(), &"SEK".into()));
    assert_ne!(all[2].0, all[3].0);
    assert_eq!(waiting(&system), 0);
    drop(both);
    drop((systems, system));
    let system = set_up.system();
    assert_eq!(sent(&[&system], &received, 0), [], "they were sent before");
    adjust(&system, "-95", "last");
    let last = sent(&[&system], &received, 1);
    assert_eq!((last.len(), &last[0].1["notice"]), (1, &5.into()));
}

#[test]
fn a_receiver_that_is_gone_is_shown_and_old_notices_are_not_sent() {
    let (notices_to, received) = receiver(&[204]);
    let gone = "[notices]\nurl = \"http://127.0.0.1:9/\"\nallow = [\"127.0.0.1\"]\n";
    let set_up = SetUp::defined(&format!("{LOW}{gone}"));
    let system = set_up.with("100");
    adjust(&system, "-90", "1");
    let (_, nothing) = mpsc::channel();
    sent(&[&system], &nothing, 0);
    let shown = call(&system, ShowCharging {}).notices.expect("they are sent");
    assert_eq!(shown.waiting, 1);
    let why = shown.failing.expect("a reason");
    assert!(why.starts_with("notices cannot be sent: \"127.0.0.1\""), "{why}");
    thread::sleep(Duration::from_secs(2));
    set_up.define(&format!("{LOW}{notices_to}within = \"1 second\"\n"));
    system.replace(Definition::read(&set_up.path()).unwrap()).unwrap();
    assert_eq!(sent(&[&system], &received, 0), [], "it is more than a second old");
    let shown = call(&system, ShowCharging {}).notices.expect("they are sent");
    assert_eq!((shown.waiting, shown.failing), (0, None));
}

#[test]
fn a_notice_that_is_refused_alone_is_left_out() {
    let (notices_to, received) = receiver(&[400, 400, 400, 400, 400, 204]);
    let set_up = SetUp::defined(&format!("{LOW}{notices_to}"));
    let system = set_up.with("100");
    for round in 0..3 {
        adjust(&system, "-90", &format!("{round}-a"));
        adjust(&system, "90", &format!("{round}-b"));
    }
    let all = sent(&[&system], &received, 7);
    let numbers: Vec<_> = all.iter().map(|(_, body)| body["notice"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 1, 1, 1, 1, 2, 3]);
    assert_eq!(waiting(&system), 0);
}

#[test]
fn a_bundle_that_renews_is_not_missing_for_a_moment() {
    let rules = "[thresholds.data]\nunit = \"octets\"\nbelow = \"1 kB\"\n
[bundles.week]\nprice = \"30\"\noctets = \"5 kB\"\nvalid = \"7 days\"\nrenews = true\nretry = \"1 day\"\n";
    let set_up = SetUp::defined(rules);
    let system = set_up.with("65");
    let begin = now();
    let [account, bundle, reference] = [ANNA, "week", "o-1"].map(str::to_owned);
    call(&system, BuyBundle { account, bundle, reference, because: String::new() });
    settle(&system, begin + 8 * DAY).unwrap();
    assert_eq!(notices(&system), []);
    // There is no money for another one.
    settle(&system, begin + 15 * DAY).unwrap();
    let found: Vec<NoticeKind> = kinds(&system).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(found, [NoticeKind::Low, NoticeKind::BundleUnpaid]);
}

#[test]
fn notices_are_there_for_their_time() {
    let set_up =
        SetUp::defined(&format!("{LOW}[notices]\nkeep = \"1 second\"\nwithin = \"1 second\"\n"));
    let system = set_up.with("100");
    adjust(&system, "-90", "1");
    assert_eq!(notices(&system).len(), 1);
    assert_eq!(call(&system, ShowCharging {}).notices, None, "they are sent nowhere");
    thread::sleep(Duration::from_millis(1_100));
    let stop = Shutdown::default();
    thread::scope(|scope| {
        let _stop = stop.set_on_drop();
        scope.spawn(|| upkeep(&system, &stop));
        let is_gone = || notices(&system).is_empty();
        assert!((0..100).any(|_| {
            thread::sleep(Duration::from_millis(100));
            is_gone()
        }));
    });
}

#[test]
fn an_account_that_is_refilled_before_its_threshold_is_set_is_not_noticed() {
    let set_up = SetUp::defined(LOW);
    let system = set_up.with("5");
    let [account, amount, reference] = [ANNA, "1", "p-2"].map(str::to_owned);
    call(&system, RefillAccount { account, amount, reference, because: String::new() });
    assert_eq!(notices(&system), [], "it was never above");
    let [account, amount, reference] = [ANNA, "14", "p-3"].map(str::to_owned);
    call(&system, RefillAccount { account, amount, reference, because: String::new() });
    adjust(&system, "-0.50", "1");
    assert_eq!(notices(&system).len(), 1, "20.00 were reached");
}
