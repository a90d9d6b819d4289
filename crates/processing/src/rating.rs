//! Ratings: a record goes on with its price in it, or is refused with the step that found no tariff.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use ::rating::{
    DigitsFault, DigitsRoom, Moment, Money, Number, Plan, Priced, State, Usage, Zone, decimal,
    stamp, tbcd,
};
use diagnostics::{Diagnostic, did_you_mean};
use node::{
    Evaluator, Expression, Kind, Language, Node, Origin, Output, Outputs, Passed, Refusal, Setting,
    Settings, Template, Value,
};
use record::{
    Kind as TypeKind, Memory, Opened, Path, PathError, Record, Schema, TextKind, TypeId, Types,
};

use crate::expression::Dup;
use crate::script::Execution;

/// Settings that are texts of a usage. ORDER TEXTS
const TEXTS: [&str; 5] = ["service", "served", "other", "subscriber", "partner"];

/// Settings that are numbers of a usage. ORDER NUMBERS
const NUMBERS: [&str; 3] = ["duration", "octets", "events"];

/// What of a price may be written into the record.
const RESULTS: [(&str, Take); 7] = [
    ("total", |priced| Part::Amount(priced.total)),
    ("net", |priced| Part::Amount(priced.net)),
    ("tax", |priced| Part::Amount(priced.tax)),
    ("class", |priced| Part::Name(priced.class)),
    ("currency", |priced| Part::Name(priced.total.currency.code())),
    ("counted", |priced| Part::Count(priced.billed)),
    ("free", |priced| Part::Count(priced.free)),
];

/// How a part is taken of a price.
type Take = for<'p> fn(&'p Priced<'p>) -> Part<'p>;

/// A part of a price.
enum Part<'p> {
    Amount(Money),
    Name(&'p str),
    Count(u64),
}

/// `[rating.name]` with a `type`, a `plan`, the fields of a usage, and where its price goes.
#[derive(Clone, Copy, Debug)]
pub struct Rating(pub Execution);

impl Kind for Rating {
    fn name(&self) -> &'static str {
        "rating"
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "type",
            "plan",
            "counters",
            "script",
            "service",
            "served",
            "other",
            "subscriber",
            "partner",
            "start",
            "end",
            "duration",
            "octets",
            "events",
            "numbers",
            "time-zone",
            "total",
            "net",
            "tax",
            "class",
            "currency",
            "counted",
            "free",
            "unit",
        ]
    }

    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let required = |key| settings.require(key).map_err(|mistake| vec![mistake]);
        let (ty, plan, start) = (required("type")?, required("plan")?, required("start")?);
        let input =
            types.find(&ty.value).map_err(|fault| vec![settings.error(ty, fault.to_string())])?;
        let mut reader = Reader { settings, input, execution: self.0, mistakes: Vec::new() };
        let plan = reader.plan(plan);
        let start = reader.field(start, types);
        let mut field = |key| settings.get(key).and_then(|setting| reader.field(setting, types));
        let texts = TEXTS.map(&mut field);
        let end = field("end");
        let numbers = NUMBERS.map(&mut field);
        let numbers_are = reader.number_form();
        let zone = reader.zone();
        let results = reader.results(types.schema(), plan.as_ref());
        if !reader.mistakes.is_empty() {
            return Err(reader.mistakes);
        }
        let (Some(plan), Some(start)) = (plan, start) else { return Err(Vec::new()) };
        Ok(Box::new(RatingTemplate {
            input,
            plan: Arc::new(plan),
            fields: Fields { texts, start, end, numbers },
            numbers_are,
            zone,
            results,
            schema: Arc::new(types.schema().clone()),
            outputs: [Output::making("rated", input)],
        }))
    }
}

/// How numbers lie in fields.
#[derive(Clone, Copy)]
enum NumberForm {
    Characters,
    Tbcd,
    AddressString,
}

