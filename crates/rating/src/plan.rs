//! A compiled tariff plan, for lookups. Names are replaced by numbers, and kept only for explanations.

use std::ops::Range;
use std::path::PathBuf;

use crate::calendar::{Calendar, Place};
use crate::digits::{Dialling, Digits, Found, Numbers, Prefixes};
use crate::money::{Currency, Rounding};
use crate::time::Moment;

/// Maximum number of bundles of a plan: a subscriber's state has a counter for each.
pub const BUNDLES_MAX: usize = 16;

/// Maximum number of discounts of a plan, for the same reason.
pub const DISCOUNTS_MAX: usize = 8;

/// A tariff plan without mistakes.
///
/// It is shared by all threads that rate, and never changes: another version is another plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) currency: Currency,
    /// How many measures make a billionth of the currency's major unit: see [`money`](crate::money).
    pub(crate) measures: i128,
    pub(crate) rounding: Rounding,
    pub(crate) tax_included: bool,
    pub(crate) dialling: Dialling,
    pub(crate) zones: Names,
    pub(crate) short: Numbers,
    pub(crate) ported: Numbers,
    pub(crate) prefixes: Prefixes,
    /// The digits that no number starts with, except those with prefixes in `begin_so`: see [`Dialling`].
    pub(crate) national_prefix_behind_code: Option<Digits>,
    pub(crate) begin_so: Prefixes,
    pub(crate) subscriber_types: Names,
    pub(crate) subscribers: Prefixes,
    pub(crate) default_subscriber: Option<u16>,
    pub(crate) services: Names,
    pub(crate) partner_names: Names,
    pub(crate) partners: Vec<Partner>,
    pub(crate) calendar: Calendar,
    pub(crate) day_kinds: Names,
    pub(crate) bands: Names,
    pub(crate) home: Place,
    /// The country of that place; empty if the plan does not say it.
    pub(crate) country: String,
    /// The time zone of that place.
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) analysis: Analysis,
    pub(crate) class_names: Names,
    pub(crate) classes: Vec<Class>,
    pub(crate) versions: Vec<Version>,
    /// The groups of all versions; a version has one for each band.
    pub(crate) groups: Vec<Group>,
    /// The limits of each group.
    pub(crate) limits: Vec<Limits>,
    pub(crate) steps: Vec<PriceStep>,
    pub(crate) bundles: Vec<Bundle>,
    /// By class, then subscriber type: the bundles that may pay, in order.
    pub(crate) bundles_of: Vec<Vec<u8>>,
    pub(crate) discounts: Vec<Discount>,
    /// By class, then subscriber type: the discount.
    pub(crate) discount_of: Vec<Option<u8>>,
    pub(crate) taxes: Vec<Vec<TaxRate>>,
}

impl Plan {
    /// Returns the plan's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the currency of its prices.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// Returns the files it was read from. If one of them changes, the plan has to be read again.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the names of its tariff classes.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.class_names.iter()
    }

    /// Returns the unit that each tariff class counts.
    pub fn units(&self) -> impl Iterator<Item = Unit> {
        self.classes.iter().map(|class| class.unit)
    }

    /// Returns the names of its services.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter()
    }

    /// Returns the country whose holidays hold at home, as the plan names it. Empty if it does not.
    pub fn country(&self) -> &str {
        &self.country
    }

    /// Returns the networks that subscribers roam in.
    pub fn partners(&self) -> impl Iterator<Item = &str> {
        self.partner_names.iter()
    }

    /// Returns the services of which some usage is counted in a unit.
    pub fn services_in(&self, unit: Unit) -> impl Iterator<Item = &str> {
        let is_in = move |(service, _): &(u16, &str)| {
            self.analysis.classes_of(*service).any(|of| self.classes[usize::from(of)].unit == unit)
        };
        (0..).zip(self.services()).filter(is_in).map(|(_, name)| name)
    }

    /// Returns the names of its types of subscribers.
    pub fn subscriber_types(&self) -> impl Iterator<Item = &str> {
        self.subscriber_types.iter()
    }

    /// Returns whether it has bundles or discounts, so that prices depend on earlier usages.
    pub fn has_counters(&self) -> bool {
        !self.bundles.is_empty() || !self.discounts.is_empty()
    }

    /// Returns the plan without bundles and discounts, for callers that keep no state of subscribers.
    pub fn without_counters(mut self) -> Plan {
        self.bundles_of.iter_mut().for_each(Vec::clear);
        self.discount_of.fill(None);
        (self.bundles, self.discounts) = (Vec::new(), Vec::new());
        self
    }

    /// Returns the index of a class and a subscriber type in tables of both.
    pub(crate) fn class_and_type(&self, class: u16, subscriber: Option<u16>) -> usize {
        let types = self.subscriber_types.len() + 1;
        usize::from(class) * types + subscriber.map_or(types - 1, usize::from)
    }
}

