//! The tables of charging analysis: tariff classes, and the lines that lead to them.

use std::collections::HashSet;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use super::cells::{ANY, Folder, Sheet};
use super::settings::Settings;
use crate::digits::Found;
use crate::plan::{Analysis, Axis, Crossing, Names, Unit};
use ::cells::{Cell, Table};

/// Maximum cells of the table of charging analysis: 8 MiB.
const CELLS_MAX: usize = 1 << 22;

/// The text for the absence of a value.
const ABSENT: &str = "-";

const CROSSINGS: [(&str, Crossing); 2] = [("split", Crossing::Split), ("start", Crossing::Start)];

/// The line of a class.
pub(super) struct ClassLine {
    pub(super) unit: Unit,
    pub(super) crossing: Crossing,
    /// The name of its tax, and the place of that name.
    pub(super) tax: Option<(String, Span)>,
    pub(super) span: Span,
}

/// Reads the classes, by their numbers.
pub(super) fn classes(
    folder: &mut Folder,
    mistakes: &mut Vec<Diagnostic>,
) -> (Option<Arc<Source>>, Names, Vec<ClassLine>) {
    let (mut names, mut lines) = (Names::default(), Vec::new());
    let Some(source) = folder.require("classes.csv", mistakes) else { return (None, names, lines) };
    if let Some(mut table) = Table::open(&source, ["class", "unit", "crossing?", "tax?"], mistakes)
    {
        while let Some(row) = table.next(mistakes) {
            let mut sheet = Sheet { source: &source, mistakes };
            let [class, unit, crossing, tax] = &row.cells;
            let unit = sheet.choice(unit, "unit", &Unit::NAMES);
            let crossing = match crossing.text.is_empty() {
                true => Some(Crossing::Split),
                false => sheet.choice(crossing, "way to cross bands", &CROSSINGS),
            };
            let Some(name) = sheet.name(class, "class") else { continue };
            if names.find(name).is_some() {
                sheet.error(class, format!("\"{name}\" stands there twice"));
                continue;
            }
            names.add(name);
            lines.push(ClassLine {
                unit: unit.unwrap_or(Unit::Seconds),
                crossing: crossing.unwrap_or(Crossing::Split),
                tax: (!tax.text.is_empty()).then(|| (tax.text.to_string(), tax.span)),
                span: class.span,
            });
        }
    }
    (Some(source), names, lines)
}

/// The zones of a plan. Those of numbers come first, then those of partners only.
pub(super) struct Zones {
    pub(super) names: Names,
    pub(super) of_numbers: usize,
}

/// A line of charging analysis.
struct AnalysisLine {
    values: [Value; 4],
    found: Found,
    span: Span,
}

/// The condition of a line on one value.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Any,
    Absent,
    Is(u16),
}

impl AnalysisLine {
    /// Returns how many values the line has conditions on. Lines with more conditions go first.
    fn asks(&self) -> usize {
        self.values.iter().filter(|value| **value != Value::Any).count()
    }
}

/// Reads `analysis.csv`.
pub(super) fn analysis(
    folder: &mut Folder,
    settings: &Settings,
    zones: &Zones,
    classes: &Names,
    mistakes: &mut Vec<Diagnostic>,
) -> Analysis {
    let Some(source) = folder.require("analysis.csv", mistakes) else { return Analysis::default() };
    let mut lines = Vec::new();
    let columns = ["service?", "subscriber?", "from?", "to?", "class"];
    if let Some(mut table) = Table::open(&source, columns, mistakes) {
        while let Some(row) = table.next(mistakes) {
            let mut sheet = Sheet { source: &source, mistakes };
            let [service, subscriber, from, to, class] = &row.cells;
            let values = [
                value(&mut sheet, service, "service", &settings.services),
                value(&mut sheet, subscriber, "subscriber type", &settings.subscribers),
                value(&mut sheet, from, "zone", &zones.names),
                value(&mut sheet, to, "zone", &zones.names),
            ];
            let class_id = sheet.known(class, "class", classes);
            if let ([Some(a), Some(b), Some(c), Some(d)], Some(id)) = (values, class_id) {
                let found = Found { id, line: row.line };
                let span = row.cells[0].span.to(class.span);
                lines.push(AnalysisLine { values: [a, b, c, d], found, span });
            }
        }
    }
    if diagnostics::has_errors(mistakes) {
        return Analysis::default();
    }
    let counts =
        [settings.services.len(), settings.subscribers.len(), zones.names.len(), zones.names.len()];
    let made = table(&source, &lines, counts, mistakes);
    warn_of_unused(&source, &made, settings, zones, classes, mistakes);
    made
}

fn value(sheet: &mut Sheet<'_>, cell: &Cell<'_>, what: &str, names: &Names) -> Option<Value> {
    match &*cell.text {
        "" | ANY => Some(Value::Any),
        ABSENT => Some(Value::Absent),
        _ => sheet.known(cell, what, names).map(Value::Is),
    }
}

/// Creates the axis of the values that lines name.
fn axis(lines: &[AnalysisLine], place: usize, names: usize) -> Axis {
    let mut axis = Axis { places: vec![Axis::OTHER; names], count: 0 };
    for line in lines {
        match line.values[place] {
            Value::Any => {}
            Value::Absent => axis.count = axis.count.max(2),
            Value::Is(id) => {
                axis.count = axis.count.max(2);
                let value = &mut axis.places[usize::from(id)];
                if *value == Axis::OTHER {
                    *value = axis.count as u16;
                    axis.count += 1;
                }
            }
        }
    }
    axis
}

