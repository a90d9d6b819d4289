//! What a message says, in short.

use credit_control::codes::{
    APPLICATION, COMMAND, FINAL_UNIT_INDICATION, GRANTED_SERVICE_UNIT,
    MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, SERVICE_IDENTIFIER, VALIDITY_TIME,
};
use credit_control::request::{Request, RequestKind, Service};
use credit_control::units::Units;
use diameter::avp::{Avp, Avps};
use diameter::codes::{DISCONNECT_CAUSE, ERROR_MESSAGE, RESULT_CODE};
use diameter::frame::Message;

use crate::open_peer::CAUSES;

/// Returns what a message says: `initial request 0: data wanted (rating group 100)`.
pub(crate) fn summary(message: &Message<'_>) -> String {
    let is_credit_control =
        (message.header.application, message.header.command) == (APPLICATION, COMMAND);
    match (is_credit_control, message.header.is_request()) {
        (true, true) => request(message),
        (true, false) => answer(message),
        (false, true) => cause(message).unwrap_or_default(),
        (false, false) => result(message.avps()),
    }
}

/// Returns why a peer disconnects.
fn cause(message: &Message<'_>) -> Option<String> {
    let cause = message.find(DISCONNECT_CAUSE)?.u32().ok()?;
    Some(match CAUSES.get(cause as usize) {
        Some(words) => format!("the cause is {cause}: {words}"),
        None => format!("the cause is {cause}"),
    })
}

fn result(avps: Avps<'_>) -> String {
    let code = avps.find_code(RESULT_CODE).and_then(|avp| avp.u32().ok()).unwrap_or_default();
    match avps.find_code(ERROR_MESSAGE).and_then(|avp| avp.text().ok()) {
        Some(text) => format!("{code}: {text}"),
        None => code.to_string(),
    }
}

fn request(message: &Message<'_>) -> String {
    let Ok(request) = Request::read(message) else { return "it cannot be read".to_owned() };
    let kind = match request.kind {
        RequestKind::Initial => "initial",
        RequestKind::Update => "update",
        RequestKind::Termination => "termination",
        RequestKind::Event => "event",
    };
    let services: Vec<String> =
        request.services().filter_map(Result::ok).filter_map(|of| wanted(&of)).collect();
    match &services[..] {
        [] => format!("{kind} {}", request.number),
        services => format!("{kind} {}: {}", request.number, services.join("; ")),
    }
}

fn wanted(service: &Service) -> Option<String> {
    let used = service.used.map(|units| format!("{} used", amounts(units)));
    let wanted = service.wanted.map(|units| match units.is_empty() {
        true => "as much as is usual wanted".to_owned(),
        false => format!("{} wanted", amounts(units)),
    });
    let all: Vec<String> = used.into_iter().chain(wanted).collect();
    let name = named(service.rating_group, service.identifier);
    (!all.is_empty()).then(|| format!("{}{name}", all.join(", ")))
}

fn amounts(Units { seconds, octets, specific, money, .. }: Units) -> String {
    let units = [(seconds, "s"), (octets, "octets"), (specific, "events"), (money, "billionths")];
    let all = units.into_iter().filter_map(|(of, unit)| Some(format!("{} {unit}", of?)));
    all.collect::<Vec<_>>().join(" and ")
}

fn named(rating_group: Option<u32>, identifier: Option<u32>) -> String {
    match (rating_group, identifier) {
        (Some(group), _) => format!(" (rating group {group})"),
        (None, Some(identifier)) => format!(" (service {identifier})"),
        (None, None) => String::new(),
    }
}

fn answer(message: &Message<'_>) -> String {
    let is_group = |avp: &Avp<'_>| avp.code == MULTIPLE_SERVICES_CREDIT_CONTROL;
    let groups = message.avps().map_while(Result::ok).filter(is_group);
    let mut services: Vec<String> = groups.map(|group| granted(group.members())).collect();
    if services.is_empty() && message.find(GRANTED_SERVICE_UNIT).is_some() {
        services.push(granted(message.avps()));
    }
    let result = result(message.avps());
    match &services[..] {
        [] => result,
        services => format!("{result}: {}", services.join("; ")),
    }
}

fn granted(avps: Avps<'_>) -> String {
    let number = |code| avps.find_code(code).and_then(|avp| avp.u32().ok());
    let name = named(number(RATING_GROUP), number(SERVICE_IDENTIFIER));
    let units =
        avps.find_code(GRANTED_SERVICE_UNIT).and_then(|avp| Units::read(avp.members()).ok());
    let Some((units, _)) = units else {
        let code = number(RESULT_CODE).unwrap_or_default();
        return if code == 2001 { format!("done{name}") } else { format!("refused {code}{name}") };
    };
    let valid =
        number(VALIDITY_TIME).map(|seconds| format!(" for {seconds} s")).unwrap_or_default();
    let last = if avps.find_code(FINAL_UNIT_INDICATION).is_some() { ", the last" } else { "" };
    format!("{} granted{valid}{last}{name}", amounts(units))
}
