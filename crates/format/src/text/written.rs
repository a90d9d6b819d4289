//! Text output in an encoding other than UTF-8, for any codec.

use diagnostics::{Diagnostic, Encoding};
use record::{Memory, Opened, Record};
use settings::Settings;

use crate::coding::{Output, Writer};
use crate::error::WriteError;
use crate::text::shown;

/// An output that converts its text to an encoding.
pub(crate) struct InEncoding {
    output: Box<dyn Output>,
    encoding: Encoding,
    has_mark: bool,
}

impl InEncoding {
    /// Creates the output. Fails if the encoding cannot represent the text around the records.
    pub(crate) fn new(
        output: Box<dyn Output>,
        encoding: Encoding,
        has_mark: bool,
        encode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut around = Vec::new();
        let mut writer = output.writer();
        writer.begin(&mut around);
        writer.end(&mut around);
        drop(writer);
        put(encoding, &around, &mut Vec::new()).map_err(|lacking| {
            vec![Diagnostic::error(&encode.source, encode.span, lacking.to_string())]
        })?;
        Ok(InEncoding { output, encoding, has_mark })
    }
}

impl Output for InEncoding {
    fn extension(&self) -> &str {
        self.output.extension()
    }

    fn opened(&self) -> Opened {
        self.output.opened()
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(InEncodingWriter { output: self, writer: self.output.writer(), text: Vec::new() })
    }
}

struct InEncodingWriter<'o> {
    output: &'o InEncoding,
    writer: Box<dyn Writer + 'o>,
    /// The output so far, in UTF-8.
    text: Vec<u8>,
}

impl InEncodingWriter<'_> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        put(self.output.encoding, &self.text, out)
    }
}

/// Appends a text in an encoding.
pub(crate) fn put(encoding: Encoding, text: &[u8], out: &mut Vec<u8>) -> Result<(), WriteError> {
    if encoding == Encoding::UTF_8 {
        out.extend_from_slice(text);
        return Ok(());
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let rest = &text[error.valid_up_to()..];
        WriteError::NotUtf8(shown(rest).into())
    })?;
    Ok(encoding.encode(text, out)?)
}

impl Writer for InEncodingWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.output.has_mark {
            out.extend_from_slice(self.output.encoding.mark());
        }
        self.text.clear();
        self.writer.begin(&mut self.text);
        // Cannot fail: names of columns and elements were checked with the flow.
        let _ = self.encode(out);
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        self.text.clear();
        self.writer.write(memory, record, &mut self.text)?;
        self.encode(out)
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.text.clear();
        self.writer.end(&mut self.text);
        let _ = self.encode(out);
    }
}
