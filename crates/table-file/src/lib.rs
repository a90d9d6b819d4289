//! Tables with typed columns, for programs of analysts.
//!
//! With the feature `parquet`, [`ParquetFile`] writes such a table as a Parquet file. Rows are written in groups, so memory does not grow with the
//! table.
#![forbid(unsafe_code)]

#[cfg(feature = "parquet")]
mod parquet_file;

#[cfg(feature = "parquet")]
pub use parquet_file::{ParquetError, ParquetFile};

/// What the values of a column are. Any may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// Numbers.
    Number,
    /// TRUE or FALSE.
    Flag,
    /// Times, in milliseconds since 1970.
    Time,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name: lower-case letters and `_`.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
}

/// Returns a column.
pub const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// There is none.
    Absent,
    /// A text.
    Text(String),
    /// A number, or a time.
    Number(i64),
    /// TRUE or FALSE.
    Flag(bool),
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Absent, Into::into)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}
