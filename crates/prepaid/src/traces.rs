//! Traces of messages between peers of Diameter and the system, in files: for each trace, a description and the messages, in the
//! folder of the system's state. Both have subscriber data, so only the owner reads them. The server of Diameter writes messages.
//!
//! A description without an end is that of a trace that runs, or of one whose process was killed: its messages are there all the
//! same, up to the last block that is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use ledger::Millis;
use runtime::{durable, exchange, time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::messages::{MessageFilter, described};

/// The folder in that of the state.
const FOLDER: &str = "message-traces";

/// The most traces whose files are there.
pub(crate) const TRACES_MAX: usize = 100;

/// Only the owner reads and writes the files.
const MODE: u32 = 0o600;

/// The most octets of a description: its texts have some hundreds of letters each.
const DESCRIPTION_OCTETS_MAX: u64 = 64 << 10;

/// The octets of the type and the length of a block (draft-ietf-opsawg-pcapng section 3.1), and the least and the most of a block.
const BLOCK_HEAD: usize = 8;
const BLOCK_MIN: usize = 12;
const BLOCK_MAX: usize = 8 << 20;

/// Why a trace ended that its process did not end.
const INTERRUPTED: &str = "the charging system was killed";

/// A trace of messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageTrace {
    /// Its number.
    pub trace: u32,
    /// The number whose sessions it has, if it has not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The one session that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The one peer that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Who started it.
    pub who: String,
    /// The reason.
    pub because: String,
    /// Since when.
    pub since: String,
    /// When it ends at the latest.
    pub until: String,
    /// The octets with which it ends.
    pub octets_max: u64,
    /// When it ended; absent as long as it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
    /// The messages in the file; absent if its process was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// The messages that came too fast to be looked at, some of which may be missing in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// The octets of the file.
    pub octets: u64,
}

impl MessageTrace {
    /// Returns which messages it has, for people.
    pub fn of(&self) -> String {
        described(&self.number, &self.session, &self.peer)
    }
}

/// A trace that begins.
#[derive(Clone, Debug)]
pub struct NewTrace {
    /// Its number.
    pub number: u32,
    /// Which messages it has. Its limit does not count.
    pub filter: MessageFilter,
    /// When it ends at the latest.
    pub until: Millis,
    /// The octets with which it ends.
    pub octets_max: u64,
    /// Where its files are.
    pub files: TraceFiles,
}

/// What a trace has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceCounts {
    /// The messages in its file.
    pub messages: u64,
    /// The messages that came too fast to be looked at.
    pub dropped: u64,
}

/// Why a trace does not begin.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// So many run already.
    #[error("{0} traces run already: end one of them")]
    TooMany(usize),
    /// The file cannot be written.
    #[error("its file cannot be written")]
    File(#[from] io::Error),
}

/// The files of the traces of a system.
#[derive(Clone, Debug)]
pub struct TraceFiles {
    folder: PathBuf,
}

impl TraceFiles {
    /// Returns those of a system with a folder of its state.
    pub(crate) fn of(state: &Path) -> Self {
        TraceFiles { folder: state.join(FOLDER) }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the file of the messages of a trace, to be appended to.
    ///
    /// # Errors
    ///
    /// It cannot be created, or is there.
    pub fn create(&self, trace: u32) -> io::Result<File> {
        OpenOptions::new().append(true).create_new(true).mode(MODE).open(self.messages(trace))
    }

    /// Notes that a trace has ended at a time, and why.
    ///
    /// # Errors
    ///
    /// Its description cannot be read or written.
    pub fn end(&self, trace: u32, at: Millis, why: &str, has: TraceCounts) -> io::Result<()> {
        let before = self.describe(trace)?;
        let ended = MessageTrace {
            ended: Some(time::shown(at)),
            ended_because: Some(why.to_owned()),
            messages: Some(has.messages),
            dropped: Some(has.dropped),
            ..before
        };
        exchange::put(&self.description(trace), &serde_json::to_string(&ended)?)
    }

    /// Writes the description of a new trace, with the next number.
    pub(crate) fn add(&self, trace: MessageTrace) -> io::Result<MessageTrace> {
        durable::make_private_folder(&self.folder)?;
        let number = self.numbers()?.last().map_or(1, |last| last + 1);
        let trace = MessageTrace { trace: number, ..trace };
        let place = self.description(number);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(MODE).open(place)?;
        file.write_all(&serde_json::to_vec(&trace)?)?;
        Ok(trace)
    }

    /// Returns all traces, the newest first. `running` has what those have that run.
    pub(crate) fn list(&self, running: &[(u32, TraceCounts)]) -> io::Result<Vec<MessageTrace>> {
        let numbers = self.numbers()?.into_iter().rev();
        Ok(numbers.filter_map(|number| self.find(number, running).ok()).collect())
    }

    /// Returns a trace.
    pub(crate) fn find(
        &self,
        number: u32,
        running: &[(u32, TraceCounts)],
    ) -> io::Result<MessageTrace> {
        let trace = self.describe(number)?;
        let file = self.messages(number).metadata();
        let octets = file.as_ref().map_or(0, fs::Metadata::len);
        let trace = MessageTrace { octets, ..trace };
        if let Some((_, has)) = running.iter().find(|(of, _)| *of == number) {
            let (messages, dropped) = (Some(has.messages), Some(has.dropped));
            return Ok(MessageTrace { messages, dropped, ..trace });
        }
        if trace.ended.is_some() {
            return Ok(trace);
        }
        let last = file.and_then(|file| file.modified()).ok();
        let last = last.map(|at| time::shown(time::since_epoch_ns(at).div_euclid(1_000_000)));
        let ended = Some(last.unwrap_or_else(|| trace.since.clone()));
        Ok(MessageTrace { ended, ended_because: Some(INTERRUPTED.to_owned()), ..trace })
    }

    /// Removes the files of a trace.
    pub(crate) fn remove(&self, number: u32) -> io::Result<()> {
        match fs::remove_file(self.messages(number)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        fs::remove_file(self.description(number))?;
        durable::sync_folder(&self.folder)
    }

    /// Returns the whole blocks of the messages of a trace from an octet on: so many octets at most, or one block. Behind the last
    /// one that is whole, there are none.
    pub(crate) fn blocks(&self, number: u32, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.messages(number))?;
        file.seek(SeekFrom::Start(from))?;
        let mut octets = Vec::new();
        (&file).take(most as u64).read_to_end(&mut octets)?;
        if let Some(length) = block_length(&octets).filter(|length| *length > octets.len()) {
            file.take((length - octets.len()) as u64).read_to_end(&mut octets)?;
        }
        octets.truncate(whole(&octets));
        Ok(octets)
    }

    fn numbers(&self) -> io::Result<Vec<u32>> {
        let files = match fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(why) => return Err(why),
        };
        let mut numbers = Vec::new();
        for file in files {
            let name = file?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".json"));
            numbers.extend(number.and_then(|number| number.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn describe(&self, number: u32) -> io::Result<MessageTrace> {
        let mut text = String::new();
        let file = File::open(self.description(number))?;
        file.take(DESCRIPTION_OCTETS_MAX).read_to_string(&mut text)?;
        Ok(serde_json::from_str(&text)?)
    }

    fn description(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number}.json"))
    }

    fn messages(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number}.pcapng"))
    }
}

