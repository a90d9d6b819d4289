//! Records as lines of comma-separated values (RFC 4180): one column for each component of the record
//! that is not a structure, after a line with their names.
//!
//! Characters stand as they are, everything else as in JSON (X.697) without the quotes; an absent
//! component is an empty column.

use std::sync::Arc;

use asn1::{Plan, jer};
use record::{Flags, Kind, Memory, Record, TextKind, TypeId};

use crate::coding::{Output, Writer};

/// A CSV output.
pub(crate) struct CsvOutput {
    plan: Arc<Plan>,
    columns: Vec<Column>,
}

/// A component of the record.
struct Column {
    name: String,
    place: usize,
    ty: TypeId,
    /// Whether its octets are characters of UTF-8.
    is_text: bool,
}

impl CsvOutput {
    /// For records of a type; none if it has no components.
    pub(crate) fn new(plan: Arc<Plan>, ty: TypeId) -> Option<Self> {
        let schema = plan.schema();
        let (Kind::Sequence(fields) | Kind::Set(fields)) = schema.kind(ty) else { return None };
        let columns: Vec<Column> = fields
            .iter()
            .enumerate()
            .filter(|(_, field)| !schema.kind(field.ty).is_constructed())
            .map(|(place, field)| Column {
                name: field.name.clone(),
                place,
                ty: field.ty,
                is_text: is_text(schema.kind(field.ty)),
            })
            .collect();
        Some(CsvOutput { plan, columns })
    }
}

fn is_text(kind: &Kind) -> bool {
    use TextKind::{Ia5, Numeric, Printable, Utf8, Visible};
    matches!(kind, Kind::Text(Utf8 | Ia5 | Numeric | Printable | Visible) | Kind::Time(_))
}

impl Output for CsvOutput {
    fn extension(&self) -> &str {
        "csv"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(CsvWriter { output: self, value: Vec::new() })
    }
}

struct CsvWriter<'o> {
    output: &'o CsvOutput,
    /// One value, before it is known whether it needs quotes.
    value: Vec<u8>,
}

impl CsvWriter<'_> {
    fn read(&mut self, memory: &Memory<'_>, record: Record, column: &Column) -> Result<(), String> {
        self.value.clear();
        let found = memory.component(record.root, column.place);
        let Some(at) = found.filter(|at| memory.slot(*at).is_present()) else { return Ok(()) };
        if column.is_text && memory.slot(at).flags & Flags::SEGMENTED == 0 {
            let octets = memory.octets(at).map_err(|fault| fault.to_string())?;
            self.value.extend_from_slice(octets);
            return Ok(());
        }
        let value = Record { ty: column.ty, root: at };
        jer::write(&self.output.plan, memory, value, jer::Options::default(), &mut self.value)
            .map_err(|error| error.to_string())?;
        if let [b'"', .., b'"'] = self.value[..] {
            self.value.pop();
            self.value.remove(0);
        }
        Ok(())
    }
}

impl Writer for CsvWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        for (place, column) in self.output.columns.iter().enumerate() {
            separate(place, out);
            out.extend_from_slice(column.name.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        for (place, column) in self.output.columns.iter().enumerate() {
            self.read(memory, record, column)?;
            separate(place, out);
            put(&self.value, out);
        }
        out.extend_from_slice(b"\r\n");
        Ok(())
    }
}

fn separate(place: usize, out: &mut Vec<u8>) {
    if place > 0 {
        out.push(b',');
    }
}

/// Appends a value, in quotes where it has commas, quotes or line ends in it.
fn put(value: &[u8], out: &mut Vec<u8>) {
    if !value.iter().any(|octet| matches!(octet, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(value);
        return;
    }
    out.push(b'"');
    for octet in value {
        if *octet == b'"' {
            out.push(b'"');
        }
        out.push(*octet);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_value_with_commas_quotes_or_line_ends_is_quoted() {
        for (value, written) in
            [("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\"")]
        {
            let mut out = Vec::new();
            put(value.as_bytes(), &mut out);
            assert_eq!(out, written.as_bytes());
        }
    }
}