/// Fills the cells, lines with more conditions first. Lines with equally many conditions must not overlap.
fn table(
    source: &Arc<Source>,
    lines: &[AnalysisLine],
    names: [usize; 4],
    mistakes: &mut Vec<Diagnostic>,
) -> Analysis {
    let [service, subscriber, origin, destination] =
        std::array::from_fn(|place| axis(lines, place, names[place]));
    let mut made = Analysis {
        service,
        subscriber,
        origin,
        destination,
        cells: Vec::new(),
        rows: lines.iter().map(|line| line.found).collect(),
    };
    let axes = [&made.service, &made.subscriber, &made.origin, &made.destination];
    let sizes = axes.map(|axis| axis.count.max(1));
    let count = sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
    let Some(count) =
        count.filter(|count| *count <= CELLS_MAX && lines.len() < usize::from(u16::MAX))
    else {
        let [a, b, c, d] = sizes;
        let message = format!(
            "{a} services, {b} subscriber types, {c} and {d} zones are more than {CELLS_MAX} cases"
        );
        let hint = "name fewer zones in lines, or put zones that are charged alike together";
        mistakes.push(Diagnostic::error(source, Span::default(), message).hint(hint));
        return made;
    };
    let mut cells = vec![0_u16; count];
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|line| std::cmp::Reverse(lines[*line].asks()));
    let mut reported = HashSet::new();
    for &line in &order {
        let places = [0, 1, 2, 3].map(|n| match lines[line].values[n] {
            Value::Any => 0..sizes[n],
            Value::Absent => 0..1,
            Value::Is(id) => {
                let place = usize::from(axes[n].places[usize::from(id)]);
                place..place + 1
            }
        });
        let [services, subscribers, origins, destinations] = places;
        for outer in services.flat_map(|s| subscribers.clone().map(move |u| s * sizes[1] + u)) {
            for middle in origins.clone().map(|o| outer * sizes[2] + o) {
                for cell in destinations.clone().map(|d| middle * sizes[3] + d) {
                    match cells[cell].checked_sub(1).map(usize::from) {
                        None => cells[cell] = line as u16 + 1,
                        Some(other) if lines[other].asks() == lines[line].asks() => {
                            if reported.insert((line, other)) {
                                let first = lines[other].found.line;
                                let message =
                                    format!("an overlap: usages are for line {first} as well");
                                let hint = "make one of them ask for more, or add a line for what both ask for";
                                mistakes.push(
                                    Diagnostic::error(source, lines[line].span, message).hint(hint),
                                );
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
        }
    }
    made.cells = cells;
    made
}

/// Warns of values that lead to no class, and of classes that no line leads to.
fn warn_of_unused(
    source: &Arc<Source>,
    made: &Analysis,
    settings: &Settings,
    zones: &Zones,
    classes: &Names,
    mistakes: &mut Vec<Diagnostic>,
) {
    let used: HashSet<u16> = made.rows.iter().map(|row| row.id).collect();
    let unused = classes.iter().enumerate().filter(|(id, _)| !used.contains(&(*id as u16)));
    for (_, name) in unused {
        let message = format!("no line leads to class \"{name}\"");
        mistakes.push(Diagnostic::warning(source, Span::default(), message));
    }
    for (axis, what, names) in
        [(0, "service", &settings.services), (1, "subscriber type", &settings.subscribers)]
    {
        let reached = made.reached(|places| places[axis]);
        for (id, name) in names.iter().enumerate() {
            let place = [&made.service, &made.subscriber][axis].place(Some(id as u16));
            if reached.len() > 1 && !reached.get(place).is_some_and(|reached| *reached) {
                let message = format!("no line has a class for {what} \"{name}\"");
                mistakes.push(Diagnostic::warning(source, Span::default(), message));
            }
        }
    }
    warn_of_zones(source, made, zones, mistakes);
}

/// Warns of zones that have no class from an origin from which other zones have one.
fn warn_of_zones(
    source: &Arc<Source>,
    made: &Analysis,
    zones: &Zones,
    mistakes: &mut Vec<Diagnostic>,
) {
    if !made.destination.matters() {
        return;
    }
    let count = made.destination.count;
    let reached = made.reached(|[_, _, origin, destination]| origin * count + destination);
    let origin_name = |origin: usize| {
        let named = |place: &u16| usize::from(*place) == origin && *place > Axis::OTHER;
        made.origin.places.iter().position(named).map(|id| zones.names.get(id as u16))
    };
    for (origin, reached) in reached.chunks(count).enumerate() {
        let ids = 0..zones.of_numbers as u16;
        let is_reached = |id: &u16| {
            let place = made.destination.place(Some(*id));
            reached.get(place).is_some_and(|reached| *reached)
        };
        let (with, without): (Vec<u16>, Vec<u16>) = ids.partition(is_reached);
        for id in without.iter().filter(|_| !with.is_empty()) {
            let from =
                origin_name(origin).map_or(String::new(), |name| format!(" from \"{name}\""));
            let message = format!("no line has a class{from} to zone \"{}\"", zones.names.get(*id));
            mistakes.push(Diagnostic::warning(source, Span::default(), message));
        }
    }
}

impl Analysis {
    /// Returns for each key whether any usage with a class has it.
    fn reached(&self, key: impl Fn([usize; 4]) -> usize) -> Vec<bool> {
        let axes = [&self.service, &self.subscriber, &self.origin, &self.destination];
        let sizes = axes.map(|axis| axis.count.max(1));
        let mut reached = Vec::new();
        for (cell, row) in self.cells.iter().enumerate() {
            let (mut places, mut rest) = ([0; 4], cell);
            for axis in (0..4).rev() {
                (places[axis], rest) = (rest % sizes[axis], rest / sizes[axis]);
            }
            let at = key(places);
            if reached.len() <= at {
                reached.resize(at + 1, false);
            }
            reached[at] |= *row > 0;
        }
        reached
    }
}
