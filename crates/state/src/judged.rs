//! What rules say of the records of a job, within its transaction.

use diagnostics::counted;
use flow::topology::Topology;
use investigation::Finding;
use journal::{JobId, Journal};
use node::{AlertPolicy, Committed, Judge, Judged};
use runtime::time::at_ms;
use store::{Connection, QueryError, QueryResult, StoreError};

use crate::behind;

/// The target of log lines.
const LOG: &str = "flow::fraud";

/// Notes the rules and thresholds of all nodes, as they run from now on.
pub(crate) fn note_rules(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let judges = flow.graph.nodes.iter().filter_map(|node| {
        let judge = node.template.judge()?;
        let of = judge.alerting()?;
        Some((node.name.clone(), of.rules(), of.alert_policy().rule_approvals))
    });
    let judges: Vec<_> = judges.collect();
    let thresholds = flow.graph.nodes.iter().flat_map(|node| {
        let of_node = node.template.judge().map(|judge| judge.thresholds()).unwrap_or_default();
        of_node.into_iter().map(|threshold| (node.name.clone(), threshold))
    });
    let thresholds: Vec<_> = thresholds.collect();
    let now_ms = journal.now_ms();
    journal.commit(move |db| {
        monitoring::clear_others(db, &thresholds, now_ms)?;
        let nodes: Vec<String> = judges.iter().map(|(node, ..)| node.clone()).collect();
        investigation::forget_other_rules(db, &nodes)?;
        judges.iter().try_for_each(|(node, rules, approvals)| {
            investigation::note_rules(db, node, (rules, *approvals))
        })
    })
}

/// Judges the notes of a job for a node, after the row of the job, and inserts what is found. Returns what is stored of the job.
pub(crate) fn judge(
    db: &Connection,
    JobId(job): JobId,
    (node, judge): (&str, &dyn Judge),
    notes: &[u8],
) -> QueryResult<Vec<u8>> {
    let select = "SELECT done_ms, network_element FROM file WHERE id = ?";
    let (done_ms, element): (i64, String) =
        db.prepare_cached(select)?.query_row([job], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let judged = judge.judge(Committed { job, at: at_ms(done_ms) }, notes);
    let judged = judged.map_err(|error| QueryError::ToSqlConversionFailure(Box::new(error)))?;
    if judged.late > 0 {
        let late = counted(usize::try_from(judged.late).unwrap_or(usize::MAX), "record");
        tracing::warn!(target: LOG, job, node, "\"{node}\": {late} came too late for its rules, or from a time to come");
    }
    let found = Found { job: JobId(job), done_ms, node, network_element: &element };
    if let Some(of) = judge.alerting() {
        found.alerts(db, of.alert_policy(), &judged)?;
    }
    let finding = monitoring::Finding { job: JobId(job), done_ms, node };
    monitoring::crossed(db, finding, &judged.crossings)?;
    Ok(judged.delta)
}

/// Where what is found comes from.
struct Found<'f> {
    job: JobId,
    done_ms: i64,
    node: &'f str,
    network_element: &'f str,
}

impl Found<'_> {
    fn alerts(&self, db: &Connection, policy: AlertPolicy, judged: &Judged) -> QueryResult<()> {
        let Found { job, done_ms, node, network_element } = *self;
        let Judged { alerts, hits, records, late, newest, .. } = judged;
        if let (Some(limit_s), Some(newest)) = (policy.behind_s, *newest) {
            behind::note(db, (node, limit_s), network_element, (newest, done_ms))?;
        }
        let (records, late) = (*records, *late);
        let finding = Finding { job, done_ms, node, network_element, records, late, policy };
        investigation::found(db, &finding, alerts)?;
        investigation::hit(db, hits)
    }
}
