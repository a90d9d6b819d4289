//! The codec alone: requests of 11 AVPs are written, and all their values are read. The programs of others in `bench/diameter/`
//! do the same.

use std::io::Write;
use std::time::Instant;

use credit_control::codes::{
    CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_TOTAL_OCTETS, EVENT_TIMESTAMP,
    MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, REQUESTED_SERVICE_UNIT, SERVICE_CONTEXT_ID,
    SUBSCRIPTION_ID, SUBSCRIPTION_ID_DATA, SUBSCRIPTION_ID_TYPE, USED_SERVICE_UNIT,
};
use diameter::ValueError;
use diameter::avp::{Avp, Avps};
use diameter::codes::{
    AUTH_APPLICATION_ID, DESTINATION_REALM, ORIGIN_HOST, ORIGIN_REALM, SESSION_ID,
};
use diameter::frame::{Frame, MESSAGE_OCTETS};

use super::requests::{REQUEST, RequestAvps, append_message};
use crate::error::BenchError;

/// Writes and reads so many requests, and prints the nanoseconds of one and the sum of all values.
pub(super) fn measure(count: u32, out: &mut dyn Write) -> Result<(), BenchError> {
    let start = Instant::now();
    let sum = write_and_read(count)?;
    let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(count);
    Ok(writeln!(out, "{nanoseconds:.1} {sum}")?)
}

/// Writes and reads so many requests. Returns the sum of all values, so that none can be left out.
pub(super) fn write_and_read(count: u32) -> Result<u64, BenchError> {
    let (mut octets, mut sum) = (Vec::new(), 0);
    for number in 0..count {
        let avps = RequestAvps {
            host: "load-0.example.net",
            session: b"load-0.example.net;1700000000;0000000000000001",
            subscriber: b"46701000001",
            kind: 2,
            number,
        };
        octets.clear();
        append_message(&mut octets, REQUEST, |to| avps.write(to));
        let Ok(Frame::Message(message)) = Frame::read(&octets, MESSAGE_OCTETS) else {
            return Err(unreadable("a request is no message"));
        };
        sum += sum_of(message.avps())?;
    }
    Ok(sum)
}

/// Adds the numbers and the lengths of the texts.
fn sum_of(avps: Avps<'_>) -> Result<u64, BenchError> {
    let mut sum = 0;
    for avp in avps {
        let avp = avp.map_err(unreadable)?;
        sum += match avp.code {
            SUBSCRIPTION_ID
            | MULTIPLE_SERVICES_CREDIT_CONTROL
            | REQUESTED_SERVICE_UNIT
            | USED_SERVICE_UNIT => sum_of(avp.members())?,
            _ => value_of(&avp).map_err(unreadable)?,
        };
    }
    Ok(sum)
}

/// Returns the number that an AVP has, or the length of its text.
fn value_of(avp: &Avp<'_>) -> Result<u64, ValueError> {
    Ok(match avp.code {
        SESSION_ID | ORIGIN_HOST | ORIGIN_REALM | DESTINATION_REALM | SERVICE_CONTEXT_ID
        | SUBSCRIPTION_ID_DATA => avp.text()?.len() as u64,
        AUTH_APPLICATION_ID | CC_REQUEST_NUMBER | RATING_GROUP => avp.u32()?.into(),
        CC_REQUEST_TYPE | SUBSCRIPTION_ID_TYPE => avp.i32()?.unsigned_abs().into(),
        EVENT_TIMESTAMP => avp.time()?.unsigned_abs(),
        CC_TOTAL_OCTETS => avp.u64()?,
        _ => return Err(ValueError::Value),
    })
}

fn unreadable(why: impl ToString) -> BenchError {
    BenchError::Answer { answer: why.to_string() }
}
