//! `tollgate files`: the files that were received, and which of them may be processed again.

use diagnostics::counted;
use operate::files::{
    AllowFilesAgain, Files as Page, InputFile, ListRefusedFiles, RefusedFile, RefusedFiles,
};
use operate::page::PageQuery;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, free, number, text};
use crate::terminal::Look;

/// List the files that were processed, or let them be processed again
#[derive(Debug, clap::Parser)]
#[command(name = "files")]
pub(crate) enum Files {
    /// List the files that were processed, with the outcomes of their records
    #[command(
        after_help = "Example:\n  tollgate files list flow.toml --network-element msc-boston --json"
    )]
    List(ListFiles),
    /// List the files that are refused as a whole: set aside, or not fetched from a remote place
    #[command(after_help = "Example:\n  tollgate files refused flow.toml --code unpack-damaged")]
    Refused(ListRefused),
    /// Let files that were processed be processed again: they are no duplicates then
    #[command(after_help = AGAIN_EXAMPLE)]
    Again(AllowFiles),
}

const AGAIN_EXAMPLE: &str = "Example:\n  tollgate files again flow.toml --file boston-00001.ber \
                             --because \"a new receiver\"";

/// The former name of `tollgate files again`, for scripts that have it
#[derive(Debug, clap::Parser)]
#[command(name = "again", hide = true, after_help = AGAIN_EXAMPLE)]
pub(crate) struct Again {
    #[command(flatten)]
    files: AllowFiles,
}

/// Arguments of `tollgate files list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListFiles {
    #[command(flatten)]
    flow: FlowFile,
    /// Only files of this network element
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// Only files whose names contain this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Only files that were not processed, for the reason with this code, which has to be "file-duplicate"
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    #[command(flatten)]
    period: Period,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate files refused`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListRefused {
    #[command(flatten)]
    flow: FlowFile,
    /// Only files of this network element
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// Only files that are refused for the reason with this code
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate files again`.
#[derive(Debug, clap::Args)]
pub(crate) struct AllowFiles {
    #[command(flatten)]
    flow: FlowFile,
    /// Only files of this network element
    #[arg(long, value_name = "NAME")]
    network_element: Option<String>,
    /// Only files of this name
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    /// All files that were ever processed
    #[arg(long, conflicts_with_all = ["network_element", "file"])]
    all: bool,
    /// Also if a rating node keeps counters of subscribers, which count the records a second time
    #[arg(long)]
    even_counters: bool,
    /// The reason, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Files {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Files::List(list) => list.run(),
            Files::Refused(list) => list.run(),
            Files::Again(files) => files.run(),
        }
    }
}

impl Execute for Again {
    fn run(self) -> Result<Outcome, CommandError> {
        self.files.run()
    }
}

impl ListFiles {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        let mut page = PageQuery::after(0);
        loop {
            let Page { files, more } = perform(&self.flow, self.request(page)?)?;
            for file in &files {
                rows.row(file, row)?;
            }
            page.after = files.last().map(|file| file.job);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }

    fn request(&self, page: PageQuery) -> Result<operate::files::ListFiles, CommandError> {
        Ok(operate::files::ListFiles {
            network_element: self.network_element.clone(),
            name: self.name.clone(),
            period: self.period.request()?,
            code: self.code.clone(),
            page,
        })
    }
}

const COLUMNS: [Column; 10] = [
    number("job"),
    text("done"),
    text("file"),
    number("records"),
    number("delivered"),
    number("filtered").extra(),
    number("held").extra(),
    number("suspended"),
    number("duplicate").extra(),
    free("remark").extra(),
];

fn row(of: &InputFile) -> [Cell; 10] {
    let InputFile { job, network_element, file, done, duplicate_of, .. } = of;
    let duplicate = duplicate_of.as_ref().map(|original| format!("duplicate of {original}"));
    let again = of.may_come_again.then(|| "may come again".to_owned());
    let remarks: Vec<String> = duplicate.into_iter().chain(again).collect();
    let look = |records: i64, look| if records == 0 { Look::Plain } else { look };
    [
        cell(job),
        cell(done),
        cell(format!("{network_element}/{file}")),
        cell(of.records),
        cell(of.delivered),
        cell(of.filtered),
        cell(of.held),
        cell(of.suspended).look(look(of.suspended, Look::Bad)),
        cell(of.duplicate).look(look(of.duplicate, Look::Warning)),
        cell(remarks.join(", ")),
    ]
}

impl ListRefused {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &REFUSED_COLUMNS);
        let mut page = PageQuery::after(0);
        loop {
            let request = ListRefusedFiles {
                network_element: self.network_element.clone(),
                kind: None,
                code: self.code.clone(),
                page,
            };
            let RefusedFiles { files, more } = perform(&self.flow, request)?;
            for file in &files {
                rows.row(file, refused_row)?;
            }
            page.after = files.last().map(|file| file.id);
            if !more {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

const REFUSED_COLUMNS: [Column; 6] = [
    text("since"),
    text("kind"),
    text("network element"),
    free("file"),
    text("code").extra(),
    free("reason"),
];

fn refused_row(file: &RefusedFile) -> [Cell; 6] {
    let RefusedFile { since, kind, network_element, path, is_there, reason, code, .. } = file;
    let gone = if *is_there { "" } else { ", not there any more" };
    [
        cell(since),
        cell(kind.word()),
        cell(network_element),
        cell(format!("{path}{gone}")),
        cell(code),
        cell(reason),
    ]
}

impl AllowFiles {
    fn run(self) -> Result<Outcome, CommandError> {
        let AllowFiles { flow, network_element, file, all, even_counters, because, json } = self;
        let request =
            AllowFilesAgain { jobs: None, network_element, file, all, even_counters, because };
        let allowed = perform(&flow, request)?;
        match json {
            true => json::line(&mut output::lines(), &allowed)?,
            false => say!("{} may come again", counted(allowed.files, "file"))?,
        }
        Ok(if allowed.files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}
