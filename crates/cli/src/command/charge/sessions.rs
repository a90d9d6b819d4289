//! `tollgate charge sessions`: lists the calls and connections in progress.

use operate::prepaid::calls::{ListSessions, OpenSession};

use crate::charging_file::ChargingFile;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, number, text};

/// Arguments of `tollgate charge sessions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Sessions {
    /// Only sessions whose number has these digits
    #[arg(long, default_value = "", hide_default_value = true)]
    number: String,
    /// Only sessions of this service
    #[arg(long, default_value = "", hide_default_value = true)]
    service: String,
    /// Only sessions of this client of the charging system
    #[arg(long, default_value = "", hide_default_value = true)]
    client: String,
    /// Only sessions that began at least so many seconds ago
    #[arg(long, value_name = "SECONDS")]
    older_than: Option<u32>,
    /// Only sessions whose grants are no longer valid
    #[arg(long)]
    stuck: bool,
    /// Only sessions after this one: ACCOUNT-SESSION of the last one of the page before
    #[arg(long, value_name = "PLACE", default_value = "", hide_default_value = true)]
    after: String,
    /// So many at most
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

const SESSIONS: [Column; 9] = [
    text("number"),
    number("account"),
    text("service"),
    text("client"),
    text("began"),
    text("used"),
    text("granted"),
    number("reserved"),
    text("valid until"),
];

impl Sessions {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Sessions { number, service, client, older_than, stuck, after, limit, charging, json } =
            self;
        let limit = Some(limit);
        let list = ListSessions { number, service, client, older_than, stuck, after, limit };
        let mut rows = Rows::begin(json, &SESSIONS);
        for session in &charge(&charging.path, list)?.sessions {
            rows.row(session, line)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn line(of: &OpenSession) -> [Cell; 9] {
    let valid = match of.stuck {
        true => format!("{} (stuck)", of.valid_until),
        false => of.valid_until.clone(),
    };
    [
        cell(&of.number),
        cell(of.account),
        cell(of.services.join(", ")),
        cell(&of.client),
        cell(&of.start),
        cell(&of.used),
        cell(&of.granted),
        cell(&of.reserved),
        cell(valid),
    ]
}
