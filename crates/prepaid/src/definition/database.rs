//! The database of a charging system: `[database]`.

use std::fmt;

use accounts_postgres::{Config, Host};
use settings::{SecretError, SecretSource};
use toml_edit::TableLike;

use super::Reading;

/// The most octets of an address: more is not one.
const ADDRESS_OCTETS_MAX: usize = 2_000;

/// A database server (PostgreSQL) that has the accounts. Several charging systems may have them in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    server: Config,
    password: Option<SecretSource>,
}

impl Database {
    /// Returns how the server is reached.
    pub(crate) fn config(&self) -> Result<Config, SecretError> {
        let mut config = self.server.clone();
        if let Some(password) = &self.password {
            config.password(password.read()?.reveal());
        }
        Ok(config)
    }
}

impl fmt::Display for Database {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.server.get_dbname().unwrap_or_default())?;
        for host in self.server.get_hosts() {
            match host {
                Host::Tcp(name) => write!(to, " at {name}")?,
                Host::Unix(folder) => write!(to, " at {}", folder.display())?,
            }
        }
        Ok(())
    }
}

impl Reading<'_> {
    pub(super) fn database(&mut self, document: &dyn TableLike) -> Option<Database> {
        let table = self.table(document, "database", &["server", "password-file"])?;
        let setting = self.required(&table, "server")?;
        let text = &setting.value[..];
        let server = match text.parse::<Config>() {
            Ok(config) if text.len() <= ADDRESS_OCTETS_MAX => config,
            _ => {
                let message = "\"server\" is no address of a PostgreSQL server";
                let hint = "write \"postgresql://USER@HOST:5432/DATABASE\"";
                self.mistakes.push(table.error_unseen(&setting, message).hint(hint));
                return None;
            }
        };
        if server.get_hosts().is_empty() || server.get_dbname().is_none() {
            let message = "the address has no host or no database";
            let hint = "write \"postgresql://USER@HOST:5432/DATABASE\"";
            self.mistakes.push(table.error_unseen(&setting, message).hint(hint));
            return None;
        }
        if server.get_password().is_some() {
            let message =
                "the password is not in the address, where each reader of this file would see it";
            let hint = "write it to a file of its own: password-file = \"FILE\"";
            self.mistakes.push(table.error_unseen(&setting, message).hint(hint));
            return None;
        }
        Some(Database { server, password: table.secret_file("password-file") })
    }
}
