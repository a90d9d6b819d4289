//! Reads a plan: a folder with `tariff.toml` and tables beside it. It finds all mistakes, not only the first. A plan
//! with mistakes is not returned.

mod cells;
mod classes;
mod days;
mod numbers;
mod prices;
mod reductions;
mod settings;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use crate::plan::{Class, Names, Plan};
use crate::price::MEASURES_MAX;
use cells::Folder;
pub use cells::quantity;

/// The result of reading a plan.
#[derive(Debug)]
pub struct Read {
    /// The plan, if there are no errors.
    pub plan: Option<Plan>,
    /// Errors and warnings, file by file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Plan {
    /// Reads the plan of a folder.
    pub fn read(folder: &Path) -> Read {
        Read::of(Folder::new(folder))
    }

    /// Reads a plan from files in memory. Mistakes name this folder.
    pub fn of_files(folder: &Path, files: BTreeMap<String, Vec<u8>>) -> Read {
        Read::of(Folder::of_files(folder, files))
    }
}

impl Read {
    fn of(mut folder: Folder) -> Self {
        let mut diagnostics = Vec::new();
        let plan = read(&mut folder, &mut diagnostics);
        let plan = plan.filter(|_| !diagnostics::has_errors(&diagnostics));
        Read { plan, diagnostics }
    }
}

fn read(folder: &mut Folder, mistakes: &mut Vec<Diagnostic>) -> Option<Plan> {
    let source = folder.require(settings::NAME, mistakes)?;
    let plan = read_tables(folder, &source, mistakes);
    folder.refuse_strangers(mistakes);
    plan
}

fn read_tables(
    folder: &mut Folder,
    source: &Arc<Source>,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Plan> {
    let settings = settings::read(source, mistakes)?;
    folder.required.clone_from(&settings.tables);
    let mut zones = Names::default();
    let numbers =
        numbers::read(folder, &mut zones, &settings.subscribers, &settings.dialling, mistakes);
    let of_numbers = zones.len();
    let days = days::read(folder, (&settings, source), &mut zones, mistakes);
    let (class_source, class_names, lines) = classes::classes(folder, mistakes);
    let prices = prices::Prices::read(folder, &class_names, &lines, &days.bands, mistakes);
    let (bundles, bundles_of) =
        reductions::bundles(folder, &settings.subscribers, &class_names, &lines, mistakes);
    let discounts =
        reductions::Discounts::read(folder, &settings.subscribers, &class_names, mistakes);
    let (taxes, tax_of) = reductions::taxes(folder, &lines, class_source.as_ref(), mistakes);
    let zones = classes::Zones { names: zones, of_numbers };
    let analysis = classes::analysis(folder, &settings, &zones, &class_names, mistakes);
    let (prices, class_source) = (prices?, class_source?);
    let measures = prices
        .measures()
        .zip(discounts.measures())
        .map(|(of_prices, of_discounts)| of_prices * of_discounts)
        .filter(|measures| *measures <= MEASURES_MAX);
    let Some(measures) = measures else {
        mistakes.push(no_measure(source));
        return None;
    };
    let made = prices.make(&class_names, &lines, &days.bands, measures, &class_source, mistakes);
    let discounts = discounts.in_measures(measures);
    let of_lines = lines.iter().zip(made.of_classes).zip(tax_of);
    let classes: Vec<Class> = of_lines
        .map(|((line, versions), tax)| Class {
            unit: line.unit,
            crossing: line.crossing,
            tax,
            versions,
        })
        .collect();
    let of_lines = (lines.as_slice(), &class_source);
    reductions::warn_of_late_rates(
        &taxes,
        &classes,
        &made.versions,
        &class_names,
        of_lines,
        mistakes,
    );
    Some(Plan {
        name: settings.name,
        files: std::mem::take(&mut folder.files),
        currency: settings.currency,
        measures,
        rounding: settings.rounding,
        tax_included: settings.tax_included,
        national_prefix_behind_code: settings.dialling.national_prefix_behind_code(),
        dialling: settings.dialling,
        zones: zones.names,
        short: numbers.short,
        ported: numbers.ported,
        prefixes: numbers.prefixes,
        begin_so: numbers.begin_so,
        subscriber_types: settings.subscribers,
        subscribers: numbers.subscribers,
        default_subscriber: settings.default_subscriber,
        services: settings.services,
        partner_names: days.partner_names,
        partners: days.partners,
        calendar: days.calendar,
        day_kinds: settings.day_kinds,
        bands: days.bands,
        home: days.home,
        country: settings.country,
        zone: settings.zone,
        analysis,
        class_names,
        classes,
        versions: made.versions,
        groups: made.groups,
        limits: made.limits,
        steps: made.steps,
        bundles,
        bundles_of,
        discounts: discounts.discounts,
        discount_of: discounts.of,
        taxes,
    })
}

fn no_measure(source: &Arc<Source>) -> Diagnostic {
    let message = "prices of this plan cannot be added exactly: their units have no common measure that is large enough";
    let hint = "write prices per round numbers: per minute, hour, kB or MB";
    Diagnostic::error(source, Span::default(), message).hint(hint)
}
