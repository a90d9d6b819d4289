//! The settings of a charging system that it goes by from its start to its end.

use std::path::PathBuf;

use prepaid::{Database, Definition, DiameterNode, Http};
use settings::SecretSource;

/// Those of a definition.
pub(super) struct Fixed {
    state: PathBuf,
    database: Option<Database>,
    voucher_secret: Option<SecretSource>,
    http: Option<Http>,
    diameter: Option<DiameterNode>,
}

impl Fixed {
    pub(super) fn of(definition: &Definition) -> Self {
        let Definition { state, database, voucher_secret, http, diameter, .. } = definition;
        Fixed {
            state: state.clone(),
            database: database.clone(),
            voucher_secret: voucher_secret.clone(),
            http: http.clone(),
            diameter: diameter.clone(),
        }
    }

    /// Returns the names of those that a later definition changes.
    pub(super) fn changed(&self, later: &Self) -> Vec<&'static str> {
        let settings = [
            ("state", self.state != later.state),
            ("[database]", self.database != later.database),
            ("[vouchers]", self.voucher_secret != later.voucher_secret),
            ("[http] or [clients]", self.http != later.http),
            (
                "listen, tls, host, realm, dictionaries, watchdog or message-log of [diameter]",
                self.diameter != later.diameter,
            ),
        ];
        settings.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
    }
}
