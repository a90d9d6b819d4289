//! `prices.csv`: the prices of classes, by time, band and step.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use super::cells::{ANY, Folder, Sheet, quantity};
use super::classes::ClassLine;
use crate::money::common_divisor;
use crate::plan::{Group, Limits, Names, PriceStep, Unit, Version};
use crate::price::{AMOUNT_MAX, MEASURES_MAX};
use crate::time::Moment;
use ::cells::{Cell, Table, TableRow};

const COLUMNS: [&str; 11] = [
    "class",
    "valid-from",
    "valid-to?",
    "band?",
    "from?",
    "price",
    "per?",
    "interval?",
    "set-up?",
    "minimum?",
    "maximum?",
];

/// A line of prices. Amounts are in billionths.
struct PriceLine {
    class: u16,
    valid: Range<Moment>,
    /// `None` means any.
    band: Option<u16>,
    from: u64,
    price: i128,
    per: u64,
    interval: (u64, u64),
    set_up: i128,
    minimum: i128,
    maximum: Option<i128>,
    line: u32,
    span: Span,
}

/// The lines of the file.
pub(super) struct Prices {
    source: Arc<Source>,
    lines: Vec<PriceLine>,
}

/// The tables made from prices.
#[derive(Default)]
pub(super) struct Made {
    pub(super) versions: Vec<Version>,
    pub(super) of_classes: Vec<Range<usize>>,
    pub(super) groups: Vec<Group>,
    pub(super) limits: Vec<Limits>,
    pub(super) steps: Vec<PriceStep>,
}

