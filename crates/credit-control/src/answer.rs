//! A Credit-Control-Answer (RFC 8506 section 3.2).

use diameter::avp::{Avp, AvpCode};
use diameter::check::Fault;
use diameter::codes::{AUTH_APPLICATION_ID, RESULT_CODE};
use diameter::frame::Message;
use diameter::node::{Node, write_fault};
use diameter::result::ResultCode;
use diameter::write::Writer;

use crate::codes::{
    APPLICATION, CC_MONEY, CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_SERVICE_SPECIFIC_UNITS,
    CC_SESSION_FAILOVER, CC_SUB_SESSION_ID, CC_TIME, CC_TOTAL_OCTETS, CHECK_BALANCE_RESULT,
    COST_INFORMATION, CREDIT_CONTROL_FAILURE_HANDLING, CREDIT_CONTROL_NOT_APPLICABLE,
    CURRENCY_CODE, DIRECT_DEBITING_FAILURE_HANDLING, EXPONENT, FILTER_ID, FINAL_UNIT_ACTION,
    FINAL_UNIT_INDICATION, GRANTED_SERVICE_UNIT, MULTIPLE_SERVICES_CREDIT_CONTROL,
    QOS_FINAL_UNIT_INDICATION, QUOTA_CONSUMPTION_TIME, QUOTA_HOLDING_TIME, RATING_FAILED,
    RATING_GROUP, REDIRECT_ADDRESS_SIP_URI, REDIRECT_ADDRESS_TYPE, REDIRECT_ADDRESS_URL,
    REDIRECT_SERVER, REDIRECT_SERVER_ADDRESS, REDIRECT_SERVER_EXTENSION, RESTRICTION_FILTER_RULE,
    SERVICE_IDENTIFIER, TIME_QUOTA_THRESHOLD, TRIGGER, TRIGGER_TYPE, UNIT_QUOTA_THRESHOLD,
    UNIT_VALUE, USER_UNKNOWN, VALIDITY_TIME, VALUE_DIGITS, VOLUME_QUOTA_THRESHOLD,
};
use crate::profile::{FailureHandling, FinalUnit, Profile, RedirectAddress, ResultLevel};
use crate::request::{Request, RequestKind};

/// What a service gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceAnswer {
    /// Whether it was done.
    pub result: ResultCode,
    /// What may be used.
    pub granted: Option<Granted>,
    /// For how many seconds a grant, or a refusal, holds. The client asks again then.
    pub valid_seconds: Option<u32>,
    /// Whether there is no more after this.
    pub is_final: bool,
    /// What an event costs.
    pub cost: Option<Cost>,
    /// Whether there is enough for an event that only checks that.
    pub is_enough: Option<bool>,
}

/// What an event costs (RFC 8506 section 8.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The price in billionths.
    pub nanos: i64,
    /// The number of the currency (ISO 4217).
    pub currency: u16,
}

impl ServiceAnswer {
    /// Returns the answer to a service that gets nothing.
    pub fn without_grant(result: ResultCode) -> Self {
        ServiceAnswer {
            result,
            granted: None,
            valid_seconds: None,
            is_final: false,
            cost: None,
            is_enough: None,
        }
    }
}

/// An amount that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granted {
    /// Seconds.
    Seconds(u32),
    /// Octets in both directions.
    Octets(u64),
    /// What the service counts.
    Specific(u64),
    /// Money in billionths, which was taken for an event.
    Money(u64),
}

/// Returns the result of the whole message, by those of its services (charging practice: an unknown subscriber and a service that
/// is not charged here are no matter of one service).
fn result_of(services: &[ServiceAnswer], has_groups: bool, level: ResultLevel) -> ResultCode {
    let refused = || services.iter().map(|of| of.result).filter(|result| !result.is_success());
    let of_message = |result: &ResultCode| {
        matches!(*result, USER_UNKNOWN | CREDIT_CONTROL_NOT_APPLICABLE)
            || result.is_protocol_error()
    };
    if let Some(result) = refused().find(of_message) {
        return result;
    }
    match (services, refused().next()) {
        (_, None) => ResultCode::SUCCESS,
        ([_], Some(result)) if !has_groups || level == ResultLevel::Message => result,
        (_, Some(RATING_FAILED))
            if refused().all(|of| of == RATING_FAILED) && refused().count() == services.len() =>
        {
            RATING_FAILED
        }
        _ => ResultCode::SUCCESS,
    }
}

