//! What a rule finds.

use std::fmt;

/// A rule fires about a key.
pub struct Alert {
    pub rule: &'static str,
    pub caller: u64,
    /// The other number, if the rule is about pairs.
    pub called: Option<u64>,
    /// The seconds since 1970 of the event.
    pub at: u32,
}

impl fmt::Display for Alert {
    /// Writes the alert with the key as Tollgate has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:010}", self.rule, self.caller)?;
        if let Some(called) = self.called {
            write!(f, ">{called:010}")?;
        }
        write!(f, " {}", self.at)
    }
}
