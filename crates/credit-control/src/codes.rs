//! The codes of credit control (RFC 8506 section 8) that are read and written here.

use diameter::avp::AvpCode;
use diameter::result::ResultCode;

/// The application of credit control (section 1.3).
pub const APPLICATION: u32 = 4;

/// The command of credit control (section 3).
pub const COMMAND: u32 = 272;

pub(crate) const CC_INPUT_OCTETS: AvpCode = AvpCode::ietf(412);
pub(crate) const CC_MONEY: AvpCode = AvpCode::ietf(413);
pub(crate) const CC_OUTPUT_OCTETS: AvpCode = AvpCode::ietf(414);
pub(crate) const CC_REQUEST_NUMBER: AvpCode = AvpCode::ietf(415);
pub(crate) const CC_REQUEST_TYPE: AvpCode = AvpCode::ietf(416);
pub(crate) const CC_SERVICE_SPECIFIC_UNITS: AvpCode = AvpCode::ietf(417);
pub(crate) const CC_SUB_SESSION_ID: AvpCode = AvpCode::ietf(419);
pub(crate) const CC_TIME: AvpCode = AvpCode::ietf(420);
pub(crate) const CC_TOTAL_OCTETS: AvpCode = AvpCode::ietf(421);
pub(crate) const EXPONENT: AvpCode = AvpCode::ietf(429);
pub(crate) const RATING_GROUP: AvpCode = AvpCode::ietf(432);
pub(crate) const REQUESTED_ACTION: AvpCode = AvpCode::ietf(436);
pub(crate) const REQUESTED_SERVICE_UNIT: AvpCode = AvpCode::ietf(437);
pub(crate) const SERVICE_IDENTIFIER: AvpCode = AvpCode::ietf(439);
pub(crate) const SUBSCRIPTION_ID: AvpCode = AvpCode::ietf(443);
pub(crate) const SUBSCRIPTION_ID_DATA: AvpCode = AvpCode::ietf(444);
pub(crate) const UNIT_VALUE: AvpCode = AvpCode::ietf(445);
pub(crate) const USED_SERVICE_UNIT: AvpCode = AvpCode::ietf(446);
pub(crate) const VALUE_DIGITS: AvpCode = AvpCode::ietf(447);
pub(crate) const SUBSCRIPTION_ID_TYPE: AvpCode = AvpCode::ietf(450);
pub(crate) const TARIFF_CHANGE_USAGE: AvpCode = AvpCode::ietf(452);
pub(crate) const MULTIPLE_SERVICES_CREDIT_CONTROL: AvpCode = AvpCode::ietf(456);
pub(crate) const SERVICE_CONTEXT_ID: AvpCode = AvpCode::ietf(461);
pub(crate) const EVENT_TIMESTAMP: AvpCode = AvpCode::ietf(55);
pub(crate) const REPORTING_REASON: AvpCode = AvpCode::tgpp(872);

/// The subscriber may not use the service (section 9.1).
pub const END_USER_SERVICE_DENIED: ResultCode = ResultCode(4010);
/// The service costs nothing, or is charged elsewhere: the client asks no more (section 9.1).
pub const CREDIT_CONTROL_NOT_APPLICABLE: ResultCode = ResultCode(4011);
/// Nothing is left (section 9.1).
pub const CREDIT_LIMIT_REACHED: ResultCode = ResultCode(4012);
/// No account has the subscriber (section 9.2).
pub const USER_UNKNOWN: ResultCode = ResultCode(5030);
/// The service has no price (section 9.2).
pub const RATING_FAILED: ResultCode = ResultCode(5031);

pub(crate) const FINAL_UNIT_INDICATION: AvpCode = AvpCode::ietf(430);
pub(crate) const GRANTED_SERVICE_UNIT: AvpCode = AvpCode::ietf(431);
pub(crate) const REDIRECT_ADDRESS_TYPE: AvpCode = AvpCode::ietf(433);
pub(crate) const REDIRECT_SERVER: AvpCode = AvpCode::ietf(434);
pub(crate) const REDIRECT_SERVER_ADDRESS: AvpCode = AvpCode::ietf(435);
pub(crate) const VALIDITY_TIME: AvpCode = AvpCode::ietf(448);
pub(crate) const FINAL_UNIT_ACTION: AvpCode = AvpCode::ietf(449);
pub(crate) const FILTER_ID: AvpCode = AvpCode::ietf(11);
pub(crate) const TIME_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(868);
pub(crate) const VOLUME_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(869);
pub(crate) const QUOTA_HOLDING_TIME: AvpCode = AvpCode::tgpp(871);
pub(crate) const UNIT_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(1226);

pub(crate) const CHECK_BALANCE_RESULT: AvpCode = AvpCode::ietf(422);
pub(crate) const COST_INFORMATION: AvpCode = AvpCode::ietf(423);
pub(crate) const CURRENCY_CODE: AvpCode = AvpCode::ietf(425);

pub(crate) const SGSN_MCC_MNC: AvpCode = AvpCode::tgpp(18);
pub(crate) const ROLE_OF_NODE: AvpCode = AvpCode::tgpp(829);
pub(crate) const CALLING_PARTY_ADDRESS: AvpCode = AvpCode::tgpp(831);
pub(crate) const CALLED_PARTY_ADDRESS: AvpCode = AvpCode::tgpp(832);
pub(crate) const SERVICE_INFORMATION: AvpCode = AvpCode::tgpp(873);
pub(crate) const PS_INFORMATION: AvpCode = AvpCode::tgpp(874);
pub(crate) const IMS_INFORMATION: AvpCode = AvpCode::tgpp(876);
pub(crate) const ADDRESS_DATA: AvpCode = AvpCode::tgpp(897);
pub(crate) const RECIPIENT_ADDRESS: AvpCode = AvpCode::tgpp(1201);
pub(crate) const SMS_INFORMATION: AvpCode = AvpCode::tgpp(2000);
pub(crate) const RECIPIENT_INFO: AvpCode = AvpCode::tgpp(2026);
