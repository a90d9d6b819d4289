//! Measures the rasn crate on the same records. Its types are derived at compile time; ours come from a module when the
//! program starts.

use std::hint::black_box;

use ::asn1::jer;
use rasn::prelude::*; // What derive makes of the types needs its traits by their names.
use record::{Arena, Memory};

use super::cases::Case;
use super::{Measurement, NUMBER};
use crate::error::BenchError;

/// Returns the measurements of rasn for a case.
pub(super) fn measurements(case: &str) -> Vec<Measurement> {
    match case {
        "set" => measured::<Usage>(),
        "tap" => measured::<MobileOriginatedCall>(),
        _ => measured::<CallDataRecord>(),
    }
}

/// A record as a type of rasn.
trait Peer: Decode + Encode {
    /// Changes the number of the component that [`Case::changed`] names.
    fn change(&mut self);
}

fn measured<T: Peer>() -> Vec<Measurement> {
    vec![
        ("rasn decode", |case| {
            case.each().filter(|octets| black_box(rasn::ber::decode::<T>(octets)).is_ok()).count()
                as u64
        }),
        ("rasn roundtrip", |case| recode::<T>(case, |_| {})),
        ("rasn changed", |case| recode::<T>(case, T::change)),
    ]
}

fn recode<T: Peer>(case: &Case, change: fn(&mut T)) -> u64 {
    let mut sum = 0;
    for octets in case.each() {
        if let Ok(mut record) = rasn::ber::decode::<T>(octets) {
            change(&mut record);
            sum += u64::from(black_box(rasn::ber::encode(&record)).is_ok());
        }
    }
    sum
}

/// Checks that rasn decodes the same records: what it encodes again must mean the same.
pub(super) fn check(case: &Case) -> Result<(), BenchError> {
    let again = match case.name {
        "set" => encoded::<Usage>,
        "tap" => encoded::<MobileOriginatedCall>,
        _ => encoded::<CallDataRecord>,
    };
    for octets in case.each().take(1000) {
        let (ours, theirs) = (json(case, octets)?, json(case, &again(octets)?)?);
        if ours != theirs {
            let difference =
                format!("rasn decodes another record\n ours: {ours}\n rasn's: {theirs}");
            return Err(BenchError::Peer(difference));
        }
    }
    Ok(())
}

fn encoded<T: Peer>(octets: &[u8]) -> Result<Vec<u8>, BenchError> {
    let record = rasn::ber::decode::<T>(octets)
        .map_err(|error| BenchError::Peer(format!("rasn: {error}")))?;
    rasn::ber::encode(&record).map_err(|error| BenchError::Peer(format!("rasn: {error}")))
}

/// Returns a record as JSON.
fn json(case: &Case, octets: &[u8]) -> Result<String, BenchError> {
    let mut arena = Arena::new();
    let record = ::asn1::ber::Decoder::new(&case.plan, case.ty)
        .decode(octets, &mut arena)
        .map_err(|error| BenchError::Peer(error.to_string()))?;
    let mut json = Vec::new();
    let memory = Memory::new(octets, &mut arena);
    jer::write(&case.plan, &memory, record, jer::Options::default(), &mut json)
        .map_err(|error| BenchError::Peer(error.to_string()))?;
    Ok(String::from_utf8_lossy(&json).into_owned())
}

// The types of usage.asn1: ORDER USAGE

#[derive(AsnType, Decode, Encode)]
#[rasn(set, tag(application, 1))]
struct Usage {
    #[rasn(tag(context, 0))]
    record_type: i64,
    #[rasn(tag(context, 1))]
    version: i64,
    #[rasn(tag(context, 2))]
    served_imsi: OctetString,
    #[rasn(tag(context, 3))]
    served_imei: Option<OctetString>,
    #[rasn(tag(context, 4))]
    served_msisdn: Option<OctetString>,
    #[rasn(tag(context, 5))]
    calling_number: Option<OctetString>,
    #[rasn(tag(context, 6))]
    called_number: Option<OctetString>,
    #[rasn(tag(context, 7))]
    answer_time: OctetString,
    #[rasn(tag(context, 8))]
    release_time: Option<OctetString>,
    #[rasn(tag(context, 9))]
    call_duration: i64,
    #[rasn(tag(context, 10))]
    cause_for_termination: i64,
    #[rasn(tag(context, 11))]
    call_reference: OctetString,
    #[rasn(tag(context, 12))]
    exchange_identity: Ia5String,
    #[rasn(tag(context, 13))]
    incoming_trunk: Option<Ia5String>,
    #[rasn(tag(context, 14))]
    outgoing_trunk: Option<Ia5String>,
    #[rasn(tag(context, 15))]
    basic_service: OctetString,
    #[rasn(tag(context, 16))]
    radio_technology: Option<RadioTechnology>,
    #[rasn(tag(context, 17))]
    charged: bool,
    #[rasn(tag(context, 18))]
    sequence_number: i64,
    #[rasn(tag(context, 19))]
    network_reference: Option<OctetString>,
    #[rasn(tag(context, 20))]
    tariff_class: Option<i64>,
    #[rasn(tag(context, 21))]
    partial_number: Option<i64>,
    #[rasn(tag(context, 22))]
    location: Option<Location>,
    #[rasn(tag(context, 23))]
    services: Option<Vec<UsageService>>,
}

