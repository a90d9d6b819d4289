//! The tariffs of scripts: a plan, or a database of its versions, and the types of questions and answers, `TariffUsage`
//! and `TariffPrice`.

use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use rating::{Money, NoTariff, Number, Plan, Plans, Priced, Step, Usage};
use record::{Field, Kind, Memory, SlotIndex, Type, TypeId, Types};
use tariffs::TariffsError;

use crate::class::{built_in_kind, made};
use crate::fault::Reason;

/// The name of the type of a usage.
pub(crate) const USAGE: &str = "TariffUsage";

/// The name of the type of a price.
pub(crate) const PRICE: &str = "TariffPrice";

/// The optional string fields of a usage. ORDER TEXTS
const TEXTS: [(&str, Step); 5] = [
    ("service", Step::Service),
    ("served", Step::NumberAnalysis),
    ("other", Step::NumberAnalysis),
    ("subscriber", Step::SubscriberType),
    ("partner", Step::RoamingPartner),
];

/// The required field of a usage, after the strings.
const START: &str = "start";

/// The optional number fields of a usage, after the start. ORDER NUMBERS
const NUMBERS: [&str; 3] = ["duration", "octets", "events"];

/// The fields of a price: strings, then numbers. ORDER PRICE
const PRICE_TEXTS: [&str; 2] = ["class", "currency"];
const PRICE_NUMBERS: [&str; 5] = ["total", "net", "tax", "counted", "free"];

/// The cost of a question in turns of the budget: it takes about as long as a hundred turns of a loop.
pub(crate) const QUESTION_TURNS: u64 = 100;

/// A tariff of a script.
#[derive(Debug, Default)]
pub(crate) struct Tariff {
    /// `None` if the plan has mistakes: then there is no program either.
    pub(crate) plans: Option<Plans>,
    files: Vec<PathBuf>,
}

/// The reason why a tariff cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TariffError {
    /// Its plan or its database cannot be read.
    #[error(transparent)]
    Read(#[from] TariffsError),
    /// Its plan has mistakes: the first, and the number of others.
    #[error("this plan has mistakes{}", mistakes(first.as_deref(), *more))]
    Mistakes { first: Option<String>, more: usize },
}

fn mistakes(first: Option<&str>, more: usize) -> String {
    let first = first.map_or_else(String::new, |first| format!(": {first}"));
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    first + &more
}

/// A question of a script to a tariff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The index of the tariff.
    pub(crate) tariff: usize,
    pub(crate) wanted: Wanted,
}

/// The requested answer about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Class,
    /// The price, in units of so many billionths; by default in the currency's minor unit.
    Price {
        unit: Option<i128>,
    },
}

impl Tariff {
    /// Reads a plan, or a database of versions. Fails if it cannot be used. With `without_counters`, bundles and
    /// discounts are dropped.
    pub(crate) fn read(place: &Path, without_counters: bool) -> Result<Tariff, TariffError> {
        let read = tariffs::read(place)?;
        let Some(plans) = read.plans else {
            let mut mistakes = read.diagnostics.iter().filter(|found| found.is_error());
            let (first, more) = (mistakes.next().map(Diagnostic::line), mistakes.count());
            return Err(TariffError::Mistakes { first, more });
        };
        let plans = if without_counters { plans.map(Plan::without_counters) } else { plans };
        Ok(Tariff { plans: Some(plans), files: read.files })
    }

    /// Returns the files it was read from.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Describes it for an editor.
    pub(crate) fn described(&self) -> String {
        let plans: Vec<&Plan> = self.plans.iter().flat_map(Plans::all).collect();
        let [.., plan] = plans.as_slice() else { return String::new() };
        let versions = diagnostics::counted(plans.len(), "version");
        let (name, code) = (plan.name(), plan.currency().code());
        let classes = plan.classes().collect::<Vec<_>>().join(", ");
        format!("\"{name}\" in {code}, {versions}. Tariff classes: {classes}.")
    }

    /// Returns whether prices depend on earlier usages.
    pub(crate) fn has_counters(&self) -> bool {
        self.plans.iter().flat_map(Plans::all).any(Plan::has_counters)
    }

    /// Returns the plan that was valid when a usage started.
    fn plan(&self, usage: &Usage<'_>) -> Result<&Plan, NoTariff> {
        self.plans.as_ref().expect("a program has no tariff with mistakes").valid(usage.start)
    }

    /// Returns the name of a usage's tariff class.
    pub(crate) fn class(&self, usage: &Usage<'_>) -> Result<&str, NoTariff> {
        self.plan(usage)?.tariff_class(usage)
    }