const NUMBER_FORMS: [(&str, NumberForm); 3] = [
    ("characters", NumberForm::Characters),
    ("tbcd", NumberForm::Tbcd),
    ("address-string", NumberForm::AddressString),
];

/// Reads settings, and notes all mistakes.
struct Reader<'r> {
    settings: &'r Settings,
    input: TypeId,
    execution: Execution,
    mistakes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, setting: &Setting, message: impl Into<String>, hint: Option<String>) {
        self.mistakes.push(self.settings.error(setting, message).hint_maybe(hint));
    }

    /// The plan, without mistakes. What depends on earlier records is not known here: who has bundles or discounts in
    /// a plan says that they are not to count.
    fn plan(&mut self, setting: &Setting) -> Option<Plan> {
        let read = Plan::read(&self.settings.path(setting));
        let counters = self.settings.get("counters");
        if let Some(counters) = counters.filter(|counters| counters.value != "ignored") {
            let hint = "write \"ignored\": bundles and discounts do not count".to_owned();
            self.error(
                counters,
                format!("\"{}\" is no way with counters", counters.value),
                Some(hint),
            );
        }
        let Some(plan) = read.plan else {
            self.mistakes.extend(read.diagnostics);
            return None;
        };
        if plan.has_counters() && counters.is_none() {
            let message =
                "this plan has bundles or discounts, and a node keeps no counters of subscribers";
            let hint = "say counters = \"ignored\" to rate as if it had none".to_owned();
            self.error(setting, message, Some(hint));
        }
        Some(plan.without_counters())
    }

    fn field(&mut self, setting: &Setting, types: &mut dyn Types) -> Option<Field> {
        let expression = Dup(self.execution).expression(self.settings, setting, self.input, types);
        let expression = expression.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()?;
        // Of a field alone it is known when it is absent; a script says itself what stands for it.
        let path = match self.settings.get("script") {
            None => field_of(setting)
                .and_then(|field| Path::resolve(types.schema(), self.input, field).ok()),
            Some(_) => None,
        };
        Some(Field { expression, path })
    }

    fn number_form(&mut self) -> NumberForm {
        let Some(setting) = self.settings.get("numbers") else { return NumberForm::Characters };
        match NUMBER_FORMS.iter().find(|(name, _)| *name == setting.value) {
            Some((_, form)) => *form,
            None => {
                let names = NUMBER_FORMS.map(|(name, _)| name);
                let hint = did_you_mean(&setting.value, names)
                    .unwrap_or_else(|| format!("write {}", names.join(", ")));
                self.error(
                    setting,
                    format!("\"{}\" is no form of numbers", setting.value),
                    Some(hint),
                );
                NumberForm::Characters
            }
        }
    }

    fn zone(&mut self) -> Option<Zone> {
        let setting = self.settings.get("time-zone")?;
        Zone::find(&setting.value)
            .map_err(|fault| self.error(setting, fault.to_string(), None))
            .ok()
    }

    fn results(&mut self, schema: &Schema, plan: Option<&Plan>) -> Vec<ResultField> {
        let minor_unit = plan.map_or(1, |plan| plan.currency().minor_unit());
        let unit = match self.settings.get("unit") {
            None => minor_unit,
            Some(setting) => match decimal(&setting.value) {
                Ok(unit) if unit > 0 => unit,
                _ => {
                    let hint = "write \"0.01\" for a field that counts hundredths".to_owned();
                    self.error(
                        setting,
                        format!("\"{}\" is no unit of money", setting.value),
                        Some(hint),
                    );
                    minor_unit
                }
            },
        };
        let mut results = Vec::new();
        for (key, part) in RESULTS {
            if let Some(setting) = self.settings.get(key) {
                results.extend(
                    self.result(setting, unit, schema).map(|(path, unit)| ResultField {
                        part,
                        path,
                        unit,
                    }),
                );
            }
        }
        if results.is_empty() && self.mistakes.is_empty() {
            let message = format!("\"{}\" does not say where the price goes", self.settings.name);
            let hint = "name a field of the record: total = \"record.charge\"";
            let source = &self.settings.source;
            self.mistakes.push(Diagnostic::error(source, self.settings.span, message).hint(hint));
        }
        results
    }

    /// A field that a result goes into, and what it counts in billionths if it is a number.
    fn result(
        &mut self,
        setting: &Setting,
        unit: i128,
        schema: &Schema,
    ) -> Option<(Path, Option<i128>)> {
        let Some(field) = field_of(setting) else {
            let hint = "write \"record.charge\"".to_owned();
            self.error(
                setting,
                format!("\"{}\" is no field of the record", setting.value),
                Some(hint),
            );
            return None;
        };
        let path = match Path::resolve(schema, self.input, field) {
            Ok(path) => path,
            Err(fault) => {
                let hint = match &fault {
                    PathError::NoField { name, known, .. } => {
                        did_you_mean(name, known.iter().map(String::as_str))
                    }
                    _ => None,
                };
                self.error(setting, fault.to_string(), hint);
                return None;
            }
        };
        let is_name = matches!(setting.key.as_str(), "class" | "currency");
        match schema.kind(path.ty()) {
            TypeKind::Integer { .. } if !is_name => Some((path, Some(unit))),
            TypeKind::Text(kind) if !matches!(kind, TextKind::Universal | TextKind::Bmp) => {
                Some((path, None))
            }
            _ => {
                let hint = "amounts and counts go into an INTEGER or a string, names into a string";
                self.error(
                    setting,
                    format!("\"{}\" cannot hold this", setting.value),
                    Some(hint.into()),
                );
                None
            }
        }
    }
}

