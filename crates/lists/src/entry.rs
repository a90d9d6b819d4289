//! An entry of a list, as it is written.

use runtime::time::moment;

/// The most octets of a key: that of a subject has no more.
pub const KEY_OCTETS_MAX: usize = 256;

/// A column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The key, or what keys begin with and a `*`.
    Key,
    /// The day or time from which it holds.
    From,
    /// The day or time until which it holds.
    Until,
    /// Where it comes from.
    Source,
    /// Who has added it.
    Who,
    /// Why.
    Because,
}

impl Column {
    /// The columns, in the order of a new list.
    pub const ALL: [Column; 6] =
        [Column::Key, Column::From, Column::Until, Column::Source, Column::Who, Column::Because];

    /// Returns its name in the first line.
    pub fn name(self) -> &'static str {
        match self {
            Column::Key => "key",
            Column::From => "from",
            Column::Until => "until",
            Column::Source => "source",
            Column::Who => "who",
            Column::Because => "because",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Column> {
        Column::ALL.into_iter().find(|column| column.name() == name)
    }
}

/// An entry of a list. Its texts are those of the cells; a cell that is not there is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The key, or what keys begin with and a `*`.
    pub key: String,
    /// The day or time from which it holds. Empty for always.
    pub from: String,
    /// The day or time until which it holds. Empty for ever.
    pub until: String,
    /// Where it comes from.
    pub source: String,
    /// Who has added it.
    pub who: String,
    /// Why.
    pub because: String,
}

impl Entry {
    /// Returns the text of a column.
    pub fn cell(&self, column: Column) -> &str {
        match column {
            Column::Key => &self.key,
            Column::From => &self.from,
            Column::Until => &self.until,
            Column::Source => &self.source,
            Column::Who => &self.who,
            Column::Because => &self.because,
        }
    }

    /// Returns the text of a column, to change it.
    pub fn cell_mut(&mut self, column: Column) -> &mut String {
        match column {
            Column::Key => &mut self.key,
            Column::From => &mut self.from,
            Column::Until => &mut self.until,
            Column::Source => &mut self.source,
            Column::Who => &mut self.who,
            Column::Because => &mut self.because,
        }
    }

    /// Returns whether the entry is for a key: it is the same, or begins with what stands before the `*`.
    pub fn is_for(&self, key: &str) -> bool {
        match self.key.strip_suffix('*') {
            Some(prefix) => key.starts_with(prefix),
            None => self.key == key,
        }
    }
}

/// Why a text is no key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is empty.
    #[error("a key is missing")]
    Empty,
    /// It is too long.
    #[error("a key has {KEY_OCTETS_MAX} octets at most")]
    Long,
    /// It has line ends or other control characters.
    #[error("a key has no control characters")]
    Control,
}

/// Returns a key without the blanks around it, which a list does not have.
///
/// # Errors
///
/// It is no key.
pub fn checked_key(key: &str) -> Result<&str, KeyError> {
    let key = key.trim();
    if key.is_empty() {
        return Err(KeyError::Empty);
    }
    if key.len() > KEY_OCTETS_MAX {
        return Err(KeyError::Long);
    }
    if key.contains(char::is_control) {
        return Err(KeyError::Control);
    }
    Ok(key)
}

/// Returns a text as one line, for cells that people read.
pub fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

/// Returns the time of a cell, in seconds since 1970: a day, which begins in UTC, or a time with a zone. `None` if it is neither, or
/// not within the years that are counted, up to 2106.
pub fn time(text: &str) -> Option<u32> {
    let ms = moment(text).ok()?;
    u32::try_from(ms.div_euclid(1_000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_day_in_utc_or_has_a_zone() {
        for (text, expected) in [
            ("2026-01-01", Some(1_767_225_600)),
            ("2026-01-01T12:00:00Z", Some(1_767_268_800)),
            ("2026-01-01T12:00:00+02:00", Some(1_767_261_600)),
            ("2026-01-01T12:00:00", None),
            ("1969-12-31", None),
            ("2200-01-01", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(time(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_key_is_one_line_of_text() {
        for (key, expected) in [
            (" 4670 ", Ok("4670")),
            ("#31#*", Ok("#31#*")),
            (" ", Err(KeyError::Empty)),
            ("46\n70", Err(KeyError::Control)),
            ("46\0", Err(KeyError::Control)),
            (&"4".repeat(KEY_OCTETS_MAX + 1), Err(KeyError::Long)),
        ] {
            assert_eq!(checked_key(key), expected, "{key:?}");
        }
    }
}
