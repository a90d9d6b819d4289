//! Rating: a record goes on with its price in it, or is refused with the step that found no tariff.

mod counters;
mod latest;
pub(crate) mod price;
mod settings;
mod usage;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use ::rating::{Cause, NoTariff, Plan, Plans, State, Step, Usage};
use ::settings::Settings;
use diagnostics::Diagnostic;
use node::{
    Claims, JobNumber, Keyed, KeyedState, Kind, LatestTime, Node, OnDisk, Origin, Output, Outputs,
    Passed, RecordEnd, Refusal, StateChanges, Template, ValueReader, cache_share,
};
use record::{Memory, Opened, Record, Schema, TypeId, Types};

use self::settings::{MemoryOctets, Reader};
use crate::script::Execution;
use counters::CountersValue;
use latest::Latest;
use price::{PriceWriter, ResultField};
use usage::{Fields, NUMBERS, TEXTS, UsageForm, UsageReader};

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
            "account",
            "memory",
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
        let counters = reader.counters();
        let plans = reader.plans(plan, counters);
        let start = reader.field(start, types);
        let mut field = |key| settings.get(key).and_then(|setting| reader.field(setting, types));
        let texts = TEXTS.map(&mut field);
        let end = field("end");
        let numbers = NUMBERS.map(&mut field);
        let numbers_are = reader.number_form();
        let zone = reader.zone();
        let results = reader.results(types.schema(), plans.as_ref().map(|(plans, _)| plans));
        if !reader.mistakes.is_empty() {
            return Err(reader.mistakes);
        }
        let (Some((plans, files)), Some(start)) = (plans, start) else { return Err(Vec::new()) };
        let fields = Fields { texts, start, end, numbers };
        Ok(Box::new(RatingTemplate {
            input,
            plans: Arc::new(plans),
            files,
            counters: counters.map(|MemoryOctets(memory_octets)| Counters {
                on_disk: OnDisk {
                    memory_octets: cache_share(memory_octets),
                    keyed_by: fields.keyed_by(numbers_are),
                    add: counters::add,
                },
                claims: Arc::new(Claims::new(cache_share(memory_octets))),
            }),
            usage: UsageForm { fields, numbers_are, zone },
            results,
            schema: Arc::new(types.schema().clone()),
            outputs: [Output::of_type("rated", input)],
        }))
    }
}

/// The settings for counters of subscribers.
struct Counters {
    /// The memory for counters that were read. The same amount is for the changes of files in progress.
    on_disk: OnDisk,
    claims: Arc<Claims>,
}

struct RatingTemplate {
    input: TypeId,
    plans: Arc<Plans>,
    /// The files of the plans.
    files: Vec<PathBuf>,
    /// The counters of subscribers, if there are any.
    counters: Option<Counters>,
    usage: UsageForm,
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
        let written = self.results.iter().flat_map(ResultField::entered);
        self.usage.opened().and(written.collect())
    }

    fn files(&self) -> Vec<PathBuf> {
        self.files.iter().cloned().chain(self.usage.files()).collect()
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        self.usage.warnings(self.counters.is_some(), &self.plans)
    }

    fn state(&self) -> Option<KeyedState<'_>> {
        self.counters.as_ref().map(|counters| KeyedState::OnDisk(counters.on_disk))
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(RatingNode {
            plans: Arc::clone(&self.plans),
            usage: self.usage.reader(),
            price: PriceWriter { fields: self.results.clone(), written: Vec::new() },
            schema: Arc::clone(&self.schema),
            state: State::default(),
            latest: Latest::default(),
            account: String::new(),
            counting: self
                .counters
                .as_ref()
                .map(|counters| Keyed::new(Arc::clone(&counters.claims))),
        })
    }
}

struct RatingNode {
    plans: Arc<Plans>,
    usage: UsageReader,
    price: PriceWriter,
    schema: Arc<Schema>,
    /// The state of the current record only.
    state: State,
    latest: Latest,
    /// The account or served number whose counters count the current record.
    account: String,
    /// The counters of subscribers, if there are any; otherwise the plans here have none.
    counting: Option<Keyed<CountersValue>>,
}

impl Node for RatingNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let mut rooms = [[0; 32]; 2];
        let (usage, account) = self.usage.read(memory, record, &mut rooms)?;
        self.latest.check(usage.start)?;
        let plan = self.plans.valid(usage.start).map_err(none)?;
        let priced = match &mut self.counting {
            Some(counting) if plan.has_counters() => {
                self.account.clear();
                subscriber(plan, &usage, account, &mut self.account)?;
                plan.rate_counted(&usage, &mut counting.value(&self.account)?.0, &mut self.state)
            }
            _ => plan.rate(&usage, &mut self.state),
        };
        let priced = priced.map_err(none)?;
        self.state.end_usage();
        let made = memory.create(record.ty);
        memory
            .copy(&self.schema, record.ty, record.root, made.root)
            .map_err(|fault| Refusal::new(&fault))?;
        self.price.write(memory, made, &priced)?;
        Ok(Passed::On(0, made))
    }

    fn take_clock(&mut self, clock: LatestTime) {
        self.latest = Latest::by(clock);
    }

    fn attach(&mut self, reader: Box<dyn ValueReader>) {
        if let Some(counting) = &mut self.counting {
            counting.attach(reader);
        }
    }

    fn begin_file(&mut self, job: JobNumber, _: &str) {
        if let Some(counting) = &mut self.counting {
            counting.begin_file(job);
        }
    }

    fn end_record(&mut self, end: RecordEnd) {
        if let Some(counting) = &mut self.counting {
            counting.end_record(end);
        }
    }

    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        self.counting.as_mut()?.end_file()
    }
}

/// Writes the key of the counters that count a usage: the given account, or else the served number, whichever way it
/// was dialled.
fn subscriber(
    plan: &Plan,
    usage: &Usage<'_>,
    account: Option<&str>,
    to: &mut String,
) -> Result<(), Refusal> {
    if let Some(account) = account {
        to.push_str(account);
        return Ok(());
    }
    let served =
        usage.served.ok_or_else(|| none(NoTariff::new(Step::Bundle, Cause::NoSubscriber)))?;
    let digits = plan
        .international(served)
        .map_err(|fault| none(NoTariff::new(Step::NumberAnalysis, Cause::ServedNumber(fault))))?;
    write!(to, "{digits}").expect("a string takes all");
    Ok(())
}

#[cold]
fn none(tariff: NoTariff) -> Refusal {
    Refusal::new(&tariff)
}