/// Names, numbered in the order they were first added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: Vec<Box<str>>,
    /// The numbers, in the order of the names.
    sorted: Vec<u16>,
}

/// The maximum number of names for a linear search.
const FEW: usize = 8;

impl Names {
    /// Returns the number of a name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        // For few names, a linear search is faster than a binary one.
        if self.names.len() <= FEW {
            return self.names.iter().position(|known| **known == *name).map(|id| id as u16);
        }
        let place = self.sorted.binary_search_by(|id| self.get(*id).cmp(name)).ok()?;
        Some(self.sorted[place])
    }

    /// Returns the number of a name, which is added if it is new. `None` if there are no more numbers.
    pub(crate) fn add(&mut self, name: &str) -> Option<u16> {
        match self.sorted.binary_search_by(|id| self.get(*id).cmp(name)) {
            Ok(place) => Some(self.sorted[place]),
            // The last number means "none" in tables.
            Err(_) if self.names.len() >= usize::from(u16::MAX) => None,
            Err(place) => {
                let id = self.names.len() as u16;
                self.names.push(name.into());
                self.sorted.insert(place, id);
                Some(id)
            }
        }
    }

    pub(crate) fn get(&self, id: u16) -> &str {
        &self.names[usize::from(id)]
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

/// A network that subscribers roam in.
#[derive(Clone, Debug)]
pub(crate) struct Partner {
    pub(crate) zone: u16,
    pub(crate) place: Place,
    pub(crate) line: u32,
}

/// The tariff class of a usage: a cell for each combination of service, subscriber type, zone of origin and zone of
/// destination. Values that no line names share one place of their axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) service: Axis,
    pub(crate) subscriber: Axis,
    pub(crate) origin: Axis,
    pub(crate) destination: Axis,
    /// The index of `rows` plus 1; 0 for none.
    pub(crate) cells: Vec<u16>,
    /// The class and the line.
    pub(crate) rows: Vec<Found>,
}

/// A value that a tariff class depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// The place of each value, by its number; 1 for those that no line names.
    pub(crate) places: Vec<u16>,
    pub(crate) count: usize,
}

impl Axis {
    /// The place of a usage without such a value.
    pub(crate) const ABSENT: u16 = 0;
    /// The place of values that no line names.
    pub(crate) const OTHER: u16 = 1;

    #[inline]
    pub(crate) fn place(&self, value: Option<u16>) -> usize {
        let place = match value {
            None => Self::ABSENT,
            Some(id) => self.places.get(usize::from(id)).copied().unwrap_or(Self::OTHER),
        };
        usize::from(place)
    }

    /// Returns whether any line names a value, or its absence.
    pub(crate) fn matters(&self) -> bool {
        self.count > 0
    }
}

impl Analysis {
    /// Returns the classes of a service, some of them more than once.
    fn classes_of(&self, service: u16) -> impl Iterator<Item = u16> {
        // The service is the first axis, so its cells are beside each other.
        let (places, place) = match self.service.matters() {
            true => (self.service.count, self.service.place(Some(service))),
            false => (1, 0),
        };
        let each = self.cells.len() / places;
        let cells = self.cells[place * each..(place + 1) * each].iter();
        let rows = cells.filter_map(|cell| cell.checked_sub(1));
        rows.map(|row| self.rows[usize::from(row)].id)
    }

