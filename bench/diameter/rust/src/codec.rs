//! The codec alone: requests of 11 AVPs are made, written and read.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use chrono::DateTime;
use diameter::avp::flags::M;
use diameter::avp::{
    Avp, AvpValue, Enumerated, Grouped, Identity, Time, UTF8String, Unsigned32, Unsigned64,
};
use diameter::dictionary::{DEFAULT_DICT_XML, Dictionary};
use diameter::error::{Error, Result};
use diameter::{ApplicationId, CommandCode, DiameterMessage, flags};

use crate::codes::*;

const SESSION: &str = "load-0.example.net;1700000000;0000000000000001";

/// Writes and reads requests. Prints the nanoseconds of one, and the sum of all values.
pub fn measure(count: u32) -> Result<()> {
    let dictionary = Arc::new(Dictionary::new(&[&DEFAULT_DICT_XML]));
    let (mut octets, mut sum) = (Vec::new(), 0_u64);
    let start = Instant::now();
    for number in 0..count {
        octets.clear();
        update(number, &dictionary).encode_to(&mut octets)?;
        let mut reader = Cursor::new(&octets);
        let message = DiameterMessage::decode_from(&mut reader, Arc::clone(&dictionary))?;
        sum += sum_of(message.get_avps())?;
    }
    println!("{:.1} {sum}", start.elapsed().as_nanos() as f64 / f64::from(count));
    Ok(())
}

/// Returns the request of a session that goes on.
fn update(number: u32, dictionary: &Arc<Dictionary>) -> DiameterMessage {
    let group = |count| Grouped::new(Vec::with_capacity(count), Arc::clone(dictionary));
    let units = |octets| {
        let mut units = group(1);
        units.add_avp(CC_TOTAL_OCTETS, None, M, Unsigned64::new(octets).into());
        units
    };
    let mut subscriber = group(2);
    subscriber.add_avp(SUBSCRIPTION_ID_TYPE, None, M, Enumerated::new(0).into());
    subscriber.add_avp(SUBSCRIPTION_ID_DATA, None, M, UTF8String::new("46701000001").into());
    let mut service = group(3);
    service.add_avp(REQUESTED_SERVICE_UNIT, None, M, units(1_000_000).into());
    service.add_avp(USED_SERVICE_UNIT, None, M, units(500_000).into());
    service.add_avp(RATING_GROUP, None, M, Unsigned32::new(100).into());
    let begun = Time::new(DateTime::from_timestamp_nanos(1_700_000_000_000_000_000));

    let (command, application) = (CommandCode::CreditControl, ApplicationId::CreditControl);
    let flags = flags::REQUEST | flags::PROXYABLE;
    let mut to = DiameterMessage::new(command, application, flags, 1, 1, Arc::clone(dictionary));
    to.add_avp(SESSION_ID, None, M, UTF8String::new(SESSION).into());
    to.add_avp(ORIGIN_HOST, None, M, Identity::new("load-0.example.net").into());
    to.add_avp(ORIGIN_REALM, None, M, Identity::new(REALM).into());
    to.add_avp(DESTINATION_REALM, None, M, Identity::new(REALM).into());
    to.add_avp(AUTH_APPLICATION_ID, None, M, Unsigned32::new(APPLICATION).into());
    to.add_avp(SERVICE_CONTEXT_ID, None, M, UTF8String::new("32251@3gpp.org").into());
    to.add_avp(CC_REQUEST_TYPE, None, M, Enumerated::new(2).into());
    to.add_avp(CC_REQUEST_NUMBER, None, M, Unsigned32::new(number).into());
    to.add_avp(EVENT_TIMESTAMP, None, M, begun.into());
    to.add_avp(SUBSCRIPTION_ID, None, M, subscriber.into());
    to.add_avp(MULTIPLE_SERVICES_CREDIT_CONTROL, None, M, service.into());
    to
}

/// Adds the numbers and the lengths of the texts.
fn sum_of(avps: &[Avp]) -> Result<u64> {
    let values = avps.iter().map(|avp| match avp.get_value() {
        AvpValue::UTF8String(text) => Ok(text.value().len() as u64),
        AvpValue::Identity(text) => Ok(text.value().len() as u64),
        AvpValue::Unsigned32(number) => Ok(u64::from(number.value())),
        AvpValue::Unsigned64(number) => Ok(number.value()),
        AvpValue::Enumerated(number) => Ok(number.value() as u64),
        AvpValue::Time(time) => Ok(time.value().timestamp() as u64),
        AvpValue::Grouped(group) => sum_of(group.avps()),
        other => Err(Error::DecodeError(format!("{} is not expected", other.get_type_name()))),
    });
    values.sum()
}
