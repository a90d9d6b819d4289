//! The account of a run, as a table for people.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use diagnostics::{counted, visible};
use flow::{FileAccount, OutputAccount, Report};

use crate::product::{PARTS, called};
use crate::progress::Aside;
use crate::table::{Cell, Column, Table, cell, free, number};
use crate::terminal::Look;

/// Prints the account as a table. It lists the last `files_max` files at most, and the sum of all files where there are
/// more.
pub(crate) fn show(report: &Report, flow: &Path, files_max: usize) -> io::Result<()> {
    let Report { files, outputs, .. } = report;
    if files.is_empty()
        && outputs.is_empty()
        && report.problems.is_empty()
        && report.set_aside.is_empty()
    {
        return say!("there was nothing to do: no file was waiting");
    }
    if files.is_empty() && outputs.is_empty() {
        return say!("no file was processed");
    }
    let mut table = Table::report(Aside(io::stdout()), &COLUMNS);
    let left_out = files.len().saturating_sub(files_max);
    if left_out > 0 {
        table.line(&format!("({} before these)", counted(left_out, "file")))?;
    }
    for file in &files[left_out..] {
        table.row(counts(&format!("{}/{}", file.network_element, file.file), file))?;
        file.remarks().iter().try_for_each(|remark| table.line(&format!("  {remark}")))?;
    }
    let mut sum = FileAccount::default();
    files.iter().for_each(|file| sum.add(file));
    if left_out > 0 {
        let all = if files.len() < flow::REMEMBERED_MAX { "all" } else { "the last" };
        table.row(counts(&format!("{all} {} files", files.len()), &sum))?;
    }
    table.end()?;
    match outputs.len() > files_max {
        true => show_receivers(outputs)?,
        false => show_outputs(outputs, flow)?,
    }
    if sum.suspended > 0 {
        say!(
            "-> suspense: {} set aside; \"{} suspense list {}\" shows those that still are",
            counted(sum.suspended as usize, "record"),
            called(),
            flow.display()
        )?;
    }
    Ok(())
}

const COLUMNS: [Column; 7] = [
    free("file"),
    number("records"),
    number("delivered"),
    number("filtered"),
    number("held"),
    number("suspended"),
    number("duplicate"),
];

fn counts(name: &str, of: &FileAccount) -> Vec<Cell> {
    let FileAccount { records, delivered, filtered, held, suspended, duplicate, .. } = of;
    let look = |records: &u64, look| if *records == 0 { Look::Plain } else { look };
    let numbers = [
        cell(records),
        cell(delivered),
        cell(filtered),
        cell(held),
        cell(suspended).look(look(suspended, Look::Bad)),
        cell(duplicate).look(look(duplicate, Look::Warning)),
    ];
    [cell(name)].into_iter().chain(numbers).collect()
}

/// Prints the number of records and files that each receiver got.
fn show_receivers(outputs: &[OutputAccount]) -> io::Result<()> {
    let mut receivers = BTreeMap::<&str, (usize, u64)>::new();
    for output in outputs {
        let (files, records) = receivers.entry(&output.post_processing_system).or_default();
        *files += 1;
        *records += output.records;
    }
    for (receiver, (files, records)) in receivers {
        say!("-> {receiver}: {records} records in {}", counted(files, "file"))?;
    }
    Ok(())
}

/// Prints each delivered file with its receiver, and with its path if it lies in a local folder.
fn show_outputs(outputs: &[OutputAccount], flow: &Path) -> io::Result<()> {
    let text = std::fs::read_to_string(flow).unwrap_or_default();
    let systems = gateway::parse(flow, text, PARTS.kinds).0.post_processing_systems;
    for OutputAccount { post_processing_system, file, records } in outputs {
        let system = systems.iter().find(|system| system.name.text == *post_processing_system);
        let folder = system.and_then(|of| Some(of.deliver.path(of.deliver.get("dir")?)));
        let path = folder.map(|folder| folder.join(file)).filter(|path| path.exists());
        let file = path.map_or(file.clone(), |path| path.display().to_string());
        let file = visible(&file);
        say!("-> {post_processing_system}: {file}, {records} records")?;
    }
    Ok(())
}
