//! Lists of keys in CSV files, such as numbers of call centres.
//!
//! ```csv
//! key,from,until,source,who,because
//! 0701234567,,2026-12-31,support,anna,a call centre
//! 0709*,,,import,,test numbers of ours
//! ```
//!
//! Rules read a list, and people and actions change it. A change touches the rows that it is about: notes, the order of the rows and
//! all other rows stay as they are written, since people write these files, too.
#![forbid(unsafe_code)]

mod difference;
mod edit;
mod entry;
mod file;
mod table;

pub use difference::{ChangedKey, Difference};
pub use edit::Edit;
pub use entry::{Column, Entry, KEY_OCTETS_MAX, KeyError, checked_key, one_line, time};
pub use file::{ListError, change, is_name, names, path, read};
pub use table::{Row, Table};
