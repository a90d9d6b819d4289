use prepaid::calls::{ChargingFigures, ChargingTraffic, ShowCharging};
use prepaid::{EventName, PhaseName, QuantityText, System};

use crate::set_up::{SetUp, ask, call, request, seconds};

fn traffic(system: &System) -> ChargingTraffic {
    call(system, ShowCharging {}).traffic.expect("it answers networks")
}

fn requests(traffic: &ChargingTraffic) -> Vec<(&str, u64)> {
    let counted = traffic.requests.iter().filter(|of| of.count > 0);
    counted.map(|of| (of.kind.as_str(), of.count)).collect()
}

fn refused(traffic: &ChargingTraffic) -> Vec<(&str, u64)> {
    traffic.refused.iter().map(|of| (of.code.as_str(), of.count)).collect()
}

#[test]
fn requests_answers_and_refusals_are_counted() {
    let set_up = SetUp::new();
    let system = set_up.with("100");
    assert_eq!(call(&system, ShowCharging {}).traffic, None, "it answers no networks yet");
    let mut first = request(PhaseName::First, 0);
    first.legs[0].wanted = seconds(60);
    let mut next = request(PhaseName::Next, 1);
    (next.legs[0].used, next.legs[0].wanted) = (seconds(60), seconds(60));
    let mut enquiry = request(PhaseName::Event, 0);
    enquiry.session = "enquiry".to_owned();
    enquiry.event = EventName::PriceEnquiry;
    enquiry.legs[0].used = Some(QuantityText { seconds: Some(60), ..QuantityText::default() });
    ask(&system, vec![first, next.clone(), next, enquiry]);
    let ChargingFigures { open_sessions, reserved, .. } = call(&system, ShowCharging {});
    assert_eq!((open_sessions, reserved == "0.00"), (1, false));
    let counted = traffic(&system);
    assert_eq!(requests(&counted), [("first", 1), ("next", 2), ("price-enquiry", 1)]);
    assert_eq!((counted.repeated, refused(&counted)), (1, vec![]));
    assert!(counted.requests[1].per_second > 0.0 && counted.batch_size >= 1.0);
    assert_ne!(counted.revenue_per_minute, "0.00");
    // A database server has the times of its commits itself.
    let commits = system.commits().map(|_| counted.commits);
    for times in [Some(counted.answers), commits].into_iter().flatten() {
        let times = times.expect("there are some");
        assert!(times.p50_ms > 0.0 && times.p50_ms <= times.p99_ms, "{times:?}");
    }
    let mut last = request(PhaseName::Final, 2);
    last.legs[0].used = seconds(10);
    ask(&system, vec![last]);
    assert_eq!(call(&system, ShowCharging {}).reserved, "0.00");
}

#[test]
fn what_is_refused_is_counted_by_reason() {
    let set_up = SetUp::new();
    let system = set_up.with("0.01");
    let mut poor = request(PhaseName::First, 0);
    poor.legs[0].wanted = seconds(60);
    let mut unknown = poor.clone();
    unknown.subscriber = "46700000000".to_owned();
    let mut damaged = poor.clone();
    damaged.legs.clear();
    let mut orphan = request(PhaseName::Final, 7);
    orphan.session = "call-9".to_owned();
    orphan.legs[0].service = Some("telephony".to_owned());
    orphan.legs[0].used = seconds(10);
    let mut service = poor.clone();
    service.session = "call-8".to_owned();
    service.legs[0].service = Some("telegraphy".to_owned());
    ask(&system, vec![poor, unknown, damaged, orphan, service]);
    let counted = traffic(&system);
    let expected = [
        ("no-money", 1),
        ("no-price", 1),
        ("session-unknown", 1),
        ("subscriber-unknown", 1),
        ("request-invalid", 1),
    ];
    assert_eq!(refused(&counted), expected);
    assert_eq!((counted.unknown_sessions, counted.repeated), (1, 0));
}
