//! The account of a run, as a table for people.

use std::collections::BTreeMap;
use std::path::Path;

use diagnostics::{counted, visible};
use flow::{FileAccount, OutputAccount, Report};

use crate::product::{PARTS, called};

/// Prints the account as a table. It lists the last `files_max` files at most, and the sum of all files where there are
/// more.
pub(crate) fn show(report: &Report, flow: &Path, files_max: usize) -> std::io::Result<()> {
    let Report { files, outputs, .. } = report;
    if files.is_empty()
        && outputs.is_empty()
        && report.problems.is_empty()
        && report.set_aside.is_empty()
    {
        return say!("there was nothing to do: no file was waiting");
    }
    say!(
        "{:<44} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10}",
        "file",
        "records",
        "delivered",
        "filtered",
        "held",
        "suspended",
        "duplicate"
    )?;
    let left_out = files.len().saturating_sub(files_max);
    if left_out > 0 {
        say!("({} before these)", counted(left_out, "file"))?;
    }
    for file in &files[left_out..] {
        show_counts(&format!("{}/{}", file.network_element, file.file), file)?;
        file.remarks().iter().try_for_each(|remark| say!("  {}", diagnostics::visible(remark)))?;
    }
    let mut sum = FileAccount::default();
    files.iter().for_each(|file| sum.add(file));
    if left_out > 0 {
        let all = if files.len() < flow::REMEMBERED_MAX { "all" } else { "the last" };
        show_counts(&format!("{all} {} files", files.len()), &sum)?;
    }
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

fn show_counts(name: &str, of: &FileAccount) -> std::io::Result<()> {
    let FileAccount { records, delivered, filtered, held, suspended, duplicate, .. } = of;
    let name = visible(name);
    say!(
        "{name:<44} {records:>9} {delivered:>10} {filtered:>9} {held:>8} {suspended:>10} {duplicate:>10}"
    )
}

/// Prints the number of records and files that each receiver got.
fn show_receivers(outputs: &[OutputAccount]) -> std::io::Result<()> {
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
fn show_outputs(outputs: &[OutputAccount], flow: &Path) -> std::io::Result<()> {
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
