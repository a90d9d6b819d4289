//! What the charging system answers, in the terms of credit control.

use charging::{
    Dialogue, EventKind, Grant, LegAnswer, LegRefusal, Phase, Price, Quantity, RefusedWhole,
};
use credit_control::answer::{Cost, Granted, ServiceAnswer};
use credit_control::codes::{
    CREDIT_LIMIT_REACHED, END_USER_SERVICE_DENIED, RATING_FAILED, USER_UNKNOWN,
};
use credit_control::profile::{FinalUnit, Profile, ResultLevel};
use credit_control::request::Request;
use diameter::check::Fault;
use diameter::result::ResultCode;
use prepaid::{RequestAnswer, Useless};
use rating::Unit;

use crate::faults::{no_subscriber, plain};

const NUMBER_REUSED: &str = "another request of the session has the same CC-Request-Number, or the answer to this one is forgotten";

/// Adds the answers for the services of a request, in their order. `used` has what each one used; that of an event is what it is
/// about.
///
/// # Errors
///
/// The whole request is refused.
pub(crate) fn add_services(
    to: &mut Vec<ServiceAnswer>,
    answer: RequestAnswer<'_>,
    (phase, dialogue, validity_seconds): (Phase, Dialogue, u32),
    used: impl Iterator<Item = Option<Quantity>>,
) -> Result<(), Fault> {
    let refused = |result, text: &str| Err(plain(result, text.to_owned()));
    match answer {
        RequestAnswer::Legs(legs) => {
            if legs.iter().any(|leg| leg.grant == Err(LegRefusal::NumberReused)) {
                return refused(ResultCode::UNABLE_TO_COMPLY, NUMBER_REUSED);
            }
            let goes_on = matches!(phase, Phase::First | Phase::Next);
            let service = |(leg, used): (&LegAnswer, Option<Quantity>)| {
                if goes_on && dialogue.awaits(leg) {
                    return waiting(validity_seconds);
                }
                service(leg, phase, used)
            };
            to.extend(legs.iter().zip(used).map(service));
            Ok(())
        }
        RequestAnswer::SubscriberUnknown => refused(USER_UNKNOWN, "no account has the subscriber"),
        RequestAnswer::SessionUnknown => {
            refused(ResultCode::UNKNOWN_SESSION_ID, "there is no such session")
        }
        RequestAnswer::Invalid(mistake @ Useless::NoSubscriber) => {
            Err(no_subscriber(&mistake.to_string()))
        }
        RequestAnswer::Invalid(mistake @ Useless::SubscriberLookedFor) => {
            refused(ResultCode::TOO_BUSY, &mistake.to_string())
        }
        RequestAnswer::Invalid(mistake) => Err(plain(USER_UNKNOWN, mistake.to_string())),
        RequestAnswer::TooBusy => {
            refused(ResultCode::TOO_BUSY, "the request waited too long; nothing was done")
        }
        RequestAnswer::Unavailable => {
            refused(ResultCode::TOO_BUSY, "the accounts cannot be used now")
        }
    }
}

/// Returns what a client makes of refusals of some services (RFC 8506 section 7, table 6).
pub(crate) fn dialogue(request: &Request<'_>, services: usize, profile: &Profile) -> Dialogue {
    let is_whole = !request.has_multiple_services()
        || services == 1 && profile.result_level == ResultLevel::Message;
    let refused_whole = if is_whole { RefusedWhole::Always } else { RefusedWhole::WithoutPrice };
    let redirects = profile.final_unit != FinalUnit::Terminate;
    Dialogue { refused_whole, redirects, redirects_refused: profile.redirects_refused() }
}

/// For how long a service waits for money at most, in seconds: some clients pass over a request to ask again.
const WAITS_AT_MOST: u32 = 60;

/// Returns the answer for a service that waits for money: what follows the last grant, until the client asks again.
fn waiting(validity_seconds: u32) -> ServiceAnswer {
    ServiceAnswer {
        valid_seconds: Some(validity_seconds.min(WAITS_AT_MOST)),
        is_final: true,
        ..ServiceAnswer::without_grant(ResultCode::SUCCESS)
    }
}

fn service(leg: &LegAnswer, phase: Phase, used: Option<Quantity>) -> ServiceAnswer {
    let done = ServiceAnswer::without_grant(ResultCode::SUCCESS);
    let cost =
        leg.price.map(|Price { amount, currency }| Cost { nanos: amount, currency: currency.0 });
    match (&leg.grant, phase) {
        (Ok(Some(grant)), _) => ServiceAnswer {
            granted: Some(granted(grant)),
            valid_seconds: Some(grant.validity_seconds),
            is_final: grant.is_final,
            ..done
        },
        (Ok(None), Phase::Event(EventKind::Debit)) => {
            ServiceAnswer { granted: used.and_then(debited), cost, ..done }
        }
        (Ok(None), Phase::Event(EventKind::BalanceCheck)) => {
            ServiceAnswer { is_enough: Some(true), ..done }
        }
        (Err(LegRefusal::NoMoney), Phase::Event(EventKind::BalanceCheck)) => {
            ServiceAnswer { is_enough: Some(false), ..done }
        }
        (Ok(None), _) => ServiceAnswer { cost, ..done },
        (Err(refusal), _) => ServiceAnswer::without_grant(result(refusal)),
    }
}

fn granted(grant: &Grant) -> Granted {
    match grant.unit {
        Unit::Seconds => Granted::Seconds(u32::try_from(grant.quantity).unwrap_or(u32::MAX)),
        Unit::Octets => Granted::Octets(grant.quantity),
        Unit::Events => Granted::Specific(grant.quantity),
    }
}

/// Returns what was debited for an event: what it is about (RFC 8506 section 6.3).
fn debited(used: Quantity) -> Option<Granted> {
    let Quantity { seconds, octets, events, money } = used;
    let seconds = seconds.map(|of| Granted::Seconds(u32::try_from(of).unwrap_or(u32::MAX)));
    let units = events.map(Granted::Specific).or(seconds).or(octets.map(Granted::Octets));
    units.or(money.map(Granted::Money))
}

/// Returns the code of a refusal (RFC 8506 section 9).
fn result(refusal: &LegRefusal) -> ResultCode {
    match refusal {
        LegRefusal::NoMoney | LegRefusal::SpendLimit => CREDIT_LIMIT_REACHED,
        LegRefusal::Barred => END_USER_SERVICE_DENIED,
        LegRefusal::NoService | LegRefusal::NoPrice(_) => RATING_FAILED,
        LegRefusal::SessionUnknown => ResultCode::UNKNOWN_SESSION_ID,
        LegRefusal::TooMany => ResultCode::RESOURCES_EXCEEDED,
        LegRefusal::ServiceTooLong | LegRefusal::AmountTooLarge => ResultCode::INVALID_AVP_VALUE,
        LegRefusal::NumberReused | LegRefusal::Damaged => ResultCode::UNABLE_TO_COMPLY,
    }
}
