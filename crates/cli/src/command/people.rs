//! `tollgate people`: the users of a gateway. A user of the machine who may write the files of the gateway may manage them.

use std::path::PathBuf;

use operate::people::{
    InvitePerson, LinkPerson, ListPeople, PasswordLink, Person, RemovePerson, SetRole,
};
use people::Role;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, text};
use crate::terminal::Look;

/// Manage the users of the interface and the API
#[derive(Debug, clap::Parser)]
#[command(name = "people")]
pub(crate) enum People {
    /// List the users
    #[command(after_help = "Example:\n  tollgate people list flow.toml")]
    List(List),
    /// Add a user, and print the link to set a password
    #[command(after_help = "Example:\n  tollgate people invite flow.toml anna --role operator")]
    Invite(WithRole),
    /// Change the role of a user
    #[command(after_help = "Example:\n  tollgate people role flow.toml anna --role viewer")]
    Role(WithRole),
    /// Print a link for a user to set a new password
    #[command(after_help = "Example:\n  tollgate people link flow.toml anna")]
    Link(OnePerson),
    /// Remove a user, whose sessions end at once
    #[command(after_help = "Example:\n  tollgate people remove flow.toml anna")]
    Remove(OnePerson),
}

/// Arguments of `tollgate people list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    flow: FlowFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The user that a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct OnePerson {
    #[command(flatten)]
    flow: FlowFile,
    /// The name of the user
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl OnePerson {
    /// Returns the flow file and the name.
    fn flow_and_name(&self) -> Result<(PathBuf, String), CommandError> {
        self.flow.clone().and_one(self.name.clone(), "NAME")
    }
}

/// A user and a role.
#[derive(Debug, clap::Args)]
pub(crate) struct WithRole {
    #[command(flatten)]
    of: OnePerson,
    /// "viewer", "operator" or "administrator"
    #[arg(long, value_name = "ROLE")]
    role: Role,
}

impl Execute for People {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            People::List(list) => list.run(),
            People::Invite(WithRole { of, role }) => {
                let (flow, name) = of.flow_and_name()?;
                print(of.json, &perform(&flow, InvitePerson { name, role })?)
            }
            People::Role(WithRole { of, role }) => {
                let (flow, name) = of.flow_and_name()?;
                let text = format!("{name} is {role} now");
                let done = perform(&flow, SetRole { name, role })?;
                of.done(&done, &text)
            }
            People::Link(of) => {
                let (flow, name) = of.flow_and_name()?;
                print(of.json, &perform(&flow, LinkPerson { name })?)
            }
            People::Remove(of) => {
                let (flow, name) = of.flow_and_name()?;
                let text = format!("{name} is removed");
                let done = perform(&flow, RemovePerson { name })?;
                of.done(&done, &text)
            }
        }
    }
}

impl OnePerson {
    fn done(
        &self,
        done: &operate::operation::Nothing,
        text: &str,
    ) -> Result<Outcome, CommandError> {
        match self.json {
            true => json::line(&mut output::lines(), done)?,
            false => say!("{text}")?,
        }
        Ok(Outcome::Clean)
    }
}

/// Prints a link. It is valid once, for 24 hours.
fn print(is_json: bool, link: &PasswordLink) -> Result<Outcome, CommandError> {
    match is_json {
        true => json::line(&mut output::lines(), link)?,
        false => say!("{}", link.link)?,
    }
    Ok(Outcome::Clean)
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        for person in &perform(&self.flow, ListPeople {})?.people {
            rows.row(person, row)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const COLUMNS: [Column; 3] = [text("name"), text("role"), text("last login")];

fn row(person: &Person) -> [Cell; 3] {
    let Person { name, role, last_login, invited, .. } = person;
    let last = match invited {
        true => cell("invited").look(Look::Warning),
        false => cell_of(last_login.as_ref()),
    };
    [cell(name), cell(role.word()), last]
}
