//! The published modules of standards bodies and vendors, unchanged. They are not part of the repository; if their
//! folder is absent, these tests say so and pass.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Diagnostic, Source};
use record::{Arena, Kind, Memory, SlotIndex, TypeId};

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("TOLLGATE_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let found = data.is_dir().then_some(data);
    if found.is_none() {
        eprintln!("skipped: no real modules here; set TOLLGATE_DATA to their folder");
    }
    found
}

fn sources(folder: &Path) -> Vec<Arc<Source>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            Source::forgiven(name, std::fs::read(file).unwrap()).unwrap()
        })
        .collect()
}

#[test]
fn every_type_of_every_published_module_resolves() {
    let Some(data) = data() else { return };
    let mut wrong = Vec::new();
    for folder in std::fs::read_dir(data.join("asn1")).unwrap() {
        let (modules, diagnostics) = Modules::read(&sources(&folder.unwrap().path()));
        wrong.extend(diagnostics.into_iter().filter(Diagnostic::is_error));
        let mut resolver = Resolver::new(&modules);
        for name in modules.type_names() {
            wrong.extend(resolver.resolve(&name).err().into_iter().flatten());
        }
    }
    let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{} mistakes:\n{}", wrong.len(), texts.join("\n"));
}

/// Decodes a sample and compares it with the JSON of another implementation. Returns the difference.
fn difference(plan: &Plan, ty: TypeId, file: &Path) -> Option<String> {
    let octets = std::fs::read(file).unwrap();
    let mut arena = Arena::new();
    let record = match Decoder::new(plan, ty).decode(&octets, &mut arena) {
        Ok(record) => record,
        Err(error) => return Some(error.to_string()),
    };
    let memory = Memory::new(&octets, &mut arena);
    let mut text = Vec::new();
    if let Err(error) = jer::write(plan, &memory, record, jer::Options::default(), &mut text) {
        return Some(error.to_string());
    }
    let ours: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let theirs = std::fs::read(file.with_extension("jer")).unwrap();
    let theirs: serde_json::Value = serde_json::from_slice(&theirs).unwrap();
    (ours != theirs).then(|| format!("ours   {ours}\ntheirs {theirs}"))
}

/// Marks every structure as changed, so that the encoder must write every part of the record.
fn touch_all(plan: &Plan, memory: &mut Memory<'_>, ty: TypeId, at: SlotIndex) {
    let kind = plan.schema().kind(ty).clone();
    if !memory.slot(at).is_present() || !kind.is_constructed() {
        return;
    }
    memory.touch(at);
    let below: Vec<(TypeId, SlotIndex)> = match &kind {
        Kind::Choice(fields) => {
            memory.chosen(at).map(|(place, value)| (fields[place].ty, value)).into_iter().collect()
        }
        Kind::Sequence(fields) | Kind::Set(fields) => fields
            .iter()
            .enumerate()
            .filter_map(|(place, field)| Some((field.ty, memory.component(at, place)?)))
            .collect(),
        _ => (0..memory.count(at))
            .filter_map(|place| Some((kind.element()?, memory.element(at, place)?)))
            .collect(),
    };
    for (ty, slot) in below {
        touch_all(plan, memory, ty, slot);
    }
}

fn reencode(plan: &Plan, ty: TypeId, file: &Path, anew: bool) {
    let octets = std::fs::read(file).unwrap();
    let mut arena = Arena::new();
    let record = Decoder::new(plan, ty).decode(&octets, &mut arena).unwrap();
    let mut memory = Memory::new(&octets, &mut arena);
    if anew {
        touch_all(plan, &mut memory, ty, record.root);
    }
    let mut out = Vec::new();
    Encoder::new(plan, ty).encode(&memory, record, &mut out).unwrap();
    assert_eq!(out, octets, "{}", file.display());
}

/// Returns `Module.Type` from a sample's file name, `Module.Type-NNN.ber`.
fn type_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    stem.rsplit_once('-').unwrap().0.to_owned()
}

fn for_each_sample(mut check: impl FnMut(&Plan, TypeId, &Path)) {
    let Some(data) = data() else { return };
    for folder in std::fs::read_dir(data.join("cdr")).unwrap().map(|entry| entry.unwrap().path()) {
        let group = folder.file_name().unwrap();
        let (modules, _) = Modules::read(&sources(&data.join("asn1").join(group)));
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "ber"));
        files.sort();
        for file in files {
            let mut resolver = Resolver::new(&modules);
            let ty =
                resolver.resolve(&type_name(&file)).unwrap_or_else(|wrong| panic!("{wrong:?}"));
            check(&Plan::compile(resolver.finish()), ty, &file);
        }
    }
}

#[test]
fn every_sample_decodes_to_the_json_beside_it() {
    let mut wrong = Vec::new();
    for_each_sample(|plan, ty, file| {
        wrong.extend(
            difference(plan, ty, file).map(|found| format!("{}:\n{found}", file.display())),
        );
    });
    assert!(wrong.is_empty(), "{} samples differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_sample_is_encoded_to_the_octets_it_came_in() {
    for_each_sample(|plan, ty, file| reencode(plan, ty, file, false));
}

#[test]
fn every_sample_put_together_anew_has_the_octets_it_came_in() {
    for_each_sample(|plan, ty, file| reencode(plan, ty, file, true));
}

#[test]
fn every_sample_read_from_its_json_is_the_same_record() {
    for_each_sample(|plan, ty, file| {
        let text = std::fs::read(file.with_extension("jer")).unwrap();
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let record = jer::read(plan, &mut memory, ty, &text)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut octets = Vec::new();
        Encoder::new(plan, ty).encode(&memory, record, &mut octets).unwrap();
        assert_eq!(octets.len(), std::fs::read(file).unwrap().len(), "{}", file.display());
        let mut arena = Arena::new();
        let record = Decoder::new(plan, ty).decode(&octets, &mut arena).unwrap();
        let mut shown = Vec::new();
        let memory = Memory::new(&octets, &mut arena);
        jer::write(plan, &memory, record, jer::Options::default(), &mut shown).unwrap();
        let before: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let after: serde_json::Value = serde_json::from_slice(&shown).unwrap();
        assert_eq!(after, before, "{}", file.display());
    });
}
