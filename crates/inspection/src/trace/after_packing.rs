//! Records in the files that receivers get: how far those files have come, and where in them a record is. Outputs may
//! be split or merged on their way to the receiver.

use std::path::PathBuf;

use store::{Connection, OptionalExtension as _, QueryResult, Row, params};

use super::cursor::Amount;
use super::report::{CarriedFile, Delivered, Place};
use distribution::report::DeliveryState;

/// The columns that [`carried`] reads: how far a file has come to its receiver.
const CARRIED: &str = "iif(discarded IS NULL, state, 'discarded'), name";

fn carried(row: &Row<'_>) -> QueryResult<CarriedFile> {
    let state = DeliveryState::of(&row.get::<_, String>(0)?);
    let is_there = matches!(state, DeliveryState::Delivered | DeliveryState::Unacknowledged);
    Ok(CarriedFile { state, name: row.get::<_, Option<String>>(1)?.filter(|_| is_there) })
}

/// Sets a record's place to that in its receiver's file. Of an output that still waits to be merged, the place in the
/// output stays.
pub(super) fn as_delivered(db: &Connection, job: i64, made: &mut Delivered) -> QueryResult<()> {
    let mut select = db.prepare_cached(&format!(
        "SELECT {CARRIED}, delivery.path, ?3 - first_record + records_before, ?4 - first_octet + octets_before
         FROM slice JOIN delivery ON delivery.id = slice.delivery
         WHERE slice.file = ?1 AND slice.post_processing_system = ?2
             AND ?3 > first_record AND ?3 <= first_record + slice.records",
    ))?;
    let Delivered { post_processing_system: system, record, offset, .. } = made;
    let parameters = params![job, *system, *record as i64, *offset as i64];
    let of_slice = |row: &Row<'_>| {
        let (file, record, offset): (String, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((carried(row)?, file, record, offset))
    };
    if let Some((carried, file, record, offset)) =
        select.query_row(parameters, of_slice).optional()?
    {
        made.carried = Some(carried);
        made.file = PathBuf::from(file);
        (made.record, made.offset) = (record as u64, offset as u64);
        return Ok(());
    }
    let mut select = db.prepare_cached(&format!(
        "SELECT {CARRIED} FROM delivery WHERE file = ? AND post_processing_system = ? ORDER BY id DESC LIMIT 1"
    ))?;
    made.carried =
        select.query_row(params![job, made.post_processing_system], carried).optional()?;
    Ok(())
}

/// An output, or some of its records in a receiver's file.
pub(super) struct MadeFile {
    /// The job that made it.
    pub(super) job: i64,
    pub(super) system: String,
    pub(super) path: String,
    slice: Option<Slice>,
}

/// Some records, and how much comes before them: in the receiver's file, and in the output that has them.
#[derive(Clone, Copy)]
struct Slice {
    records: u64,
    records_before: u64,
    first_record: u64,
    octets: u64,
    octets_before: u64,
    first_octet: u64,
}

impl MadeFile {
    /// Returns all files of a name: outputs, and files that were put together for receivers. A receiver may know a file
    /// by another name, as that of a compressed file.
    pub(super) fn named(db: &Connection, name: &str) -> QueryResult<Vec<Self>> {
        const IS_IT: &str = "(path = ?1 OR substr(path, -length(?1) - 1) = '/' || ?1)";
        let mut outputs = db.prepare(&format!(
            "SELECT file, post_processing_system, path FROM output
             WHERE post_processing_system IS NOT NULL
                 AND ({IS_IT} OR path IN (SELECT path FROM delivery WHERE name = ?1)) ORDER BY file"
        ))?;
        let output = |row: &Row<'_>| {
            let (job, system, path) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(MadeFile { job, system, path, slice: None })
        };
        let mut slices = db.prepare(&format!(
            "SELECT slice.file, slice.post_processing_system, given.path, slice.records, records_before, first_record,
                 slice.octets, octets_before, first_octet
             FROM (SELECT id, path FROM delivery WHERE {IS_IT} OR name = ?1) AS given JOIN slice ON slice.delivery = given.id
             ORDER BY slice.id"
        ))?;
        let slice = |row: &Row<'_>| {
            let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
            let slice = Slice {
                records: count(3)?,
                records_before: count(4)?,
                first_record: count(5)?,
                octets: count(6)?,
                octets_before: count(7)?,
                first_octet: count(8)?,
            };
            let (job, system, path) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(MadeFile { job, system, path, slice: Some(slice) })
        };
        let slices: Vec<Self> = slices.query_map([name], slice)?.collect::<QueryResult<_>>()?;
        match slices.is_empty() {
            true => outputs.query_map([name], output)?.collect(),
            false => Ok(slices),
        }
    }

    /// Returns where a record of the file is in the output that has it; `None` if another slice has it.
    pub(super) fn place(&self, place: Place) -> Option<Place> {
        let Some(slice) = self.slice else { return Some(place) };
        let within =
            |at: u64, before: u64, count: u64| at.checked_sub(before).filter(|at| *at < count);
        match place {
            Place::Record(record) => {
                let at = within(record.checked_sub(1)?, slice.records_before, slice.records)?;
                Some(Place::Record(at + slice.first_record + 1))
            }
            Place::Offset(offset) => {
                let at = within(offset, slice.octets_before, slice.octets)?;
                Some(Place::Offset(at + slice.first_octet))
            }
        }
    }

    /// Returns how much there is up to the end of the slice.
    pub(super) fn has(&self, place: Place) -> Option<Amount> {
        let slice = self.slice?;
        Some(match place {
            Place::Record(_) => Amount::Records(slice.records_before + slice.records),
            Place::Offset(_) => Amount::Octets(slice.octets_before + slice.octets),
        })
    }
}
