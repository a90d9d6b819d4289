//! Formats by ASN.1 modules: BER in and out, JSON lines (X.697) and CSV out.
//!
//! Records lie one after another in a file. Other codecs and framings are refused by the check.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, Tagging, jer};
use diagnostics::{Diagnostic, Source, did_you_mean};
use node::Settings;
use record::{Memory, Record, TypeId};

use crate::ber_file::BerFile;
use crate::coding::{Codecs, Formats, Input, Loaded, Output, Reader, Types, Writer};
use crate::csv::CsvOutput;
use crate::file::{FlowFile, Word};

/// The formats.
#[derive(Clone, Copy, Debug)]
pub struct Asn1Formats;

impl Formats for Asn1Formats {
    fn load(&self, file: &FlowFile, diagnostics: &mut Vec<Diagnostic>) -> Box<dyn Loaded> {
        let sources: Vec<Arc<Source>> =
            file.modules.iter().filter_map(|word| source(file, word, diagnostics)).collect();
        let (mut modules, found) = Modules::read(&sources);
        diagnostics.extend(found);
        set_tagging(file, &mut modules, diagnostics);
        Box::new(LoadedModules(modules))
    }
}

struct LoadedModules(Modules);

impl Loaded for LoadedModules {
    fn types(&self, file: &FlowFile, diagnostics: &mut Vec<Diagnostic>) -> Box<dyn Types + '_> {
        let mut resolver = Resolver::new(&self.0);
        let decodes = file.network_elements.iter().map(|element| &element.decode);
        let encodes = file.post_processing_systems.iter().map(|system| &system.encode);
        for settings in decodes.chain(encodes) {
            let Some(ty) = settings.get("type") else { continue };
            for mistake in resolver.resolve(&ty.value).err().into_iter().flatten() {
                // A name that no module has is a mistake of the flow file, not of a module.
                let of_flow = mistake.source.text == ty.value;
                let hint = mistake.hint.clone();
                let mistake = match of_flow {
                    true => settings.error(ty, mistake.message).hint_maybe(hint),
                    false => mistake,
                };
                if !diagnostics.contains(&mistake) {
                    diagnostics.push(mistake);
                }
            }
        }
        Box::new(resolver)
    }
}

fn source(file: &FlowFile, word: &Word, diagnostics: &mut Vec<Diagnostic>) -> Option<Arc<Source>> {
    let path = file.folder.join(&word.text);
    match std::fs::read(&path) {
        Ok(octets) => Some(Source::from_octets(path.display().to_string(), octets).0),
        Err(error) => {
            let message = format!("could not read \"{}\": {error}", path.display());
            diagnostics.push(Diagnostic::error(&file.source, word.span, message));
            None
        }
    }
}

fn set_tagging(file: &FlowFile, modules: &mut Modules, diagnostics: &mut Vec<Diagnostic>) {
    let Some(word) = &file.tagging else { return };
    let tagging = match word.text.as_str() {
        "explicit" => Tagging::Explicit,
        "implicit" => Tagging::Implicit,
        "automatic" => Tagging::Automatic,
        other => {
            let message = format!("\"{other}\" is no tagging");
            let known = ["explicit", "implicit", "automatic"];
            let hint = did_you_mean(other, known).unwrap_or(format!("known: {}", known.join(", ")));
            diagnostics.push(Diagnostic::error(&file.source, word.span, message).hint(hint));
            return;
        }
    };
    let names: Vec<String> = modules.names().map(str::to_owned).collect();
    for name in names {
        modules.set_default_tagging(&name, tagging);
    }
}

impl Types for Resolver<'_> {
    fn finish(self: Box<Self>) -> Box<dyn Codecs> {
        Box::new(Asn1Codecs(Arc::new(Plan::compile(Resolver::finish(*self)))))
    }
}

struct Asn1Codecs(Arc<Plan>);

impl Codecs for Asn1Codecs {
    fn input(&self, decode: &Settings, ty: TypeId) -> Result<Box<dyn Input>, Vec<Diagnostic>> {
        choose(decode, "codec", &["ber"])?;
        choose(decode, "framing", &["records"])?;
        refuse(decode, &["type", "codec", "framing"])?;
        Ok(Box::new(BerInput { plan: Arc::clone(&self.0), ty }))
    }

    fn output(&self, encode: &Settings, ty: TypeId) -> Result<Box<dyn Output>, Vec<Diagnostic>> {
        let codec = choose(encode, "codec", &["ber", "json", "csv"])?;
        let plan = Arc::clone(&self.0);
        if codec == 0 {
            choose(encode, "framing", &["records"])?;
            refuse(encode, &["type", "codec", "framing"])?;
            return Ok(Box::new(BerOutput { plan, ty }));
        }
        if codec == 2 {
            refuse(encode, &["type", "codec"])?;
            let name = plan.schema().get(ty).name.clone();
            let csv = CsvOutput::new(plan, ty).ok_or_else(|| {
                let message = format!("\"{name}\" has no components to make columns of");
                vec![Diagnostic::error(&encode.source, encode.span, message)]
            })?;
            return Ok(Box::new(csv));
        }
        refuse(encode, &["type", "codec", "tbcd-as-digits"])?;
        let digits = choose(encode, "tbcd-as-digits", &["false", "true"])?;
        Ok(Box::new(JsonOutput { plan, options: jer::Options { tbcd_as_digits: digits == 1 } }))
    }
}

/// The place of a setting's value among those known; the first if nothing is said.
fn choose(settings: &Settings, key: &str, known: &[&str]) -> Result<usize, Vec<Diagnostic>> {
    let Some(setting) = settings.get(key) else { return Ok(0) };
    known.iter().position(|known| *known == setting.value).ok_or_else(|| {
        let message = format!("the {key} \"{}\" is not known here", setting.value);
        let hint = did_you_mean(&setting.value, known.iter().copied())
            .unwrap_or(format!("known: {}", known.join(", ")));
        vec![settings.error(setting, message).hint(hint)]
    })
}

/// An option that would have no effect is a mistake.
fn refuse(settings: &Settings, known: &[&str]) -> Result<(), Vec<Diagnostic>> {
    let unknown = settings.values.iter().filter(|setting| !known.contains(&setting.key.as_str()));
    let mistakes: Vec<Diagnostic> = unknown
        .map(|setting| {
            settings.error(setting, format!("\"{}\" has no meaning for this codec", setting.key))
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

struct BerInput {
    plan: Arc<Plan>,
    ty: TypeId,
}

impl Input for BerInput {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader + '_>> {
        let decoder = Decoder::new(&self.plan, self.ty);
        Ok(Box::new(BerFile::new(decoder, File::open(path)?)))
    }
}

struct BerOutput {
    plan: Arc<Plan>,
    ty: TypeId,
}

impl Output for BerOutput {
    fn extension(&self) -> &str {
        "ber"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(BerWriter(Encoder::new(&self.plan, self.ty)))
    }
}

struct BerWriter<'p>(Encoder<'p>);

impl Writer for BerWriter<'_> {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        self.0.encode(memory, record, out).map_err(|error| error.to_string())
    }
}

struct JsonOutput {
    plan: Arc<Plan>,
    options: jer::Options,
}

impl Output for JsonOutput {
    fn extension(&self) -> &str {
        "json"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(JsonWriter { plan: &self.plan, options: self.options })
    }
}

struct JsonWriter<'p> {
    plan: &'p Plan,
    options: jer::Options,
}

impl Writer for JsonWriter<'_> {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        jer::write(self.plan, memory, record, self.options, out)
            .map_err(|error| error.to_string())?;
        out.push(b'\n');
        Ok(())
    }
}
