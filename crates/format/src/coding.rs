//! What an engine needs of formats: types by their names, records out of files and into files.
//!
//! Handed in by the caller like the node kinds, so that the engine is tested with a format of ten lines.

use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, plain};
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};
use settings::{Setting, Settings};

use crate::again::InMemory;
use crate::error::{EditError, ReadError, WriteError};

/// What a flow file says of its modules.
#[derive(Clone, Debug)]
pub struct ModuleTable {
    /// The flow file.
    pub source: Arc<Source>,
    /// The folder it is in.
    pub folder: PathBuf,
    /// The files of modules.
    pub modules: Vec<Setting>,
    /// The tagging of modules that do not say one: by module, the key being its name, or of all, the key
    /// being `tagging`.
    pub tagging: Vec<Setting>,
}

/// All formats there are.
pub trait Formats: Sync {
    /// Reads the modules of a flow. All mistakes are put into `diagnostics`.
    fn load(&self, table: &ModuleTable, diagnostics: &mut Vec<Diagnostic>) -> Box<dyn Loaded>;
}

/// The modules of a flow.
pub trait Loaded {
    /// Their types. Those that the `decode` and `encode` tables name are resolved at once, with all
    /// mistakes.
    fn types(&self, tables: &[&Settings], diagnostics: &mut Vec<Diagnostic>)
    -> Box<dyn Types + '_>;
}

/// The types of a flow, while node kinds may still ask for more of them and add their own.
pub trait Types: record::Types {
    /// No more types will come: makes the codecs.
    fn finish(self: Box<Self>) -> Box<dyn Codecs>;
}

/// Makes readers and writers of records of a flow's types.
pub trait Codecs: Send + Sync {
    /// For a network element's `decode` table. All who are given its records look only into the values
    /// that are `opened`.
    fn input(
        &self,
        decode: &Settings,
        ty: TypeId,
        opened: &Opened,
    ) -> Result<Box<dyn Input>, Vec<Diagnostic>>;

    /// For a post-processing system's `encode` table.
    fn output(&self, encode: &Settings, ty: TypeId) -> Result<Box<dyn Output>, Vec<Diagnostic>>;

    /// For the records of a type that a node holds back, if there is a way to keep them.
    fn keeping(&self, _ty: TypeId) -> Option<Box<dyn Keeping>> {
        None
    }
}

/// How records are kept that wait in a node.
pub trait Keeping: Send + Sync {
    /// For one worker.
    fn codec(&self) -> Box<dyn node::Codec>;

    /// How such records are read, shown and corrected that were set aside, as those of a network element are.
    fn input(&self) -> &dyn Input;

    /// The places of the octets and what is there, a line each, sorted. What was written is read as it was by one that has
    /// all of the lines too.
    fn layout(&self) -> String;
}

/// How the files of a network element are read.
pub trait Input: Send + Sync {
    /// Begins to read one file.
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>>;

    /// Whether files may have a [`Header`].
    fn may_have_header(&self) -> bool {
        false
    }

    /// How a file is read in stretches; none where only who has read what stands before knows what comes next.
    fn stretches(&self) -> Option<&dyn Stretches> {
        None
    }

    /// How single records are read a second time, by who looks also into these values of a few of them; none where all who are
    /// given records find that in them.
    fn deeper(&self, _opened: &Opened) -> Option<Box<dyn Deeper>> {
        None
    }

    /// What is called what a decoder knows of an element only so much of, that the schema does not have it.
    fn unknown(&self, mark: u32) -> String {
        mark.to_string()
    }

    /// Begins to read what was set aside of a file. In octets that were no record, several may be found, once what
    /// explains them is right.
    fn reopen(&self, kept: &Kept<'_>) -> io::Result<Box<dyn Reader + '_>> {
        self.open(&InMemory(kept.octets))
    }

    /// The one record that these octets are, as JSON for people to look at and correct; or why they are not one.
    fn show(&self, _kept: &Kept<'_>) -> Result<Vec<u8>, EditError> {
        Err(EditError::NotShown)
    }

    /// What these octets have in them, and where: of a record, or of octets that are none, up to where they are damaged. Of a
    /// batch that is read as one structure, they are the batch with one element.
    fn take_apart(&self, _kept: &Kept<'_>) -> Anatomy {
        Anatomy::default()
    }

    /// What may be said in a record that is shown and corrected as JSON.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// The octets as which a record that is given as JSON would have stood where these were.
    fn correct(&self, _kept: &Kept<'_>, _json: &[u8]) -> Result<Vec<u8>, EditError> {
        Err(EditError::NotWritten)
    }
}

/// Reads records a second time, to look into more of them.
pub trait Deeper: Send + Sync {
    /// The record that these octets are, as they were [read](Read::octets); none where somebody else could make it out only.
    fn decode(&self, octets: &[u8], arena: &mut Arena) -> Option<Record>;
}

/// Reads a file in stretches, each of which begins where a record ended. Where that is, [`Reader::position`] says of all
/// that was read before; what is said here is likely, and costs no more than time where it is wrong.
pub trait Stretches {
    /// Looks for the first record that ends so many octets on or later, in a file of this [context](Reader::context), where
    /// the octets begin behind a record. It need not be all in these octets; none where it is not seen in them.
    fn next_end(&self, context: &[u8], octets: &[u8], from: usize) -> Option<NextEnd>;

