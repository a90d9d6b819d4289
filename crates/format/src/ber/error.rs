//! The reasons why octets of a BER file are not a record.

use std::fmt;

use asn1::ber::{DecodeError, Decoder, ExplainedError, Reason};
use reason::{Code, Coded, Description};

use super::RECORD_OCTETS_MAX;
use super::batch::BATCH_FIELDS_OCTETS_MAX;

/// The reason why octets of a BER file are not a record: they are not BER of its type, or contradict the framing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("framing")]
pub enum BerError {
    /// A record that cannot be decoded.
    #[error(transparent)]
    Decode(ExplainedError),
    /// An element whose end is unknown.
    #[error(transparent)]
    Element(Reason),
    /// A record that ends behind the end of the file.
    #[error("the record is longer than the rest of the file")]
    CutOff,
    /// A record that is longer than the maximum.
    #[error("the record is longer than {RECORD_OCTETS_MAX} octets")]
    TooLong,
    /// The header before a record.
    #[error(transparent)]
    RecordHeader(RecordHeaderError),
    /// A file that ends within the header of a record.
    #[error("the file ends within the header of a record")]
    HeaderCutOff,
    /// A header with a length beyond the end of the file.
    #[error("the record's length is {length} octets, the file has no more than {left}")]
    LongerThanFile {
        /// The length in the header.
        length: usize,
        /// The octets that follow.
        left: usize,
    },
    /// A record that ends before its frame does. The rest of the frame is no filler.
    #[error("the record ends after {octets} octets, its header says {length}")]
    ShorterThanFrame {
        /// The octets of the record.
        octets: usize,
        /// The length in its header.
        length: usize,
    },
    /// A record that ends before its frame does, and no other frame follows.
    #[error("the record is shorter than its header says")]
    Filled,
    /// A file that ends within the gap between records.
    #[error("the file ends after {passed} of the {gap} octets between records (\"gap\")")]
    GapCutOff {
        /// The octets that are there.
        passed: u64,
        /// The octets of a gap.
        gap: u64,
    },
    /// A file that ends before its first record.
    #[error("the file has {octets} octets, \"skip\" passes over {skip}")]
    ShorterThanSkip {
        /// The octets of the file.
        octets: u64,
        /// The octets before the first record.
        skip: u64,
    },
    /// A file without the header of TS 32.297.
    #[error("the file does not begin with a header of TS 32.297")]
    NoFileHeader,
    /// A header of TS 32.297 with contradictory lengths.
    #[error(transparent)]
    FileHeader(FileHeaderError),
    /// A fault around the records of a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Octets that would be a record with IMPLICIT TAGS.
    #[error(
        "{0}; its module does not say how it tags, and with tagging \"implicit\" this is a record"
    )]
    ImplicitTags(#[coded] Box<BerError>),
}

impl BerError {
    /// Creates the error for a record that cannot be decoded, with the component and what was expected there.
    #[cold]
    pub(super) fn decode(decoder: &Decoder<'_>, octets: &[u8], error: DecodeError) -> Box<Self> {
        Box::new(BerError::Decode(decoder.explain(octets, error)))
    }
}

/// The reason why the header before a record is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("record-header")]
pub enum RecordHeaderError {
    /// Its length is zero.
    #[error("the record's header says that it has no octets")]
    Empty,
    /// Its format is not BER (TS 32.297, 6.1.2.3).
    #[error("the record's header says format {format}, only 1 (BER) is read", format = .0)]
    Format(u8),
}

/// The contradictions to the lengths in the header of a TS 32.297 file. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeaderError {
    /// The length of the header.
    pub header: Option<HeaderLength>,
    /// The length of the file.
    pub file: Option<FileLength>,
}

/// A header whose length is not that of its fields, or leads to no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLength {
    /// The length in the header.
    pub stated: usize,
    /// The length that its fields add up to; `None` if that is more than the file has.
    pub by_fields: Option<usize>,
    /// The offset after which records are searched.
    pub octets: usize,
}

/// A file whose length differs from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLength {
    /// The length in the header.
    pub stated: u64,
    /// The octets of the file.
    pub octets: u64,
}

/// The code of a header with contradictory lengths.
const FILE_HEADER: &str = "framing-file-header";

impl std::error::Error for FileHeaderError {}

