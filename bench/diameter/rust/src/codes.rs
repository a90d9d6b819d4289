//! Codes of AVPs (RFC 6733 section 4.5, RFC 8506 section 8), which the crate has in its dictionary alone, and values of both modes.

pub const SESSION_ID: u32 = 263;
pub const ORIGIN_HOST: u32 = 264;
pub const ORIGIN_REALM: u32 = 296;
pub const DESTINATION_REALM: u32 = 283;
pub const HOST_IP_ADDRESS: u32 = 257;
pub const VENDOR_ID: u32 = 266;
pub const PRODUCT_NAME: u32 = 269;
pub const AUTH_APPLICATION_ID: u32 = 258;
pub const RESULT_CODE: u32 = 268;
pub const EVENT_TIMESTAMP: u32 = 55;
pub const CC_REQUEST_NUMBER: u32 = 415;
pub const CC_REQUEST_TYPE: u32 = 416;
pub const CC_TOTAL_OCTETS: u32 = 421;
pub const GRANTED_SERVICE_UNIT: u32 = 431;
pub const RATING_GROUP: u32 = 432;
pub const REQUESTED_SERVICE_UNIT: u32 = 437;
pub const SUBSCRIPTION_ID: u32 = 443;
pub const SUBSCRIPTION_ID_DATA: u32 = 444;
pub const USED_SERVICE_UNIT: u32 = 446;
pub const VALIDITY_TIME: u32 = 448;
pub const SUBSCRIPTION_ID_TYPE: u32 = 450;
pub const MULTIPLE_SERVICES_CREDIT_CONTROL: u32 = 456;
pub const SERVICE_CONTEXT_ID: u32 = 461;

pub const APPLICATION: u32 = 4;
pub const SUCCESS: u32 = 2001;
pub const REALM: &str = "example.net";