impl Peer for Usage {
    fn change(&mut self) {
        self.version = NUMBER;
    }
}

#[derive(AsnType, Decode, Encode)]
struct UsageService {
    #[rasn(tag(context, 0))]
    kind: i64,
    #[rasn(tag(context, 1))]
    code: OctetString,
}

#[derive(AsnType, Clone, Copy, Debug, Decode, Encode, PartialEq)]
#[rasn(enumerated)]
enum RadioTechnology {
    Gsm = 0,
    Umts = 1,
    Lte = 2,
    Nr = 3,
}

#[derive(AsnType, Decode, Encode)]
struct Location {
    #[rasn(tag(context, 0))]
    location_area_code: OctetString,
    #[rasn(tag(context, 1))]
    cell_id: OctetString,
    #[rasn(tag(context, 2))]
    global_cell_identity: Option<OctetString>,
}

// The types of examples/tap/asn1/tap.asn1 that a call needs.

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 9))]
struct MobileOriginatedCall {
    basic_call_information: Option<MoBasicCallInformation>,
    location_information: Option<LocationInformation>,
    #[rasn(tag(application, 38))]
    basic_service_used_list: Option<Vec<BasicServiceUsed>>,
}

impl Peer for MobileOriginatedCall {
    fn change(&mut self) {
        if let Some(information) = &mut self.basic_call_information {
            information.cause_for_term = Some(NUMBER);
        }
    }
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 147))]
struct MoBasicCallInformation {
    #[rasn(tag(explicit(application, 427)))]
    chargeable_subscriber: Option<ChargeableSubscriber>,
    destination: Option<Destination>,
    #[rasn(tag(application, 44))]
    call_event_start_time_stamp: Option<DateTime>,
    #[rasn(tag(application, 223))]
    total_call_event_duration: Option<i64>,
    #[rasn(tag(application, 58))]
    cause_for_term: Option<i64>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(choice)]
enum ChargeableSubscriber {
    Sim(SimChargeableSubscriber),
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 199))]
struct SimChargeableSubscriber {
    #[rasn(tag(application, 129))]
    imsi: Option<OctetString>,
    #[rasn(tag(application, 152))]
    msisdn: Option<OctetString>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 89))]
struct Destination {
    #[rasn(tag(application, 407))]
    called_number: Option<OctetString>,
    #[rasn(tag(application, 279))]
    dialled_digits: Option<OctetString>,
}

#[derive(AsnType, Decode, Encode)]
struct DateTime {
    #[rasn(tag(application, 16))]
    local_time_stamp: Option<OctetString>,
    #[rasn(tag(application, 232))]
    utc_time_offset_code: Option<i64>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 138))]
struct LocationInformation {
    network_location: Option<NetworkLocation>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 156))]
struct NetworkLocation {
    #[rasn(tag(application, 184))]
    rec_entity_code: Option<i64>,
    #[rasn(tag(application, 45))]
    call_reference: Option<OctetString>,
    #[rasn(tag(application, 136))]
    location_area: Option<i64>,
    #[rasn(tag(application, 59))]
    cell_id: Option<i64>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 39))]
struct BasicServiceUsed {
    basic_service: Option<BasicService>,
    #[rasn(tag(application, 70))]
    charge_information_list: Option<Vec<ChargeInformation>>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 36))]
struct BasicService {
    #[rasn(tag(explicit(application, 426)))]
    service_code: Option<BasicServiceCode>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(choice)]
enum BasicServiceCode {
    #[rasn(tag(application, 218))]
    TeleService(OctetString),
    #[rasn(tag(application, 40))]
    BearerService(OctetString),
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 69))]
struct ChargeInformation {
    #[rasn(tag(application, 66))]
    charged_item: Option<OctetString>,
    #[rasn(tag(application, 64))]
    charge_detail_list: Option<Vec<ChargeDetail>>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(tag(application, 63))]