/// Appends the answer to a request whose services have these answers, in their order.
///
/// With Multiple-Services-Credit-Control in the request, the answer has it too, with the same names of services (section 5.1.2).
/// Returns the result of the message.
pub fn write(
    to: &mut Vec<u8>,
    node: &Node,
    (message, request): (&Message<'_>, &Request<'_>),
    services: &[ServiceAnswer],
    profile: &Profile,
) -> ResultCode {
    let has_groups = request.has_multiple_services();
    let result = result_of(services, has_groups, profile.result_level);
    node.answer(to, message, result, |to| {
        if result.is_protocol_error() {
            return;
        }
        to.u32(AUTH_APPLICATION_ID, APPLICATION);
        to.u32(CC_REQUEST_TYPE, number_of(request.kind));
        to.u32(CC_REQUEST_NUMBER, request.number);
        if let Some(sub_session) = request.sub_session {
            to.u64(CC_SUB_SESSION_ID, sub_session);
        }
        write_failure_handling(to, request.kind, profile.failures);
        if let [service] = services {
            write_event(to, service);
        }
        if !has_groups {
            let [service] = services else { return };
            return write_service(to, service, profile);
        }
        let is_group = |avp: &Avp<'_>| avp.code == MULTIPLE_SERVICES_CREDIT_CONTROL;
        let groups = message.avps().map_while(Result::ok).filter(is_group);
        for (group, service) in groups.zip(services) {
            to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
                write_service(to, service, profile);
                let is_name = |avp: &Avp<'_>| matches!(avp.code, SERVICE_IDENTIFIER | RATING_GROUP);
                group.members().map_while(Result::ok).filter(is_name).for_each(|avp| to.copy(&avp));
                // Clients read it also where the message says the same.
                to.u32(RESULT_CODE, service.result.0);
                // An event is over: nothing is asked again.
                if let Some(granted) = service.granted.filter(|_| service.valid_seconds.is_some()) {
                    write_thresholds(to, granted, profile);
                    write_triggers(to, profile);
                }
            });
        }
    });
    result
}

/// Appends the refusal of a request as a whole, whether it can be read or not. But for a protocol error, the answer has what each
/// has: the application, and the kind and the number of the request (section 3.2).
pub fn refuse(to: &mut Vec<u8>, node: &Node, message: &Message<'_>, fault: &Fault) {
    node.answer(to, message, fault.result, |to| {
        if !fault.result.is_protocol_error() {
            to.u32(AUTH_APPLICATION_ID, APPLICATION);
            for (code, octets) in
                [(CC_REQUEST_TYPE, 4), (CC_REQUEST_NUMBER, 4), (CC_SUB_SESSION_ID, 8)]
            {
                let is_one = |avp: &Avp<'_>| avp.code == code && avp.data.len() == octets;
                if let Some(avp) = message.avps().map_while(Result::ok).find(is_one) {
                    to.copy(&avp);
                }
            }
        }
        write_fault(to, fault);
    });
}

fn number_of(kind: RequestKind) -> u32 {
    match kind {
        RequestKind::Initial => 1,
        RequestKind::Update => 2,
        RequestKind::Termination => 3,
        RequestKind::Event => 4,
    }
}

/// Appends what the client does when its next request has no answer.
fn write_failure_handling(to: &mut Writer<'_>, kind: RequestKind, failures: FailureHandling) {
    let FailureHandling { moves_sessions, sessions, events } = failures;
    match kind {
        RequestKind::Initial | RequestKind::Update => {
            if let Some(moves) = moves_sessions {
                to.i32(CC_SESSION_FAILOVER, moves.into());
            }
            if let Some(sessions) = sessions {
                to.i32(CREDIT_CONTROL_FAILURE_HANDLING, sessions as i32);
            }
        }
        RequestKind::Event => {
            if let Some(events) = events {
                to.i32(DIRECT_DEBITING_FAILURE_HANDLING, events as i32);
            }
        }
        RequestKind::Termination => {}
    }
}

