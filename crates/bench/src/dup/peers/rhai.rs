//! Scripts in Rhai.
//!
//! A record is a map in a scope of its own, as the variable `cdr`: a script reads it in place, where the
//! argument of a function would be a copy. Octets are blobs. The crate is built without what slows it down and
//! these scripts do not use: checks of arithmetic and sizes, shared values, modules, floating point,
//! positions, threads (its features `unchecked`, `no_closure`, `no_module`, `no_float`, `no_position`,
//! and no `sync`).

use rhai::{AST, Blob, Dynamic, Engine, ImmutableString, Map, OptimizationLevel, Scope};

use super::{Peer, Value, digits, hex, text};
use crate::dup::ZONES;
use crate::dup::by_hand::Zones;
use crate::error::BenchError;

pub(super) struct Rhai {
    engine: Engine,
    script: AST,
    records: Vec<Scope<'static>>,
}

impl Rhai {
    pub(super) fn new(case: &str, records: &[Value]) -> Result<Self, BenchError> {
        let script = text(
            case,
            [
                ("filter", include_str!("filter.rhai")),
                ("formatter", include_str!("formatter.rhai")),
                ("loop", include_str!("loop.rhai")),
            ],
        )?;
        let mut engine = Engine::new();
        engine.set_optimization_level(OptimizationLevel::Full);
        let zones = Zones::new(ZONES);
        engine.register_fn("zone", move |number: &str| match zones.of(number.as_bytes()) {
            Some(zone) => Dynamic::from(ImmutableString::from(zone)),
            None => Dynamic::UNIT,
        });
        engine.register_fn("digits", |octets: &mut Blob, from: i64| {
            digits(octets.get(from as usize..).unwrap_or_default())
        });
        engine.register_fn("hex", |octets: &mut Blob| hex(octets));
        let script =
            engine.compile(script).map_err(|mistake| BenchError::Peer(mistake.to_string()))?;
        let scope = |record| {
            let mut scope = Scope::new();
            scope.push_constant("NO_REFERENCE", Blob::from([0; 4]));
            scope.push("cdr", dynamic(record));
            scope
        };
        Ok(Rhai { engine, script, records: records.iter().map(scope).collect() })
    }

    #[inline]
    fn run(&mut self, record: usize) -> Dynamic {
        let scope = &mut self.records[record];
        let before = scope.len();
        let returned = self.engine.eval_ast_with_scope::<Dynamic>(scope, &self.script);
        scope.rewind(before);
        returned.unwrap_or(Dynamic::UNIT)
    }
}

impl Peer for Rhai {
    fn call(&mut self, record: usize) -> u64 {
        let returned = self.run(record);
        match (returned.as_bool(), returned.as_int()) {
            (Ok(yes), _) => u64::from(yes),
            (_, Ok(number)) => number as u64,
            _ => u64::MAX,
        }
    }

    fn line(&mut self, record: usize) -> Option<Value> {
        value(self.run(record))
    }
}

fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Number(number) => Dynamic::from(*number),
        Value::Octets(octets) => Dynamic::from(Blob::from(octets.as_slice())),
        Value::List(elements) => Dynamic::from(elements.iter().map(dynamic).collect::<Vec<_>>()),
        Value::Structure(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.into(), dynamic(value)));
            Dynamic::from(fields.collect::<Map>())
        }
    }
}

fn value(dynamic: Dynamic) -> Option<Value> {
    if let Ok(number) = dynamic.as_int() {
        return Some(Value::Number(number));
    }
    if dynamic.is_string() {
        return Some(Value::Octets(dynamic.into_string().ok()?.into_bytes()));
    }
    if dynamic.is_blob() {
        return Some(Value::Octets(dynamic.into_blob().ok()?));
    }
    let fields = dynamic.try_cast::<Map>()?.into_iter();
    Some(Value::Structure(
        fields.filter_map(|(name, field)| Some((name.to_string(), value(field)?))).collect(),
    ))
}
