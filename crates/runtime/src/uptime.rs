//! The time since the machine was booted. Unlike the time of day, it cannot be set.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The time since the machine was booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uptime {
    /// Milliseconds since the boot, those in suspension included.
    pub up_ms: i64,
    /// Identifies the boot.
    pub boot: i64,
}

impl Uptime {
    /// Reads it; `None` if the system does not tell it.
    pub fn now() -> Option<Self> {
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        let seconds: f64 = uptime.split(' ').next()?.parse().ok()?;
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let mut digest = DefaultHasher::new();
        boot.hash(&mut digest);
        Some(Uptime { up_ms: (seconds * 1_000.0) as i64, boot: digest.finish() as i64 })
    }

    /// Returns the milliseconds since another reading, or `None` if the machine was booted in between.
    pub fn since(self, other: Self) -> Option<i64> {
        (self.boot == other.boot).then_some(self.up_ms - other.up_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_is_up_for_longer_and_longer() {
        let first = Uptime::now().expect("Linux says it");
        let since = Uptime::now().and_then(|now| now.since(first)).expect("the same start");
        assert!((0..60_000).contains(&since), "{since}");
        let other = Uptime { boot: first.boot.wrapping_add(1), ..first };
        assert_eq!(first.since(other), None);
    }
}
