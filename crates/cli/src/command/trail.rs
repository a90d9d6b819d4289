//! `tollgate trail`: prints the audit trail.

use std::io::{self, Write};

use diagnostics::visible;
use journal::audit_trail::AuditEntry;
use operate::page::PageQuery;
use operate::trail::{ListTrail, Trail as Page};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;

/// Show what people did to records that were set aside, and why
#[derive(Debug, clap::Parser)]
#[command(name = "trail", after_help = "Example:\n  tollgate trail flow.toml --json")]
pub(crate) struct Trail {
    #[command(flatten)]
    flow: FlowFile,
    #[command(flatten)]
    period: Period,
    /// One JSON object a line, with what was before and after
    #[arg(long)]
    json: bool,
}

impl Execute for Trail {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut out = output::list();
        let mut page = PageQuery::after(0);
        let period = self.period.request()?;
        loop {
            let Page { entries, more } = perform(&self.flow, ListTrail { period, page })?;
            entries.iter().try_for_each(|entry| match self.json {
                true => json::line(&mut out, entry),
                false => line(&mut out, entry),
            })?;
            page.after = entries.last().map(|entry| entry.id);
            if !more {
                break;
            }
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

fn line(out: &mut impl Write, entry: &AuditEntry) -> io::Result<()> {
    let AuditEntry { id, at, who, action, subject, reason, .. } = entry;
    let reason = if reason.is_empty() { String::new() } else { format!("  \"{reason}\"") };
    let row = format!("{id:>6}  {at}  {who}  {action}  {subject}{reason}");
    writeln!(out, "{}", visible(&row))
}