    /// Returns the price of a usage. The state is the same afterwards.
    pub(crate) fn price(
        &self,
        usage: &Usage<'_>,
        state: &mut rating::State,
    ) -> Result<Priced<'_>, NoTariff> {
        let priced = self.plan(usage)?.rate(usage, state);
        state.end_usage();
        priced
    }
}

/// Adds the types to those of a script, if they are missing.
pub(crate) fn add(types: &mut dyn Types) {
    if types.schema().find(PRICE).is_some() {
        return;
    }
    let [text, number] =
        ["UTF8String", "INTEGER"].map(|name| made(types, name, || built_in_kind(name)));
    let field = |name: &str, ty, optional| Field { name: name.into(), ty, optional, default: None };
    let texts = TEXTS.iter().map(|(name, _)| field(name, text, true));
    let numbers = NUMBERS.iter().map(|name| field(name, number, true));
    let usage = texts.chain([field(START, number, false)]).chain(numbers).collect();
    types.add(Type { name: USAGE.into(), kind: Kind::Sequence(usage) });
    let texts = PRICE_TEXTS.iter().map(|name| field(name, text, false));
    let price = texts.chain(PRICE_NUMBERS.iter().map(|name| field(name, number, false))).collect();
    types.add(Type { name: PRICE.into(), kind: Kind::Sequence(price) });
}

/// Returns the type of a usage, which was [added](add).
pub(crate) fn usage_type(types: &dyn Types) -> TypeId {
    types.schema().find(USAGE).expect("was added")
}

/// Returns the type of a price, which was [added](add).
pub(crate) fn price_type(types: &dyn Types) -> TypeId {
    types.schema().find(PRICE).expect("was added")
}

/// Reads the usage in a slot. Absent and empty fields count as not given.
pub(crate) fn usage<'m>(memory: &'m Memory<'_>, at: SlotIndex) -> Result<Usage<'m>, Reason> {
    let field = |place: usize| {
        let slot = memory.component(at, place)?;
        memory.slot(slot).is_present().then_some(slot)
    };
    let number = |place: usize| match field(place) {
        Some(slot) => memory.number(slot).map(Some).map_err(Reason::Value),
        None => Ok(None),
    };
    let start = number(TEXTS.len())?
        .ok_or_else(|| Reason::argument(format!("the usage has no \"{START}\"")))?;
    let mut texts = [&[][..]; TEXTS.len()];
    for (place, text) in texts.iter_mut().enumerate() {
        if let Some(slot) = field(place) {
            *text = memory.octets(slot).map_err(Reason::Value)?;
        }
    }
    let mut used = [None; NUMBERS.len()];
    for (place, used) in used.iter_mut().enumerate() {
        if let Some(number) = number(TEXTS.len() + 1 + place)? {
            *used = Some(rating::used(number, NUMBERS[place])?);
        }
    }
    let [service, served, other, subscriber, partner] = texts; // ORDER TEXTS
    let [duration, octets, events] = used; // ORDER NUMBERS
    let digits = |text: &'m [u8]| (!text.is_empty()).then(|| Number::unknown(text));
    Ok(Usage {
        service: rating::name(service, TEXTS[0].1)?,
        served: digits(served),
        other: digits(other),
        subscriber: rating::name(subscriber, TEXTS[3].1)?,
        partner: rating::name(partner, TEXTS[4].1)?,
        duration,
        octets,
        events,
        ..Usage::at(start)
    })
}

/// Creates a price and returns its slot. Fails if an amount is not a whole number of units.
pub(crate) fn make_price(
    memory: &mut Memory<'_>,
    priced: &Priced<'_>,
    unit: Option<i128>,
) -> Result<SlotIndex, Reason> {
    let unit = unit.unwrap_or_else(|| priced.total.currency.minor_unit());
    let amount = |money: Money| {
        money.in_units(unit).ok_or_else(|| {
            Reason::argument(format!("{money} is no whole number of the unit that is asked for"))
        })
    };
    let count = |units: u64| i64::try_from(units).map_err(|_| Reason::Overflow);
    let numbers = [
        amount(priced.total)?,
        amount(priced.net)?,
        amount(priced.tax)?,
        count(priced.billed)?,
        count(priced.free)?,
    ]; // ORDER PRICE
    let texts = [priced.class, priced.total.currency.code()]; // ORDER PRICE
    let price = memory.arena.frame(1);
    let first = memory.make_structure(price, texts.len() + numbers.len());
    let at = |place: usize| SlotIndex(first.0 + place as u32);
    for (place, text) in texts.iter().enumerate() {
        memory.set_octets(at(place), text.as_bytes());
    }
    for (place, number) in numbers.iter().enumerate() {
        memory.set_number(at(texts.len() + place), *number);
    }
    Ok(price)
}
