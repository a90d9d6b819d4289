//! Compares what both flows made of a file, record by record.

use std::collections::BTreeSet;
use std::io;

use super::report::{
    Change, CountedRecords, FileTotals, OutcomeKind, ReceiverDifference, RecordDifference,
    RecordOutcome, fields,
};
use super::run::{FileResults, Made, SideView};
use super::{ReplayError, ReplayEvent, ReplayFile};
use gateway::compile::prepare::both;
use lineage::Step;

type Tell<'t> = &'t mut dyn FnMut(ReplayEvent<'_>) -> io::Result<()>;

/// Compares what both flows made of a file.
pub(super) fn file(
    file: &ReplayFile,
    before: &SideView<'_>,
    after: &SideView<'_>,
    tell: Tell<'_>,
) -> Result<FileTotals, ReplayError> {
    let mut totals = FileTotals {
        network_element: file.network_element.clone(),
        file: file.name.clone(),
        ..FileTotals::default()
    };
    let mut jobs = (before.job(file)?, after.job(file)?);
    for (place, what) in CountedRecords::ALL.into_iter().enumerate() {
        let counted = totals.counts.entry(what).or_default();
        let of = |job: &Option<FileResults>| job.as_ref().map_or(0, |job| job.counts[place]);
        (counted.before, counted.after) = (of(&jobs.0), of(&jobs.1));
    }
    headers(&jobs, &mut totals);
    if let Some(job) = &jobs.0 {
        for (what, sum) in before.sums(job)? {
            totals.sums.entry(what).or_default().before = sum;
        }
    }
    if let Some(job) = &jobs.1 {
        for (what, sum) in after.sums(job)? {
            totals.sums.entry(what).or_default().after = sum;
        }
    }
    let next = |view: &SideView<'_>, job: &mut Option<FileResults>| {
        job.as_mut().map_or(Ok(None), |job| view.next(job))
    };
    let mut made = (next(before, &mut jobs.0)?, next(after, &mut jobs.1)?);
    // Both flows number the records of a file alike, unless one of them finds records that the other does not.
    let (mut number_before, mut number_after) = (0, 0);
    loop {
        let positions = [&made.0, &made.1].map(|made| made.as_ref().map(|made| made.line.position));
        let Some(position) = positions.into_iter().flatten().min() else { return Ok(totals) };
        let mut here = (None, None);
        if positions[0] == Some(position) {
            here.0 = std::mem::replace(&mut made.0, next(before, &mut jobs.0)?);
            number_before += 1;
        }
        if positions[1] == Some(position) {
            here.1 = std::mem::replace(&mut made.1, next(after, &mut jobs.1)?);
            number_after += 1;
        }
        let receivers = receivers(here.0.as_ref(), here.1.as_ref(), &mut totals);
        let outcome = (here.0.as_ref().map(outcome), here.1.as_ref().map(outcome));
        if receivers.is_empty() && outcome.0 == outcome.1 {
            continue;
        }
        totals.differing += 1;
        let difference = RecordDifference {
            network_element: file.network_element.clone(),
            file: file.name.clone(),
            record: if here.0.is_some() { number_before } else { number_after },
            offset: position,
            key: None,
            before: with_reason(outcome.0, before, &jobs.0, position)?,
            after: with_reason(outcome.1, after, &jobs.1, position)?,
            receivers,
        };
        tell(ReplayEvent::Record(&difference)).map_err(ReplayError::Output)?;
    }
}

/// Notes the receivers whose files begin differently. An output that only one flow has differs by its records.
fn headers((before, after): &(Option<FileResults>, Option<FileResults>), totals: &mut FileTotals) {
    let (Some(before), Some(after)) = (before, after) else { return };
    for (system, header) in &before.headers {
        if after.headers.get(system).is_some_and(|other| other != header) {
            totals.headers.push(system.clone());
        }
    }
}

/// Compares what receivers get of a record.
fn receivers(
    before: Option<&Made>,
    after: Option<&Made>,
    totals: &mut FileTotals,
) -> Vec<ReceiverDifference> {
    let written = |made: Option<&Made>, system: &str| -> Vec<Vec<u8>> {
        let of = made.iter().flat_map(|made| &made.written);
        of.filter(|(of, _)| of == system).map(|(_, octets)| octets.clone()).collect()
    };
    let all = before.iter().chain(&after).flat_map(|made| &made.written);
    let systems: BTreeSet<&String> = all.map(|(system, _)| system).collect();
    let mut found = Vec::new();
    for system in systems {
        let (before, after) = (written(before, system), written(after, system));
        let receiver = totals.receivers.entry(system.clone()).or_default();
        receiver.before += before.len() as u64;
        receiver.after += after.len() as u64;
        for place in 0..before.len().max(after.len()) {
            let (change, fields) = match (before.get(place), after.get(place)) {
                (Some(before), Some(after)) => {
                    let (before, after) =
                        (both::RecordForms::of(before), both::RecordForms::of(after));
                    let (Some(before), Some(after)) = (before, after) else { continue };
                    if before.octets == after.octets {
                        continue;
                    }
                    receiver.changed += 1;
                    (Change::Changed, fields(before.json, after.json))
                }
                (Some(_), None) => {
                    receiver.only_before += 1;
                    (Change::OnlyBefore, Vec::new())
                }
                _ => {
                    receiver.only_after += 1;
                    (Change::OnlyAfter, Vec::new())
                }
            };
            let post_processing_system = system.clone();
            found.push(ReceiverDifference { post_processing_system, change, fields });
        }
    }
    found
}

/// Returns the outcome of a record.
fn outcome(made: &Made) -> RecordOutcome {
    let at = |what, at: &str| RecordOutcome { what, at: Some(at.to_owned()), reason: None };
    match made.line.path.last() {
        Some(Step::Suspended { at: node }) => at(OutcomeKind::Suspended, node),
        Some(Step::Duplicate { at: node }) => at(OutcomeKind::Duplicate, node),
        Some(Step::Unreadable) => at(OutcomeKind::Suspended, ""),
        _ if !made.written.is_empty() => {
            RecordOutcome { what: OutcomeKind::Delivered, at: None, reason: None }
        }
        _ => match made.line.path.iter().find(|step| matches!(step, Step::Held { .. })) {
            Some(Step::Held { node }) => at(OutcomeKind::Held, node),
            _ => RecordOutcome { what: OutcomeKind::Filtered, at: None, reason: None },
        },
    }
}

fn with_reason(
    outcome: Option<RecordOutcome>,
    view: &SideView<'_>,
    job: &Option<FileResults>,
    position: u64,
) -> Result<Option<RecordOutcome>, ReplayError> {
    match (outcome, job) {
        (Some(outcome), Some(job))
            if matches!(outcome.what, OutcomeKind::Suspended | OutcomeKind::Duplicate) =>
        {
            Ok(Some(RecordOutcome { reason: view.reason(job, position)?, ..outcome }))
        }
        (outcome, _) => Ok(outcome),
    }
}