/// The path of a setting that is a field and no more.
fn field_of(setting: &Setting) -> Option<&str> {
    let field = setting.value.strip_prefix(dup::RECORD)?.strip_prefix('.')?;
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']');
    field.chars().all(is_path).then_some(field)
}

/// A value of a usage.
struct Field {
    expression: Box<dyn Expression>,
    path: Option<Path>,
}

/// What of a record is which value of a usage.
struct Fields<F> {
    texts: [Option<F>; TEXTS.len()],
    start: F,
    end: Option<F>,
    numbers: [Option<F>; NUMBERS.len()],
}

impl Fields<Field> {
    fn all(&self) -> impl Iterator<Item = &Field> {
        let some = self.texts.iter().chain(&self.numbers).flatten();
        some.chain([&self.start]).chain(&self.end)
    }

    fn open(&self) -> Fields<Opener> {
        let open = |field: &Option<Field>| field.as_ref().map(Opener::new);
        Fields {
            texts: self.texts.each_ref().map(open),
            start: Opener::new(&self.start),
            end: open(&self.end),
            numbers: self.numbers.each_ref().map(open),
        }
    }
}

/// Where a result goes.
#[derive(Clone)]
struct ResultField {
    part: Take,
    path: Path,
    /// What it counts, in billionths, if it is a number.
    unit: Option<i128>,
}

struct RatingTemplate {
    input: TypeId,
    plan: Arc<Plan>,
    fields: Fields<Field>,
    numbers_are: NumberForm,
    zone: Option<Zone>,
    results: Vec<ResultField>,
    schema: Arc<Schema>,
    outputs: [Output; 1],
}

impl Template for RatingTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.input)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn opened(&self) -> Opened {
        let read = self.fields.all().map(|field| field.expression.opened());
        let written =
            self.results.iter().map(|result| result.path.entered().iter().copied().collect());
        read.chain(written).fold(Opened::none(), Opened::and)
    }

    fn files(&self) -> Vec<PathBuf> {
        let scripts = self.fields.all().flat_map(|field| field.expression.files());
        self.plan.files().iter().cloned().chain(scripts).collect()
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(RatingNode {
            plan: Arc::clone(&self.plan),
            fields: self.fields.open(),
            numbers_are: self.numbers_are,
            zone: self.zone.clone(),
            results: self.results.clone(),
            schema: Arc::clone(&self.schema),
            texts: Default::default(),
            written: Vec::new(),
        })
    }
}

