//! A list: the key becomes an entry, which rules read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cells::{Notes, Sheet};
use diagnostics::{Source, plain};
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::time::{milliseconds, moment, shown};
use settings::Settings;

use super::record::cell;
use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

const VALID: &str = "valid";

/// `list = "lists/hot.csv"`.
pub(super) const KIND: Kind =
    Kind { key: "list", keys: &[VALID], approval: Approval::OnePerson, again: None, carrier: read };

/// The first line of a list that is not there yet.
const HEADER: &str = "key,from,until,source,who,because\n";

/// Several actions may add to one list, one after the other.
static WRITING: Mutex<()> = Mutex::new(());

struct List {
    path: PathBuf,
    /// How long an entry holds; for ever without it.
    valid: Option<Duration>,
}

fn read(settings: &Settings, _: Duration) -> Made {
    let setting = settings.get(KIND.key).expect("the table has it");
    let valid = settings.get(VALID).map(|valid| settings.duration(valid)).transpose();
    let valid = valid.map_err(|mistake| vec![mistake])?;
    Ok(Arc::new(List { path: settings.path(setting), valid }))
}

/// Returns what the entry of an action has as its source: it is found by that.
fn source(message: &Message) -> String {
    format!("action {}", message.id)
}

impl List {
    /// Returns the row of an action in the columns of a list.
    fn row(&self, text: &str, message: &Message) -> Result<String, CarryError> {
        let shown_path = self.path.display().to_string();
        let file = Source::new(shown_path.clone(), text);
        let mut mistakes = Vec::new();
        let sheet = Sheet::open(&file, Notes::PassedOver, &mut mistakes);
        let names = sheet.iter().flat_map(|sheet| sheet.names());
        let columns: Vec<String> = names.map(|name| name.text.to_string()).collect();
        let header = sheet.map_or(0..0, |sheet| {
            let span = sheet.header();
            span.start as usize..span.end as usize
        });
        if !["key", "source"].iter().all(|needed| columns.iter().any(|name| name == needed)) {
            return Err(format!("the list \"{shown_path}\" has no columns key and source").into());
        }
        let at_ms = moment(&message.at).map_err(|error| CarryError(error.to_string()))?;
        let until = self.valid.map(|valid| shown(at_ms.saturating_add(milliseconds(valid))));
        let row = columns.iter().map(|column| match column.as_str() {
            "key" => cell(&message.key),
            "until" => until.clone().unwrap_or_default(),
            "source" => source(message),
            "who" => cell(&message.origin()),
            "because" => cell(&message.because.replace(['\n', '\r'], " ")),
            _ => String::new(),
        });
        let header = text.get(header).unwrap_or_default();
        let separator = if header.contains(';') && !header.contains(',') { ";" } else { "," };
        Ok(row.collect::<Vec<_>>().join(separator))
    }
}

impl Carrier for List {
    fn carry_out(&self, message: &Message, _: &Shutdown) -> Result<(), CarryError> {
        let broken = |error: &dyn std::fmt::Display| {
            CarryError(format!("the list \"{}\": {error}", self.path.display()))
        };
        let _writing = lock(&WRITING);
        let mut text = text_of(&self.path).map_err(|error| broken(&error))?;
        let own = source(message);
        let is_own = |line: &str| line.contains(&own);
        match (message.undo, text.lines().any(is_own)) {
            (false, true) | (true, false) => return Ok(()),
            (true, true) => {
                let others = text.lines().filter(|line| !is_own(line));
                text = others.map(|line| format!("{line}\n")).collect();
            }
            (false, false) => {
                let row = self.row(&text, message)?;
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(&row);
                text.push('\n');
            }
        }
        runtime::exchange::put(&self.path, &text).map_err(|error| broken(&error))
    }
}

/// Returns the text of a list; an empty list if there is no file.
fn text_of(path: &Path) -> std::io::Result<String> {
    match plain::read(path, plain::TABLE_OCTETS_MAX) {
        Ok(octets) => String::from_utf8(octets).map_err(std::io::Error::other),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HEADER.to_owned()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, undo: bool) -> Message {
        Message {
            id: id.into(),
            undo,
            key: "4670".into(),
            at: "2026-06-01T12:00:00Z".into(),
            rule: Some("wangiri".into()),
            because: "calls 3, at night".into(),
            ..Message::default()
        }
    }

    #[test]
    fn an_entry_is_added_once_and_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hot.csv");
        let list = List { path: path.clone(), valid: Some(Duration::from_secs(86_400)) };
        let stop = Shutdown::default();
        for id in ["1f", "1f", "2f"] {
            list.carry_out(&message(id, false), &stop).unwrap();
        }
        let row = |id: &str| {
            format!(
                "4670,,2026-06-02T12:00:00Z,action {id},the rule wangiri,\"calls 3, at night\"\n"
            )
        };
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            format!("{HEADER}{}{}", row("1f"), row("2f"))
        );
        list.carry_out(&message("1f", true), &stop).unwrap();
        list.carry_out(&message("1f", true), &stop).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{HEADER}{}", row("2f")));
    }

    #[test]
    fn a_list_with_other_columns_has_its_own_and_one_without_a_source_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hot.csv");
        let list = List { path: path.clone(), valid: None };
        std::fs::write(&path, "# ours\nsource,key\nanna,1").unwrap();
        list.carry_out(&message("1f", false), &Shutdown::default()).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "# ours\nsource,key\nanna,1\naction 1f,4670\n"
        );
        std::fs::write(&path, "key\n1\n").unwrap();
        let error = list.carry_out(&message("2f", false), &Shutdown::default()).unwrap_err();
        assert!(error.to_string().contains("no columns key and source"), "{error}");
    }
}
