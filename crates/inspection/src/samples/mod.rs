//! Samples: some records as they come to a node, for users who change its script.
//!
//! ```text
//! the last files that came, or suspense ─▶ records as they came ─▶ walk: by the nodes before ─▶ as they come to the node
//! ```
//!
//! Taking samples changes nothing of a gateway, and none has to run. The work is bounded: a sample is what is found
//! soon.

mod walk;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use format::coding::Excerpt;
use node::Origin;
use record::{Arena, Memory};
use store::{OptionalExtension as _, Page, QueryResult, params};

use crate::records;
use crate::records::{RecordsError, RecordsOf};
use flow::flow_journal;
use flow::topology::Element;
use gateway::compile::prepare::Parts;
use gateway::plan::Plan;
use suspense::{self, State, Suspended};
use walk::Walk;

/// The most records that are read of a file. Where almost none come to the node, none may be found.
const READ_MAX: u64 = 10_000;

/// The most octets that are read of a file.
const READ_OCTETS_MAX: u64 = 32 << 20;

/// The most files per network element, newest first. Some may be gone.
const FILES_MAX: u32 = 3;

/// The most octets of a sample: a user does not look through a larger record.
const SAMPLE_OCTETS_MAX: usize = 64 << 10;

/// Where samples are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplesFrom {
    /// The files that came last.
    Stream,
    /// Records that the node refused, and that are in suspense.
    Suspense,
}

/// A request for samples.
#[derive(Clone, Debug)]
pub struct SamplesQuery {
    /// The node that they come to.
    pub node: String,
    /// Where the records are taken from.
    pub from: SamplesFrom,
    /// The most samples.
    pub limit: u32,
    /// Set when the client waits no longer: the samples found so far are enough.
    pub stop: Arc<AtomicBool>,
}

/// Records that come to a node.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The samples; of suspense, the newest first.
    pub samples: Vec<Sample>,
    /// Nodes in which records wait, or that keep counters of them. What leaves these nodes cannot be predicted.
    pub unknown_behind: Vec<String>,
}

/// A record as it comes to a node.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The network element that its file was collected from.
    pub network_element: String,
    /// Its file.
    pub file: String,
    /// Its number in the file, from 1; of a record that a node made, that of the source record.
    pub record: u64,
    /// Where in the file that record begins.
    pub offset: u64,
    /// Its number in suspense, if it was taken from there.
    pub suspended: Option<i64>,
    /// The record in BER, whatever the encoding of its file is.
    pub octets: Vec<u8>,
}

/// Takes samples of the records that come to a node, as the flow's files say now how they come there.
pub fn samples(
    flow: &Path,
    parts: Parts<'_>,
    query: &SamplesQuery,
) -> Result<Samples, RecordsError> {
    let plan = records::plan(flow, parts)?;
    let goal = plan.topology.graph.nodes.iter().position(|node| node.name == query.node);
    let goal = goal
        .ok_or_else(|| RecordsError::Unknown(format!("the flow has no node \"{}\"", query.node)))?;
    let node = &plan.topology.graph.nodes[goal];
    let keeping = node.template.input().and_then(|ty| plan.topology.codecs.keeping(ty));
    let keeping = keeping.ok_or_else(|| {
        RecordsError::Flow(format!("the node \"{}\" has records of no one type", query.node))
    })?;
    let mut taking = Taking {
        flow,
        plan: &plan,
        walk: Walk::new(&plan.topology, goal, keeping.codec()),
        arena: Arena::new(),
        samples: Vec::new(),
        limit: query.limit as usize,
        stop: &query.stop,
    };
    match query.from {
        SamplesFrom::Stream => taking.stream()?,
        SamplesFrom::Suspense => taking.suspense(&query.node)?,
    }
    let Taking { samples, walk, .. } = taking;
    Ok(Samples { samples, unknown_behind: walk.unknown_behind() })
}

struct Taking<'p> {
    flow: &'p Path,
    plan: &'p Plan,
    walk: Walk<'p>,
    arena: Arena,
    samples: Vec<Sample>,
    limit: usize,
    stop: &'p AtomicBool,
}