/// A value of a usage, in one worker.
struct Opener {
    evaluator: Box<dyn Evaluator>,
    path: Option<Path>,
}

impl Opener {
    fn new(field: &Field) -> Self {
        Opener { evaluator: field.expression.evaluator(), path: field.path.clone() }
    }

    /// The value of a record; none if it is a field that is absent.
    fn value<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Option<Value<'v>>, Refusal> {
        if self.path.as_ref().is_some_and(|path| path.find(memory, record).is_none()) {
            return Ok(None);
        }
        self.evaluator.evaluate(memory, record).map(Some)
    }

    /// Writes the value into `room`, a number in digits.
    fn text(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        room: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        match self.value(memory, record)? {
            Some(Value::Octets(octets)) => room.extend_from_slice(octets),
            Some(Value::Integer(number)) => {
                write!(room, "{number}").expect("a vector takes all");
            }
            None => {}
        }
        Ok(())
    }

    /// The value as a number, also one that is written in characters.
    fn number(&mut self, memory: &mut Memory<'_>, record: Record) -> Result<Option<i64>, Refusal> {
        match self.value(memory, record)? {
            Some(Value::Integer(number)) => Ok(Some(number)),
            Some(Value::Octets(octets)) => {
                let number = std::str::from_utf8(octets).ok().and_then(|text| text.parse().ok());
                number.map(Some).ok_or_else(|| {
                    let shown = String::from_utf8_lossy(octets);
                    Refusal::new(format!("\"{}\" is no number", shown.escape_debug()))
                })
            }
            None => Ok(None),
        }
    }

    /// The value as a moment: a time, or seconds since 1970.
    fn moment(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        zone: Option<&Zone>,
        what: &str,
    ) -> Result<Option<Moment>, Refusal> {
        match self.value(memory, record)? {
            Some(Value::Integer(seconds)) => Ok(Some(seconds)),
            Some(Value::Octets(octets)) => stamp(octets, zone).map(Some).map_err(|fault| {
                let shown = String::from_utf8_lossy(octets);
                Refusal::new(format!(
                    "no tariff: time: {what} \"{}\": {fault}",
                    shown.escape_debug()
                ))
            }),
            None => Ok(None),
        }
    }
}

struct RatingNode {
    plan: Arc<Plan>,
    fields: Fields<Opener>,
    numbers_are: NumberForm,
    zone: Option<Zone>,
    results: Vec<ResultField>,
    schema: Arc<Schema>,
    /// The texts of the record in hand.
    texts: [Vec<u8>; TEXTS.len()],
    /// A result, as it is written.
    written: Vec<u8>,
}

impl Node for RatingNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        self.read_texts(memory, record)?;
        let usage = self.amounts(memory, record)?;
        let plan = Arc::clone(&self.plan);
        let mut rooms = [[0; 32]; 2];
        let usage = self.with_texts(usage, &mut rooms)?;
        let priced = plan
            .rate(&usage, &mut State::default())
            .map_err(|none| Refusal::new(none.to_string()))?;
        let made = memory.create(record.ty);
        memory
            .copy(&self.schema, record.ty, record.root, made.root)
            .map_err(|fault| Refusal::new(fault.to_string()))?;
        self.write(memory, made, &priced)?;
        Ok(Passed::On(0, made))
    }
}

impl RatingNode {
    fn read_texts(&mut self, memory: &mut Memory<'_>, record: Record) -> Result<(), Refusal> {
        for (field, room) in self.fields.texts.iter_mut().zip(&mut self.texts) {
            room.clear();
            if let Some(field) = field {
                field.text(memory, record, room)?;
            }
        }
        Ok(())
    }

