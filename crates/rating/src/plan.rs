//! A tariff plan, compiled: what a usage is looked up in. Everything is a number by now; names are kept for those who
//! ask why.

use std::ops::Range;
use std::path::PathBuf;

use crate::calendar::{Calendar, Place};
use crate::digits::{Dialling, Digits, Found, Numbers, Prefixes};
use crate::money::{Currency, Rounding};
use crate::time::Moment;

/// Most bundles of a plan: a subscriber's state has a counter for each.
pub const BUNDLES_MAX: usize = 16;

/// Most discounts of a plan, likewise.
pub const DISCOUNTS_MAX: usize = 8;

/// A tariff plan that was read and found right.
///
/// It is shared by all who rate, and never changes: another version is another plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) currency: Currency,
    /// Measures in a billionth of the currency's major unit: see [`money`](crate::money).
    pub(crate) measures: i128,
    pub(crate) rounding: Rounding,
    pub(crate) tax_included: bool,
    pub(crate) dialling: Dialling,
    pub(crate) zones: Names,
    pub(crate) short: Numbers,
    pub(crate) ported: Numbers,
    pub(crate) prefixes: Prefixes,
    /// The digits that no number starts with, except those with prefixes in `begin_so`: see
    /// [`Dialling`].
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
    pub(crate) analysis: Analysis,
    pub(crate) class_names: Names,
    pub(crate) classes: Vec<Class>,
    pub(crate) versions: Vec<Version>,
    /// Of a version, one a band.
    pub(crate) groups: Vec<Group>,
    /// Of each group.
    pub(crate) limits: Vec<Limits>,
    pub(crate) steps: Vec<PriceStep>,
    pub(crate) bundles: Vec<Bundle>,
    /// By class, then subscriber type: those that may pay, the first first.
    pub(crate) bundles_of: Vec<Vec<u8>>,
    pub(crate) discounts: Vec<Discount>,
    /// By class, then subscriber type.
    pub(crate) discount_of: Vec<Option<u8>>,
    pub(crate) taxes: Vec<Vec<TaxRate>>,
}

impl Plan {
    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The currency of its prices.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// The files it was read from, whose change would make it another.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The names of its tariff classes.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.class_names.iter()
    }

    /// The unit that each tariff class counts.
    pub fn units(&self) -> impl Iterator<Item = Unit> {
        self.classes.iter().map(|class| class.unit)
    }

    /// The names of the services that it tells from each other.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter()
    }

    /// Whether it has bundles or discounts: what usages cost depends on those before them.
    pub fn has_counters(&self) -> bool {
        !self.bundles.is_empty() || !self.discounts.is_empty()
    }

    /// The plan as if it had no bundles and no discounts: for those who keep no state of subscribers.
    pub fn without_counters(mut self) -> Plan {
        self.bundles_of.iter_mut().for_each(Vec::clear);
        self.discount_of.fill(None);
        (self.bundles, self.discounts) = (Vec::new(), Vec::new());
        self
    }

    /// The place of a class and a subscriber type in tables of both.
    pub(crate) fn class_and_type(&self, class: u16, subscriber: Option<u16>) -> usize {
        let types = self.subscriber_types.len() + 1;
        usize::from(class) * types + subscriber.map_or(types - 1, usize::from)
    }
}

/// Names with a number each, in the order they were first met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: Vec<Box<str>>,
    /// The numbers, in the order of the names' letters.
    sorted: Vec<u16>,
}

/// Names that are compared one by one.
const FEW: usize = 8;

