//! The codes of the base protocol that are read and written (RFC 6733 sections 3 and 4.5).

use crate::avp::AvpCode;

/// The commands.
pub mod command {
    /// Capabilities-Exchange.
    pub const CAPABILITIES_EXCHANGE: u32 = 257;
    /// Re-Auth.
    pub const RE_AUTH: u32 = 258;
    /// Abort-Session.
    pub const ABORT_SESSION: u32 = 274;
    /// Session-Termination.
    pub const SESSION_TERMINATION: u32 = 275;
    /// Device-Watchdog.
    pub const DEVICE_WATCHDOG: u32 = 280;
    /// Disconnect-Peer.
    pub const DISCONNECT_PEER: u32 = 282;
}

/// The application of relays: they have all (section 2.4).
pub const RELAY: u32 = 0xffff_ffff;

/// Host-IP-Address.
pub const HOST_IP_ADDRESS: AvpCode = AvpCode::ietf(257);
/// Auth-Application-Id.
pub const AUTH_APPLICATION_ID: AvpCode = AvpCode::ietf(258);
/// Acct-Application-Id.
pub const ACCT_APPLICATION_ID: AvpCode = AvpCode::ietf(259);
/// Vendor-Specific-Application-Id.
pub const VENDOR_SPECIFIC_APPLICATION_ID: AvpCode = AvpCode::ietf(260);
/// Session-Id.
pub const SESSION_ID: AvpCode = AvpCode::ietf(263);
/// Origin-Host.
pub const ORIGIN_HOST: AvpCode = AvpCode::ietf(264);
/// Supported-Vendor-Id.
pub const SUPPORTED_VENDOR_ID: AvpCode = AvpCode::ietf(265);
/// Vendor-Id.
pub const VENDOR_ID: AvpCode = AvpCode::ietf(266);
/// Result-Code.
pub const RESULT_CODE: AvpCode = AvpCode::ietf(268);
/// Product-Name.
pub const PRODUCT_NAME: AvpCode = AvpCode::ietf(269);
/// Disconnect-Cause.
pub const DISCONNECT_CAUSE: AvpCode = AvpCode::ietf(273);
/// Origin-State-Id.
pub const ORIGIN_STATE_ID: AvpCode = AvpCode::ietf(278);
/// Failed-AVP.
pub const FAILED_AVP: AvpCode = AvpCode::ietf(279);
/// Error-Message.
pub const ERROR_MESSAGE: AvpCode = AvpCode::ietf(281);
/// Route-Record.
pub const ROUTE_RECORD: AvpCode = AvpCode::ietf(282);
/// Destination-Realm.
pub const DESTINATION_REALM: AvpCode = AvpCode::ietf(283);
/// Proxy-Info.
pub const PROXY_INFO: AvpCode = AvpCode::ietf(284);
/// Re-Auth-Request-Type.
pub const RE_AUTH_REQUEST_TYPE: AvpCode = AvpCode::ietf(285);
/// Destination-Host.
pub const DESTINATION_HOST: AvpCode = AvpCode::ietf(293);
/// Origin-Realm.
pub const ORIGIN_REALM: AvpCode = AvpCode::ietf(296);
/// Inband-Security-Id.
pub const INBAND_SECURITY_ID: AvpCode = AvpCode::ietf(299);