    /// The usage without its texts.
    fn amounts(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
    ) -> Result<Usage<'static>, Refusal> {
        let zone = self.zone.as_ref();
        let start = self.fields.start.moment(memory, record, zone, "start")?;
        let start =
            start.ok_or_else(|| Refusal::new("no tariff: time: the record has no start"))?;
        let [duration, octets, events] = &mut self.fields.numbers; // ORDER NUMBERS
        let mut number = |field: &mut Option<Opener>, what: &str| match field {
            Some(field) => match field.number(memory, record)? {
                Some(number) => unsigned(number, what).map(Some),
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
            duration =
                Some(length.map_err(|fault| Refusal::new(format!("no tariff: time: {fault}")))?);
        }
        Ok(Usage { duration, octets, events, ..Usage::at(start) })
    }

    /// The usage with its texts, and its numbers in `rooms`.
    fn with_texts<'u>(
        &'u self,
        usage: Usage<'u>,
        rooms: &'u mut [DigitsRoom; 2],
    ) -> Result<Usage<'u>, Refusal> {
        let [service, served, other, subscriber, partner] = &self.texts; // ORDER TEXTS
        let [served_room, other_room] = rooms;
        Ok(Usage {
            service: text(service)?,
            served: self.number(served, served_room)?,
            other: self.number(other, other_room)?,
            subscriber: text(subscriber)?,
            partner: text(partner)?,
            ..usage
        })
    }

    fn number<'u>(
        &self,
        octets: &'u [u8],
        room: &'u mut DigitsRoom,
    ) -> Result<Option<Number<'u>>, Refusal> {
        if octets.is_empty() {
            return Ok(None);
        }
        let refused = |fault: DigitsFault| {
            Refusal::new(format!("no tariff: number analysis: a number is none: {fault}"))
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

    fn write(
        &mut self,
        memory: &mut Memory<'_>,
        made: Record,
        priced: &Priced<'_>,
    ) -> Result<(), Refusal> {
        for field in &self.results {
            if field.path.is_taken(memory, made) {
                return Err(Refusal::new(
                    "the price has no place: the record has another alternative",
                ));
            }
            let part = (field.part)(priced);
            if let Some(unit) = field.unit {
                let number = part.number(unit).ok_or_else(|| does_not_fit(priced))?;
                let at = field.path.make(memory, made);
                memory.set_number(at, number);
            } else {
                self.written.clear();
                part.write(&mut self.written);
                let at = field.path.make(memory, made);
                memory.set_octets(at, &self.written);
            }
        }
        Ok(())
    }
}

impl Part<'_> {
    /// As a number of units of money, or as a count.
    fn number(&self, unit: i128) -> Option<i64> {
        match self {
            Part::Amount(money) => money.in_units(unit),
            Part::Count(count) => i64::try_from(*count).ok(),
            Part::Name(_) => None,
        }
    }

    fn write(&self, room: &mut Vec<u8>) {
        match self {
            Part::Amount(money) => write!(room, "{}", money.amount()),
            Part::Count(count) => write!(room, "{count}"),
            Part::Name(name) => room.write_all(name.as_bytes()),
        }
        .expect("a vector takes all");
    }
}

#[cold]
fn does_not_fit(priced: &Priced<'_>) -> Refusal {
    Refusal::new(format!("{} is no whole number of the unit of its field", priced.total))
}

/// A length or a count, which is not negative.
fn unsigned(number: i64, what: &str) -> Result<u64, Refusal> {
    u64::try_from(number)
        .map_err(|_| Refusal::new(format!("no tariff: quantity: the {what} is negative: {number}")))
}

fn text(octets: &[u8]) -> Result<Option<&str>, Refusal> {
    let text = std::str::from_utf8(octets).map_err(|_| {
        let shown = String::from_utf8_lossy(octets);
        Refusal::new(format!("no tariff: \"{}\" is no name", shown.escape_debug()))
    })?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}
