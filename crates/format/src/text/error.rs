//! Why text of a file is not read.

use std::sync::Arc;

use diagnostics::encoding::{Malformed, Named, NotRead, UnknownName};

/// Why text is not a record. Each line comes with room for one, so it is as small as a text would be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing of the file is read: one reason for all its pieces.
    #[error("the file is not read: {0}")]
    Encoding(Arc<EncodingError>),
    /// Octets that are not text in the encoding of the file.
    #[error(transparent)]
    Malformed(Box<Malformed>),
    /// A line that is not UTF-8, in a file of which no encoding is known.
    #[error("{0}; name the encoding of the file: encoding = \"windows-1252\"")]
    NotUtf8(Box<Malformed>),
    /// A line that is longer than any record.
    #[error("a line of more than 1 MiB")]
    TooLong,
    /// More than the lines that stand before the first record of any file.
    #[error("the first MiB of the file has no line of names")]
    LongBeginning,
    /// A last line without a line end, where there has to be one.
    #[error("the file ends within this line: it may be cut off")]
    CutOff,
    /// A quoted value that does not end as one.
    #[error(transparent)]
    Quote(cells::What),
    /// A line with NULs, from this character on, counted from 1.
    #[error("the line has NULs in it, from its character {0} on")]
    Nuls(usize),
    /// So many NULs in the place of lines.
    #[error("{0} octets of NULs; what should stand there may be lost")]
    NulRun(u64),
    /// A line of a CSV file with another number of values than its header.
    #[error("the line has {found} values, {expected} are expected")]
    Values {
        /// The values of the line.
        found: usize,
        /// The values of a record.
        expected: usize,
    },
    /// A line of another width than its columns.
    #[error("the line has {found} characters, {expected} are expected")]
    Characters {
        /// The characters of the line.
        found: usize,
        /// The characters of a record.
        expected: usize,
    },
    /// A line end within a record of a file that is said to have none.
    #[error("a line end stands within a record of a file without line ends (\"line-ends\")")]
    LineEnd,
    /// An incomplete record at the end of a file without line ends.
    #[error(
        "the file ends within a record: {octets} octets are left, a record has {characters} characters"
    )]
    EndsWithin {
        /// The octets that are left.
        octets: usize,
        /// The characters of a record.
        characters: usize,
    },
}

const _: () = assert!(size_of::<Option<TextError>>() <= size_of::<String>());

impl From<Malformed> for TextError {
    #[cold]
    fn from(malformed: Malformed) -> Self {
        TextError::Malformed(Box::new(malformed))
    }
}

/// Why the encoding of a file is not known, or not one that is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// Its first octets do not say it, or say one that is not read.
    #[error("{}{}", .0, advice(*.0))]
    NotRead(NotRead),
    /// Its XML declaration names an encoding that is not known.
    #[error("its declaration says encoding {name:?}, which is not known here; {known}")]
    Unknown {
        /// The name, of which the beginning.
        name: String,
        /// The names that are known.
        known: UnknownName,
    },
    /// Its XML declaration names another encoding than it is written in.
    #[error("its declaration says encoding {name:?}, in octets that are not {named}")]
    Contradicted {
        /// The name, of which the beginning.
        name: String,
        /// The encoding of that name.
        named: Named,
    },
}

/// The setting with which a file would be read.
fn advice(why: NotRead) -> String {
    match why {
        NotRead::Unmarked(encoding) => {
            format!(" (encoding = \"{}\")", encoding.name().to_ascii_lowercase())
        }
        _ => String::new(),
    }
}
