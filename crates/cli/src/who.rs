//! The user of a command, for the audit trail.

/// Returns the name of the user that this process runs as, followed by the user who called `sudo`, if any.
pub(crate) fn who() -> String {
    let user = of_process().or_else(|| std::env::var("USER").ok());
    let user = user.filter(|user| !user.is_empty()).unwrap_or("somebody".into());
    match std::env::var("SUDO_USER") {
        Ok(person) if !person.is_empty() && person != user => format!("{user} ({person})"),
        _ => user,
    }
}

/// Asks the system for the owner of the process: a variable can be set to anything.
#[cfg(target_os = "linux")]
fn of_process() -> Option<String> {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    let number = fs::metadata("/proc/self").ok()?.uid().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, user) = (fields.next()?, fields.next()?, fields.next()?);
        (user == number).then(|| name.to_owned())
    });
    Some(name.unwrap_or(format!("user {number}")))
}

#[cfg(not(target_os = "linux"))]
fn of_process() -> Option<String> {
    None
}
