//! Scripts in VRL.
//!
//! A record is the event. The line that a formatter makes is written to the event's metadata, which costs
//! least: a path of one step, and no change of the record. Variables are not cleared between records.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::record::{Kind as Type, Schema, TypeId};
use vrl::compiler::runtime::Runtime;
use vrl::compiler::state::{ExternalEnv, RuntimeState};
use vrl::compiler::{CompileConfig, Program, TargetValue, TimeZone, compile_with_external};
use vrl::prelude::*;
use vrl::value::Secrets;

use super::{Peer, Value as Field, digits, text};
use crate::dup::ZONES;
use crate::dup::by_hand::Zones;
use crate::error::BenchError;

pub(super) struct Vrl {
    program: Program,
    runtime: Runtime,
    events: Vec<TargetValue>,
}

impl Vrl {
    pub(super) fn new(
        case: &str,
        (schema, ty): super::Type<'_>,
        records: &[Field],
    ) -> Result<Self, BenchError> {
        let script = text(
            case,
            [
                ("filter", include_str!("filter.vrl")),
                ("formatter", include_str!("formatter.vrl")),
                ("loop", include_str!("loop.vrl")),
            ],
        )?;
        let mut functions = vrl::stdlib::all();
        functions.extend(host().map(|function| Box::new(function) as Box<dyn Function>));
        let external =
            ExternalEnv::new_with_kind(known(schema, ty), Kind::object(Collection::empty()));
        let compiled =
            compile_with_external(script, &functions, &external, CompileConfig::default());
        let compiled = compiled
            .map_err(|mistakes| vrl::diagnostic::Formatter::new(script, mistakes).to_string())
            .map_err(BenchError::Peer)?;
        let event = |record| TargetValue {
            value: event(record),
            metadata: nothing(),
            secrets: Secrets::default(),
        };
        Ok(Vrl {
            program: compiled.program,
            runtime: Runtime::new(RuntimeState::default()),
            events: records.iter().map(event).collect(),
        })
    }

    #[inline]
    fn run(&mut self, record: usize) -> Value {
        let zone = TimeZone::default();
        self.runtime.resolve(&mut self.events[record], &self.program, &zone).unwrap_or(Value::Null)
    }

    /// Takes what the script made.
    fn take(&mut self, record: usize) -> Value {
        std::mem::replace(&mut self.events[record].metadata, nothing())
    }
}

impl Peer for Vrl {
    fn call(&mut self, record: usize) -> u64 {
        let returned = match self.run(record) {
            Value::Boolean(yes) => u64::from(yes),
            Value::Integer(number) => number as u64,
            _ => u64::MAX,
        };
        if self.events[record].metadata.as_object().is_some_and(|made| !made.is_empty()) {
            self.take(record);
        }
        returned
    }

    fn line(&mut self, record: usize) -> Option<Field> {
        self.run(record);
        field(self.take(record))
    }
}

fn nothing() -> Value {
    Value::Object(BTreeMap::new())
}

fn event(field: &Field) -> Value {
    match field {
        Field::Number(number) => Value::Integer(*number),
        Field::Octets(octets) => Value::Bytes(Bytes::copy_from_slice(octets)),
        Field::List(elements) => Value::Array(elements.iter().map(event).collect()),
        Field::Structure(fields) => Value::Object(
            fields.iter().map(|(name, field)| (name.as_str().into(), event(field))).collect(),
        ),
    }
}

fn field(value: Value) -> Option<Field> {
    Some(match value {
        Value::Integer(number) => Field::Number(number),
        Value::Bytes(octets) => Field::Octets(octets.to_vec()),
        Value::Object(fields) => Field::Structure(
            fields
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_string(), field(value)?)))
                .collect(),
        ),
        _ => return None,
    })
}

/// Returns the type for VRL, so that its scripts need no checks that ours do not need.
fn known(schema: &Schema, ty: TypeId) -> Kind {
    match schema.kind(ty) {
        Type::Sequence(fields) | Type::Set(fields) => {
            let fields = fields.iter().map(|field| {
                let kind = known(schema, field.ty);
                let kind = if field.is_required() { kind } else { kind.or_undefined() };
                (vrl::value::kind::Field::from(field.name.as_str()), kind)
            });
            Kind::object(fields.collect::<BTreeMap<_, _>>())
        }
        Type::SequenceOf(element) | Type::SetOf(element) => {
            Kind::array(Collection::empty().with_unknown(known(schema, *element)))
        }
        Type::Choice(_) => Kind::object(Collection::any()),
        number if number.is_number() => Kind::integer(),
        _ => Kind::bytes(),
    }
}

/// A function that the host adds to the language.
#[derive(Clone, Debug)]
struct Host {
    name: &'static str,
    returns: fn() -> TypeDef,
    call: fn(&Zones, Bytes) -> Value,
    zones: Arc<Zones>,
}

fn host() -> [Host; 3] {
    let zones = Arc::new(Zones::new(ZONES));
    let host = |name, returns, call| Host { name, returns, call, zones: Arc::clone(&zones) };
    [
        host("digits", TypeDef::bytes, |_, octets| digits(&octets).into()),
        host("first_octet", TypeDef::integer, |_, octets| {
            i64::from(octets.first().copied().unwrap_or_default()).into()
        }),
        host(
            "zone",
            || TypeDef::bytes().or_null(),
            |zones, number| match zones.of(&number) {
                Some(zone) => Bytes::from_static(zone.as_bytes()).into(),
                None => Value::Null,
            },
        ),
    ]
}

const PARAMETERS: &[Parameter] = &[Parameter::required("value", kind::BYTES, "Octets or text.")];

impl Function for Host {
    fn identifier(&self) -> &'static str {
        self.name
    }

    fn usage(&self) -> &'static str {
        ""
    }

    fn category(&self) -> &'static str {
        Category::String.as_ref()
    }

    fn return_kind(&self) -> u16 {
        kind::ANY
    }

    fn examples(&self) -> &'static [Example] {
        &[]
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn compile(
        &self,
        _: &TypeState,
        _: &mut FunctionCompileContext,
        arguments: ArgumentList,
    ) -> Compiled {
        Ok(HostCall { host: self.clone(), value: arguments.required("value") }.as_expr())
    }
}

#[derive(Clone, Debug)]
struct HostCall {
    host: Host,
    value: Box<dyn Expression>,
}

impl FunctionExpression for HostCall {
    fn resolve(&self, context: &mut Context) -> Resolved {
        let value = self.value.resolve(context)?.try_bytes()?;
        Ok((self.host.call)(&self.host.zones, value))
    }

    fn type_def(&self, _: &TypeState) -> TypeDef {
        (self.host.returns)().infallible()
    }
}
