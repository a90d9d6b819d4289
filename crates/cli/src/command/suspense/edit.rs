//! `tollgate suspense edit`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use diagnostics::{counted, with_causes};
use operate::octets::Octets;
use operate::suspense::{EditRecord, EditedRecord, ShowRecord};
use serde_json::value::RawValue;

use super::octets;
use super::pretty::pretty;
use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome, refused};

/// Arguments of `tollgate suspense edit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Edit {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the record, as "suspense list" shows it
    number: Option<i64>,
    /// Its octets, in hexadecimal
    #[arg(long, value_name = "HEX", conflicts_with = "json")]
    octets: Option<String>,
    /// A file with the record as JSON (X.697); "-" is standard input
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT", default_value = "no reason given")]
    because: String,
}

/// The new text of a record.
enum Text {
    Octets(String),
    Json(String),
}

impl Edit {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Edit { flow, number, octets, json, because } = self;
        let (flow, number) = flow.and_one(number, "NUMBER")?;
        let record = Editing { flow, number, because };
        match (octets, json) {
            (Some(digits), _) => record.edit(&Text::Octets(digits)),
            (None, Some(file)) => record.edit(&Text::Json(read(&file)?)),
            (None, None) => record.by_hand(),
        }
    }
}

/// A record that is edited.
struct Editing {
    flow: PathBuf,
    number: i64,
    because: String,
}

impl Editing {
    /// Opens an editor on the record: as JSON, or as octets if it does not decode.
    fn by_hand(&self) -> Result<Outcome, CommandError> {
        let shown = perform(&self.flow, ShowRecord { id: self.number })?;
        let text = match &shown.json {
            Some(json) => Text::Json(pretty(json.get()) + "\n"),
            None => Text::Octets(octets::write(&shown.record.octets)),
        };
        let (before, end) = match &text {
            Text::Octets(text) => (text, ".hex"),
            Text::Json(text) => (text, ".json"),
        };
        let prefix = format!("record-{}-", self.number);
        let mut file = tempfile::Builder::new().prefix(&prefix).suffix(end).tempfile()?;
        file.write_all(before.as_bytes())?;
        open_editor(file.path())?;
        let after = read(file.path())?;
        if after == *before {
            say!("nothing was changed")?;
            return Ok(Outcome::Clean);
        }
        let edited = self.edit(&match text {
            Text::Octets(_) => Text::Octets(after),
            Text::Json(_) => Text::Json(after),
        });
        edited.map_err(|error| match file.keep() {
            // Keep the file, so that the user's text is not lost.
            Ok((_, path)) => CommandError::Mistakes(format!(
                "{}\nwhat was written is in \"{}\"",
                with_causes(&error),
                path.display()
            )),
            Err(_) => error,
        })
    }

    fn edit(&self, text: &Text) -> Result<Outcome, CommandError> {
        let (json, octets) = match text {
            Text::Json(json) => (Some(raw(json)?), None),
            Text::Octets(digits) => (None, Some(Octets::parse(digits).map_err(refused)?)),
        };
        let because = self.because.clone();
        let request = EditRecord { id: self.number, json, octets, based_on: None, because };
        let EditedRecord { octets: Octets(octets), problem } = perform(&self.flow, request)?;
        say!("record {} has {} now", self.number, counted(octets.len(), "octet"))?;
        match problem {
            None => Ok(Outcome::Clean),
            Some(problem) => {
                say!("but they do not decode: {problem}")?;
                Ok(Outcome::Faults)
            }
        }
    }
}

/// Parses a record as JSON. Its numbers and the order of its fields stay as they are written.
fn raw(json: &str) -> Result<Box<RawValue>, CommandError> {
    RawValue::from_string(json.trim().to_owned())
        .map_err(|error| CommandError::Mistakes(format!("this is no record: {error}")))
}

fn read(path: &Path) -> Result<String, CommandError> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(path)
        .map_err(|cause| CommandError::Read { path: path.to_owned(), cause })
}

/// Opens a file in the user's editor: `$VISUAL`, `$EDITOR` or `vi`. The variables may hold a command with options.
fn open_editor(path: &Path) -> Result<(), CommandError> {
    let named = ["VISUAL", "EDITOR"].map(|name| std::env::var(name).unwrap_or_default());
    let editor = named.into_iter().find(|editor| !editor.is_empty()).unwrap_or("vi".into());
    let ended = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg(&editor)
        .arg(path)
        .status()?;
    match ended.success() {
        true => Ok(()),
        false => Err(CommandError::Mistakes(format!("\"{editor}\" failed: nothing was changed"))),
    }
}
