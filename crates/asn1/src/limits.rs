//! The limits against hostile input.

/// Maximum nesting depth of values. 3GPP and GSMA records reach about ten; recursion up to this depth cannot exhaust a
/// thread's stack.
pub use record::DEPTH_MAX;

/// Maximum tag number, in modules and in records. TAP uses up to 443; five identifier octets can encode this many bits.
pub const TAG_NUMBER_MAX: u32 = (1 << 28) - 1;

/// Maximum components of a structure and alternatives of a CHOICE: their indexes have 15 bits.
pub const COMPONENTS_MAX: usize = 32_000;

/// Maximum octets of one record: a whole TAP file may be read as one. Offsets in slots have 32 bits.
pub const RECORD_OCTETS_MAX: usize = 1 << 30;

const _: () = assert!(RECORD_OCTETS_MAX <= u32::MAX as usize);