struct ChargeDetail {
    #[rasn(tag(application, 71))]
    charge_type: Option<OctetString>,
    #[rasn(tag(application, 62))]
    charge: Option<i64>,
    #[rasn(tag(application, 65))]
    chargeable_units: Option<i64>,
    #[rasn(tag(application, 68))]
    charged_units: Option<i64>,
}

// The types of examples/msc-billing/asn1/msc.asn1: ORDER MSC

#[derive(AsnType, Decode, Encode)]
#[rasn(set, tag(application, 10))]
struct CallDataRecord {
    #[rasn(tag(context, 0))]
    record_type: i64,
    #[rasn(tag(context, 1))]
    version: i64,
    #[rasn(tag(context, 2))]
    msc_address: OctetString,
    #[rasn(tag(context, 3))]
    served_imsi: OctetString,
    #[rasn(tag(context, 4))]
    served_imei: Option<OctetString>,
    #[rasn(tag(context, 5))]
    served_msisdn: Option<OctetString>,
    #[rasn(tag(context, 6))]
    calling_number: Option<OctetString>,
    #[rasn(tag(context, 7))]
    called_number: Option<OctetString>,
    #[rasn(tag(context, 8))]
    answer_time: OctetString,
    #[rasn(tag(context, 9))]
    release_time: Option<OctetString>,
    #[rasn(tag(context, 10))]
    call_duration: i64,
    #[rasn(tag(context, 11))]
    cause_for_termination: i64,
    #[rasn(tag(context, 12))]
    call_reference: OctetString,
    #[rasn(tag(context, 13))]
    location: Option<Location>,
    #[rasn(tag(context, 14))]
    services: Option<Vec<Service>>,
    #[rasn(tag(explicit(context, 15)))]
    details: Details,
    #[rasn(tag(context, 16))]
    sequence_number: i64,
    #[rasn(tag(context, 19))]
    exchange_identity: Option<Ia5String>,
    #[rasn(tag(context, 17))]
    network_call_reference: Option<OctetString>,
    #[rasn(tag(context, 18))]
    radio_technology: Option<RadioTechnology>,
}

impl Peer for CallDataRecord {
    fn change(&mut self) {
        self.version = NUMBER;
    }
}

#[derive(AsnType, Decode, Encode)]
struct Service {
    #[rasn(tag(context, 0))]
    kind: i64,
    #[rasn(tag(context, 1))]
    code: OctetString,
    #[rasn(tag(context, 2))]
    used: bool,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(choice)]
enum Details {
    #[rasn(tag(context, 0))]
    Originated(OriginatedCall),
    #[rasn(tag(context, 1))]
    Terminated(TerminatedCall),
    #[rasn(tag(context, 2))]
    Forwarded(ForwardedCall),
    #[rasn(tag(context, 3))]
    Roaming(RoamingCall),
    #[rasn(tag(context, 4))]
    ShortMessage(ShortMessage),
}

#[derive(AsnType, Decode, Encode)]
struct OriginatedCall {
    #[rasn(tag(context, 0))]
    incoming_trunk: Ia5String,
    #[rasn(tag(context, 1))]
    outgoing_trunk: Ia5String,
    #[rasn(tag(context, 2))]
    basic_service: OctetString,
    #[rasn(tag(context, 3))]
    connection: OctetString,
}

#[derive(AsnType, Decode, Encode)]
struct TerminatedCall {
    #[rasn(tag(context, 0))]
    incoming_trunk: Ia5String,
    #[rasn(tag(context, 1))]
    outgoing_trunk: Ia5String,
    #[rasn(tag(context, 2))]
    connection: OctetString,
}

#[derive(AsnType, Decode, Encode)]
struct ForwardedCall {
    #[rasn(tag(context, 0))]
    forwarded_to_number: OctetString,
    #[rasn(tag(context, 1))]
    outgoing_trunk: Ia5String,
    #[rasn(tag(context, 2))]
    unconditional: Option<()>,
}

#[derive(AsnType, Decode, Encode)]
struct RoamingCall {
    #[rasn(tag(context, 0))]
    visited_network: OctetString,
    #[rasn(tag(context, 1))]
    roaming_number: OctetString,
    #[rasn(tag(context, 2))]
    incoming_trunk: Ia5String,
}

#[derive(AsnType, Decode, Encode)]
struct ShortMessage {
    #[rasn(tag(context, 0))]
    service_centre: OctetString,
    #[rasn(tag(context, 1))]
    message_reference: OctetString,
    #[rasn(tag(context, 2))]
    message_length: i64,
    #[rasn(tag(context, 3))]
    validity_period: i64,
}