fn write_service(to: &mut Writer<'_>, service: &ServiceAnswer, profile: &Profile) {
    let ServiceAnswer { granted, valid_seconds, is_final, .. } = *service;
    if let Some(granted) = granted {
        to.group(GRANTED_SERVICE_UNIT, |to| match granted {
            Granted::Seconds(seconds) => to.u32(CC_TIME, seconds),
            Granted::Octets(octets) => to.u64(CC_TOTAL_OCTETS, octets),
            Granted::Specific(units) => to.u64(CC_SERVICE_SPECIFIC_UNITS, units),
            Granted::Money(nanos) => write_money(to, nanos),
        });
    }
    if let Some(seconds) = valid_seconds {
        to.u32(VALIDITY_TIME, seconds);
    }
    if is_final {
        to.group(FINAL_UNIT_INDICATION, |to| write_final_unit(to, profile));
        if profile.has_qos_final_unit {
            // Clients of RFC 4006 pass over it, since it has no M bit.
            to.avp(QOS_FINAL_UNIT_INDICATION, 0, |to| {
                write_qos_final_unit(&mut Writer::new(to), &profile.final_unit);
            });
        }
    }
}

/// Appends what an event costs, and whether there is enough. A message has each once, so this is for an event of one service.
fn write_event(to: &mut Writer<'_>, service: &ServiceAnswer) {
    if let Some(Cost { nanos, currency }) = service.cost {
        to.group(COST_INFORMATION, |to| {
            write_nanos(to, nanos);
            to.u32(CURRENCY_CODE, currency.into());
        });
    }
    if let Some(is_enough) = service.is_enough {
        to.i32(CHECK_BALANCE_RESULT, if is_enough { 0 } else { 1 });
    }
}

fn write_money(to: &mut Writer<'_>, nanos: u64) {
    // Amounts of accounts are far below.
    to.group(CC_MONEY, |to| write_nanos(to, i64::try_from(nanos).unwrap_or(i64::MAX)));
}

fn write_nanos(to: &mut Writer<'_>, nanos: i64) {
    to.group(UNIT_VALUE, |to| {
        to.i64(VALUE_DIGITS, nanos);
        to.i32(EXPONENT, -9);
    });
}

fn write_final_unit(to: &mut Writer<'_>, profile: &Profile) {
    to.i32(FINAL_UNIT_ACTION, action_of(&profile.final_unit));
    profile.final_unit_filters.iter().for_each(|rule| to.text(RESTRICTION_FILTER_RULE, rule));
    match &profile.final_unit {
        FinalUnit::Terminate => {}
        FinalUnit::Redirect(address) => {
            let (kind, address) = match address {
                RedirectAddress::Url(url) => (2, url),
                RedirectAddress::SipUri(uri) => (3, uri),
            };
            to.group(REDIRECT_SERVER, |to| {
                to.i32(REDIRECT_ADDRESS_TYPE, kind);
                to.text(REDIRECT_SERVER_ADDRESS, address);
            });
        }
        FinalUnit::Restrict { filter } => filter.iter().for_each(|name| to.text(FILTER_ID, name)),
    }
}

/// Returns the number of what a client does (section 8.35).
fn action_of(final_unit: &FinalUnit) -> i32 {
    match final_unit {
        FinalUnit::Terminate => 0,
        FinalUnit::Redirect(_) => 1,
        FinalUnit::Restrict { .. } => 2,
    }
}

/// Appends the members of a QoS-Final-Unit-Indication, which has addresses in a form of its own (section 8.64).
fn write_qos_final_unit(to: &mut Writer<'_>, final_unit: &FinalUnit) {
    to.i32(FINAL_UNIT_ACTION, action_of(final_unit));
    match final_unit {
        FinalUnit::Terminate => {}
        FinalUnit::Redirect(address) => to.group(REDIRECT_SERVER_EXTENSION, |to| match address {
            RedirectAddress::Url(url) => to.text(REDIRECT_ADDRESS_URL, url),
            RedirectAddress::SipUri(uri) => to.text(REDIRECT_ADDRESS_SIP_URI, uri),
        }),
        FinalUnit::Restrict { filter } => filter.iter().for_each(|name| to.text(FILTER_ID, name)),
    }
}

/// Appends when the client asks again: what is left of the grant then (3GPP TS 32.299, 5.3.2 and 7.2.229). There is nothing to ask
/// for after an amount of money.
fn write_thresholds(to: &mut Writer<'_>, granted: Granted, profile: &Profile) {
    let left = |granted: u64| {
        let left = u128::from(granted) * u128::from(profile.threshold_percent) / 100;
        u32::try_from(left).unwrap_or(u32::MAX)
    };
    let threshold: Option<(AvpCode, u32)> = match granted {
        Granted::Seconds(seconds) => Some((TIME_QUOTA_THRESHOLD, left(seconds.into()))),
        Granted::Octets(octets) => Some((VOLUME_QUOTA_THRESHOLD, left(octets))),
        Granted::Specific(units) => Some((UNIT_QUOTA_THRESHOLD, left(units))),
        Granted::Money(_) => None,
    };
    if let Some((code, left)) = threshold.filter(|(_, left)| *left > 0) {
        to.u32(code, left);
    }
    if let Some(seconds) = profile.holding_seconds {
        to.u32(QUOTA_HOLDING_TIME, seconds);
    }
    if let (Granted::Seconds(_), Some(seconds)) = (granted, profile.consumption_seconds) {
        to.u32(QUOTA_CONSUMPTION_TIME, seconds);
    }
}