impl Names {
    /// The number of a name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        // Few names are sooner gone through than halved.
        if self.names.len() <= FEW {
            return self.names.iter().position(|known| **known == *name).map(|id| id as u16);
        }
        let place = self.sorted.binary_search_by(|id| self.get(*id).cmp(name)).ok()?;
        Some(self.sorted[place])
    }

    /// The number of a name, a new one if it has none; none if there are no more numbers.
    pub(crate) fn add(&mut self, name: &str) -> Option<u16> {
        match self.sorted.binary_search_by(|id| self.get(*id).cmp(name)) {
            Ok(place) => Some(self.sorted[place]),
            // The last is no name: "none" in tables.
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

/// Which tariff class a usage has: a cell for each service, subscriber type, zone it comes from and zone it goes to.
/// Values that no line names share one place of their axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) service: Axis,
    pub(crate) subscriber: Axis,
    pub(crate) origin: Axis,
    pub(crate) destination: Axis,
    /// The line of `rows` plus 1; 0 for none.
    pub(crate) cells: Vec<u16>,
    /// The class, and the line.
    pub(crate) rows: Vec<Found>,
}

/// One of the things a tariff class depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// By the number of a value: its place, 1 for those that no line names.
    pub(crate) places: Vec<u16>,
    pub(crate) count: usize,
}

impl Axis {
    /// The place of a usage that has no such value.
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

    /// Whether any line names a value, or its absence.
    pub(crate) fn matters(&self) -> bool {
        self.count > 0
    }
}

impl Analysis {
    /// The place of a cell; axes that do not matter have one place.
    #[inline]
    pub(crate) fn cell(&self, values: [Option<u16>; 4]) -> usize {
        let axes = [&self.service, &self.subscriber, &self.origin, &self.destination];
        axes.iter().zip(values).fold(0, |cell, (axis, value)| match axis.matters() {
            true => cell * axis.count + axis.place(value),
            false => cell,
        })
    }
}

/// What is counted of a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds of its duration.
    Seconds,
    /// Octets of its volume.
    Octets,
    /// The usage itself, or how many it stands for.
    Events,
}

impl Unit {
    /// The units by the names they have in a plan.
    pub(crate) const NAMES: [(&'static str, Unit); 3] =
        [("seconds", Unit::Seconds), ("octets", Unit::Octets), ("events", Unit::Events)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// What becomes of a call that crosses a time band.
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

/// The prices of a class from a time on.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) valid: Range<Moment>,
    /// The place of the first band's group.
    pub(crate) groups: usize,
    /// Whether bands differ in what they cost.
    pub(crate) varies: bool,
    /// Units that surely do not cost more than can be counted, whatever their band and step.
    pub(crate) units_max: u64,
}

/// The prices of a class, from a time on, in a band. Amounts are measures.
///
/// Each is looked up as one that was not for long, so it lies in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Group {
    pub(crate) set_up: i128,
    /// The first interval, and those behind it.
    pub(crate) first: u64,
    pub(crate) next: u64,
    /// What a unit costs in the first step, which often is the only one.
    pub(crate) unit_price: i128,
    /// The steps behind the first.
    pub(crate) first_step: u32,
    pub(crate) step_count: u32,
    /// Whether there is a least or a most, which few prices have.
    pub(crate) limited: bool,
    pub(crate) line: u32,
}

const _: () = assert!(size_of::<Group>() == 64);

/// The least and the most that a usage costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) minimum: i128,
    pub(crate) maximum: i128,
}

/// What a unit costs, from one of them on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceStep {
    pub(crate) from: u64,
    pub(crate) unit_price: i128,
    pub(crate) line: u32,
}

/// How long a counter counts before it begins anew.
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

/// Units that are paid for already.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) name: Box<str>,
    pub(crate) unit: Unit,
    pub(crate) amount: u64,
    pub(crate) period: Period,
    pub(crate) valid: Range<Moment>,
    /// Whether it pays the set-up fee of a call whose first interval it pays.
    pub(crate) pays_set_up: bool,
    pub(crate) line: u32,
}

/// Less to pay for who has paid much.
#[derive(Clone, Debug)]
pub(crate) struct Discount {
    pub(crate) name: Box<str>,
    pub(crate) period: Period,
    /// By what was spent; the first is above 0.
    pub(crate) tiers: Vec<Tier>,
}

/// What is left to pay of what is spent above an amount: `kept.0 / kept.1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    pub(crate) above: i128,
    pub(crate) kept: (i128, i128),
    pub(crate) line: u32,
}

/// A tax from a time on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaxRate {
    pub(crate) from: Moment,
    /// Billionths of a percent.
    pub(crate) percent: i128,
    pub(crate) line: u32,
}