    /// Reads from a place on, as one does who has read all up to there.
    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>>;
}

/// Where a record ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextEnd {
    /// So many octets on.
    pub octets: usize,
    /// How many records they are.
    pub records: u64,
}

/// A stretch of a file, in memory, and all that follows it.
pub struct Stretch {
    /// Where in the file it begins.
    pub offset: u64,
    /// Its octets are some of these.
    pub octets: Vec<u8>,
    /// The place of the first.
    pub begin: usize,
    /// The place behind the last.
    pub end: usize,
    /// The octets behind them, up to the end of the file. They are read where they are needed.
    pub behind: Box<dyn io::Read>,
}

/// What was set aside of a file: a record, or octets that were none.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'k> {
    /// What [`Reader::context`] was then.
    pub context: &'k [u8],
    /// What [`Read::octets`] was; or what somebody made of it.
    pub octets: &'k [u8],
}

impl<'k> Kept<'k> {
    /// What says its encoding: so many octets of the beginning of its file, or its own where those are not known.
    pub(crate) fn beginning(&self, octets_max: usize) -> &'k [u8] {
        let beginning = if self.context.is_empty() { self.octets } else { self.context };
        &beginning[..beginning.len().min(octets_max)]
    }
}

/// The octets of a file, wherever they are kept.
pub trait Contents {
    /// How many there are.
    fn size(&self) -> io::Result<u64>;

    /// All of them. Whoever reads a file asks for this once, and gets every octet through it.
    fn octets(&self) -> io::Result<Box<dyn io::Read>>;

    /// Those from an offset on, to look at some of them before or besides.
    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn io::Read>>;
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

/// One file being read.
pub trait Reader {
    /// The next record, its values in `arena`; none at the end of the file.
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>>;

    /// What the header of the file says, if it has one and that was read.
    fn header(&self) -> Option<Header> {
        None
    }

    /// What of the file, besides its octets, a record of it needs to be read alone: the names of its columns.
    fn context(&self) -> &[u8] {
        &[]
    }

    /// What has been skipped so far. Includes every byte before the first record, so that the total
    /// equals the first record's offset.
    fn passed_over(&self) -> Vec<PassedOver> {
        Vec::new()
    }

    /// Where in the file it is, if who [reads on](Stretches::read_on) from there finds what this one would find.
    fn position(&self) -> Option<u64> {
        None
    }

    /// The memory of the [`Stretch`] that it has read, to be used again.
    fn into_octets(self: Box<Self>) -> Vec<u8> {
        Vec::new()
    }
}

/// Bytes of a file that belong neither to a record nor to a piece set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// A description.
    pub what: std::borrow::Cow<'static, str>,
    /// Their number.
    pub octets: u64,
}

/// What a file says of itself before its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its number among the files of its network element, where it is known there.
    pub sequence_number: Option<u32>,
    /// How many records are in it, where it is known there.
    pub records: Option<u32>,
    /// How many records the network element lost, at least.
    pub lost: u8,
    /// Whether the header was set aside because something contradicts it.
    pub is_set_aside: bool,
}

/// A record as it was read, or octets that are none.
#[derive(Debug)]
pub struct Read<'r> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its octets.
    pub octets: &'r [u8],
    /// The record, or why these octets are none.
    pub record: Result<Record, ReadError>,
}

/// How the files for a post-processing system are written.
pub trait Output: Send + Sync {
    /// What the names of such files end with, without a dot.
    fn extension(&self) -> &str;

    /// Into which values of its records it looks, but for those that a script made or changed.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// A writer for one worker, used for one file after the other.
    fn writer(&self) -> Box<dyn Writer + '_>;
}

/// Records to octets.
pub trait Writer {
    /// Octets before the first record of a file.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Adds the octets of a record, or says why it cannot; what was added then is taken back. They are the same whatever
    /// was written before.
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError>;

    /// Octets after the last record of a file.
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
