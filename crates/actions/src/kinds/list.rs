//! A list: the key becomes an entry, which rules read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lists::{Edit, Entry, ListError, Table};
use runtime::shutdown::Shutdown;
use runtime::time::{milliseconds, moment, shown};
use settings::Settings;

use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

const VALID: &str = "valid";

/// `list = "lists/hot.csv"`.
pub(super) const KIND: Kind = Kind {
    key: "list",
    keys: &[VALID],
    approval: Approval::OnePerson,
    again: None,
    max_age: Some(super::MAX_AGE),
    carrier: read,
};

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
    /// Returns the entry of an action.
    fn entry(&self, message: &Message) -> Result<Entry, CarryError> {
        let at_ms = moment(&message.at).map_err(|error| CarryError(error.to_string()))?;
        let until = self.valid.map(|valid| shown(at_ms.saturating_add(milliseconds(valid))));
        let key = lists::checked_key(&message.key);
        let key = key.map_err(|error| CarryError(error.to_string()))?;
        if key.ends_with('*') {
            let problem =
                "the key ends with \"*\": as an entry, it would be for all keys that begin so";
            return Err(CarryError(problem.to_owned()));
        }
        Ok(Entry {
            key: key.to_owned(),
            from: String::new(),
            until: until.unwrap_or_default(),
            source: source(message),
            who: lists::one_line(&message.origin()),
            because: lists::one_line(&message.because),
        })
    }

    /// Returns the text of the list with the entry of an action, or without it. `None` if it is so already.
    fn changed(&self, list: &Table, message: &Message) -> Result<Option<String>, CarryError> {
        let own = source(message);
        let removing = Edit::removing(list, |entry| entry.source == own);
        let edit = match (message.undo, removing.is_empty()) {
            (false, false) | (true, true) => return Ok(None),
            (true, false) => removing,
            (false, true) => Edit::adding(list.fitted(self.entry(message)?)),
        };
        Ok(Some(edit.apply(list)))
    }
}

impl From<ListError> for CarryError {
    fn from(error: ListError) -> Self {
        CarryError(diagnostics::with_causes(&error))
    }
}

impl Carrier for List {
    fn carry_out(&self, message: &Message, _: &Shutdown) -> Result<(), CarryError> {
        lists::change(&self.path, |list| {
            let none = Table::empty(&self.path.display().to_string());
            Ok((self.changed(list.unwrap_or(&none), message)?, ()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of a list that was not there.
    const HEADER: &str = "key,from,until,source,who,because\n";

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
    fn a_list_with_other_columns_keeps_them_and_gets_a_source() {
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
        list.carry_out(&message("2f", false), &Shutdown::default()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "key,source\n1,\n4670,action 2f\n");
        list.carry_out(&message("2", true), &Shutdown::default()).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("action 2f"), "another action");
        std::fs::write(&path, "key,number\n1,1\n").unwrap();
        let error = list.carry_out(&message("3f", false), &Shutdown::default()).unwrap_err();
        assert!(error.to_string().contains("no column \"number\""), "{error}");
    }
    #[test]
    fn no_record_adds_an_entry_for_all_keys() {
        let folder = tempfile::tempdir().unwrap();
        let list = List { path: folder.path().join("hot.csv"), valid: None };
        for (key, expected) in
            [("46*", "for all keys"), ("46\0", "control characters"), (" ", "missing")]
        {
            let hostile = Message { key: key.into(), ..message("1f", false) };
            let error = list.carry_out(&hostile, &Shutdown::default()).unwrap_err();
            assert!(error.to_string().contains(expected), "{key:?}: {error}");
        }
        assert!(!list.path.exists());
    }
}
