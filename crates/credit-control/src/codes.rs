//! The codes of credit control (RFC 8506 section 8) that are read and written here.

use diameter::avp::AvpCode;
use diameter::result::ResultCode;

/// The application of credit control (section 1.3).
pub const APPLICATION: u32 = 4;

/// The command of credit control (section 3).
pub const COMMAND: u32 = 272;

/// CC-Input-Octets (section 8.24).
pub const CC_INPUT_OCTETS: AvpCode = AvpCode::ietf(412);
/// CC-Money (section 8.22).
pub const CC_MONEY: AvpCode = AvpCode::ietf(413);
/// CC-Output-Octets (section 8.25).
pub const CC_OUTPUT_OCTETS: AvpCode = AvpCode::ietf(414);
/// CC-Request-Number (section 8.2).
pub const CC_REQUEST_NUMBER: AvpCode = AvpCode::ietf(415);
/// CC-Request-Type (section 8.3).
pub const CC_REQUEST_TYPE: AvpCode = AvpCode::ietf(416);
/// CC-Service-Specific-Units (section 8.26).
pub const CC_SERVICE_SPECIFIC_UNITS: AvpCode = AvpCode::ietf(417);
/// CC-Sub-Session-Id (section 8.5).
pub const CC_SUB_SESSION_ID: AvpCode = AvpCode::ietf(419);
/// CC-Time (section 8.21).
pub const CC_TIME: AvpCode = AvpCode::ietf(420);
/// CC-Total-Octets (section 8.23).
pub const CC_TOTAL_OCTETS: AvpCode = AvpCode::ietf(421);
/// Exponent (section 8.9).
pub const EXPONENT: AvpCode = AvpCode::ietf(429);
/// Rating-Group (section 8.29).
pub const RATING_GROUP: AvpCode = AvpCode::ietf(432);
/// Requested-Action (section 8.41).
pub const REQUESTED_ACTION: AvpCode = AvpCode::ietf(436);
/// Requested-Service-Unit (section 8.18).
pub const REQUESTED_SERVICE_UNIT: AvpCode = AvpCode::ietf(437);
/// Service-Identifier (section 8.28).
pub const SERVICE_IDENTIFIER: AvpCode = AvpCode::ietf(439);
/// Subscription-Id (section 8.46).
pub const SUBSCRIPTION_ID: AvpCode = AvpCode::ietf(443);
/// Subscription-Id-Data (section 8.48).
pub const SUBSCRIPTION_ID_DATA: AvpCode = AvpCode::ietf(444);
/// Unit-Value (section 8.8).
pub const UNIT_VALUE: AvpCode = AvpCode::ietf(445);
/// Used-Service-Unit (section 8.19).
pub const USED_SERVICE_UNIT: AvpCode = AvpCode::ietf(446);
/// Value-Digits (section 8.10).
pub const VALUE_DIGITS: AvpCode = AvpCode::ietf(447);
/// Subscription-Id-Extension (section 8.58).
pub const SUBSCRIPTION_ID_EXTENSION: AvpCode = AvpCode::ietf(659);
/// Subscription-Id-E164 (section 8.59).
pub const SUBSCRIPTION_ID_E164: AvpCode = AvpCode::ietf(660);
/// Subscription-Id-IMSI (section 8.60).
pub const SUBSCRIPTION_ID_IMSI: AvpCode = AvpCode::ietf(661);
/// Subscription-Id-SIP-URI (section 8.61).
pub const SUBSCRIPTION_ID_SIP_URI: AvpCode = AvpCode::ietf(662);
/// Subscription-Id-NAI (section 8.62).
pub const SUBSCRIPTION_ID_NAI: AvpCode = AvpCode::ietf(663);
/// Subscription-Id-Private (section 8.63).
pub const SUBSCRIPTION_ID_PRIVATE: AvpCode = AvpCode::ietf(664);
/// Subscription-Id-Type (section 8.47).
pub const SUBSCRIPTION_ID_TYPE: AvpCode = AvpCode::ietf(450);
/// Tariff-Change-Usage (section 8.27).
pub const TARIFF_CHANGE_USAGE: AvpCode = AvpCode::ietf(452);
/// Multiple-Services-Credit-Control (section 8.16).
pub const MULTIPLE_SERVICES_CREDIT_CONTROL: AvpCode = AvpCode::ietf(456);
/// Service-Context-Id (section 8.42).
pub const SERVICE_CONTEXT_ID: AvpCode = AvpCode::ietf(461);
/// Event-Timestamp (RFC 8506 section 3.1).
pub const EVENT_TIMESTAMP: AvpCode = AvpCode::ietf(55);
/// Reporting-Reason (3GPP TS 32.299, 7.2.175).
pub const REPORTING_REASON: AvpCode = AvpCode::tgpp(872);

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