    /// Returns the index of a cell. Axes that do not matter are left out.
    #[inline]
    pub(crate) fn cell(&self, values: [Option<u16>; 4]) -> usize {
        let axes = [&self.service, &self.subscriber, &self.origin, &self.destination];
        axes.iter().zip(values).fold(0, |cell, (axis, value)| match axis.matters() {
            true => cell * axis.count + axis.place(value),
            false => cell,
        })
    }
}

/// The unit of a usage that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds of its duration.
    Seconds,
    /// Octets of its volume.
    Octets,
    /// The usage itself, or the number of events it stands for.
    Events,
}

impl Unit {
    /// The units by their names in a plan.
    pub(crate) const NAMES: [(&'static str, Unit); 3] =
        [("seconds", Unit::Seconds), ("octets", Unit::Octets), ("events", Unit::Events)];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The pricing of a call that crosses time bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// Each interval has the price of the band it begins in.
    Split,
    /// The whole call has the price of the band it starts in.
    Start,
}

/// A tariff class.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) unit: Unit,
    pub(crate) crossing: Crossing,
    pub(crate) tax: Option<u16>,
    /// Its versions, by time.
    pub(crate) versions: Range<usize>,
}

/// The prices of a class for a period.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) valid: Range<Moment>,
    /// The index of the first band's group.
    pub(crate) groups: usize,
    /// Whether prices differ between bands.
    pub(crate) varies: bool,
    /// The number of units that cannot cost more than can be counted, in any band and step.
    pub(crate) units_max: u64,
}

/// The prices of a class, in a period and a band. Amounts are in measures.
///
/// A lookup usually misses the cache, so a group lies in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Group {
    pub(crate) set_up: i128,
    /// The length of the first interval, and of the others.
    pub(crate) first: u64,
    pub(crate) next: u64,
    /// The price of a unit in the first step, which often is the only one.
    pub(crate) unit_price: i128,
    /// The other steps.
    pub(crate) first_step: u32,
    pub(crate) step_count: u32,
    /// Whether there is a minimum or a maximum, which is rare.
    pub(crate) limited: bool,
    pub(crate) line: u32,
}

const _: () = assert!(size_of::<Group>() == 64);

/// The minimum and the maximum price of a usage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) minimum: i128,
    pub(crate) maximum: i128,
}

/// The price of a unit, from a unit on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceStep {
    pub(crate) from: u64,
    pub(crate) unit_price: i128,
    pub(crate) line: u32,
}

/// How long a counter counts before it restarts at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    Once,
    Day,
    Month,
}

impl Period {
    pub(crate) const NAMES: [(&'static str, Period); 3] =
        [("once", Period::Once), ("day", Period::Day), ("month", Period::Month)];
}

/// A quantity of units that is paid for already.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) name: Box<str>,
    pub(crate) unit: Unit,
    pub(crate) amount: u64,
    pub(crate) period: Period,
    pub(crate) valid: Range<Moment>,
    /// Whether it pays the set-up fee of a usage whose first unit it pays.
    pub(crate) pays_set_up: bool,
    pub(crate) line: u32,
}

/// A discount on what is spent above certain amounts.
#[derive(Clone, Debug)]
pub(crate) struct Discount {
    pub(crate) name: Box<str>,
    pub(crate) period: Period,
    /// By amount spent, ascending; the first is above 0.
    pub(crate) tiers: Vec<Tier>,
}

/// The factor `factor.0 / factor.1` on what is spent above an amount.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    pub(crate) above: i128,
    pub(crate) factor: (i128, i128),
    pub(crate) line: u32,
}

/// A tax rate, from a time on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaxRate {
    pub(crate) from: Moment,
    /// The rate, in billionths of a percent.
    pub(crate) percent: i128,
    pub(crate) line: u32,
}
