//! Reads pieces that were set aside again, shows them as JSON, and writes them from JSON.

use std::io::{self, Cursor};

use asn1::{Plan, jer};
use record::{Arena, Memory, Record, Shape, TypeId};

use crate::coding::{Contents, Read, Reader};
use crate::error::{EditError, WriteError};
use crate::json::JsonError;

/// Octets in memory that are read like a file.
#[derive(Clone, Copy, Debug)]
pub struct InMemory<'o>(pub &'o [u8]);

impl Contents for InMemory<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn octets(&self) -> io::Result<Box<dyn io::Read>> {
        self.octets_from(0)
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn io::Read>> {
        let begin = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        Ok(Box::new(Cursor::new(self.0[begin..].to_vec())))
    }
}

/// Returns the only record as JSON. Fails if there is not exactly one.
pub(crate) fn to_json(
    plan: &Plan,
    options: jer::Options,
    mut reader: Box<dyn Reader + '_>,
) -> Result<Vec<u8>, EditError> {
    let (mut arena, mut json) = (Arena::new(), Vec::new());
    let first = reader.next(&mut arena)?.ok_or(EditError::Empty)?;
    let memory = Memory::new(first.octets, &mut arena);
    jer::write(plan, &memory, first.record?, options, &mut json).map_err(WriteError::from)?;
    arena.reset();
    match reader.next(&mut arena)? {
        None => Ok(json),
        Some(_) => Err(EditError::Several),
    }
}

/// Returns the possible contents of a record that is shown with these options.
pub(crate) fn shape(plan: &Plan, ty: TypeId, options: jer::Options) -> Shape {
    Shape::of(plan.schema(), ty, |name| jer::digits(name, options))
}

/// Applies an edited JSON text to the single record in `octets` and returns its new octets. `None` if there is not
/// exactly one record, or it has no JSON form to compare with.
pub(crate) fn corrected(
    plan: &Plan,
    ty: TypeId,
    options: jer::Options,
    mut reader: Box<dyn Reader + '_>,
    json: &[u8],
    write: impl FnOnce(&Memory<'_>, Record, &mut Vec<u8>) -> Result<(), WriteError>,
) -> Result<Option<Vec<u8>>, EditError> {
    let (mut arena, mut octets) = (Arena::new(), Vec::new());
    let Ok(Some(Read { octets: source, record: Ok(record), .. })) = reader.next(&mut arena) else {
        return Ok(None);
    };
    let mut memory = Memory::new(source, &mut arena);
    if record.ty != ty
        || !jer::correct(plan, &mut memory, record, options, json).map_err(JsonError::from)?
    {
        return Ok(None);
    }
    write(&memory, record, &mut octets)?;
    Ok(Some(octets))
}

/// Returns the octets of a record that is given as JSON.
pub(crate) fn from_json(
    plan: &Plan,
    ty: TypeId,
    options: jer::Options,
    json: &[u8],
    write: impl FnOnce(&Memory<'_>, Record, &mut Vec<u8>) -> Result<(), WriteError>,
) -> Result<Vec<u8>, EditError> {
    let (mut arena, mut octets) = (Arena::new(), Vec::new());
    let mut memory = Memory::new(&[], &mut arena);
    let record = jer::read_as(plan, &mut memory, ty, options, json).map_err(JsonError::from)?;
    write(&memory, record, &mut octets)?;
    Ok(octets)
}
