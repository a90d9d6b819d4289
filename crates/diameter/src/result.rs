//! Result codes (RFC 6733 section 7.1).

use std::fmt;

/// A result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultCode(pub u32);

impl ResultCode {
    /// The request was done.
    pub const SUCCESS: ResultCode = ResultCode(2001);
    /// The request was done, and more is needed.
    pub const LIMITED_SUCCESS: ResultCode = ResultCode(2002);
    /// The command is unknown.
    pub const COMMAND_UNSUPPORTED: ResultCode = ResultCode(3001);
    /// No connection leads to the destination.
    pub const UNABLE_TO_DELIVER: ResultCode = ResultCode(3002);
    /// The realm is not served.
    pub const REALM_NOT_SERVED: ResultCode = ResultCode(3003);
    /// The server cannot do it now; another one may.
    pub const TOO_BUSY: ResultCode = ResultCode(3004);
    /// The request came by here before.
    pub const LOOP_DETECTED: ResultCode = ResultCode(3005);
    /// The application is unknown.
    pub const APPLICATION_UNSUPPORTED: ResultCode = ResultCode(3007);
    /// The flags of the header do not fit the command.
    pub const INVALID_HDR_BITS: ResultCode = ResultCode(3008);
    /// The flags of an AVP do not fit it.
    pub const INVALID_AVP_BITS: ResultCode = ResultCode(3009);
    /// The peer is not one of those that may connect.
    pub const UNKNOWN_PEER: ResultCode = ResultCode(3010);
    /// An AVP that must be understood is not known.
    pub const AVP_UNSUPPORTED: ResultCode = ResultCode(5001);
    /// There is no such session.
    pub const UNKNOWN_SESSION_ID: ResultCode = ResultCode(5002);
    /// An AVP has a value that it cannot have.
    pub const INVALID_AVP_VALUE: ResultCode = ResultCode(5004);
    /// An AVP that must be there is missing.
    pub const MISSING_AVP: ResultCode = ResultCode(5005);
    /// There is no room for it.
    pub const RESOURCES_EXCEEDED: ResultCode = ResultCode(5006);
    /// AVPs contradict each other.
    pub const CONTRADICTING_AVPS: ResultCode = ResultCode(5007);
    /// An AVP is there that must not be.
    pub const AVP_NOT_ALLOWED: ResultCode = ResultCode(5008);
    /// An AVP is there too often.
    pub const AVP_OCCURS_TOO_MANY_TIMES: ResultCode = ResultCode(5009);
    /// The peers have no application in common.
    pub const NO_COMMON_APPLICATION: ResultCode = ResultCode(5010);
    /// The version of the protocol is unknown.
    pub const UNSUPPORTED_VERSION: ResultCode = ResultCode(5011);
    /// It cannot be done for another reason.
    pub const UNABLE_TO_COMPLY: ResultCode = ResultCode(5012);
    /// An AVP has a length that it cannot have.
    pub const INVALID_AVP_LENGTH: ResultCode = ResultCode(5014);
    /// The message has a length that it cannot have.
    pub const INVALID_MESSAGE_LENGTH: ResultCode = ResultCode(5015);
    /// The peers have no security in common.
    pub const NO_COMMON_SECURITY: ResultCode = ResultCode(5017);

    /// Returns whether it is a protocol error: the answer has the E bit, and the form of all such answers.
    pub fn is_protocol_error(self) -> bool {
        self.class() == 3
    }

    /// Returns whether the request was done.
    pub fn is_success(self) -> bool {
        self.class() == 2
    }

    /// Returns the first digit: 2 for success, 3 for protocol errors, 4 for failures that may pass, 5 for permanent ones.
    pub fn class(self) -> u32 {
        self.0 / 1_000
    }
}

impl fmt::Display for ResultCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}