impl fmt::Display for FileHeaderError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileHeaderError { header, file } = self;
        if let Some(header) = header {
            write!(out, "{header}")?;
        }
        if header.is_some() && file.is_some() {
            out.write_str("; ")?;
        }
        match file {
            Some(file) => write!(out, "{file}"),
            None => Ok(()),
        }
    }
}

impl Coded for FileHeaderError {
    fn describe(&self, description: &mut Description) {
        description.code(FILE_HEADER);
        let FileHeaderError { header, file } = self;
        if let Some(HeaderLength { stated, by_fields, octets }) = header {
            description.text("the file's header says it has ");
            description.value("stated", stated);
            description.text(" octets, the lengths in it make ");
            match by_fields {
                Some(made) => description.value("made", made),
                None => description.text("more than the file has"),
            }
            description.text("; records are looked for behind octet ");
            description.value("behind", octets);
        }
        if header.is_some() && file.is_some() {
            description.text("; ");
        }
        if let Some(length) = file {
            description.text("the file's header says the file has ");
            description.value("stated", length.stated);
            description.text(" octets, it has ");
            description.value("octets", length.octets);
            description.text(": ");
            description.text(length.hint());
        }
    }

    fn codes() -> Vec<Code> {
        let template =
            "the file's header says the file has {stated} octets, it has {octets}".to_owned();
        let meaning = "The lengths in a header of TS 32.297 are not those of the file.";
        vec![Code { code: FILE_HEADER, template, meaning }]
    }
}

impl fmt::Display for HeaderLength {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeaderLength { stated, by_fields, octets } = self;
        write!(out, "the file's header says it has {stated} octets, the lengths in it make ")?;
        match by_fields {
            Some(made) => write!(out, "{made}")?,
            None => out.write_str("more than the file has")?,
        }
        write!(out, "; records are looked for behind octet {octets}")
    }
}

impl fmt::Display for FileLength {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileLength { stated, octets } = self;
        let hint = self.hint();
        write!(out, "the file's header says the file has {stated} octets, it has {octets}: {hint}")
    }
}

impl FileLength {
    fn hint(&self) -> &'static str {
        match self.stated > self.octets {
            true => "it may be cut off",
            false => "something was added to it",
        }
    }
}

/// A fault around the records of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("batch")]
pub enum BatchError {
    /// The file is not one structure.
    #[error("the file does not begin with a structure")]
    NoStructure,
    /// The component of the list is primitive.
    #[error("the list is not a structure")]
    PrimitiveList,
    /// A component beside the list is not BER.
    #[error("a component of the batch cannot be read")]
    Component,
    /// The components beside the list are larger than the maximum copied with each record.
    #[error("more than {BATCH_FIELDS_OCTETS_MAX} octets stand around the list")]
    TooMuchAround,
    /// The list is absent.
    #[error("the batch has no list")]
    NoList,
    /// No structure contains records.
    #[error("the file has no list of such records")]
    NoRecords,
    /// The file ends within its list.
    #[error("the file ends before its list does: it may be cut off")]
    ListCutOff,
    /// The file ends after its list, and within an enclosing structure.
    #[error("the file ends before its batch does: it may be cut off")]
    CutOff,
    /// The list is longer than an enclosing structure.
    #[error("the list goes on behind the end of the structure that it is in")]
    LongList,
    /// Records after the list.
    #[error("records stand behind the end of their list; they are not read")]
    RecordsBehind,
    /// Octets after the batch that are not filler.
    #[error("octets stand behind the batch; they are not read")]
    OctetsBehind,
    /// The rest of a list with an element of unknown length.
    #[error("the end of a damaged element is not known")]
    NoEnd,
}

/// The reason why the component in a setting is not the list of a batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The type has no components.
    #[error("\"{0}\" has no components")]
    NoComponents(String),
    /// The type has no such component.
    #[error("\"{ty}\" has no component \"{list}\"")]
    NoComponent {
        /// The type.
        ty: String,
        /// The component.
        list: String,
    },
    /// The component is not a SEQUENCE OF or SET OF.
    #[error("\"{0}\" is not a list")]
    NotList(String),
    /// The component has several tags, so it cannot be found.
    #[error("\"{0}\" has more than one tag")]
    SeveralTags(String),
    /// The type is not encoded as a structure.
    #[error("\"{0}\" is not a structure")]
    NotStructure(String),
}
