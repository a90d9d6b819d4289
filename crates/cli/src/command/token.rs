//! `tollgate token`: the tokens with which programs use the API.

use operate::people::{ListTokens, MakeToken, RemoveToken, Token as Listed};
use people::Role;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, number, text};
use crate::terminal::Look;

/// Manage the tokens with which programs use the API
#[derive(Debug, clap::Parser)]
#[command(name = "token")]
pub(crate) enum Token {
    /// List the tokens, without their secrets
    #[command(after_help = "Example:\n  tollgate token list flow.toml")]
    List(List),
    /// Make a token, and print its secret, which cannot be shown again
    #[command(after_help = "Example:\n  tollgate token make flow.toml grafana --role viewer")]
    Make(Make),
    /// Remove a token, which is void at once
    #[command(after_help = "Example:\n  tollgate token remove flow.toml 3")]
    Remove(Remove),
}

/// Arguments of `tollgate token list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    flow: FlowFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate token make`.
#[derive(Debug, clap::Args)]
pub(crate) struct Make {
    #[command(flatten)]
    flow: FlowFile,
    /// The name of the token, for the audit trail
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// "viewer", "operator" or "administrator"
    #[arg(long, value_name = "ROLE")]
    role: Role,
    /// The days for which it is valid [default: 90]
    #[arg(long, value_name = "DAYS")]
    days: Option<u32>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate token remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the token, as "tollgate token list" shows it
    #[arg(value_name = "NUMBER")]
    id: Option<i64>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Token {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Token::List(list) => list.run(),
            Token::Make(make) => make.run(),
            Token::Remove(remove) => remove.run(),
        }
    }
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        for token in &perform(&self.flow, ListTokens {})?.tokens {
            rows.row(token, row)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const COLUMNS: [Column; 5] =
    [number("number"), text("name"), text("role"), text("state"), text("valid until")];

fn row(token: &Listed) -> [Cell; 5] {
    let Listed { id, name, role, until, expired, .. } = token;
    let state = match expired {
        true => cell("expired").look(Look::Bad),
        false => cell("valid"),
    };
    [cell(id), cell(name), cell(role.word()), state, cell(until)]
}

impl Make {
    fn run(self) -> Result<Outcome, CommandError> {
        let Make { flow, name, role, days, json } = self;
        let (flow, name) = flow.and_one(name, "NAME")?;
        let made = perform(&flow, MakeToken { name, role, days })?;
        match json {
            true => json::line(&mut output::lines(), &made)?,
            false => {
                say!("{}", made.token)?;
                note!("it is token {}, valid until {}", made.id, made.until);
            }
        }
        Ok(Outcome::Clean)
    }
}

impl Remove {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, id) = self.flow.and_one(self.id, "NUMBER")?;
        let done = perform(&flow, RemoveToken { id })?;
        match self.json {
            true => json::line(&mut output::lines(), &done)?,
            false => say!("token {id} is removed")?,
        }
        Ok(Outcome::Clean)
    }
}
