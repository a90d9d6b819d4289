//! Why a request of credit control cannot be charged, as its client gets to know it.

use credit_control::codes::{
    MULTIPLE_SERVICES_CREDIT_CONTROL, REQUESTED_SERVICE_UNIT, SUBSCRIPTION_ID, USED_SERVICE_UNIT,
};
use credit_control::request::RequestError;
use diameter::avp::AvpCode;
use diameter::check::Fault;
use diameter::frame::Message;
use diameter::result::ResultCode;
use diameter::write::Writer;

/// The most octets of an AVP that a Failed-AVP repeats.
const FAILED_OCTETS_MAX: usize = 4_096;

/// What has the amounts of a request.
const WITH_UNITS: [AvpCode; 3] =
    [MULTIPLE_SERVICES_CREDIT_CONTROL, USED_SERVICE_UNIT, REQUESTED_SERVICE_UNIT];

/// Returns a fault without a Failed-AVP.
pub(crate) fn plain(result: ResultCode, text: String) -> Fault {
    Fault { result, failed: Vec::new(), text }
}

/// Returns the fault of an AVP that is there; its Failed-AVP has it.
pub(crate) fn failed(
    message: &Message<'_>,
    code: AvpCode,
    result: ResultCode,
    text: String,
) -> Fault {
    let mut failed = Vec::new();
    // A long one would make the answer long.
    if let Some(avp) = message.find(code).filter(|avp| avp.octets.len() <= FAILED_OCTETS_MAX) {
        Writer::new(&mut failed).copy(&avp);
    }
    Fault { result, failed, text }
}

/// Returns a fault of an amount with the first AVP that has any, since it may be in several.
pub(crate) fn with_units(message: &Message<'_>, fault: Fault) -> Fault {
    let has_failed = !fault.failed.is_empty() || fault.result != ResultCode::INVALID_AVP_VALUE;
    let code = WITH_UNITS.into_iter().find(|code| message.find(*code).is_some());
    match code.filter(|_| !has_failed) {
        Some(code) => failed(message, code, fault.result, fault.text),
        None => fault,
    }
}

/// Returns the fault of a value that cannot be.
pub(crate) fn value_fault(message: &Message<'_>, why: RequestError) -> Fault {
    let text = why.to_string();
    match why {
        RequestError::Value { code } => {
            failed(message, AvpCode::ietf(code), ResultCode::INVALID_AVP_VALUE, text)
        }
        RequestError::Units(_) => plain(ResultCode::INVALID_AVP_VALUE, text),
    }
}

/// Returns the fault of a request without a number that pays.
pub(crate) fn no_subscriber(text: &str) -> Fault {
    let mut failed = Vec::new();
    Writer::new(&mut failed).group(SUBSCRIPTION_ID, |_| {});
    Fault { result: ResultCode::MISSING_AVP, failed, text: text.to_owned() }
}
