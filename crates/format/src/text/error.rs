//! The reasons why text of a file cannot be read.

use std::sync::Arc;

use diagnostics::encoding::{Malformed, Named, NotRead, UnknownName};
use reason::Coded;

/// The reason why text is not a record. Each line has room for one, so it is as small as a string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("text")]
pub enum TextError {
    /// The whole file is refused, with one reason for all its pieces.
    #[error("the file is not read: {0}")]
    Encoding(#[coded] Arc<EncodingError>),
    /// Octets that are not text in the encoding of the file.
    #[error(transparent)]
    Malformed(Box<Malformed>),
    /// A line that is not UTF-8, in a file of unknown encoding.
    #[error("{0}; name the encoding of the file: encoding = \"windows-1252\"")]
    NotUtf8(#[coded] Box<Malformed>),
    /// A line that is longer than the maximum.
    #[error("a line of more than 1 MiB")]
    TooLong,
    /// More text before the first record than any file has.
    #[error("the first MiB of the file has no line of names")]
    LongBeginning,
    /// A last line without a line end, if one is required.
    #[error("the file ends within this line: it may be cut off")]
    CutOff,
    /// A quoted value that does not end correctly.
    #[error(transparent)]
    Quote(cells::What),
    /// A line with NULs, from this character on, counted from 1.
    #[error("the line has NULs in it, from its character {character} on", character = .0)]
    Nuls(usize),
    /// A run of so many NULs in place of lines.
    #[error("{octets} octets of NULs; what should stand there may be lost", octets = .0)]
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
    /// A line end within a record of a file without line ends.
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

/// The reason why the encoding of a file is unknown or not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("encoding")]
pub enum EncodingError {
    /// Its first octets give no encoding, or an unsupported one.
    #[error("{fault}{advice}", fault = .0, advice = advice(*.0))]
    NotRead(#[coded] NotRead),
    /// Its XML declaration names an unknown encoding.
    #[error("its declaration says encoding {name:?}, which is not known here; {known}")]
    Unknown {
        /// The beginning of the name.
        name: String,
        /// The known names.
        known: UnknownName,
    },
    /// Its XML declaration names another encoding than that of its octets.
    #[error("its declaration says encoding {name:?}, in octets that are not {named}")]
    Contradicted {
        /// The beginning of the name.
        name: String,
        /// The encoding of that name.
        named: Named,
    },
}

/// Returns the setting with which a file could be read.
fn advice(why: NotRead) -> String {
    match why {
        NotRead::Unmarked(encoding) => {
            format!(" (encoding = \"{}\")", encoding.name().to_ascii_lowercase())
        }
        _ => String::new(),
    }
}
