//! Warnings of files and folders that a flow names and that do not exist. They are not errors, because they may come
//! later: secrets are read when they are needed, and folders may be mounted.

use std::path::Path;

use diagnostics::{Diagnostic, did_you_mean};
use settings::{Setting, Settings};

use crate::file::FlowFile;

/// The keys of files with a secret, by which the gateway logs in elsewhere or clients log in here.
const SECRETS: [&str; 5] =
    ["password-file", "token-file", "key-file", "key-passphrase-file", "secret-key-file"];

/// Returns the warnings of missing secrets and folders.
pub fn warnings(file: &FlowFile) -> Vec<Diagnostic> {
    let collects = file.network_elements.iter().map(|element| &element.collect);
    let delivers = file.post_processing_systems.iter().map(|system| &system.deliver);
    let tables = collects.clone().chain(delivers).chain(&file.notify).chain(&file.actions);
    let secrets = tables.flat_map(|table| SECRETS.map(|key| secret(table, key)));
    // Problems with its certificate are reported by the code that reads it.
    let served = file.serve.iter().map(|table| secret(table, "token-file"));
    let folders = collects.filter_map(|table| Some((table, table.get("dir")?)));
    // In a new flow, no folder may exist yet.
    let is_begun = folders.clone().any(|(table, dir)| table.path(dir).exists());
    let folders = folders.map(|(table, dir)| folder(table, dir, is_begun));
    secrets.chain(served).chain(folders).flatten().collect()
}

fn secret(table: &Settings, key: &str) -> Option<Diagnostic> {
    let why = table.secret_file(key)?.read().err()?;
    let warning = Diagnostic::warning(&table.source, table.get(key)?.span, why.to_string());
    Some(warning.hint("it is read when it is needed"))
}

fn folder(table: &Settings, dir: &Setting, is_begun: bool) -> Option<Diagnostic> {
    let path = table.path(dir);
    let (parent, name) = (path.parent()?, path.file_name()?.to_str()?);
    let is_missing = matches!(path.try_exists(), Ok(false));
    if !is_missing || !(is_begun || is_folder(parent)) {
        return None;
    }
    let message = format!("there is no folder \"{}\"", dir.value);
    let beside = folders(parent);
    let hint = did_you_mean(name, beside.iter().map(String::as_str));
    let hint = hint.unwrap_or_else(|| "files are collected as soon as it is there".into());
    Some(Diagnostic::warning(&table.source, dir.span, message).hint(hint))
}

fn is_folder(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.is_dir()
}

/// Returns the names of the folders in a folder.
fn folders(of: &Path) -> Vec<String> {
    let of = if of.as_os_str().is_empty() { Path::new(".") } else { of };
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
