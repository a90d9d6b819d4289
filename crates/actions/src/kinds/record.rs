//! A record: a CSV file in a folder from which a network element of a flow collects. The flow makes of it what a switch reads.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::shutdown::Shutdown;
use settings::Settings;

use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

/// `record = "orders"`, a folder.
pub(super) const KIND: Kind = Kind {
    key: "record",
    keys: &[],
    approval: Approval::OnePerson,
    again: None,
    max_age: Some(super::MAX_AGE),
    carrier: read,
};

struct Folder(PathBuf);

fn read(settings: &Settings, _: Duration) -> Made {
    let setting = settings.get(KIND.key).expect("the table has it");
    Ok(Arc::new(Folder(settings.path(setting))))
}

/// Returns a value as a cell of CSV (RFC 4180, section 2).
pub(super) fn cell(value: &str) -> String {
    match value.contains([',', ';', '"', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

impl Carrier for Folder {
    fn carry_out(&self, message: &Message, _: &Shutdown) -> Result<(), CarryError> {
        let ending = if message.undo { "-undo" } else { "" };
        let path = self.0.join(format!("{}{ending}.csv", message.id));
        let row: Vec<String> = message.values().iter().map(|value| cell(value)).collect();
        let text = format!("{}\n{}\n", Message::NAMES.join(","), row.join(","));
        let put = runtime::exchange::put(&path, &text);
        put.map_err(|error| CarryError(format!("\"{}\": {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_file_with_one_row() {
        let folder = tempfile::tempdir().unwrap();
        let message = Message {
            id: "1f".into(),
            action: "bar".into(),
            key: "4670".into(),
            because: "calls 3 >= 3, \"often\"".into(),
            ..Message::default()
        };
        let carrier = Folder(folder.path().to_owned());
        for _ in 0..2 {
            carrier.carry_out(&message, &Shutdown::default()).unwrap();
        }
        let text = std::fs::read_to_string(folder.path().join("1f.csv")).unwrap();
        let expected = "id,action,undo,node,subject,key,at,rule,score,severity,type,because,requested-by\n\
                        1f,bar,false,,,4670,,,0,,,\"calls 3 >= 3, \"\"often\"\"\",\n";
        assert_eq!(text, expected);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
