//! `tollgate trail`: prints the audit trail.

use journal::audit_trail::AuditEntry;
use operate::page::PageQuery;
use operate::trail::{ListTrail, Trail as Page};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};

/// Show the audit trail: changes and views of records, with users and reasons
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
        let mut rows = Rows::begin(self.json, &COLUMNS);
        let mut page = PageQuery::after(0);
        let period = self.period.request()?;
        loop {
            let request = ListTrail { period, page };
            let Page { entries, more, .. } = perform(&self.flow, request)?;
            entries.iter().try_for_each(|entry| rows.row(entry, row))?;
            page.after = entries.last().map(|entry| entry.id);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const COLUMNS: [Column; 6] =
    [number("number"), text("at"), text("who"), text("action"), free("subject"), free("reason")];

fn row(entry: &AuditEntry) -> [Cell; 6] {
    let AuditEntry { id, at, who, action, subject, reason, .. } = entry;
    [cell(id), cell(at), cell(who), cell(action), cell(subject), cell(reason)]
}