impl Prices {
    /// Reads the file.
    pub(super) fn read(
        folder: &mut Folder,
        names: &Names,
        classes: &[ClassLine],
        bands: &Names,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Prices> {
        let source = folder.require("prices.csv", mistakes)?;
        let mut lines = Vec::new();
        let mut table = Table::open(&source, COLUMNS, mistakes)?;
        while let Some(row) = table.next(mistakes) {
            let mut sheet = Sheet { source: &source, mistakes };
            let Some(class) = sheet.known(&row.cells[0], "class", names) else { continue };
            let unit = classes[usize::from(class)].unit;
            lines.extend(price_line(&mut sheet, &row, class, unit, bands));
        }
        Some(Prices { source, lines })
    }

    /// Returns how many measures a billionth must have for each unit price to be a whole number; `None` if too many.
    pub(super) fn measures(&self) -> Option<i128> {
        self.lines.iter().try_fold(1, |measures, line| {
            let per = i128::from(line.per);
            common_multiple(measures, per / common_divisor(per, line.price))
        })
    }

    /// Creates the tables.
    pub(super) fn make(
        &self,
        names: &Names,
        classes: &[ClassLine],
        bands: &Names,
        measures: i128,
        class_source: &Arc<Source>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Made {
        let mut made = Made::default();
        for class in 0..names.len() as u16 {
            let mut versions: BTreeMap<Moment, Vec<&PriceLine>> = BTreeMap::new();
            for line in self.lines.iter().filter(|line| line.class == class) {
                versions.entry(line.valid.start).or_default().push(line);
            }
            if versions.is_empty() {
                let message = format!("class \"{}\" has no price", names.get(class));
                let span = classes[usize::from(class)].span;
                mistakes.push(
                    Diagnostic::error(class_source, span, message).hint("add it to prices.csv"),
                );
            }
            let first = made.versions.len();
            let begins: Vec<Moment> =
                versions.keys().copied().skip(1).chain([Moment::MAX]).collect();
            for (lines, next) in versions.values().zip(begins) {
                let valid = self.validity(lines, next, mistakes);
                self.version(&mut made, lines, valid, bands, measures, mistakes);
            }
            made.of_classes.push(first..made.versions.len());
        }
        made
    }

    /// Returns the period of a version: it ends as it says, or where the next begins.
    fn validity(
        &self,
        lines: &[&PriceLine],
        next: Moment,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Range<Moment> {
        let first = lines[0];
        if let Some(other) = lines.iter().find(|line| line.valid.end != first.valid.end) {
            let message = format!("this does not end with line {}, and begins with it", first.line);
            mistakes.push(Diagnostic::error(&self.source, other.span, message));
        }
        if first.valid.end != Moment::MAX && next != Moment::MAX {
            match first.valid.end.cmp(&next) {
                std::cmp::Ordering::Greater => {
                    let message =
                        "an overlap: the next prices of this class begin before these end";
                    mistakes.push(Diagnostic::error(&self.source, first.span, message));
                }
                std::cmp::Ordering::Less => {
                    let message = "a gap: the next prices of this class begin after these end";
                    mistakes.push(Diagnostic::warning(&self.source, first.span, message));
                }
                std::cmp::Ordering::Equal => {}
            }
        }
        first.valid.start..first.valid.end.min(next)
    }

    /// Creates a version: a group of prices for each band.
    fn version(
        &self,
        made: &mut Made,
        lines: &[&PriceLine],
        valid: Range<Moment>,
        bands: &Names,
        measures: i128,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let (first, first_step) = (made.groups.len(), made.steps.len());
        let named = |band: Option<u16>| -> Vec<&PriceLine> {
            lines.iter().copied().filter(|line| line.band == band).collect()
        };
        for band in 0..bands.len() as u16 {
            let mut own = named(Some(band));
            if own.is_empty() {
                own = named(None);
            }
            if own.is_empty() {
                let message = format!("there is no price in band \"{}\"", bands.get(band));
                let hint = "add a line for it, or one with band *";
                mistakes.push(Diagnostic::error(&self.source, lines[0].span, message).hint(hint));
                continue;
            }
            self.group(made, own, measures, mistakes);
        }
        let groups = &made.groups[first..];
        let max = |value: fn(&Group) -> i128| groups.iter().map(value).max().unwrap_or(0);
        let steps = &made.steps[first_step..];
        let dearest = steps.iter().map(|step| step.unit_price);
        let dearest = dearest.chain(groups.iter().map(|group| group.unit_price)).max();
        let dearest = dearest.unwrap_or(0).max(1);
        let least = made.limits[first..].iter().map(|limits| limits.minimum).max().unwrap_or(0);
        let fixed = max(|group| group.set_up) + least;
        let last_interval = groups.iter().map(|group| group.next).max().unwrap_or(1);
        let units = (AMOUNT_MAX * measures - fixed) / dearest - i128::from(last_interval);
        let version = Version {
            valid,
            groups: first,
            varies: lines.iter().any(|line| line.band.is_some()),
            units_max: u64::try_from(units.max(0)).unwrap_or(u64::MAX),
        };
        made.versions.push(version);
    }

    fn group(
        &self,
        made: &mut Made,
        mut lines: Vec<&PriceLine>,
        measures: i128,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        lines.sort_by_key(|line| (line.from, line.line));
        for pair in lines.windows(2).filter(|pair| pair[0].from == pair[1].from) {
            let message = format!("an overlap: line {} has a price for the same", pair[0].line);
            mistakes.push(Diagnostic::error(&self.source, pair[1].span, message));
        }
        if lines[0].from > 0 {
            let message = "a gap: there is no price from 0 on";
            mistakes.push(Diagnostic::error(&self.source, lines[0].span, message));
        }
        let first = lines[0];
        if first.maximum.is_some_and(|maximum| maximum < first.minimum) {
            let message = "the maximum is less than the minimum";
            mistakes.push(Diagnostic::error(&self.source, first.span, message));
        }
        let unit_price = |line: &PriceLine| line.price * measures / i128::from(line.per);
        made.groups.push(Group {
            set_up: first.set_up * measures,
            first: first.interval.0,
            next: first.interval.1,
            unit_price: unit_price(first),
            first_step: made.steps.len() as u32,
            step_count: lines.len() as u32 - 1,
            limited: first.minimum > 0 || first.maximum.is_some(),
            line: first.line,
        });
        made.limits.push(Limits {
            minimum: first.minimum * measures,
            maximum: first.maximum.map_or(i128::MAX, |maximum| maximum * measures),
        });
        made.steps.extend(lines[1..].iter().map(|line| PriceStep {
            from: line.from,
            unit_price: unit_price(line),
            line: line.line,
        }));
    }
}

/// Returns the least common multiple; `None` if it is above [`MEASURES_MAX`].
pub(super) fn common_multiple(one: i128, other: i128) -> Option<i128> {
    let multiple = one / common_divisor(one, other) * other;
    (multiple <= MEASURES_MAX).then_some(multiple)
}

fn price_line(
    sheet: &mut Sheet<'_>,
    row: &TableRow<'_, 11>,
    class: u16,
    unit: Unit,
    bands: &Names,
) -> Option<PriceLine> {
    let [name, valid_from, valid_to, band, from, price, per, interval, set_up, minimum, maximum] =
        &row.cells;
    let valid = sheet.validity(valid_from, valid_to);
    let band = match &*band.text {
        "" | ANY => Some(None),
        _ => sheet.known(band, "band", bands).map(Some),
    };
    let from = if from.text.is_empty() { Some(0) } else { sheet.quantity(from, unit) };
    let price_nanos = sheet.decimal(price);
    let per = if per.text.is_empty() { Some(1) } else { positive(sheet, per, unit) };
    let fixed = [interval, set_up, minimum, maximum];
    if let (Some(from), Some(cell)) = (from, fixed.iter().find(|cell| !cell.text.is_empty()))
        && from > 0
    {
        sheet.error(cell, "this stands in the line that is from 0 on");
        return None;
    }
    let interval =
        if interval.text.is_empty() { Some((1, 1)) } else { intervals(sheet, interval, unit) };
    let fixed = [set_up, minimum].map(|cell| match cell.text.is_empty() {
        true => Some(0),
        false => sheet.decimal(cell),
    });
    let maximum = sheet.decimal_maybe(maximum);
    let [set_up, minimum] = fixed;
    Some(PriceLine {
        class,
        valid: valid?,
        band: band?,
        from: from?,
        price: price_nanos?,
        per: per?,
        interval: interval?,
        set_up: set_up?,
        minimum: minimum?,
        maximum,
        line: row.line,
        span: name.span.to(price.span),
    })
}

fn positive(sheet: &mut Sheet<'_>, cell: &Cell<'_>, unit: Unit) -> Option<u64> {
    let found = sheet.quantity(cell, unit)?;
    if found == 0 {
        sheet.error(cell, "this is 0");
        return None;
    }
    Some(found)
}

/// Parses the first interval and the next: `60/1`, `1 MB/1 kB`.
fn intervals(sheet: &mut Sheet<'_>, cell: &Cell<'_>, unit: Unit) -> Option<(u64, u64)> {
    let parts = cell.text.split_once('/').and_then(|(first, next)| {
        let length = |text: &str| quantity(text.trim(), unit).filter(|length| *length > 0);
        Some((length(first)?, length(next)?))
    });
    if parts.is_none() {
        let message = format!(
            "\"{}\" is no pair of intervals; write 60/1: the first, and the next",
            cell.text
        );
        sheet.error(cell, message);
    }
    parts
}