/// Final-Unit-Indication (section 8.34).
pub const FINAL_UNIT_INDICATION: AvpCode = AvpCode::ietf(430);
/// Granted-Service-Unit (section 8.17).
pub const GRANTED_SERVICE_UNIT: AvpCode = AvpCode::ietf(431);
/// Redirect-Address-Type (section 8.38).
pub const REDIRECT_ADDRESS_TYPE: AvpCode = AvpCode::ietf(433);
/// Redirect-Server (section 8.37).
pub const REDIRECT_SERVER: AvpCode = AvpCode::ietf(434);
/// Redirect-Server-Address (section 8.39).
pub const REDIRECT_SERVER_ADDRESS: AvpCode = AvpCode::ietf(435);
/// Redirect-Server-Extension (section 8.64).
pub const REDIRECT_SERVER_EXTENSION: AvpCode = AvpCode::ietf(665);
/// Redirect-Address-URL (section 8.66).
pub const REDIRECT_ADDRESS_URL: AvpCode = AvpCode::ietf(667);
/// Redirect-Address-SIP-URI (section 8.67).
pub const REDIRECT_ADDRESS_SIP_URI: AvpCode = AvpCode::ietf(668);
/// QoS-Final-Unit-Indication (section 8.68).
pub const QOS_FINAL_UNIT_INDICATION: AvpCode = AvpCode::ietf(669);
/// Validity-Time (section 8.33).
pub const VALIDITY_TIME: AvpCode = AvpCode::ietf(448);
/// Final-Unit-Action (section 8.35).
pub const FINAL_UNIT_ACTION: AvpCode = AvpCode::ietf(449);
/// Restriction-Filter-Rule (section 8.36).
pub const RESTRICTION_FILTER_RULE: AvpCode = AvpCode::ietf(438);
/// Filter-Id (section 5.6.3).
pub const FILTER_ID: AvpCode = AvpCode::ietf(11);
/// Time-Quota-Threshold (3GPP TS 32.299, 7.2.229).
pub const TIME_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(868);
/// Volume-Quota-Threshold (3GPP TS 32.299, 7.2).
pub const VOLUME_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(869);
/// Quota-Holding-Time (3GPP TS 32.299, 7.2.160).
pub const QUOTA_HOLDING_TIME: AvpCode = AvpCode::tgpp(871);
/// Trigger-Type (3GPP TS 32.299, 7.2.236).
pub const TRIGGER_TYPE: AvpCode = AvpCode::tgpp(870);
/// Quota-Consumption-Time (3GPP TS 32.299, 7.2).
pub const QUOTA_CONSUMPTION_TIME: AvpCode = AvpCode::tgpp(881);
/// Trigger (3GPP TS 32.299, 7.2.235).
pub const TRIGGER: AvpCode = AvpCode::tgpp(1264);
/// Unit-Quota-Threshold (3GPP TS 32.299, 7.2).
pub const UNIT_QUOTA_THRESHOLD: AvpCode = AvpCode::tgpp(1226);

/// CC-Session-Failover (section 8.4).
pub const CC_SESSION_FAILOVER: AvpCode = AvpCode::ietf(418);
/// Credit-Control-Failure-Handling (section 8.14).
pub const CREDIT_CONTROL_FAILURE_HANDLING: AvpCode = AvpCode::ietf(427);
/// Direct-Debiting-Failure-Handling (section 8.15).
pub const DIRECT_DEBITING_FAILURE_HANDLING: AvpCode = AvpCode::ietf(428);
/// Check-Balance-Result (section 8.6).
pub const CHECK_BALANCE_RESULT: AvpCode = AvpCode::ietf(422);
/// Cost-Information (section 8.7).
pub const COST_INFORMATION: AvpCode = AvpCode::ietf(423);
/// Currency-Code (section 8.11).
pub const CURRENCY_CODE: AvpCode = AvpCode::ietf(425);

/// 3GPP-SGSN-MCC-MNC (3GPP TS 29.061).
pub const SGSN_MCC_MNC: AvpCode = AvpCode::tgpp(18);
/// Role-Of-Node (3GPP TS 32.299, 7.2.172).
pub const ROLE_OF_NODE: AvpCode = AvpCode::tgpp(829);
/// Calling-Party-Address (3GPP TS 32.299, 7.2).
pub const CALLING_PARTY_ADDRESS: AvpCode = AvpCode::tgpp(831);
/// Called-Party-Address (3GPP TS 32.299, 7.2).
pub const CALLED_PARTY_ADDRESS: AvpCode = AvpCode::tgpp(832);
/// Service-Information (3GPP TS 32.299, 7.2.192).
pub const SERVICE_INFORMATION: AvpCode = AvpCode::tgpp(873);
/// PS-Information (3GPP TS 32.299, 7.2.158).
pub const PS_INFORMATION: AvpCode = AvpCode::tgpp(874);
/// IMS-Information (3GPP TS 32.299, 7.2).
pub const IMS_INFORMATION: AvpCode = AvpCode::tgpp(876);
/// Address-Data (3GPP TS 32.299, 7.2).
pub const ADDRESS_DATA: AvpCode = AvpCode::tgpp(897);
/// Recipient-Address (3GPP TS 32.299, 7.2).
pub const RECIPIENT_ADDRESS: AvpCode = AvpCode::tgpp(1201);
/// SMS-Information (3GPP TS 32.299, 7.2).
pub const SMS_INFORMATION: AvpCode = AvpCode::tgpp(2000);
/// Recipient-Info (3GPP TS 32.299, 7.2).
pub const RECIPIENT_INFO: AvpCode = AvpCode::tgpp(2026);
