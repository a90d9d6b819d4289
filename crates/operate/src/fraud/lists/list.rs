//! Lists the lists of fraud nodes.

use std::path::{Path, PathBuf};

use flow::flow_journal::JournalError;
use lists::ListError;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::{FraudListError, folders};
use super::show::{FraudListEntry, hits};
use crate::context::Context;
use crate::operation::Operation;

/// Lists the lists of all fraud nodes, with the numbers of their entries.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListFraudLists {}

/// The lists of fraud nodes.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudLists {
    /// The folders of lists. There is none if no fraud node has lists.
    pub folders: Vec<FraudListFolder>,
}

/// A folder of lists, which one or more nodes read.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudListFolder {
    /// The fraud nodes that read it.
    pub nodes: Vec<String>,
    /// Its lists, by name.
    pub lists: Vec<FraudListFigures>,
    /// Why it cannot be read. Absent if it can.
    pub problem: Option<String>,
}

/// How large a list is.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudListFigures {
    /// Its name.
    pub name: String,
    /// The number of its entries. Absent if it cannot be read.
    pub entries: Option<usize>,
    /// The number of entries that never mattered to a rule, or whose time is over. Absent if it cannot be read.
    pub dead: Option<usize>,
    /// Why it cannot be read. Absent if it can.
    pub problem: Option<String>,
}

impl Operation for ListFraudLists {
    type Response = FraudLists;
    type Error = JournalError;

    const NAME: &'static str = "fraud lists";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<FraudLists, JournalError> {
        let folders = folders(context)?.into_iter();
        let folder = |(folder, nodes)| in_folder(context, folder, nodes);
        Ok(FraudLists { folders: folders.map(folder).collect::<Result<_, _>>()? })
    }
}

fn in_folder(
    context: &Context<'_>,
    folder: PathBuf,
    nodes: Vec<String>,
) -> Result<FraudListFolder, JournalError> {
    let names = match lists::names(&folder) {
        Ok(names) => names,
        Err(cause) => {
            let problem = ListError::File { path: folder, cause };
            let problem = Some(diagnostics::with_causes(&problem));
            return Ok(FraudListFolder { nodes, lists: Vec::new(), problem });
        }
    };
    let lists = names.into_iter().map(|name| figures(context, &folder, name));
    Ok(FraudListFolder { nodes, lists: lists.collect::<Result<_, _>>()?, problem: None })
}

fn figures(
    context: &Context<'_>,
    folder: &Path,
    name: String,
) -> Result<FraudListFigures, JournalError> {
    let table = match lists::read(&lists::path(folder, &name)) {
        Ok(table) => table,
        Err(error) => {
            let error = FraudListError::unread(error, context.subscriber_access().is_masked());
            let problem = Some(diagnostics::with_causes(&error));
            return Ok(FraudListFigures { name, entries: None, dead: None, problem });
        }
    };
    let hits = hits(context, &name)?;
    let now_s = now_ms().div_euclid(1_000);
    let rows = table.rows().iter();
    let dead = rows.filter(|row| FraudListEntry::of(row, &hits, now_s).is_dead()).count();
    Ok(FraudListFigures {
        name,
        entries: Some(table.rows().len()),
        dead: Some(dead),
        problem: None,
    })
}
