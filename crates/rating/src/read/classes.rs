//! The tables of charging analysis: tariff classes, and the lines that lead to them.

use std::collections::HashSet;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use super::cells::{ANY, Folder, Sheet};
use super::settings::Settings;
use crate::digits::Found;
use crate::plan::{Analysis, Axis, Crossing, Names, Unit};
use crate::table::{Cell, Table};

/// Most cells of the table of charging analysis: 8 MB of them.
const CELLS_MAX: usize = 1 << 22;

/// What stands for the absence of a value.
const ABSENT: &str = "-";

const CROSSINGS: [(&str, Crossing); 2] = [("split", Crossing::Split), ("start", Crossing::Start)];

/// A class as its line says.
pub(super) struct ClassLine {
    pub(super) unit: Unit,
    pub(super) crossing: Crossing,
    /// The name of its tax, and where it stands.
    pub(super) tax: Option<(String, Span)>,
    pub(super) span: Span,
}

/// The classes, by their numbers.
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

/// A line of charging analysis.
struct AnalysisLine {
    values: [Value; 4],
    found: Found,
    span: Span,
}

/// What a line asks of one thing.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Any,
    Absent,
    Is(u16),
}

impl AnalysisLine {
    /// How many things it asks for: who asks for more goes first.
    fn asks(&self) -> usize {
        self.values.iter().filter(|value| **value != Value::Any).count()
    }
}

/// Reads `analysis.csv`.
pub(super) fn analysis(
    folder: &mut Folder,
    settings: &Settings,
    zones: &Names,
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
                value(&mut sheet, from, "zone", zones),
                value(&mut sheet, to, "zone", zones),
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
    let counts = [settings.services.len(), settings.subscribers.len(), zones.len(), zones.len()];
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

/// The axis of values that lines ask for.
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

/// Fills the cells, lines that ask for more first. Lines that ask for as much must not meet.
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
    let mut told = HashSet::new();
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
                            if told.insert((line, other)) {
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

/// Warns of what leads to no class, and of classes that nothing leads to.
fn warn_of_unused(
    source: &Arc<Source>,
    made: &Analysis,
    settings: &Settings,
    zones: &Names,
    classes: &Names,
    mistakes: &mut Vec<Diagnostic>,
) {
    let used: HashSet<u16> = made.rows.iter().map(|row| row.id).collect();
    let unused = classes.iter().enumerate().filter(|(id, _)| !used.contains(&(*id as u16)));
    for (_, name) in unused {
        let message = format!("no line leads to class \"{name}\"");
        mistakes.push(Diagnostic::warning(source, Span::default(), message));
    }
    let axes = [&made.service, &made.subscriber, &made.origin, &made.destination];
    let sizes = axes.map(|axis| axis.count.max(1));
    let mut reached = sizes.map(|size| vec![false; size]);
    for (mut cell, row) in made.cells.iter().enumerate() {
        for axis in (0..4).rev() {
            reached[axis][cell % sizes[axis]] |= *row > 0;
            cell /= sizes[axis];
        }
    }
    let mut warn = |what: &str, axis: usize, names: &Names, also: Option<usize>| {
        for (id, name) in names.iter().enumerate() {
            let leads = |axis: usize| {
                let place =
                    if axes[axis].matters() { axes[axis].place(Some(id as u16)) } else { 0 };
                reached[axis][place]
            };
            if !leads(axis) && !also.is_some_and(leads) {
                let message = format!("no line has a class for {what} \"{name}\"");
                mistakes.push(Diagnostic::warning(source, Span::default(), message));
            }
        }
    };
    warn("service", 0, &settings.services, None);
    warn("subscriber type", 1, &settings.subscribers, None);
    warn("zone", 3, zones, Some(2));
}
