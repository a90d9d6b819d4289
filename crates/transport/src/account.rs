//! Accounts of network elements that push files: the credentials, the folder, and the limits.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use diagnostics::Diagnostic;
use settings::{Secret, Setting, Settings};

use crate::collect::{DUPLICATE, POISON, TO_ARCHIVE};
use crate::pattern::matches;

/// The default limit of an in buffer, in octets.
pub const BUFFER_LIMIT: u64 = 10_000_000_000;

/// The endings of temporary names: a client renames the file when it is complete. Such a file is
/// never collected from an in buffer.
pub const TEMPORARY_ENDINGS: [&str; 3] = [".tmp", ".part", ".filepart"];

/// The endings with which the gateway marks files that are set aside, or that wait to be archived.
const RESERVED: [&str; 3] = [DUPLICATE, POISON, TO_ARCHIVE];

/// The table in `collect` that lets a network element push files.
pub const ACCEPT: &str = "accept";

/// The keys of that table.
pub const ACCEPT_KEYS: [&str; 6] =
    ["user", "password", "password-file", "authorized-keys", "token", "token-file"];

/// A network element that may push files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its name in the flow.
    pub network_element: String,
    /// Its user name at the login.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<Secret>,
    /// Its public keys, as an alternative: one line each, in OpenSSH's format.
    pub authorized_keys: Vec<String>,
    /// Its bearer token for an HTTP listener.
    pub token: Option<Secret>,
    /// The folder that it cannot leave.
    pub root: PathBuf,
    /// Whether it may create folders.
    pub is_recursive: bool,
    /// The limit of its in buffer, in octets.
    pub limit: u64,
    /// The octets that stay free on the disk.
    pub disk_free: u64,
    pattern: String,
}

impl Account {
    /// Reads the `accept` table of a `collect` table whose in buffer is `root`; `None` if there is
    /// no such table.
    pub fn read(settings: &Settings, root: &Path) -> Result<Option<Self>, Vec<Diagnostic>> {
        let accept = |key: &str| settings.get(&format!("{ACCEPT}.{key}"));
        let is_accept = |setting: &&Setting| setting.key.starts_with("accept.");
        let Some(first) = settings.values.iter().find(is_accept) else {
            return Ok(None);
        };
        let mut mistakes = Vec::new();
        let mut read_secret = |name: &str| {
            let read = secret(settings, name);
            read.map_err(|mistake| mistakes.push(mistake)).ok().flatten()
        };
        let (password, token) = (read_secret("password"), read_secret("token"));
        let user = accept("user").map(|user| user.value.clone());
        let mut authorized_keys = Vec::new();
        if let Some(file) = accept("authorized-keys") {
            let path = settings.path(file);
            match fs::read_to_string(&path) {
                Ok(text) => {
                    let lines = text.lines().map(str::trim);
                    let keys = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
                    authorized_keys.extend(keys.map(str::to_owned));
                }
                Err(error) => {
                    let message = format!("cannot read \"{}\": {error}", path.display());
                    mistakes.push(settings.error(file, message));
                }
            }
        }
        let is_set = |key: &str| accept(key).or(accept(&format!("{key}-file"))).is_some();
        let by_name = is_set("password") || is_set("authorized-keys");
        if by_name && user.is_none() {
            mistakes.push(settings.error(first, "a login over SFTP needs a \"user\""));
        }
        if !by_name && !is_set("token") {
            let message = "the network element cannot log in: there is no password, key or token";
            let hint = "write password-file, authorized-keys or token-file";
            mistakes.push(settings.error(first, message).hint(hint));
        }
        let limit = settings.get("limit").map(|limit| settings.octets(limit)).transpose();
        let limit = limit.map_err(|mistake| mistakes.push(mistake)).unwrap_or_default();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Some(Account {
            network_element: settings.name.clone(),
            user,
            password,
            authorized_keys,
            token,
            root: root.to_owned(),
            is_recursive: settings.get("recursive").is_some_and(|value| value.value == "true"),
            limit: limit.unwrap_or(BUFFER_LIMIT),
            disk_free: 0,
            pattern: settings
                .get("pattern")
                .map_or("*".to_owned(), |pattern| pattern.value.clone()),
        }))
    }

    /// Sets the octets that stay free on the disk.
    pub fn with_free(self, disk_free: u64) -> Self {
        Account { disk_free, ..self }
    }

    /// Returns the files that the settings name beside the flow file.
    pub fn files(settings: &Settings) -> Vec<PathBuf> {
        let keys = ["password-file", "authorized-keys", "token-file"];
        let named = keys.iter().filter_map(|key| settings.get(&format!("{ACCEPT}.{key}")));
        named.map(|file| settings.path(file)).collect()
    }

    /// Returns whether the gateway owns a file of this name as soon as it exists. Clients must not
    /// write to it, rename or remove it then.
    pub fn is_handed_over(&self, name: &str) -> bool {
        !is_temporary(name) && matches(&self.pattern, name)
    }

    /// Returns whether the gateway gives such names to files that it sets aside.
    pub fn is_reserved(name: &str) -> bool {
        RESERVED.iter().any(|end| name.contains(end))
    }
}

/// Reads a secret of the table.
fn secret(settings: &Settings, name: &str) -> Result<Option<Secret>, Diagnostic> {
    let name = format!("{ACCEPT}.{name}");
    let Some(secret) = settings.secret(&name)? else { return Ok(None) };
    secret.read().map(Some).map_err(|error| {
        let setting = settings.get(&name).or(settings.get(&format!("{name}-file")));
        let span = setting.map_or(settings.span, |setting| setting.span);
        Diagnostic::error(&settings.source, span, error.to_string())
    })
}

/// Returns whether the client will rename a file of this name.
pub fn is_temporary(name: &str) -> bool {
    TEMPORARY_ENDINGS.iter().any(|end| name.ends_with(end))
}

/// The current accounts. A new flow replaces them while clients are connected.
#[derive(Debug, Default)]
pub struct Accounts(RwLock<Arc<[Arc<Account>]>>);

impl Accounts {
    /// Replaces the accounts.
    pub fn set(&self, accounts: Vec<Account>) {
        let by_element =
            |account: &Arc<Account>| (account.network_element.clone(), account.clone());
        let known: HashMap<String, Arc<Account>> = self.all().iter().map(by_element).collect();
        // An unchanged account stays the same object.
        let same_or_new = |account: Account| match known.get(&account.network_element) {
            Some(same) if **same == account => Arc::clone(same),
            _ => Arc::new(account),
        };
        let accounts = accounts.into_iter().map(same_or_new).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = accounts;
    }

    /// Returns all accounts.
    pub fn all(&self) -> Arc<[Arc<Account>]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether an account is still current and unchanged.
    pub fn has(&self, account: &Arc<Account>) -> bool {
        self.all().iter().any(|known| Arc::ptr_eq(known, account))
    }
}
