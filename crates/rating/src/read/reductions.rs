//! The tables of bundles, discounts and taxes.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use super::cells::{ANY, Folder, Sheet};
use super::classes::ClassLine;
use super::prices::common_multiple;
use crate::money::common_divisor;
use crate::plan::{
    BUNDLES_MAX, Bundle, Class, DISCOUNTS_MAX, Discount, Names, Period, TaxRate, Tier, Unit,
    Version,
};
use crate::price::{HUNDRED_PERCENT, PERCENT_MAX};
use ::cells::{Cell, Table, TableRow};

/// The subscribers and classes of a bundle or a discount.
struct Reach {
    classes: Vec<u16>,
    /// `None` means any.
    subscribers: Option<Vec<u16>>,
}

impl Reach {
    fn read(
        sheet: &mut Sheet<'_>,
        (subscriber, class): (&Cell<'_>, &Cell<'_>),
        subscribers: &Names,
        classes: &Names,
    ) -> Option<Reach> {
        let subscribers = match &*subscriber.text {
            "" | ANY => Some(None),
            _ => sheet.known_list(subscriber, "subscriber type", subscribers).map(Some),
        };
        let classes = sheet.known_list(class, "class", classes);
        Some(Reach { classes: classes?, subscribers: subscribers? })
    }

    /// Returns the indexes in tables of classes and subscriber types (the last for none).
    fn places(&self, types: usize) -> impl Iterator<Item = usize> {
        let all: Vec<usize> = match &self.subscribers {
            None => (0..=types).collect(),
            Some(some) => some.iter().map(|id| usize::from(*id)).collect(),
        };
        self.classes
            .iter()
            .flat_map(move |class| {
                let class = usize::from(*class);
                all.clone().into_iter().map(move |one| class * (types + 1) + one)
            })
            .collect::<Vec<_>>()
            .into_iter()
    }
}

/// Reads `bundles.csv`. Returns the bundles, and by class and subscriber type those that pay, in order.
pub(super) fn bundles(
    folder: &mut Folder,
    subscribers: &Names,
    classes: &Names,
    lines: &[ClassLine],
    mistakes: &mut Vec<Diagnostic>,
) -> (Vec<Bundle>, Vec<Vec<u8>>) {
    let mut of = vec![Vec::new(); classes.len() * (subscribers.len() + 1)];
    let Some(source) = folder.read("bundles.csv", mistakes) else { return (Vec::new(), of) };
    let columns = [
        "bundle",
        "priority?",
        "subscriber?",
        "class",
        "unit",
        "amount",
        "period?",
        "valid-from",
        "valid-to?",
        "set-up?",
    ];
    let Some(mut table) = Table::open(&source, columns, mistakes) else { return (Vec::new(), of) };
    let mut found: Vec<(u64, Bundle, Reach)> = Vec::new();
    while let Some(row) = table.next(mistakes) {
        let mut sheet = Sheet { source: &source, mistakes };
        if let Some(bundle) = bundle(&mut sheet, &row, subscribers, classes, lines) {
            if found.iter().any(|(_, other, _)| other.name == bundle.1.name) {
                sheet.error(&row.cells[0], format!("\"{}\" stands there twice", bundle.1.name));
            }
            found.push(bundle);
        }
        if found.len() == BUNDLES_MAX + 1 {
            sheet.error(&row.cells[0], format!("a plan has {BUNDLES_MAX} bundles at most"));
        }
    }
    found.sort_by_key(|(priority, ..)| *priority);
    for (place, (_, _, reach)) in found.iter().enumerate() {
        reach.places(subscribers.len()).for_each(|at| of[at].push(place as u8));
    }
    (found.into_iter().map(|(_, bundle, _)| bundle).collect(), of)
}

