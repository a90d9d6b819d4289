//! Writes records as their receiver gets them, followed by JSON, so that a comparison can name the fields that differ.

use format::WriteError;
use format::coding::{Codecs, Output, Writer};
use record::{Memory, Opened, Record, TypeId};
use settings::{Setting, Settings};

/// An output that writes each record twice.
pub(super) struct Both {
    output: Box<dyn Output>,
    /// None if records of the type cannot be shown as JSON.
    json: Option<Box<dyn Output>>,
}

impl Both {
    pub(super) fn new(
        output: Box<dyn Output>,
        encode: &Settings,
        ty: TypeId,
        codecs: &dyn Codecs,
    ) -> Self {
        let mut settings = encode.clone();
        settings.values.retain(|set| set.key == "type");
        let codec = Setting { key: "codec".into(), value: "json".into(), span: settings.span };
        settings.values.push(codec);
        Both { output, json: codecs.output(&settings, ty).ok() }
    }
}

/// A record in both forms.
pub struct RecordForms<'m> {
    /// The record as its receiver gets it.
    pub octets: &'m [u8],
    /// The record as JSON; empty if it cannot be shown as JSON.
    pub json: &'m [u8],
}

impl<'m> RecordForms<'m> {
    /// Splits the octets that `Both` wrote for a record. Returns `None` if they are too short.
    pub fn of(written: &'m [u8]) -> Option<Self> {
        let (length, rest) = written.split_first_chunk::<4>()?;
        let (octets, json) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(RecordForms { octets, json })
    }
}

impl Output for Both {
    fn extension(&self) -> &str {
        self.output.extension()
    }

    fn opened(&self) -> Opened {
        Opened::All
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        let json = self.json.as_ref().map(|json| json.writer());
        Box::new(BothWriters { writer: self.output.writer(), json })
    }
}

struct BothWriters<'o> {
    writer: Box<dyn Writer + 'o>,
    json: Option<Box<dyn Writer + 'o>>,
}

impl Writer for BothWriters<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.writer.begin(out);
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        self.writer.write(memory, record, out)?;
        let end = out.len();
        out[start..start + 4].copy_from_slice(&((end - start - 4) as u32).to_le_bytes());
        // A record that cannot be shown as JSON is still valid.
        if let Some(json) = &mut self.json
            && json.write(memory, record, out).is_err()
        {
            out.truncate(end);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.writer.end(out);
    }
}