/// Appends the changes after which the client asks again. A group without one means none (3GPP TS 32.299, 7.2.235).
fn write_triggers(to: &mut Writer<'_>, profile: &Profile) {
    if let Some(triggers) = &profile.triggers {
        to.group(TRIGGER, |to| {
            triggers.iter().for_each(|number| to.i32(TRIGGER_TYPE, number.cast_signed()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::{CREDIT_LIMIT_REACHED, END_USER_SERVICE_DENIED};
    use crate::profile::{EventFailure, SessionFailure};
    use crate::request::tests::{checked, node, request_of};

    const GRANT: ServiceAnswer = ServiceAnswer {
        result: ResultCode::SUCCESS,
        granted: Some(Granted::Octets(1_000_000)),
        valid_seconds: Some(600),
        is_final: false,
        cost: None,
        is_enough: None,
    };

    fn refusal(result: ResultCode) -> ServiceAnswer {
        ServiceAnswer::without_grant(result)
    }

    /// Returns the answer to a request of services with these rating groups, and of none without groups.
    fn answer(groups: &[u32], services: &[ServiceAnswer], profile: &Profile) -> Vec<u8> {
        let request_octets = request_of(2, |to| {
            for group in groups {
                to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
                    to.u32(SERVICE_IDENTIFIER, 10 + group);
                    to.u32(RATING_GROUP, *group);
                });
            }
        });
        let message = checked(&request_octets);
        let request = Request::read(&message).unwrap();
        let mut octets = Vec::new();
        write(&mut octets, &node(), (&message, &request), services, profile);
        checked(&octets);
        octets
    }

    fn members<'m>(octets: &'m [u8], code: AvpCode) -> Vec<Avp<'m>> {
        checked(octets).avps().map(Result::unwrap).filter(|avp| avp.code == code).collect()
    }

    fn result(octets: &[u8]) -> u32 {
        members(octets, RESULT_CODE)[0].u32().unwrap()
    }

    fn codes(group: &Avp<'_>) -> Vec<u32> {
        group.members().map(|avp| avp.unwrap().code.code).collect()
    }

    #[test]
    fn each_group_has_its_names_and_its_result() {
        let last = ServiceAnswer { is_final: true, ..GRANT };
        let octets = answer(&[7, 9], &[GRANT, last], &Profile::STANDARD);
        let groups = members(&octets, MULTIPLE_SERVICES_CREDIT_CONTROL);
        assert_eq!((result(&octets), groups.len()), (2001, 2));
        assert_eq!(codes(&groups[0]), [431, 448, 439, 432, 268, 869]);
        assert_eq!(codes(&groups[1]), [431, 448, 430, 439, 432, 268, 869]);
        let threshold = groups[0].members().map(Result::unwrap).last().unwrap();
        assert_eq!(threshold.u32(), Ok(200_000));
    }

    #[test]
    fn a_service_that_is_refused_is_so_in_its_group_or_in_the_message_by_profile() {
        let denied = refusal(CREDIT_LIMIT_REACHED);
        let octets = answer(&[7], &[denied], &Profile::STANDARD);
        assert_eq!(result(&octets), 2001);
        let group = members(&octets, MULTIPLE_SERVICES_CREDIT_CONTROL)[0];
        assert_eq!(codes(&group), [439, 432, 268]);
        let kamailio = Profile::named("kamailio").unwrap();
        assert_eq!(result(&answer(&[7], &[denied], &kamailio)), 4012);
        // Another service goes on.
        assert_eq!(result(&answer(&[7, 9], &[denied, GRANT], &kamailio)), 2001);
        assert_eq!(
            result(&answer(&[], &[refusal(END_USER_SERVICE_DENIED)], &Profile::STANDARD)),
            4010
        );
    }

    #[test]
    fn what_is_no_matter_of_one_service_is_the_result_of_the_message() {
        for (first, second, expected) in [
            (USER_UNKNOWN, USER_UNKNOWN, 5030),
            (CREDIT_CONTROL_NOT_APPLICABLE, ResultCode::SUCCESS, 4011),
            (RATING_FAILED, RATING_FAILED, 5031),
            (RATING_FAILED, ResultCode::SUCCESS, 2001),
            (RATING_FAILED, CREDIT_LIMIT_REACHED, 2001),
            (ResultCode::TOO_BUSY, ResultCode::TOO_BUSY, 3004),
        ] {
            let octets = answer(&[7, 9], &[refusal(first), refusal(second)], &Profile::STANDARD);
            assert_eq!(result(&octets), expected, "{first} {second}");
        }
    }

    #[test]
    fn the_last_grant_says_what_follows() {
        let last = ServiceAnswer { is_final: true, ..GRANT };
        let action = |final_unit: FinalUnit| {
            let octets = answer(&[], &[last], &Profile { final_unit, ..Profile::STANDARD });
            let indication = members(&octets, FINAL_UNIT_INDICATION)[0];
            let first = indication.members().next().unwrap().unwrap().u32().unwrap();
            (first, codes(&indication).len())
        };
        assert_eq!(action(FinalUnit::Terminate), (0, 1));
        let page = RedirectAddress::Url("https://refill.example.net".to_owned());
        assert_eq!(action(FinalUnit::Redirect(page)), (1, 2));
        assert_eq!(action(FinalUnit::Restrict { filter: Some("refill".to_owned()) }), (2, 2));
    }

    #[test]
    fn the_last_grant_has_the_rules_of_what_the_client_lets_through() {
        let last = ServiceAnswer { is_final: true, ..GRANT };
        let rules = ["permit out ip from 192.0.2.0/24 to any", "deny out ip from any to any"];
        let page = RedirectAddress::Url("https://refill.example.net".to_owned());
        for (final_unit, expected) in [
            (FinalUnit::Restrict { filter: None }, vec![449, 438, 438]),
            (FinalUnit::Redirect(page), vec![449, 438, 438, 434]),
        ] {
            let final_unit_filters = rules.map(str::to_owned).to_vec();
            let profile = Profile { final_unit, final_unit_filters, ..Profile::STANDARD };
            let octets = answer(&[], &[last], &profile);
            let indication = members(&octets, FINAL_UNIT_INDICATION)[0];
            assert_eq!(codes(&indication), expected);
            let filters = indication.members().map(Result::unwrap);
            let filters = filters.filter(|avp| avp.code == RESTRICTION_FILTER_RULE);
            assert!(filters.map(|avp| avp.text().unwrap().to_owned()).eq(rules));
        }
    }

    #[test]
    fn a_grant_has_when_the_client_asks_again_if_that_is_set() {
        let group_of = |granted, profile: &Profile| {
            let grant = ServiceAnswer { granted: Some(granted), ..GRANT };
            let octets = answer(&[7], &[grant], profile);
            let group = members(&octets, MULTIPLE_SERVICES_CREDIT_CONTROL)[0];
            let triggers = group.members().find_code(TRIGGER).map(|of| {
                of.members().map(|avp| avp.unwrap().u32().unwrap()).collect::<Vec<u32>>()
            });
            let consumption = group.members().find_code(QUOTA_CONSUMPTION_TIME);
            (triggers, consumption.map(|avp| avp.u32().unwrap()))
        };
        let (octets, seconds) = (Granted::Octets(1_000), Granted::Seconds(60));
        assert_eq!(group_of(octets, &Profile::STANDARD), (None, None));
        let profile = |triggers: &[u32]| Profile {
            triggers: Some(triggers.to_vec()),
            consumption_seconds: Some(10),
            ..Profile::STANDARD
        };
        assert_eq!(group_of(octets, &profile(&[4, 30])), (Some(vec![4, 30]), None));
        assert_eq!(group_of(seconds, &profile(&[])), (Some(Vec::new()), Some(10)));
    }

    #[test]
    fn a_grant_has_how_long_it_may_lie_unused_if_that_is_set() {
        let times = |service, holding_seconds| {
            let profile = Profile { holding_seconds, ..Profile::STANDARD };
            let octets = answer(&[7], &[service], &profile);
            let group = members(&octets, MULTIPLE_SERVICES_CREDIT_CONTROL)[0];
            let members = group.members().map(Result::unwrap);
            let of_time = members.filter(|avp| avp.code == QUOTA_HOLDING_TIME);
            of_time.map(|avp| avp.u32().unwrap()).collect::<Vec<u32>>()
        };
        // 0 lets the client hold it (3GPP TS 32.299, 7.2.160).
        for (set, expected) in [(None, vec![]), (Some(0), vec![0]), (Some(300), vec![300])] {
            assert_eq!(times(GRANT, set), expected);
        }
        let events = ServiceAnswer { granted: Some(Granted::Specific(5)), ..GRANT };
        assert_eq!(times(events, Some(300)), [300]);
        assert_eq!(times(refusal(CREDIT_LIMIT_REACHED), Some(300)), [], "there is no grant");
    }

    #[test]
    fn the_last_grant_has_the_form_of_each_standard_if_that_is_set() {
        let last = ServiceAnswer { is_final: true, ..GRANT };
        for (address, code) in [
            (RedirectAddress::Url("https://refill.example.net".to_owned()), REDIRECT_ADDRESS_URL),
            (
                RedirectAddress::SipUri("sip:refill@example.net".to_owned()),
                REDIRECT_ADDRESS_SIP_URI,
            ),
        ] {
            let final_unit = FinalUnit::Redirect(address);
            let octets = answer(
                &[],
                &[last],
                &Profile { final_unit, has_qos_final_unit: true, ..Profile::STANDARD },
            );
            assert_eq!(members(&octets, FINAL_UNIT_INDICATION).len(), 1);
            let indication = members(&octets, QOS_FINAL_UNIT_INDICATION)[0];
            assert!(!indication.is_mandatory());
            assert_eq!(codes(&indication), [449, 665]);
            let server = indication.members().find_code(REDIRECT_SERVER_EXTENSION).unwrap();
            assert_eq!(codes(&server), [code.code]);
        }
    }

    #[test]
    fn a_service_without_money_is_led_elsewhere_without_a_grant() {
        let page = RedirectAddress::Url("https://refill.example.net".to_owned());
        let profile = Profile { final_unit: FinalUnit::Redirect(page), ..Profile::STANDARD };
        let waits = ServiceAnswer { granted: None, is_final: true, ..GRANT };
        let octets = answer(&[7], &[waits], &profile);
        let group = members(&octets, MULTIPLE_SERVICES_CREDIT_CONTROL)[0];
        assert_eq!((result(&octets), codes(&group)), (2001, vec![448, 430, 439, 432, 268]));
    }

    #[test]
    fn sessions_are_answered_what_to_do_without_an_answer_if_it_is_set() {
        let failures = FailureHandling {
            moves_sessions: Some(true),
            sessions: Some(SessionFailure::RetryAndTerminate),
            events: Some(EventFailure::Continue),
        };
        let octets = answer(&[7], &[GRANT], &Profile { failures, ..Profile::STANDARD });
        let number = |code| members(&octets, code).first().map(|avp| avp.u32().unwrap());
        assert_eq!(number(CC_SESSION_FAILOVER), Some(1));
        assert_eq!(number(CREDIT_CONTROL_FAILURE_HANDLING), Some(2));
        assert_eq!(number(DIRECT_DEBITING_FAILURE_HANDLING), None, "it is for events");
    }

    #[test]
    fn an_event_has_its_cost_and_whether_there_is_enough() {
        let cost = Some(Cost { nanos: 1_500_000_000, currency: 752 });
        let event = ServiceAnswer { cost, is_enough: Some(false), ..refusal(ResultCode::SUCCESS) };
        let octets = answer(&[], &[event], &Profile::STANDARD);
        let cost = members(&octets, COST_INFORMATION)[0];
        let value = cost.members().next().unwrap().unwrap();
        let digits = value.members().next().unwrap().unwrap();
        assert_eq!((digits.i64(), codes(&cost)), (Ok(1_500_000_000), vec![445, 425]));
        assert_eq!(members(&octets, CHECK_BALANCE_RESULT)[0].u32(), Ok(1));
    }

    #[test]
    fn a_refusal_has_the_kind_and_the_number_of_its_request() {
        let request = request_of(2, |_| {});
        let refused = |result| {
            let fault = Fault { result, failed: Vec::new(), text: "why".to_owned() };
            let mut octets = Vec::new();
            refuse(&mut octets, &node(), &checked(&request), &fault);
            checked(&octets).avps().map(|avp| avp.unwrap().code.code).collect::<Vec<u32>>()
        };
        assert_eq!(refused(USER_UNKNOWN), [263, 268, 264, 296, 258, 416, 415, 281]);
        assert_eq!(refused(ResultCode::TOO_BUSY), [263, 268, 264, 296, 281]);
    }
}
