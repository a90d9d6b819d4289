//! Reads the values of a usage from a record.

use std::io::Write;
use std::path::PathBuf;

use ::rating::{
    Cause, DigitsFault, DigitsRoom, Moment, NoTariff, Number, Plan, Plans, Step, Unit, Usage, Zone,
    name, record_moment, tbcd,
};
use diagnostics::{Diagnostic, shown};
use node::{Evaluator, Expression, Refusal, Value};
use record::{Memory, Opened, Record};

use super::none;
use crate::expression::DupExpression;

/// The settings for texts of a usage, and for the account whose counters count it. ORDER TEXTS
pub(super) const TEXTS: [&str; 6] =
    ["service", "served", "other", "subscriber", "partner", "account"];

/// The settings for numbers of a usage. ORDER NUMBERS
pub(super) const NUMBERS: [&str; 3] = ["duration", "octets", "events"];

/// The encoding of numbers in fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberForm {
    Characters,
    Tbcd,
    AddressString,
}

pub(super) const NUMBER_FORMS: [(&str, NumberForm); 3] = [
    ("characters", NumberForm::Characters),
    ("tbcd", NumberForm::Tbcd),
    ("address-string", NumberForm::AddressString),
];

impl NumberForm {
    fn name(self) -> &'static str {
        let named = NUMBER_FORMS.iter().find(|(_, form)| *form == self);
        named.map_or("", |(name, _)| name)
    }
}

/// A value of a usage.
pub(super) type Field = DupExpression;

/// The values of a usage, each with its source in the record.
pub(super) struct Fields<F> {
    pub(super) texts: [Option<F>; TEXTS.len()],
    pub(super) start: F,
    pub(super) end: Option<F>,
    pub(super) numbers: [Option<F>; NUMBERS.len()],
}

impl Fields<Field> {
    /// Returns a digest of what identifies a subscriber: the account if it is set, or the served number.
    pub(super) fn keyed_by(&self, numbers_are: NumberForm) -> [u8; 16] {
        let [_, served, _, _, _, account] = &self.texts; // ORDER TEXTS
        let text = |field: &Option<Field>| field.as_ref().map_or(String::new(), Field::text);
        let identity = match account {
            Some(_) => format!("account {}", text(account)),
            None => format!("served {} {}", numbers_are.name(), text(served)),
        };
        let digest = blake3::hash(identity.as_bytes());
        let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 octets");
        *first
    }

    fn all(&self) -> impl Iterator<Item = &Field> {
        let some = self.texts.iter().chain(&self.numbers).flatten();
        some.chain([&self.start]).chain(&self.end)
    }

    fn open(&self) -> Fields<Opener> {
        let open = |field: &Option<Field>| field.as_ref().map(|field| Opener(field.evaluator()));
        Fields {
            texts: self.texts.each_ref().map(open),
            start: Opener(self.start.evaluator()),
            end: open(&self.end),
            numbers: self.numbers.each_ref().map(open),
        }
    }
}

/// How usages are read from records.
pub(super) struct UsageForm {
    pub(super) fields: Fields<Field>,
    pub(super) numbers_are: NumberForm,
    /// The zone for times without one.
    pub(super) zone: Option<Zone>,
}

impl UsageForm {
    /// Returns which values of records are read.
    pub(super) fn opened(&self) -> Opened {
        let read = self.fields.all().map(|field| field.opened());
        read.fold(Opened::none(), Opened::and)
    }

    /// Returns warnings about fields whose absence sets the record aside. Other absent fields just have no value.
    pub(super) fn warnings(&self, is_counted: bool, plans: &Plans) -> Vec<Diagnostic> {
        let Fields { texts, start, end, numbers } = &self.fields;
        let [_, served, _, _, _, account] = texts; // ORDER TEXTS
        let [duration, octets, _] = numbers; // ORDER NUMBERS
        let counts_only = |unit| plans.all().flat_map(Plan::units).all(|of| of == unit);
        let mut needed = vec![start];
        needed.extend(served.iter().filter(|_| is_counted && account.is_none()));
        match (duration, end) {
            (Some(needs), None) | (None, Some(needs)) if counts_only(Unit::Seconds) => {
                needed.push(needs);
            }
            _ => {}
        }
        needed.extend(octets.iter().filter(|_| counts_only(Unit::Octets)));
        let is_needed = |field: &Field| needed.iter().any(|needs| std::ptr::eq(*needs, field));
        let refuses = |field: &&Field| field.field().is_none() || is_needed(field);
        self.fields.all().filter(refuses).flat_map(|field| field.warnings()).cloned().collect()
    }

    /// Returns the files of the scripts.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.fields.all().flat_map(|field| field.files())
    }

    /// Makes the reader of one worker.
    pub(super) fn reader(&self) -> UsageReader {
        UsageReader {
            fields: self.fields.open(),
            numbers_are: self.numbers_are,
            zone: self.zone.clone(),
            texts: Default::default(),
        }
    }
}

/// Reads a value of a usage in one worker. An absent field has no value.
struct Opener(Box<dyn Evaluator>);

impl Opener {
    /// Writes the value into `room`. A number is written in digits.
    fn text(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        room: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        match self.0.find(memory, record)? {
            Some(Value::Octets(octets)) => room.extend_from_slice(octets),
            Some(Value::Integer(number)) => {
                write!(room, "{number}").expect("a vector takes all");
            }
            None => {}
        }
        Ok(())
    }

