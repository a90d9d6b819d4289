//! The operator's ASN.1 modules, as a flow file names them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use asn1::{Modules, Plan, Resolver, Tagging};
use diagnostics::{Diagnostic, Once, Source, did_you_mean, plain};
use record::{Schema, Type, TypeFault, TypeId};
use settings::{Setting, Settings};

use crate::ber::ImplicitReading;
use crate::codecs::OperatorCodecs;
use crate::coding::{Codecs, Formats, Loaded, ModuleTable, Types};
use crate::measurements;

/// The types of the operator's ASN.1 modules, with all codecs of this crate.
#[derive(Clone, Copy, Debug)]
pub struct OperatorModules;

impl Formats for OperatorModules {
    fn load(&self, table: &ModuleTable, diagnostics: &mut Vec<Diagnostic>) -> Box<dyn Loaded> {
        let sources: Vec<Arc<Source>> =
            table.modules.iter().filter_map(|file| source(table, file, diagnostics)).collect();
        let (mut modules, found) = Modules::read(&sources);
        diagnostics.extend(found);
        set_tagging(table, &mut modules, diagnostics);
        let (with_own, table) = (OnceCell::new(), table.clone());
        Box::new(LoadedModules { modules, sources, table, with_own })
    }
}

fn source(
    table: &ModuleTable,
    file: &Setting,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Arc<Source>> {
    let path = table.folder.join(&file.value);
    match plain::read(&path, plain::TEXT_OCTETS_MAX) {
        Ok(octets) => Source::forgiven(path.display().to_string(), octets)
            .map_err(|mistake| diagnostics.push(*mistake))
            .ok(),
        Err(error) => {
            let message = format!("could not read \"{}\": {error}", path.display());
            diagnostics.push(Diagnostic::error(&table.source, file.span, message));
            None
        }
    }
}

/// Sets the tagging of modules that do not give one, as the flow file says.
pub fn set_tagging(table: &ModuleTable, modules: &mut Modules, diagnostics: &mut Vec<Diagnostic>) {
    const KNOWN: [&str; 3] = ["explicit", "implicit", "automatic"];
    let names: Vec<String> = modules.names().map(str::to_owned).collect();
    for setting in &table.tagging {
        let mut wrong = |what: &str, found: &str, known: &[&str]| {
            let hint = did_you_mean(found, known.iter().copied());
            let hint = hint.unwrap_or_else(|| format!("known: {}", known.join(", ")));
            let message = format!("\"{found}\" is no {what}");
            diagnostics.push(Diagnostic::error(&table.source, setting.span, message).hint(hint));
        };
        let tagging = match setting.value.as_str() {
            "explicit" => Tagging::Explicit,
            "implicit" => Tagging::Implicit,
            "automatic" => Tagging::Automatic,
            other => {
                wrong("tagging", other, &KNOWN);
                continue;
            }
        };
        if setting.key == "tagging" {
            for name in &names {
                modules.set_default_tagging(name, tagging);
            }
        } else if !modules.set_default_tagging(&setting.key, tagging) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            wrong("module", &setting.key, &known);
        }
    }
}

struct LoadedModules {
    modules: Modules,
    sources: Vec<Arc<Source>>,
    table: ModuleTable,
    /// The same, and the module of a codec.
    with_own: OnceCell<Modules>,
}

impl LoadedModules {
    fn with(
        &self,
        own: Arc<Source>,
        once: &mut Once,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> &Modules {
        self.with_own.get_or_init(|| {
            let sources = [&self.sources[..], &[own]].concat();
            let (mut modules, mut found) = Modules::read(&sources);
            set_tagging(&self.table, &mut modules, &mut found);
            found.into_iter().for_each(|mistake| once.put(mistake, diagnostics));
            modules
        })
    }
}

impl Loaded for LoadedModules {
    fn types(
        &self,
        tables: &[&Settings],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Box<dyn Types + '_> {
        let mut once = Once::after(diagnostics);
        let modules = match measurements::own_module(tables.iter().copied()) {
            Some(own) => self.with(own, &mut once, diagnostics),
            None => &self.modules,
        };
        let mut resolver = Resolver::new(modules);
        for settings in tables {
            let Some(ty) = settings.get("type") else { continue };
            for mistake in resolver.resolve(&ty.value).err().into_iter().flatten() {
                // A name that is in no module is a mistake of the flow file, not of a module.
                let of_flow = mistake.source.text == ty.value;
                let hint = mistake.hint.clone();
                let mistake = match of_flow {
                    true => settings.error(ty, mistake.message).hint_maybe(hint),
                    false => mistake,
                };
                once.put(mistake, diagnostics);
            }
        }
        let mut implicit = HashMap::new();
        if resolver.assumed_tagging() {
            let names = tables.iter().filter_map(|settings| settings.get("type"));
            implicit.extend(names.filter_map(|name| {
                Some((name.value.clone(), ImplicitReading::of(modules, &name.value)?))
            }));
        }
        Box::new(OperatorTypes { resolver, implicit })
    }
}

/// The types of the modules, and their meaning with IMPLICIT TAGS for modules that do not give their tagging.
struct OperatorTypes<'m> {
    resolver: Resolver<'m>,
    implicit: HashMap<String, Arc<ImplicitReading>>,
}

impl record::Types for OperatorTypes<'_> {
    fn schema(&self) -> &Schema {
        self.resolver.schema()
    }

    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault> {
        self.resolver.find(name)
    }

    fn add(&mut self, ty: Type) -> TypeId {
        record::Types::add(&mut self.resolver, ty)
    }

    fn names(&self) -> Vec<String> {
        self.resolver.names()
    }
}

impl Types for OperatorTypes<'_> {
    fn finish(self: Box<Self>) -> Box<dyn Codecs> {
        let plan = Arc::new(Plan::compile(self.resolver.finish()));
        Box::new(OperatorCodecs { plan, implicit: self.implicit })
    }
}
