//! Records that timers emitted and that other nodes or systems rejected. They go to suspense. Those
//! of a timer stay together like those of a group, under the number of the timer. A retry passes
//! them to the consumers of the stream on which they were emitted.

use format::coding::{Codecs, Input, Keeping};
use journal::JobId;
use node::{Aside, StateError};
use record::{Memory, Record};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult};

use super::due::TimerId;
use crate::groups::NoEntrance;
use crate::groups::layout::gone;
use flow::graph::{Graph, GraphNode};
use flow::topology::Topology;
use suspense::Waited;
use suspense::of_group::{AsideWriter, GroupAside, GroupRecord};

/// By node and output stream, the format in which suspense stores records that timers emit, if
/// there is one. A node without timers has no streams here.
pub type EmittedFormats = Vec<Vec<Option<Box<dyn Keeping>>>>;

/// Returns the formats of records that the timers of a flow emit.
pub fn emitted_formats(graph: &Graph, codecs: &dyn Codecs) -> EmittedFormats {
    let of_node = |node: &GraphNode| {
        let streams = node.template.outputs().iter().filter(|_| node.template.has_timers());
        let types = streams.map(|stream| stream.ty.or(node.template.input()));
        types.map(|ty| ty.and_then(|ty| codecs.keeping(ty))).collect()
    };
    graph.nodes.iter().map(of_node).collect()
}

/// The emitted records of a job that are set aside.
pub struct EmittedAside<'a> {
    /// The node with the timers.
    pub node: &'a GraphNode,
    /// The node or system that rejected them, and why.
    pub aside: &'a Aside,
    /// The rows, to which new ones are appended.
    pub rows: &'a mut Vec<EmittedRow>,
}

/// A record that a timer emitted and that is set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmittedRow {
    timer: TimerId,
    /// The node and the stream, as the flow file names them.
    from: String,
    layout: String,
    aside: Aside,
    octets: Vec<u8>,
}

/// There is no format for records of this type.
#[derive(Debug, thiserror::Error)]
#[error("records that timers of \"{from}\" emit cannot be set aside")]
struct NotEncodable {
    from: String,
}

impl EmittedAside<'_> {
    /// Sets aside a record that a timer emitted on an output stream.
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be encoded.
    pub fn put(
        &mut self,
        (timer, stream): (TimerId, usize),
        keeping: Option<&dyn Keeping>,
        memory: &Memory<'_>,
        record: Record,
    ) -> Result<(), StateError> {
        let from = name(self.node, stream);
        let Some(keeping) = keeping else { return Err(StateError::octets(NotEncodable { from })) };
        let mut octets = Vec::new();
        keeping.codec().write(memory, record, &mut octets)?;
        let (layout, aside) = (keeping.layout(), self.aside.clone());
        self.rows.push(EmittedRow { timer, from, layout, aside, octets });
        Ok(())
    }
}

/// Writes the records of a job that are set aside, after the row of the job.
pub fn note(db: &Connection, JobId(job): JobId, rows: &[EmittedRow]) -> QueryResult<()> {
    for (EmittedRow { timer, from, layout, aside, octets }, record) in rows.iter().zip(1..) {
        db.prepare_cached("INSERT OR IGNORE INTO kept_layout (layout) VALUES (?)")?
            .execute([layout])?;
        let select = "SELECT id FROM kept_layout WHERE layout = ?";
        let layout = db.prepare_cached(select)?.query_row([layout], |row| row.get(0))?;
        let Aside { node, reason } = aside;
        let of = GroupAside { group: *timer, waited_in: from, node, reason };
        let row = GroupRecord { file: job, record, offset: 0, octets };
        AsideWriter::new(db, of, Some(layout))?.put(row)?;
    }
    Ok(())
}

/// Returns the node and the output stream on which a record was emitted. `None` if no timer emitted
/// it, or if the flow no longer has this node with timers.
pub fn stream(flow: &Topology, waited: &Waited) -> Option<(usize, usize)> {
    let nodes = flow.graph.nodes.iter().enumerate();
    let mut nodes = nodes.filter(|(_, node)| node.template.has_timers());
    nodes.find_map(|(index, node)| {
        let mut streams = 0..node.streams.len();
        streams.find(|stream| name(node, *stream) == waited.node).map(|stream| (index, stream))
    })
}

/// Returns the reader for records that were emitted on a stream, or why they cannot be read.
pub fn input<'p>(
    formats: &'p EmittedFormats,
    (node, stream): (usize, usize),
    Waited { node: from, layout }: &Waited,
    db: &Connection,
) -> QueryResult<Result<&'p dyn Input, NoEntrance>> {
    let Some(keeping) = formats[node][stream].as_deref() else {
        return Ok(Err(NoEntrance::NoNode { node: from.clone() }));
    };
    let select = "SELECT ifnull(max(layout), '') FROM kept_layout WHERE id = ?";
    let known: String = db.query_row(select, [layout], |row| row.get(0))?;
    Ok(match gone(&known, &keeping.layout()) {
        Some(gone) => Err(NoEntrance::TypeChanged { node: from.clone(), gone: gone.to_owned() }),
        None => Ok(keeping.input()),
    })
}

fn name(node: &GraphNode, stream: usize) -> String {
    format!("{}.{}", node.name, node.template.outputs()[stream].name)
}