    /// Returns the value as a number, also if it is written in characters.
    fn number(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        what: &str,
    ) -> Result<Option<i64>, Refusal> {
        match self.0.find(memory, record)? {
            Some(Value::Integer(number)) => Ok(Some(number)),
            Some(Value::Octets(octets)) => {
                let number = std::str::from_utf8(octets).ok().and_then(|text| text.parse().ok());
                number.map(Some).ok_or_else(|| {
                    let (what, text) = (what.to_owned(), shown(octets));
                    none(NoTariff::new(Step::Quantity, Cause::NotANumber { what, text }))
                })
            }
            None => Ok(None),
        }
    }

    /// Returns the value as a moment: a time, or seconds since 1970.
    fn moment(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        zone: Option<&Zone>,
        what: &'static str,
    ) -> Result<Option<Moment>, Refusal> {
        match self.0.find(memory, record)? {
            Some(Value::Integer(seconds)) => Ok(Some(seconds)),
            Some(Value::Octets(octets)) => record_moment(octets, zone).map(Some).map_err(|fault| {
                let text = shown(octets);
                none(NoTariff::new(Step::Time, Cause::NotATime { what, text, fault }))
            }),
            None => Ok(None),
        }
    }
}

/// Reads usages, in one worker.
pub(super) struct UsageReader {
    fields: Fields<Opener>,
    numbers_are: NumberForm,
    zone: Option<Zone>,
    /// The texts of the current record.
    texts: [Vec<u8>; TEXTS.len()],
}

impl UsageReader {
    /// Returns the usage of a record, and its account if one is set. The numbers may be in `rooms`.
    pub(super) fn read<'u>(
        &'u mut self,
        memory: &mut Memory<'_>,
        record: Record,
        rooms: &'u mut [DigitsRoom; 2],
    ) -> Result<(Usage<'u>, Option<&'u str>), Refusal> {
        self.read_texts(memory, record)?;
        let usage = self.amounts(memory, record)?;
        let [.., account] = &self.texts; // ORDER TEXTS
        let account = name(account, Step::Bundle).map_err(none)?;
        Ok((self.with_texts(usage, rooms)?, account))
    }

    fn read_texts(&mut self, memory: &mut Memory<'_>, record: Record) -> Result<(), Refusal> {
        for (field, room) in self.fields.texts.iter_mut().zip(&mut self.texts) {
            room.clear();
            if let Some(field) = field {
                field.text(memory, record, room)?;
            }
        }
        Ok(())
    }

    /// Returns the usage without its texts.
    fn amounts(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
    ) -> Result<Usage<'static>, Refusal> {
        let zone = self.zone.as_ref();
        let start = self.fields.start.moment(memory, record, zone, "start")?;
        let start = start.ok_or_else(|| none(NoTariff::new(Step::Time, Cause::NoStart)))?;
        let [duration, octets, events] = &mut self.fields.numbers; // ORDER NUMBERS
        let mut number = |field: &mut Option<Opener>, what: &str| match field {
            Some(field) => match field.number(memory, record, what)? {
                Some(number) => ::rating::used(number, what).map(Some).map_err(none),
                None => Ok(None),
            },
            None => Ok(None),
        };
        let (octets, events) = (number(octets, "octets")?, number(events, "events")?);
        let mut duration = number(duration, "duration")?;
        if let Some(field) = &mut self.fields.end
            && let Some(end) = field.moment(memory, record, zone, "end")?
        {
            let length = ::rating::seconds_between(start, end);
            duration = Some(
                length.map_err(|fault| none(NoTariff::new(Step::Time, Cause::Length(fault))))?,
            );
        }
        Ok(Usage { duration, octets, events, ..Usage::at(start) })
    }

    /// Adds the texts to the usage. The numbers may be in `rooms`.
    fn with_texts<'u>(
        &'u self,
        usage: Usage<'u>,
        rooms: &'u mut [DigitsRoom; 2],
    ) -> Result<Usage<'u>, Refusal> {
        let [service, served, other, subscriber, partner, _] = &self.texts; // ORDER TEXTS
        let [served_room, other_room] = rooms;
        Ok(Usage {
            service: name(service, Step::Service).map_err(none)?,
            served: self.number("served", served, served_room)?,
            other: self.number("other", other, other_room)?,
            subscriber: name(subscriber, Step::SubscriberType).map_err(none)?,
            partner: name(partner, Step::RoamingPartner).map_err(none)?,
            ..usage
        })
    }

    fn number<'u>(
        &self,
        whose: &str,
        octets: &'u [u8],
        room: &'u mut DigitsRoom,
    ) -> Result<Option<Number<'u>>, Refusal> {
        if octets.is_empty() {
            return Ok(None);
        }
        let refused = |fault: DigitsFault| {
            let (whose, number) = (whose.to_owned(), shown(octets));
            none(NoTariff::new(Step::NumberAnalysis, Cause::Number { whose, number, fault }))
        };
        let number = match self.numbers_are {
            NumberForm::Characters => Number::unknown(octets),
            NumberForm::Tbcd => Number::unknown(tbcd(octets, room).map_err(refused)?),
            NumberForm::AddressString => {
                Number::of_address_string(octets, room).map_err(refused)?
            }
        };
        Ok(Some(number))
    }
}
