//! Warnings of files with secrets that a definition names and that cannot be read. They are not errors, because the files may
//! come later: secrets are read when they are needed.

use diagnostics::Diagnostic;
use settings::SecretSource;
use toml_edit::{Item, TableLike};

use super::Reading;
use settings::toml::setting;

/// The keys of secrets, each with its table.
const SECRETS: [(&str, &str); 3] =
    [("vouchers", "secret-file"), ("database", "password-file"), ("notices", "token-file")];

impl Reading<'_> {
    /// Warns of secrets that cannot be read.
    pub(super) fn warn_of_secrets(&mut self, document: &dyn TableLike) {
        let of_table = |(table, key): (&str, &str)| secret_file(document.get(table)?, key);
        let clients = document.get("clients").and_then(Item::as_table_like);
        let clients = clients.into_iter().flat_map(TableLike::iter);
        let tokens = clients.filter_map(|(_, client)| secret_file(client, "token-file"));
        let diameter = document.get("diameter").and_then(Item::as_table_like);
        let alarms = diameter.and_then(|table| secret_file(table.get("alarms")?, "token-file"));
        let files = SECRETS.into_iter().filter_map(of_table).chain(tokens).chain(alarms);
        let mut files: Vec<_> = files.map(|of| setting(&self.source.text, "", of)).collect();
        files.sort_by_key(|setting| setting.span.start);
        for setting in files {
            let Err(why) = SecretSource::File(self.folder.join(&setting.value)).read() else {
                continue;
            };
            let warning = Diagnostic::warning(&self.source, setting.span, why.to_string());
            self.mistakes.push(warning.hint("what needs it does not start without it"));
        }
    }
}

fn secret_file<'d>(table: &'d Item, key: &str) -> Option<&'d toml_edit::Value> {
    table.as_table_like()?.get(key)?.as_value()
}
