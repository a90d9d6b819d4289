//! The metrics of the gateway, for Prometheus.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alarm::{Alarm, Severity};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flow::{
    meters::DiskFree, meters::Now, meters::OUTCOMES, meters::OfElement, meters::OfNode,
    meters::Outcomes, meters::Standing, meters::Tallies,
};

use crate::memory::Process;
use crate::served::Served;
use crate::text::{CONTENT_TYPE, FamilyType, MetricsText};

pub(crate) fn routes() -> Router<Arc<Served>> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    if let Err(status) = served.admits(&headers) {
        return (status, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    let read = tokio::time::timeout(READ_WITHIN, of_journal(&served)).await;
    let text = written(&served, read.ok().flatten());
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}

/// How long to wait for the journal.
const READ_WITHIN: Duration = Duration::from_secs(5);

/// The part of the metrics that the journal has.
struct OfJournal {
    standing: Arc<Standing>,
    raised: Arc<[Alarm]>,
}

/// Reads the journal, for one request at a time; `None` if it cannot be read.
async fn of_journal(served: &Arc<Served>) -> Option<OfJournal> {
    let one = Arc::clone(&served.measuring).acquire_owned().await.ok()?;
    let own = Arc::clone(served);
    let read = tokio::task::spawn_blocking(move || {
        let _one = one;
        Some(OfJournal { standing: own.standing().ok()?, raised: own.raised().ok()? })
    });
    read.await.ok().flatten()
}

/// Returns all metrics. If the journal cannot be read, its metrics are missing, and `tollgate_journal_read` is 0.
fn written(served: &Served, of_journal: Option<OfJournal>) -> String {
    let mut text = MetricsText::default();
    of_program(&mut text);
    of_tallies(&mut text, &served.meters.tallies());
    of_now(&mut text, &served.meters.now(), served.meters.threads());
    of_commits(&mut text, served);
    let is_read = f64::from(u8::from(of_journal.is_some()));
    text.one(
        "tollgate_journal_read",
        FamilyType::Gauge,
        "Whether the journal could be read.",
        is_read,
    );
    if let Some(OfJournal { standing, raised }) = &of_journal {
        of_standing(&mut text, standing);
        of_alarms(&mut text, raised);
    }
    of_process(&mut text);
    text.end()
}

fn of_program(text: &mut MetricsText) {
    let name = "tollgate_build_info";
    text.family(name, FamilyType::Gauge, "Which version runs.");
    text.sample(name, &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
}

fn of_tallies(text: &mut MetricsText, tallies: &Tallies) {
    let Tallies { elements, nodes, systems, .. } = tallies;
    let records = |of: &OfElement| of.records;
    outcomes(
        text,
        ("tollgate_records_total", "Records of files that are done, by what became of them."),
        ("network_element", elements),
        records,
    );
    let retried = |of: &OfElement| of.retried;
    outcomes(
        text,
        ("tollgate_retried_records_total", "Records of suspense that were put through again."),
        ("network_element", elements),
        retried,
    );
    let of_node = |of: &OfNode| of.records;
    outcomes(
        text,
        (
            "tollgate_node_records_total",
            "Records that came to a node, by what became of them there.",
        ),
        ("node", nodes),
        of_node,
    );
    outcomes(
        text,
        ("tollgate_system_records_total", "Records that came to a post-processing system."),
        ("post_processing_system", systems),
        of_node,
    );
    each(
        text,
        ("tollgate_files_total", "Files that are done."),
        ("network_element", elements),
        |of| of.files,
    );
    each(
        text,
        ("tollgate_duplicate_files_total", "Files that are done and came before."),
        ("network_element", elements),
        |of| of.duplicate_files,
    );
    each(
        text,
        ("tollgate_input_bytes_total", "Octets of files that are done."),
        ("network_element", elements),
        |of| of.octets,
    );
    each(
        text,
        ("tollgate_node_made_records_total", "Records that a node made."),
        ("node", nodes),
        |of| of.made,
    );
    each(
        text,
        ("tollgate_output_files_total", "Files that were made for a post-processing system."),
        ("post_processing_system", systems),
        |of| of.files,
    );
}

/// Writes a family of counters, by a label and by outcome.
fn outcomes<T>(
    text: &mut MetricsText,
    (name, help): (&str, &str),
    (label, all): (&str, &BTreeMap<String, T>),
    of: impl Fn(&T) -> Outcomes,
) {
    text.family(name, FamilyType::Counter, help);
    for (whose, counts) in all {
        for (outcome, count) in OUTCOMES.iter().zip(of(counts).0) {
            text.sample(name, &[(label, whose), ("outcome", outcome)], count as f64);
        }
    }
}

/// Writes a family of counters, by a label.
fn each<T>(
    text: &mut MetricsText,
    (name, help): (&str, &str),
    (label, all): (&str, &BTreeMap<String, T>),
    of: impl Fn(&T) -> u64,
) {
    text.family(name, FamilyType::Counter, help);
    for (whose, counts) in all {
        text.sample(name, &[(label, whose)], of(counts) as f64);
    }
}

fn of_now(text: &mut MetricsText, now: &Now, (threads, working): (usize, usize)) {
    let name = "tollgate_files_waiting";
    text.family(name, FamilyType::Gauge, "Files that wait, and other tasks that do.");
    for (element, waiting) in &now.waiting {
        text.sample(name, &[("network_element", element)], *waiting as f64);
    }
    let name = "tollgate_threads";
    text.one(name, FamilyType::Gauge, "Threads that process files.", threads as f64);
    let name = "tollgate_threads_working";
    text.one(name, FamilyType::Gauge, "Threads that process a file now.", working as f64);
    if let Some(looked) = now.looked() {
        let help = "How long ago somebody last looked into the folders.";
        text.one("tollgate_looked_seconds", FamilyType::Gauge, help, looked.as_secs_f64());
    }
    let name = "tollgate_known_keys";
    text.family(name, FamilyType::Gauge, "Keys that a duplicate check knows.");
    for (node, keys) in &now.keys {
        text.sample(name, &[("node", node)], *keys as f64);
    }
    let name = "tollgate_disk_free_bytes";
    text.family(
        name,
        FamilyType::Gauge,
        "What is free on the disk of a folder that is written to.",
    );
    for free in now.folders.iter().filter_map(|folder| DiskFree::of(folder)) {
        let folder = free.folder.display().to_string();
        text.sample(name, &[("folder", &folder)], free.octets as f64);
    }
}

fn of_commits(text: &mut MetricsText, served: &Served) {
    let Some(commits) = served.meters.commits() else { return };
    let name = "tollgate_journal_commit_seconds";
    text.family(name, FamilyType::Histogram, "How long transactions of the journal took.");
    let (counts, mut sum) = (commits.counts(), 0);
    let bounds = flow::meters::COMMIT_SECONDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    for (bound, count) in bounds.zip(counts) {
        sum += count;
        text.sample(&format!("{name}_bucket"), &[("le", &bound)], sum as f64);
    }
    text.sample(&format!("{name}_sum"), &[], commits.seconds());
    text.sample(&format!("{name}_count"), &[], sum as f64);
}

fn of_standing(text: &mut MetricsText, standing: &Standing) {
    let Standing { suspense, held_groups, deliveries } = standing;
    let name = "tollgate_suspense_records";
    text.family(name, FamilyType::Gauge, "Records in suspense that are open.");
    for why in ["suspended", "duplicate"] {
        text.sample(name, &[("why", why)], suspense.get(why).copied().unwrap_or(0) as f64);
    }
    let name = "tollgate_held_groups";
    text.family(name, FamilyType::Gauge, "Groups of records that wait for others.");
    for (node, count) in held_groups {
        text.sample(name, &[("node", node)], *count as f64);
    }
    let name = "tollgate_deliveries_waiting";
    text.family(
        name,
        FamilyType::Gauge,
        "Files that are not with their receiver yet, or were given up.",
    );
    for (system, count) in deliveries {
        text.sample(name, &[("post_processing_system", system)], *count as f64);
    }
}

fn of_alarms(text: &mut MetricsText, alarms: &[Alarm]) {
    let name = "tollgate_alarms";
    text.family(name, FamilyType::Gauge, "Alarms that are raised, by how severe they are.");
    for (word, severity) in Severity::ALL {
        for (word_of_state, is_acknowledged) in [("true", true), ("false", false)] {
            let counted = alarms.iter().filter(|alarm| {
                alarm.severity == severity && alarm.acknowledged.is_some() == is_acknowledged
            });
            let labels = [("severity", word), ("acknowledged", word_of_state)];
            if severity != Severity::Cleared {
                text.sample(name, &labels, counted.count() as f64);
            }
        }
    }
    let name = "tollgate_alarms_of_kind";
    text.family(name, FamilyType::Gauge, "Alarms that are raised, by their kind.");
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    alarms.iter().for_each(|alarm| *kinds.entry(&alarm.kind).or_default() += 1);
    for (kind, count) in kinds {
        text.sample(name, &[("kind", kind)], count as f64);
    }
}

fn of_process(text: &mut MetricsText) {
    let Process { resident_octets, threads, open_files } = Process::own();
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Memory of the gateway's process.", resident_octets),
        ("process_threads", "Threads of the gateway's process.", threads),
        ("process_open_fds", "Files that the gateway's process has open.", open_files),
    ] {
        if let Some(value) = value {
            text.one(name, FamilyType::Gauge, help, value as f64);
        }
    }
}