fn bundle(
    sheet: &mut Sheet<'_>,
    row: &TableRow<'_, 10>,
    subscribers: &Names,
    classes: &Names,
    lines: &[ClassLine],
) -> Option<(u64, Bundle, Reach)> {
    let [name, priority, subscriber, class, unit, amount, period, from, to, set_up] = &row.cells;
    let name = sheet.name(name, "bundle").map(Box::from);
    let priority = match &*priority.text {
        "" => Some(0),
        text => {
            let found = text.parse().ok();
            if found.is_none() {
                sheet.error(priority, format!("\"{text}\" is no number; the least pays first"));
            }
            found
        }
    };
    let reach = Reach::read(sheet, (subscriber, class), subscribers, classes);
    let unit = sheet.choice(unit, "unit", &Unit::NAMES);
    let amount = unit.and_then(|unit| sheet.quantity(amount, unit));
    let period = period_of(sheet, period);
    let valid = sheet.validity(from, to);
    let pays_set_up = match set_up.text.is_empty() {
        true => Some(false),
        false => {
            sheet.choice(set_up, "way with set-up fees", &[("free", true), ("charged", false)])
        }
    };
    let (mut reach, unit) = (reach?, unit?);
    let counts = |id: &u16| lines[usize::from(*id)].unit == unit;
    if class.text == ANY {
        reach.classes.retain(counts);
    } else if let Some(other) = reach.classes.iter().find(|id| !counts(id)) {
        let message = format!("class \"{}\" does not count {}", classes.get(*other), unit.name());
        sheet.error(class, message);
    }
    let bundle = Bundle {
        name: name?,
        unit,
        amount: amount?,
        period: period?,
        valid: valid?,
        pays_set_up: pays_set_up?,
        line: row.line,
    };
    Some((priority?, bundle, reach))
}

fn period_of(sheet: &mut Sheet<'_>, cell: &Cell<'_>) -> Option<Period> {
    match cell.text.is_empty() {
        true => Some(Period::Once),
        false => sheet.choice(cell, "period", &Period::NAMES),
    }
}

/// The discounts, with `above` still in billionths.
#[derive(Default)]
pub(super) struct Discounts {
    pub(super) discounts: Vec<Discount>,
    pub(super) of: Vec<Option<u8>>,
}