impl Taking<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes samples from the last files, as many of each network element.
    fn stream(&mut self) -> Result<(), RecordsError> {
        let elements = 0..self.plan.topology.elements.len();
        let elements: Vec<usize> = elements.filter(|place| self.walk.begins_at(*place)).collect();
        for (done, place) in elements.iter().enumerate() {
            let left = elements.len() - done;
            let enough = self.samples.len() + (self.limit - self.samples.len()).div_ceil(left);
            for job in self.last_files(&self.plan.topology.elements[*place])? {
                if self.samples.len() >= enough || self.is_stopped() {
                    break;
                }
                match self.file(*place, job, enough) {
                    // Other files may be readable.
                    Err(RecordsError::Gone(_) | RecordsError::Read { .. }) => {}
                    taken => taken?,
                }
            }
        }
        Ok(())
    }

    /// Returns the jobs of the last files of a network element, the newest first.
    fn last_files(&self, element: &Element) -> Result<Vec<i64>, RecordsError> {
        let found = flow_journal::read(self.flow, |db| {
            let mut select = db.prepare(
                "SELECT id FROM file WHERE network_element = ? AND duplicate_of IS NULL
                     AND retry_of IS NULL AND expired_in IS NULL ORDER BY id DESC LIMIT ?",
            )?;
            let jobs = select.query_map(params![element.name, FILES_MAX], |row| row.get(0))?;
            jobs.collect::<QueryResult<Vec<i64>>>()
        });
        Ok(found?)
    }

    fn file(&mut self, element: usize, job: i64, enough: usize) -> Result<(), RecordsError> {
        let placed = records::find(self.flow, self.plan, &RecordsOf::Collected(job))?;
        let failed = |cause: io::Error| RecordsError::Read { file: placed.file.clone(), cause };
        let mut reader = placed.input.open(&placed.octets).map_err(failed)?;
        let (mut number, mut octets) = (0, 0);
        while self.samples.len() < enough
            && number < READ_MAX
            && octets < READ_OCTETS_MAX
            && !self.is_stopped()
        {
            self.arena.reset();
            let Some(read) = reader.next(&mut self.arena).map_err(failed)? else { break };
            number += 1;
            octets += read.octets.len() as u64;
            let Ok(record) = read.record else { continue };
            let origin = Origin {
                network_element: &placed.node,
                file: &placed.file,
                record: number,
                offset: read.offset,
            };
            let mut memory = Memory::new(read.octets, &mut self.arena);
            let arrived = self.walk.lead(&mut memory, record, &origin, element);
            self.samples.extend(arrived.into_iter().filter_map(|octets| sample(&origin, octets)));
        }
        self.samples.truncate(enough);
        Ok(())
    }

    /// Takes the newest of the records that the node refused.
    fn suspense(&mut self, node: &str) -> Result<(), RecordsError> {
        let filter = suspense::Filter {
            node: Some(node.to_owned()),
            state: Some(State::Open),
            ..Default::default()
        };
        let newest = Page::newest(self.limit as u32);
        let (suspended, _) =
            flow_journal::read(self.flow, |db| suspense::page(db, &filter, newest))?;
        for record in &suspended {
            // A record that waited in a node is as that node had it, and a damaged one cannot be read.
            let element = self.plan.topology.elements.iter().position(|element| {
                record.waited_in.is_none() && element.name == record.network_element
            });
            if let (Some(element), true) = (element, record.is_sound) {
                self.suspended(element, record)?;
            }
        }
        self.samples.truncate(self.limit);
        Ok(())
    }

    fn suspended(&mut self, element: usize, found: &Suspended) -> Result<(), RecordsError> {
        let context = flow_journal::read(self.flow, |db| {
            let select =
                "SELECT context FROM set_aside AS suspense JOIN file ON file.id = suspense.file
                          WHERE suspense.id = ?";
            db.query_row(select, [found.id], |row| row.get::<_, Option<Vec<u8>>>(0)).optional()
        })?;
        let context = context.flatten().unwrap_or_default();
        let excerpt = Excerpt { context: &context, octets: &found.octets };
        let failed = |cause| RecordsError::Read { file: found.file.clone(), cause };
        let mut reader =
            self.plan.topology.elements[element].input.reopen(&excerpt).map_err(failed)?;
        let origin = Origin {
            network_element: &found.network_element,
            file: &found.file,
            record: found.record as u64,
            offset: found.offset as u64,
        };
        loop {
            self.arena.reset();
            let Some(read) = reader.next(&mut self.arena).map_err(failed)? else { return Ok(()) };
            let Ok(record) = read.record else { continue };
            let mut memory = Memory::new(read.octets, &mut self.arena);
            let arrived = self.walk.lead(&mut memory, record, &origin, element);
            let of = arrived.into_iter().filter_map(|octets| sample(&origin, octets));
            let suspended = Some(found.id);
            self.samples.extend(of.map(|sample| Sample { suspended, ..sample }));
        }
    }
}

fn sample(origin: &Origin<'_>, octets: Vec<u8>) -> Option<Sample> {
    (octets.len() <= SAMPLE_OCTETS_MAX).then(|| Sample {
        network_element: origin.network_element.to_owned(),
        file: origin.file.to_owned(),
        record: origin.record,
        offset: origin.offset,
        suspended: None,
        octets,
    })
}
