//! The scripts that are open in the editor, with their unsaved changes.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::Source;
use dup::analysis::Analysis;
use gen_lsp_types::TextDocumentContentChangeEvent as Change;

use super::positions::Encoding;

/// An open script.
pub(super) struct Document {
    pub(super) uri: String,
    /// Its file, which may not exist yet.
    pub(super) path: PathBuf,
    pub(super) version: i32,
    pub(super) source: Arc<Source>,
    /// The analysis, with the generation of the modules it was made with.
    pub(super) analysis: Option<(u64, Analysis)>,
    /// Whether its diagnostics were sent to the client.
    pub(super) published: bool,
}

impl Document {
    /// Opens a script with the path of its file.
    pub(super) fn new(uri: String, path: PathBuf, version: i32, text: &str) -> Self {
        let source = Source::new(path.display().to_string(), text);
        Document { uri, path, version, source, analysis: None, published: false }
    }

    /// Applies changes in order.
    pub(super) fn change(&mut self, version: i32, changes: Vec<Change>, encoding: Encoding) {
        for change in changes {
            let text = match change {
                Change::TextDocumentContentChangePartial(part) => {
                    let start = encoding.offset(&self.source, part.range.start) as usize;
                    let end = encoding.offset(&self.source, part.range.end) as usize;
                    let text = &self.source.text;
                    [&text[..start], &part.text, &text[end.max(start)..]].concat()
                }
                Change::TextDocumentContentChangeWholeDocument(whole) => whole.text,
            };
            self.source = Source::new(self.source.name.clone(), text);
        }
        self.version = version;
        self.forget();
    }

    /// Drops the analysis, because something it depends on may have changed.
    pub(super) fn forget(&mut self) {
        self.analysis = None;
        self.published = false;
    }
}