impl Discounts {
    /// Reads `discounts.csv`. The lines of one discount are its tiers.
    pub(super) fn read(
        folder: &mut Folder,
        subscribers: &Names,
        classes: &Names,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Discounts {
        let mut made = Discounts {
            discounts: Vec::new(),
            of: vec![None; classes.len() * (subscribers.len() + 1)],
        };
        let Some(source) = folder.read("discounts.csv", mistakes) else { return made };
        let columns = ["discount", "subscriber?", "class", "period?", "above", "percent"];
        let Some(mut table) = Table::open(&source, columns, mistakes) else { return made };
        while let Some(row) = table.next(mistakes) {
            made.line(&mut Sheet { source: &source, mistakes }, &row, subscribers, classes);
        }
        made
    }

    fn line(
        &mut self,
        sheet: &mut Sheet<'_>,
        row: &TableRow<'_, 6>,
        subscribers: &Names,
        classes: &Names,
    ) -> Option<()> {
        let [name, subscriber, class, period, above, percent] = &row.cells;
        let key = sheet.name(name, "discount").map(Box::<str>::from);
        let period = period_of(sheet, period);
        let amount = sheet.decimal(above);
        let percent = percent_of(sheet, percent, HUNDRED_PERCENT);
        let reach = Reach::read(sheet, (subscriber, class), subscribers, classes);
        let (key, period, amount, percent) = (key?, period?, amount?, percent?);
        let divisor = common_divisor(HUNDRED_PERCENT, percent);
        let factor = ((HUNDRED_PERCENT - percent) / divisor, HUNDRED_PERCENT / divisor);
        let tier = Tier { above: amount, factor, line: row.line };
        let place = match self.discounts.iter_mut().position(|discount| discount.name == key) {
            Some(place) => {
                let tiers = &mut self.discounts[place].tiers;
                if tiers.last().is_some_and(|last| last.above >= amount) {
                    sheet.error(above, "the lines of a discount are in the order of their amounts");
                    return None;
                }
                tiers.push(tier);
                place
            }
            None if self.discounts.len() == DISCOUNTS_MAX => {
                sheet.error(name, format!("a plan has {DISCOUNTS_MAX} discounts at most"));
                return None;
            }
            None => {
                self.discounts.push(Discount { name: key, period, tiers: vec![tier] });
                self.discounts.len() - 1
            }
        };
        for at in reach?.places(subscribers.len()) {
            match self.of[at] {
                Some(other) if usize::from(other) != place => {
                    let other = &self.discounts[usize::from(other)].name;
                    sheet.error(class, format!("an overlap: \"{other}\" is for the same usages"));
                    return None;
                }
                _ => self.of[at] = Some(place as u8),
            }
        }
        Some(())
    }

    /// Returns the measures in which every discounted amount is a whole number; `None` if there are too many.
    pub(super) fn measures(&self) -> Option<i128> {
        let tiers = self.discounts.iter().flat_map(|discount| &discount.tiers);
        tiers.into_iter().try_fold(1, |measures, tier| common_multiple(measures, tier.factor.1))
    }

    /// Converts the amounts into measures.
    pub(super) fn in_measures(mut self, measures: i128) -> Self {
        let tiers = self.discounts.iter_mut().flat_map(|discount| &mut discount.tiers);
        tiers.for_each(|tier| tier.above *= measures);
        self
    }
}

fn percent_of(sheet: &mut Sheet<'_>, cell: &Cell<'_>, max: i128) -> Option<i128> {
    let percent = sheet.decimal(cell)?;
    if percent > max {
        sheet.error(cell, "these are too many percent");
        return None;
    }
    Some(percent)
}

/// Reads `taxes.csv`, and finds the taxes of the classes.
pub(super) fn taxes(
    folder: &mut Folder,
    lines: &[ClassLine],
    class_source: Option<&Arc<Source>>,
    mistakes: &mut Vec<Diagnostic>,
) -> (Vec<Vec<TaxRate>>, Vec<Option<u16>>) {
    let (mut names, mut taxes) = (Names::default(), Vec::<Vec<TaxRate>>::new());
    if let Some(source) = folder.read("taxes.csv", mistakes)
        && let Some(mut table) = Table::open(&source, ["tax", "percent", "valid-from"], mistakes)
    {
        while let Some(row) = table.next(mistakes) {
            tax_line(&mut Sheet { source: &source, mistakes }, &row, &mut names, &mut taxes);
        }
    }
    let mut of = Vec::new();
    for line in lines {
        let Some(((name, span), source)) = line.tax.as_ref().zip(class_source) else {
            of.push(None);
            continue;
        };
        let cell = Cell { text: name.as_str().into(), span: *span };
        of.push(Sheet { source, mistakes }.known(&cell, "tax", &names));
    }
    (taxes, of)
}

/// Warns of taxes that begin later than the prices they are for: usages in between have no price.
pub(super) fn warn_of_late_rates(
    taxes: &[Vec<TaxRate>],
    classes: &[Class],
    versions: &[Version],
    class_names: &Names,
    (lines, source): (&[ClassLine], &Arc<Source>),
    mistakes: &mut Vec<Diagnostic>,
) {
    for (id, rates) in taxes.iter().enumerate() {
        let has_tax = |class: &Class| class.tax.map(usize::from) == Some(id);
        let of_tax = classes.iter().enumerate().filter(|(_, class)| has_tax(class));
        let begins = of_tax.filter_map(|(place, class)| {
            let first = versions[class.versions.clone()].first()?;
            Some((first.valid.start, place))
        });
        let (Some((begins, place)), Some(rate)) = (begins.min(), rates.first()) else { continue };
        let Some((tax, span)) = lines[place].tax.as_ref().filter(|_| begins < rate.from) else {
            continue;
        };
        let [from, begins] =
            [rate.from, begins].map(|at| jiff::Timestamp::from_second(at).unwrap_or_default());
        let class = class_names.get(place as u16);
        let message = format!(
            "no rate of tax \"{tax}\" before {from}, and \"{class}\" has prices from {begins} on"
        );
        let hint = "usages between have no price; give taxes.csv a line from then on";
        mistakes.push(Diagnostic::warning(source, *span, message).hint(hint));
    }
}

fn tax_line(
    sheet: &mut Sheet<'_>,
    row: &TableRow<'_, 3>,
    names: &mut Names,
    taxes: &mut Vec<Vec<TaxRate>>,
) -> Option<()> {
    let [tax, percent, from] = &row.cells;
    let id = sheet.name(tax, "tax").and_then(|name| names.add(name));
    let percent = percent_of(sheet, percent, PERCENT_MAX);
    let rate = TaxRate { from: sheet.moment(from)?, percent: percent?, line: row.line };
    let id = usize::from(id?);
    taxes.resize(taxes.len().max(id + 1), Vec::new());
    if taxes[id].last().is_some_and(|last| last.from >= rate.from) {
        sheet.error(
            from,
            "the dates are in the wrong order: lines of a tax are in the order of time",
        );
        return None;
    }
    taxes[id].push(rate);
    Some(())
}