/// Returns the length of a block by its head. `None` without a whole head, or with a length that no block has.
fn block_length(octets: &[u8]) -> Option<usize> {
    let length = octets.get(4..BLOCK_HEAD)?.try_into().map(u32::from_le_bytes).ok()?;
    usize::try_from(length).ok().filter(|length| (BLOCK_MIN..=BLOCK_MAX).contains(length))
}

/// Returns the octets of the blocks that are whole.
fn whole(octets: &[u8]) -> usize {
    let mut at = 0;
    while let Some(length) = block_length(&octets[at..]).filter(|of| at + of <= octets.len()) {
        at += length;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn trace() -> MessageTrace {
        MessageTrace {
            trace: 0,
            number: Some("46701000001".to_owned()),
            session: None,
            peer: None,
            who: "anna".to_owned(),
            because: "no data".to_owned(),
            since: "2026-11-21T14:00:00Z".to_owned(),
            until: "2026-11-21T14:30:00Z".to_owned(),
            octets_max: 1_000,
            ended: None,
            ended_because: None,
            messages: None,
            dropped: None,
            octets: 0,
        }
    }

    fn block(octets: usize) -> Vec<u8> {
        let mut block = vec![7; octets];
        block[4..8].copy_from_slice(&(octets as u32).to_le_bytes());
        block
    }

    #[test]
    fn a_trace_is_described_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let files = TraceFiles::of(folder.path());
        assert_eq!(files.list(&[]).unwrap(), []);
        let [one, two] = [files.add(trace()).unwrap(), files.add(trace()).unwrap()];
        assert_eq!((one.trace, two.trace), (1, 2));
        let has = TraceCounts { messages: 4, dropped: 1 };
        let running = files.find(2, &[(2, has)]).unwrap();
        assert_eq!((running.ended, running.messages), (None, Some(4)));
        files.create(2).unwrap().write_all(&block(12)).unwrap();
        let killed = files.find(2, &[]).unwrap();
        assert_eq!((killed.ended_because.as_deref(), killed.octets), (Some(INTERRUPTED), 12));
        files.end(2, 0, "an operator ended it", has).unwrap();
        let ended = files.find(2, &[]).unwrap();
        assert_eq!(
            (ended.ended.as_deref(), ended.dropped),
            (Some("1970-01-01T00:00:00Z"), Some(1))
        );
        for name in ["2.json", "2.pcapng", "1.json"] {
            let mode = files.folder.join(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        files.remove(1).unwrap();
        files.remove(2).unwrap();
        assert_eq!(fs::read_dir(&files.folder).unwrap().count(), 0);
    }

    #[test]
    fn blocks_are_read_whole_and_a_block_that_was_cut_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let files = TraceFiles::of(folder.path());
        files.add(trace()).unwrap();
        let all = [block(12), block(40), block(16), block(20)].concat();
        files.create(1).unwrap().write_all(&all[..all.len() - 1]).unwrap();
        let read = |from, most| files.blocks(1, from, most).unwrap().len();
        assert_eq!(read(0, 1_000), 68, "the last one is cut");
        assert_eq!((read(0, 60), read(12, 20), read(52, 20), read(68, 20)), (52, 40, 16, 0));
    }

    #[test]
    fn a_length_that_no_block_has_ends_the_file() {
        let mut broken = block(12);
        broken[4..8].fill(0xff);
        assert_eq!(whole(&[block(12), broken, block(12)].concat()), 12);
    }
}
