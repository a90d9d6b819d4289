//! The results of one measured object in one period.

use crate::text::Text;

/// The results of one measured object in one period. The memory is reused for the next row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The measured object: its local distinguished name.
    pub object: Option<Text>,
    /// Whether the network element does not vouch for the results.
    pub is_suspect: bool,
    /// A result for each of [`crate::Context::names`].
    pub values: Vec<Value>,
    /// The elements of all lists among the results.
    pub elements: Vec<Value>,
}

/// The result of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// It was not measured: there is no result, or a blank one.
    #[default]
    Absent,
    /// A whole number of 64 bits.
    Integer(i64),
    /// A number with a fraction, an exponent, or more than 64 bits, as it is written.
    Decimal(Text),
    /// No number.
    Text(Text),
    /// A list of numbers, such as a histogram: `count` of [`Row::elements`] from `first` on. They are absent, whole or decimal.
    List {
        /// The index of its first element.
        first: u32,
        /// The number of elements.
        count: u32,
    },
}

const _: () = assert!(size_of::<Value>() == 16);

impl Row {
    /// Makes the row empty, with so many counters.
    pub(crate) fn begin(&mut self, counters: usize) {
        (self.object, self.is_suspect) = (None, false);
        self.values.clear();
        self.values.resize(counters, Value::Absent);
        self.elements.clear();
    }

    /// Returns the elements of a list; none for other values.
    pub fn list(&self, value: Value) -> &[Value] {
        let Value::List { first, count } = value else { return &[] };
        self.elements.get(first as usize..(first + count) as usize).unwrap_or_default()
    }
}
