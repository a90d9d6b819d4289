//! What is stored with the entries of an operation: who did it, and why.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum characters of a reason or a reference.
pub(crate) const TEXT_MAX: usize = 500;

/// Who moved an amount, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Remark {
    /// What was done: `refill`, `adjustment`, `transfer`, `fee`, `record`.
    pub kind: String,
    /// The user, token or client.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub who: String,
    /// The reason that the user gave.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The reference of a payment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// The accounts of a transfer: the sender and the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<u64>,
    /// The entry that this one reverses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverses: Option<u64>,
    /// The record that it was debited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordOrigin>,
    /// The voucher that it was refilled with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<VoucherOrigin>,
}

/// A voucher that an account was refilled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VoucherOrigin {
    /// Its serial number.
    pub serial: u64,
    /// Its batch.
    pub batch: u32,
}

/// A record of usage that was rated elsewhere, and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordOrigin {
    /// The file.
    pub file: String,
    /// Its line in the file, from 1.
    pub line: u64,
    /// The number that paid.
    pub number: String,
    /// The service; empty if the record does not say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub service: String,
    /// The number that was called; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other: String,
    /// When the usage began.
    pub start: String,
}

impl Remark {
    /// Returns the stored form.
    pub(crate) fn octets(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers are JSON")
    }

    /// Reads the stored form. `None` if it is another one.
    pub(crate) fn read(octets: &[u8]) -> Option<Self> {
        serde_json::from_slice(octets).ok()
    }
}
