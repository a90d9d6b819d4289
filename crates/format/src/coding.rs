//! The interface between the engine and formats: types by name, reading and writing records.
//!
//! The caller passes the formats in, like the node kinds, so that tests of the engine can use a format of ten lines.

use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, plain};
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};
use settings::{Setting, Settings};

use crate::again::InMemory;
use crate::error::{EditError, ReadError, WriteError};

/// The table of modules in a flow file.
#[derive(Clone, Debug)]
pub struct ModuleTable {
    /// The flow file.
    pub source: Arc<Source>,
    /// The folder of the flow file.
    pub folder: PathBuf,
    /// The files of modules.
    pub modules: Vec<Setting>,
    /// The tagging of modules that do not give one: for one module, with its name as the key, or for all, with the key
    /// `tagging`.
    pub tagging: Vec<Setting>,
}

/// The available formats.
pub trait Formats: Sync {
    /// Reads the modules of a flow. All mistakes are added to `diagnostics`.
    fn load(&self, table: &ModuleTable, diagnostics: &mut Vec<Diagnostic>) -> Box<dyn Loaded>;
}

/// The modules of a flow.
pub trait Loaded {
    /// Returns their types. Resolves those that the `decode` and `encode` tables name at once, and reports all
    /// mistakes.
    fn types(&self, tables: &[&Settings], diagnostics: &mut Vec<Diagnostic>)
    -> Box<dyn Types + '_>;
}

/// The types of a flow, while node kinds may still look up more of them and add their own.
pub trait Types: record::Types {
    /// Creates the codecs, when all types are known.
    fn finish(self: Box<Self>) -> Box<dyn Codecs>;
}

/// Creates readers and writers of records of a flow's types.
pub trait Codecs: Send + Sync {
    /// Creates the reader for a network element's `decode` table. The consumers of its records read only the values
    /// that are `opened`.
    fn input(
        &self,
        decode: &Settings,
        ty: TypeId,
        opened: &Opened,
    ) -> Result<Box<dyn Input>, Vec<Diagnostic>>;

    /// Creates the writer for a post-processing system's `encode` table.
    fn output(&self, encode: &Settings, ty: TypeId) -> Result<Box<dyn Output>, Vec<Diagnostic>>;

    /// Returns how to store records of a type that a node holds back; `None` if that is not possible.
    fn keeping(&self, _ty: TypeId) -> Option<Box<dyn Keeping>> {
        None
    }
}

/// The storage format of records that wait in a node.
pub trait Keeping: Send + Sync {
    /// Creates a codec for one worker.
    fn codec(&self) -> Box<dyn node::Codec>;

    /// Returns how such records are read, shown and corrected when they are in suspense, like those of a network
    /// element.
    fn input(&self) -> &dyn Input;

    /// Returns the layout of the octets, one item per line, sorted. Records can be read with any layout that has all
    /// lines of theirs.
    fn layout(&self) -> String;
}

/// How the files of a network element are read.
pub trait Input: Send + Sync {
    /// Opens one file.
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>>;

    /// Returns whether files may have a [`Header`].
    fn may_have_header(&self) -> bool {
        false
    }

    /// Returns how a file is read in stretches; `None` if only a reader of everything before a place can continue
    /// there.
    fn stretches(&self) -> Option<&dyn Stretches> {
        None
    }

    /// Returns how to decode single records again with more values opened; `None` if all consumers have these values
    /// already.
    fn deeper(&self, _opened: &Opened) -> Option<Box<dyn Deeper>> {
        None
    }

    /// Returns a description of an element that the schema does not have, from the mark that the decoder stored.
    fn unknown(&self, mark: u32) -> String {
        mark.to_string()
    }

    /// Opens a piece that was set aside. Octets that were no record may turn out to be several, once the cause is
    /// fixed.
    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        self.open(&InMemory(piece.octets))
    }

    /// Returns the only record in these octets as JSON, for display and correction. Fails if they are not one record.
    fn show(&self, _piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        Err(EditError::NotShown)
    }

    /// Describes the contents of these octets and their places, for a record or for damaged octets up to the damage. If
    /// a batch is read as one structure, the octets are the batch with one element.
    fn take_apart(&self, _piece: &Excerpt<'_>) -> Anatomy {
        Anatomy::default()
    }

    /// Returns the possible contents of a record that is shown and corrected as JSON.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// Returns the octets that replace these for a record given as JSON.
    fn correct(&self, _piece: &Excerpt<'_>, _json: &[u8]) -> Result<Vec<u8>, EditError> {
        Err(EditError::NotWritten)
    }
}

/// Decodes records again, with more of their values.
pub trait Deeper: Send + Sync {
    /// Decodes a record from its [octets](Read::octets); `None` if it cannot be decoded alone.
    fn decode(&self, octets: &[u8], arena: &mut Arena) -> Option<Record>;
}

/// Reads a file in stretches, each of which begins where a record ends. [`Reader::position`] confirms that place once
/// everything before it is read. The places from here are only likely, and a wrong one costs only time.
pub trait Stretches {
    /// Finds the first record that ends at `from` octets or later, in a file with this [context](Reader::context). The
    /// octets begin after a record. The record need not be complete in these octets. `None` if its end cannot be
    /// determined.
    fn next_end(&self, context: &[u8], octets: &[u8], from: usize) -> Option<NextEnd>;

