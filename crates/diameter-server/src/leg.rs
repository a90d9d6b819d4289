//! The services of a request of credit control, as legs of one of the charging system.

use charging::{Phase, Quantity};
use compact_str::CompactString;
use credit_control::profile::Profile;
use credit_control::request::{Request, Service};
use credit_control::service::name_of;
use credit_control::units::{Units, UnitsError};
use diameter::check::Fault;
use diameter::result::ResultCode;
use prepaid::CreditControl;
use rating::Currency;
use sha2::{Digest as _, Sha256};

use crate::faults::plain;

/// The most services of a request.
const SERVICES_MAX: usize = 32;

/// The reasons for which a service is reported that ask for no more (3GPP TS 32.299, 7.2.175): nothing was used for a time, and
/// the end.
const ENDS: [u32; 2] = [1, 2];

/// A service of a request.
pub(crate) struct Leg {
    pub(crate) leg: u32,
    /// Its name, if a rule fits.
    pub(crate) service: Option<CompactString>,
    pub(crate) used: Option<Quantity>,
    pub(crate) wanted: Option<Quantity>,
    /// Whether the total of octets that were used is not the sum of both directions.
    pub(crate) octets_differ: bool,
}

/// Adds what is used and wanted of each service.
pub(crate) fn add_legs(
    legs: &mut Vec<Leg>,
    request: &Request<'_>,
    (terms, profile, currency): (&CreditControl, &Profile, Currency),
    phase: Phase,
) -> Result<(), Fault> {
    let invalid =
        |why: &dyn std::fmt::Display| plain(ResultCode::INVALID_AVP_VALUE, why.to_string());
    for service in request.services() {
        let mut service = service.map_err(|why| invalid(&why))?;
        if service.identifier.is_none() {
            service.rating_group = service.rating_group.or(profile.default_rating_group);
        }
        check_currency(&service, currency)?;
        if profile.ignores_requested_amounts && !matches!(phase, Phase::Event(_)) {
            service.wanted = service.wanted.map(|_| Units::default());
        }
        let leg = leg(request, (terms, &service), phase).map_err(|why| invalid(&why))?;
        // A session may end without a word of its services.
        if phase == Phase::Final && leg.used.is_none() && !request.has_multiple_services() {
            continue;
        }
        if legs.iter().any(|of| of.leg == leg.leg) {
            let text = format!("the service {} is there twice", leg.leg);
            return Err(plain(ResultCode::UNABLE_TO_COMPLY, text));
        }
        if legs.len() == SERVICES_MAX {
            let text = format!("a request has {SERVICES_MAX} services at most");
            return Err(plain(ResultCode::UNABLE_TO_COMPLY, text));
        }
        legs.push(leg);
    }
    Ok(())
}

/// Checks that amounts of money are in the currency of the accounts.
fn check_currency(service: &Service, currency: Currency) -> Result<(), Fault> {
    let units = [service.wanted, service.used, service.used_after_change].into_iter().flatten();
    let own = u32::from(currency.number());
    match units.filter_map(|of| of.currency).find(|of| *of != own) {
        None => Ok(()),
        Some(other) => {
            let text = format!("an amount is in the currency {other}; accounts are in {own}");
            Err(plain(ResultCode::INVALID_AVP_VALUE, text))
        }
    }
}

fn leg(
    request: &Request<'_>,
    (terms, service): (&CreditControl, &Service),
    phase: Phase,
) -> Result<Leg, UnitsError> {
    let name = name_of(&terms.services, request, service).map(CompactString::from);
    let used = match (service.used, service.used_after_change) {
        (Some(before), Some(after)) => Some(before.plus(after)?),
        (before, after) => before.or(after),
    };
    let is_end = service.reason.is_some_and(|reason| ENDS.contains(&reason));
    let wanted = service.wanted.filter(|_| phase != Phase::Final && !is_end).map(quantity);
    let octets_differ = used.is_some_and(|units| units.octets_differ);
    let used = used.map(quantity);
    let (used, wanted) = match phase {
        // Clients say what an event is about as what they want (RFC 8506 section 6.3), or say nothing: then it is one.
        Phase::Event(_) => {
            let given = |of: Option<Quantity>| of.filter(|of| *of != Quantity::default());
            let of = given(used).or(given(wanted));
            (Some(of.unwrap_or(Quantity { events: Some(1), ..Quantity::default() })), None)
        }
        _ => (used, wanted),
    };
    Ok(Leg { leg: number_of(service), service: name, used, wanted, octets_differ })
}

/// The bit of numbers of services that are not those of rating groups.
const MIXED: u32 = 1 << 31;

/// Returns the number of a service within its session: its rating group, or a number of its own if it has an identifier, which is
/// what counts then (RFC 8506 section 8.16). That is a digest of both: no two services of a session have the same one by chance.
fn number_of(service: &Service) -> u32 {
    let rating_group = service.rating_group.unwrap_or_default();
    if service.identifier.is_none() && rating_group < MIXED {
        return rating_group;
    }
    let mut hash = Sha256::new();
    for part in [service.rating_group, service.identifier] {
        hash.update([u8::from(part.is_some())]);
        hash.update(part.unwrap_or_default().to_be_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    MIXED | u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
}

fn quantity(Units { seconds, octets, specific, money, .. }: Units) -> Quantity {
    Quantity { seconds, octets, events: specific, money }
}
