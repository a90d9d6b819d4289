//! `tollgate suspense edit`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use diagnostics::counted;
use operate::{correct::Correction, correct::edit, correct::show};

use super::octets;
use super::pretty::pretty;
use crate::flow_file::FlowFile;
use crate::outcome::{CommandError, Outcome, chain, refused};
use crate::product::PARTS;
use crate::who::who;

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
    #[arg(long, value_name = "TEXT", default_value = "")]
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
        let record = Edited { flow, number, because };
        match (octets, json) {
            (Some(digits), _) => record.edit(&Text::Octets(digits)),
            (None, Some(file)) => record.edit(&Text::Json(read(&file)?)),
            (None, None) => record.by_hand(),
        }
    }
}

/// A record that is edited.
struct Edited {
    flow: PathBuf,
    number: i64,
    because: String,
}

impl Edited {
    /// Opens an editor on the record: as JSON, or as octets if it does not decode.
    fn by_hand(&self) -> Result<Outcome, CommandError> {
        let shown = show(&self.flow, PARTS, self.number).map_err(refused)?;
        let text = match &shown.json {
            Ok(json) => Text::Json(pretty(json) + "\n"),
            Err(_) => Text::Octets(octets::write(&shown.record.octets)),
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
                chain(&error),
                path.display()
            )),
            Err(_) => error,
        })
    }

    fn edit(&self, text: &Text) -> Result<Outcome, CommandError> {
        let octets;
        let correction = match text {
            Text::Json(json) => Correction::Json(json.trim().as_bytes()),
            Text::Octets(digits) => {
                octets = octets::read(digits).map_err(CommandError::Mistakes)?;
                Correction::Octets(&octets)
            }
        };
        let edited = edit(&self.flow, PARTS, self.number, correction, None, &who(), &self.because)
            .map_err(refused)?;
        let octets = counted(edited.octets.len(), "octet");
        say!("record {} has {octets} now", self.number)?;
        match edited.is_record {
            Ok(()) => Ok(Outcome::Clean),
            Err(reason) => {
                say!("but they do not decode: {reason}")?;
                Ok(Outcome::Faults)
            }
        }
    }
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
