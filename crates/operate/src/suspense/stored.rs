//! A record in suspense as the journal has it, and how the flow reads it as its files are now.

use ::suspense::{SELECT, Suspended, Waited};
use diagnostics::Diagnostic;
use format::EditError;
use format::coding::{Excerpt, Input};
use gateway::compile::prepare::prepare;
use gateway::plan::Plan;
use state::groups;
use state::groups::NoEntrance;
use state::timers::emitted;
use store::{Connection, OptionalExtension as _, QueryResult};

use crate::context::Context;
use crate::refusals;

refusals! {
    /// Why a record is not found.
    pub enum RecordUnknown {
        /// No record has this number.
        Unknown { /** The number. */ id: i64 } => Unknown "record-unknown"
            "there is no record {id} in suspense",
    }
}

/// Why a record is not shown as JSON.
#[derive(Debug, thiserror::Error)]
pub enum NotShown {
    /// The flow cannot be read.
    #[error("the flow has mistakes; the first is\n\n{first}")]
    Mistakes {
        /// The first mistake, as it is shown.
        first: String,
    },
    /// The network element that the record came from is not in the flow.
    #[error("the flow has no network element \"{0}\" any more")]
    NoElement(String),
    /// It waited in a node that cannot take it back.
    #[error(transparent)]
    NoEntrance(#[from] NoEntrance),
    /// Its octets are not one record.
    #[error(transparent)]
    Octets(#[from] EditError),
}

/// A record as the journal has it.
pub(super) struct Stored {
    pub(super) record: Suspended,
    /// The octets as they arrived, if the record was edited.
    pub(super) original: Option<Vec<u8>>,
    context: Vec<u8>,
    /// Where it waited, if it goes back there.
    waited: Option<Waited>,
}

impl Stored {
    /// Reads a record from the journal.
    pub(super) fn read(db: &Connection, id: i64) -> QueryResult<Option<Self>> {
        let record = db
            .prepare(&format!("{SELECT} WHERE suspense.id = ?"))?
            .query_row([id], Suspended::of)
            .optional()?;
        let Some(record) = record else { return Ok(None) };
        let besides = "SELECT came, context, waited_in, layout
             FROM set_aside AS suspense JOIN file ON file.id = suspense.file WHERE suspense.id = ?";
        db.query_row(besides, [id], |row| {
            let context = row.get::<_, Option<Vec<u8>>>(1)?.unwrap_or_default();
            let waited = Waited::of((row.get(2)?, row.get(3)?));
            Ok(Some(Stored { record, original: row.get(0)?, context, waited }))
        })
    }

    /// Returns octets as an excerpt of the file of the record.
    pub(super) fn piece<'k>(&'k self, octets: &'k [u8]) -> Excerpt<'k> {
        Excerpt { context: &self.context, octets }
    }

    /// Returns octets as JSON, if they are one record.
    pub(super) fn json(&self, input: &dyn Input, octets: &[u8]) -> Result<Vec<u8>, NotShown> {
        Ok(input.show(&self.piece(octets))?)
    }
}

/// How a record is read, or why it cannot be.
pub(super) type Reader<'f> = Result<&'f dyn Input, NotShown>;

/// The flow that reads records, or its mistakes.
pub(super) struct FlowReader(Result<Plan, Vec<Diagnostic>>);

impl FlowReader {
    pub(super) fn new(context: &Context<'_>) -> Self {
        FlowReader(prepare(context.flow, context.parts).sound())
    }

    /// Returns a record, and how it is read.
    pub(super) fn stored(
        &self,
        db: &Connection,
        id: i64,
    ) -> QueryResult<Option<(Stored, Reader<'_>)>> {
        let Some(stored) = Stored::read(db, id)? else { return Ok(None) };
        let reader = self.reader(&stored, db)?;
        Ok(Some((stored, reader)))
    }

    fn reader(&self, stored: &Stored, db: &Connection) -> QueryResult<Reader<'_>> {
        let flow = match &self.0 {
            Ok(flow) => flow,
            Err(mistakes) => {
                let first = mistakes.iter().find(|mistake| mistake.is_error());
                let first = first.map_or(String::new(), ToString::to_string);
                return Ok(Err(NotShown::Mistakes { first }));
            }
        };
        if let Some(waited) = &stored.waited {
            let entrance = match emitted::stream(&flow.topology, waited) {
                Some(of) => emitted::input(&flow.emitted_formats, of, waited, db)?,
                None => groups::input(&flow.topology, &flow.keepings, waited, db)?
                    .map(|(_, input)| input),
            };
            return Ok(entrance.map_err(NotShown::from));
        }
        let name = &stored.record.network_element;
        let element = flow.topology.elements.iter().find(|element| element.name == *name);
        Ok(element.map(|element| &*element.input).ok_or_else(|| NotShown::NoElement(name.clone())))
    }
}