    /// Reads from a place on, like a reader that has read everything before it.
    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>>;
}

/// The end of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextEnd {
    /// The distance to it in octets.
    pub octets: usize,
    /// The number of records up to it.
    pub records: u64,
}

/// A stretch of a file in memory, and the rest of the file.
pub struct Stretch {
    /// Its offset in the file.
    pub offset: u64,
    /// The buffer that contains its octets.
    pub octets: Vec<u8>,
    /// The index of its first octet.
    pub begin: usize,
    /// The index after its last octet.
    pub end: usize,
    /// The octets after it, up to the end of the file. They are read when needed.
    pub behind: Box<dyn io::Read>,
}

/// A piece of a file that was set aside: a record, or octets that were none.
#[derive(Clone, Copy, Debug)]
pub struct Excerpt<'k> {
    /// The [`Reader::context`] of that file.
    pub context: &'k [u8],
    /// The [`Read::octets`], perhaps edited by a user.
    pub octets: &'k [u8],
}

impl<'k> Excerpt<'k> {
    /// Returns the octets that determine its encoding: the beginning of its file, or its own if that is not known.
    pub(crate) fn beginning(&self, octets_max: usize) -> &'k [u8] {
        let beginning = if self.context.is_empty() { self.octets } else { self.context };
        &beginning[..beginning.len().min(octets_max)]
    }
}

/// The octets of a file, in any storage.
pub trait Contents {
    /// Returns the number of octets.
    fn size(&self) -> io::Result<u64>;

    /// Returns all octets. The reader of a file calls this once, and gets every octet through it.
    fn octets(&self) -> io::Result<Box<dyn io::Read>>;

    /// Returns the octets from an offset on, for an additional look at some of them.
    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn io::Read>>;

    /// Returns memory that a reader may read the octets into. [`Reader::into_octets`] gives it back.
    fn memory(&self) -> Vec<u8> {
        Vec::new()
    }
}

impl<P: AsRef<Path>> Contents for P {
    fn size(&self) -> io::Result<u64> {
        Ok(self.as_ref().metadata()?.len())
    }

    fn octets(&self) -> io::Result<Box<dyn io::Read>> {
        Ok(Box::new(plain::open(self.as_ref())?))
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn io::Read>> {
        let mut file = plain::open(self.as_ref())?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Box::new(file))
    }
}

/// A reader of one file.
pub trait Reader {
    /// Returns the next record, with its values in `arena`; `None` at the end of the file.
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>>;

    /// Returns the header of the file, if it has one and it was read.
    fn header(&self) -> Option<Header> {
        None
    }

    /// Returns the part of the file that is needed to read one of its records alone: the names of its columns.
    fn context(&self) -> &[u8] {
        &[]
    }

    /// Returns what has been skipped so far. Includes every octet before the first record, so that the total equals the
    /// first record's offset.
    fn passed_over(&self) -> Vec<PassedOver> {
        Vec::new()
    }

    /// Returns the current offset, if a reader that [continues](Stretches::read_on) there finds the same records as
    /// this one.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Returns the memory of the [`Stretch`] or the [`Contents`] it has read, to be reused.
    fn into_octets(self: Box<Self>) -> Vec<u8> {
        Vec::new()
    }
}

/// Octets of a file that belong neither to a record nor to a piece that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// A description.
    pub what: std::borrow::Cow<'static, str>,
    /// Their number.
    pub octets: u64,
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of the file among those of its network element, if given.
    pub sequence_number: Option<u32>,
    /// The number of its records, if given.
    pub records: Option<u32>,
    /// The minimum number of records that the network element lost.
    pub lost: u8,
    /// Whether the header was set aside because of a contradiction.
    pub is_set_aside: bool,
}

/// A record as it was read, or octets that are none.
#[derive(Debug)]
pub struct Read<'r> {
    /// Its offset in the file.
    pub offset: u64,
    /// Its octets.
    pub octets: &'r [u8],
    /// The record, or why these octets are none.
    pub record: Result<Record, ReadError>,
}

/// How the files for a post-processing system are written.
pub trait Output: Send + Sync {
    /// Returns the extension of file names, without a dot.
    fn extension(&self) -> &str;

    /// Returns the types whose values it reads, except in records that a script made or changed.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// Creates a writer for one worker, for any number of files.
    fn writer(&self) -> Box<dyn Writer + '_>;
}

/// Writes records.
pub trait Writer {
    /// Appends the octets before the first record of a file.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Appends the octets of a record. If it fails, the caller removes what was appended. The octets do not depend on
    /// earlier records.
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError>;

    /// Appends the octets after the last record of a file.
    fn end(&mut self, _out: &mut Vec<u8>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_under_the_name_of_a_file_is_not_read() {
        let device = Path::new("/dev/zero");
        for opened in [device.octets(), device.octets_from(1)] {
            let refused = opened.err().expect("it is no plain file").to_string();
            assert_eq!(refused, "it is a device, and has to be a plain file");
        }
    }
}
