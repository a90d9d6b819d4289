//! The processor time of a process and its children.

use std::fs;
use std::io;
use std::time::Duration;

/// Returns the processor time of a process and its children until now, those that have ended included.
pub(crate) fn of(own: u32) -> io::Result<Duration> {
    let mut ticks = 0;
    for entry in fs::read_dir("/proc")? {
        let id = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // A process may end meanwhile: it is among the ended ones next time.
        let Some((id, stat)) = id.and_then(|id| Some((id, stat(id)?))) else { continue };
        match id == own {
            true => ticks += stat.used + stat.used_by_ended,
            false if stat.parent == own => ticks += stat.used,
            false => {}
        }
    }
    // Linux shows these times in hundredths of a second on all machines (`USER_HZ`).
    Ok(Duration::from_millis(ticks * 10))
}

/// The processor time of a process, in hundredths of a second.
struct Stat {
    parent: u32,
    used: u64,
    used_by_ended: u64,
}

/// Reads what Linux says of a process (`man 5 proc_pid_stat`). The name, which may have any characters, ends with `)`.
fn stat(id: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<u64> = text
        .rsplit_once(')')?
        .1
        .split_ascii_whitespace()
        .skip(1)
        .take(14)
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    let at = |place: usize| fields.get(place).copied();
    Some(Stat {
        parent: u32::try_from(at(0)?).ok()?,
        used: at(10)? + at(11)?,
        used_by_ended: at(12)? + at(13)?,
    })
}
