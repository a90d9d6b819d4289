//! The same as records of a gateway: the slots of each record are made.

use std::path::PathBuf;

use diagnostics::{Source, Span};
use format::{Formats as _, InMemory, Input, ModuleTable, OperatorModules};
use record::{Arena, Opened};
use settings::{Setting, Settings};

use super::Case;

/// Returns how files are read, as a gateway reads them.
pub(super) fn input() -> Option<Box<dyn Input>> {
    let source = Source::new("flow.toml", "");
    let (key, value) = ("codec".into(), "measurements".into());
    let mut decode = Settings {
        name: "gnb".into(),
        span: Span::default(),
        source: source.clone(),
        folder: PathBuf::new(),
        values: vec![Setting { key, value, span: Span::default() }],
    };
    format::complete(&mut decode);
    let (folder, modules, tagging) = (PathBuf::new(), Vec::new(), Vec::new());
    let table = ModuleTable { source, folder, modules, tagging };
    let loaded = OperatorModules.load(&table, &mut Vec::new());
    let types = loaded.types(&[&decode], &mut Vec::new());
    let ty = types.schema().find(&decode.get("type")?.value)?;
    types.finish().input(&decode, ty, &Opened::All).ok()
}

/// Returns the number of records of a file.
pub(super) fn read(case: &Case) -> u64 {
    let Ok(mut reader) = case.input.open(&InMemory(case.text.as_bytes())) else { return 0 };
    let (mut arena, mut records) = (Arena::new(), 0);
    while let Ok(Some(read)) = reader.next(&mut arena) {
        records += u64::from(read.record.is_ok());
        arena.reset();
    }
    records
}
