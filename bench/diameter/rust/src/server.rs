//! The server. Those of its answers that are not of credit control say success.

use std::net::Ipv4Addr;
use std::sync::Arc;

use diameter::avp::flags::M;
use diameter::avp::{
    Address, Avp, AvpValue, Enumerated, Grouped, Identity, UTF8String, Unsigned32, Unsigned64,
};
use diameter::dictionary::{DEFAULT_DICT_XML, Dictionary};
use diameter::error::{Error, Result};
use diameter::transport::{DiameterServer, DiameterServerConfig};
use diameter::{CommandCode, DiameterMessage, flags};

use crate::codes::*;

const HOST: &str = "charging.example.net";

/// What is granted, and for how many seconds.
const GRANTED_OCTETS: u64 = 1_000_000;
const VALIDITY: u32 = 600;

/// Answers requests at an address.
pub async fn serve(address: &str) -> Result<()> {
    let dictionary = Arc::new(Dictionary::new(&[&DEFAULT_DICT_XML]));
    let mut server =
        DiameterServer::new(address, DiameterServerConfig { native_tls: None }).await?;
    let of_answers = Arc::clone(&dictionary);
    let handler = move |request| std::future::ready(answer(&request, &of_answers));
    server.listen(handler, dictionary).await
}

fn answer(request: &DiameterMessage, dictionary: &Arc<Dictionary>) -> Result<DiameterMessage> {
    let mut answer = DiameterMessage::new(
        request.get_command_code(),
        request.get_application_id(),
        request.get_flags() & !flags::REQUEST,
        request.get_hop_by_hop_id(),
        request.get_end_to_end_id(),
        Arc::clone(dictionary),
    );
    match request.get_command_code() {
        CommandCode::CreditControl => grant(request, &mut answer, dictionary)?,
        CommandCode::CapabilitiesExchange => {
            add_result(&mut answer);
            let address = Address::from_ipv4(Ipv4Addr::LOCALHOST);
            answer.add_avp(HOST_IP_ADDRESS, None, M, address.into());
            answer.add_avp(VENDOR_ID, None, M, Unsigned32::new(0).into());
            answer.add_avp(PRODUCT_NAME, None, 0, UTF8String::new("diameter").into());
            answer.add_avp(AUTH_APPLICATION_ID, None, M, Unsigned32::new(APPLICATION).into());
        }
        _ => add_result(&mut answer),
    }
    Ok(answer)
}

fn add_result(answer: &mut DiameterMessage) {
    answer.add_avp(RESULT_CODE, None, M, Unsigned32::new(SUCCESS).into());
    answer.add_avp(ORIGIN_HOST, None, M, Identity::new(HOST).into());
    answer.add_avp(ORIGIN_REALM, None, M, Identity::new(REALM).into());
}

/// Grants each service of a request what it wants.
fn grant(
    request: &DiameterMessage,
    answer: &mut DiameterMessage,
    dictionary: &Arc<Dictionary>,
) -> Result<()> {
    let AvpValue::UTF8String(session) = value(request, SESSION_ID)? else {
        return Err(Error::ServerError("Session-Id is no text".to_owned()));
    };
    let (AvpValue::Enumerated(kind), AvpValue::Unsigned32(number)) =
        (value(request, CC_REQUEST_TYPE)?, value(request, CC_REQUEST_NUMBER)?)
    else {
        return Err(Error::ServerError(
            "the kind of the request or its number is no number".to_owned(),
        ));
    };
    answer.add_avp(SESSION_ID, None, M, UTF8String::new(session.value()).into());
    add_result(answer);
    answer.add_avp(AUTH_APPLICATION_ID, None, M, Unsigned32::new(APPLICATION).into());
    answer.add_avp(CC_REQUEST_TYPE, None, M, Enumerated::new(kind.value()).into());
    answer.add_avp(CC_REQUEST_NUMBER, None, M, Unsigned32::new(number.value()).into());
    let of_services = request.get_avps().iter();
    for service in of_services.filter(|avp| avp.get_code() == MULTIPLE_SERVICES_CREDIT_CONTROL) {
        let granted = granted(rating_group(service), dictionary);
        answer.add_avp(MULTIPLE_SERVICES_CREDIT_CONTROL, None, M, granted.into());
    }
    Ok(())
}

fn granted(rating_group: u32, dictionary: &Arc<Dictionary>) -> Grouped {
    let mut units = Grouped::new(Vec::new(), Arc::clone(dictionary));
    units.add_avp(CC_TOTAL_OCTETS, None, M, Unsigned64::new(GRANTED_OCTETS).into());
    let mut granted = Grouped::new(Vec::with_capacity(4), Arc::clone(dictionary));
    granted.add_avp(GRANTED_SERVICE_UNIT, None, M, units.into());
    granted.add_avp(VALIDITY_TIME, None, M, Unsigned32::new(VALIDITY).into());
    granted.add_avp(RATING_GROUP, None, M, Unsigned32::new(rating_group).into());
    granted.add_avp(RESULT_CODE, None, M, Unsigned32::new(SUCCESS).into());
    granted
}

fn rating_group(service: &Avp) -> u32 {
    let members = match service.get_value() {
        AvpValue::Grouped(service) => service.avps(),
        _ => &[],
    };
    let group = members.iter().find(|avp| avp.get_code() == RATING_GROUP);
    group.and_then(|avp| avp.get_unsigned32()).unwrap_or_default()
}

fn value(request: &DiameterMessage, code: u32) -> Result<&AvpValue> {
    let absent = || Error::ServerError(format!("a request has no AVP {code}"));
    request.get_avp(code).map(Avp::get_value).ok_or_else(absent)
}
