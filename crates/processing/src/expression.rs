//! Evaluates expressions and functions of DUP on records, for code other than nodes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use diagnostics::Diagnostic;
use node::{Evaluator, Expression, Language, Refusal, Value, ValueType};
use record::{Kind, Memory, Opened, Path, Record, SlotIndex, TextKind, TypeId, Types};
use settings::{Setting, Settings};

use crate::script::{Caller, Execution, Script};

/// The DUP language: `key = "record.callReference"`; or `script = "keys.dup"` and `key = "callKey"`.
#[derive(Clone, Copy, Debug)]
pub struct Dup(pub Execution);

impl Language for Dup {
    fn expression(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Expression>, Vec<Diagnostic>> {
        Ok(Box::new(self.read(settings, setting, ty, types)?))
    }
}

impl Dup {
    /// Reads an expression, or a function of a script.
    pub(crate) fn read(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<DupExpression, Vec<Diagnostic>> {
        let (script, warnings) = match settings.get("script") {
            Some(_) => (self.function(settings, setting, ty, types)?, Vec::new()),
            None => self.written(settings, setting, ty, types)?,
        };
        let gives = gives(types, script.function().result).ok_or_else(|| {
            let message = "neither a number nor a string comes of this";
            let hint = "name a field that is not a structure, list or BIT STRING";
            vec![settings.error(setting, message).hint(hint)]
        })?;
        let field = match settings.get("script") {
            None => setting.value.strip_prefix(dup::RECORD).and_then(|rest| rest.strip_prefix('.')),
            Some(_) => None,
        };
        let field = field.and_then(|field| Path::resolve(types.schema(), ty, field).ok());
        let written = settings.get("script").is_none().then(|| setting.value.clone());
        Ok(DupExpression { script, gives, field, written, warnings })
    }

    /// Loads a function of a script.
    fn function(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Script, Vec<Diagnostic>> {
        let script = Script::load(settings, Some(setting), types, self.0)?;
        let takes = match script.function().parameters.as_slice() {
            [parameter] => parameter.constant && parameter.ty == ty,
            _ => false,
        };
        let name = &types.schema().get(ty).name;
        let hint =
            format!("it is INTEGER {}(record CONST {name}), or returns a string", setting.value);
        match takes {
            true => Ok(script),
            false => {
                Err(script.error("this function is to take one record, and only read it", &hint))
            }
        }
    }

    /// Compiles an expression written in the flow file, and returns its warnings.
    fn written(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<(Script, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (start, end) = (setting.span.start as usize, setting.span.end as usize);
        if settings.source.text.get(start..end) != Some(setting.value.as_str()) {
            let message = "an expression stands as it is, without escapes and variables";
            let hint = "put it between single quotes";
            return Err(vec![settings.error(setting, message).hint(hint)]);
        }
        let compiled = dup::compile_expression(&settings.source, setting.span, ty, types);
        match compiled.program {
            Some(program) => Ok((Script::of(program, self.0), compiled.diagnostics)),
            None => Err(compiled.diagnostics),
        }
    }
}

/// Compiles an expression in the flow file that gives numbers.
pub(crate) fn number(
    settings: &Settings,
    setting: &Setting,
    ty: TypeId,
    types: &mut dyn Types,
    execution: Execution,
) -> Result<DupExpression, Vec<Diagnostic>> {
    let (script, warnings) = Dup(execution).written(settings, setting, ty, types)?;
    match gives(types, script.function().result) {
        Some(gives @ ValueType::Integers) => {
            let written = Some(setting.value.clone());
            Ok(DupExpression { script, gives, field: None, written, warnings })
        }
        _ => {
            let hint = "toInteger() makes a number of digits";
            Err(vec![settings.error(setting, "only numbers have a sum").hint(hint)])
        }
    }
}

/// Returns what values of a type are; `None` if they are neither numbers nor octets.
fn gives(types: &dyn Types, ty: TypeId) -> Option<ValueType> {
    match types.schema().kind(ty) {
        Kind::Boolean | Kind::Integer { .. } | Kind::Enumerated { .. } => Some(ValueType::Integers),
        // Scripts do not see their characters as octets.
        Kind::Text(TextKind::Universal | TextKind::Bmp) => None,
        Kind::OctetString | Kind::Text(_) | Kind::Time(_) => Some(ValueType::Octets),
        _ => None,
    }
}

/// Makes an expression of a function of a script. The record is its only parameter.
pub(crate) fn calling(script: Script, types: &dyn Types) -> Result<DupExpression, Vec<Diagnostic>> {
    match gives(types, script.function().result) {
        Some(gives) => {
            let (field, written, warnings) = (None, None, Vec::new());
            Ok(DupExpression { script, gives, field, written, warnings })
        }
        None => Err(script.error("this gives neither a number nor a string", "return one of them")),
    }
}

pub(crate) struct DupExpression {
    script: Script,
    gives: ValueType,
    /// The path of an expression that is only a field. No script is called for it.
    field: Option<Path>,
    /// The text of an expression in the flow file. `None` for a function of a script.
    written: Option<String>,
    /// The warnings about `written`. Those of a script appear with the script.
    warnings: Vec<Diagnostic>,
}

impl DupExpression {
    /// Returns the type of its values.
    pub(crate) fn result(&self) -> TypeId {
        self.script.function().result
    }

    /// Returns the exact text of the expression or function.
    pub(crate) fn text(&self) -> String {
        self.written.clone().unwrap_or_else(|| self.script.text())
    }
}

impl Expression for DupExpression {
    fn value_type(&self) -> ValueType {
        self.gives
    }

    fn opened(&self) -> Opened {
        self.script.opened()
    }

    fn field(&self) -> Option<&Path> {
        self.field.as_ref()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.script.files()
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn evaluator(&self) -> Box<dyn Evaluator> {
        let (caller, gives, field) = (self.script.caller(), self.gives, self.field.clone());
        Box::new(DupEvaluator { caller, gives, field })
    }
}

struct DupEvaluator {
    caller: Caller,
    gives: ValueType,
    field: Option<Path>,
}

impl DupEvaluator {
    /// Returns the field that the expression is. If the field is absent, the script decides: it has an error or a
    /// default.
    #[inline]
    fn found(&self, memory: &Memory<'_>, record: Record) -> Option<SlotIndex> {
        self.field.as_ref()?.find(memory, record)
    }

    /// Returns the value of a field, or else the script's result.
    #[inline]
    fn value<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
        found: Option<SlotIndex>,
    ) -> Result<Value<'v>, Refusal> {
        if let Some(at) = found {
            match self.gives {
                ValueType::Integers => {
                    if let Ok(number) = memory.number(at) {
                        return Ok(Value::Integer(number));
                    }
                }
                ValueType::Octets if memory.octets(at).is_ok() => {
                    return Ok(Value::Octets(memory.octets(at).unwrap_or_default()));
                }
                ValueType::Octets => {}
            }
        }
        let returned = self.caller.call(memory, &[record.root])?;
        Ok(match self.gives {
            ValueType::Integers => Value::Integer(returned.number()),
            ValueType::Octets => Value::Octets(self.caller.machine.octets(memory, returned)),
        })
    }
}

impl Evaluator for DupEvaluator {
    fn stop_when(&mut self, flag: Arc<AtomicBool>) {
        self.caller.machine.stop_when(flag);
    }

    #[inline]
    fn evaluate<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Value<'v>, Refusal> {
        let found = self.found(memory, record);
        self.value(memory, record, found)
    }

    #[inline]
    fn find<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Option<Value<'v>>, Refusal> {
        let found = self.found(memory, record);
        match found.is_none() && self.field.is_some() {
            true => Ok(None),
            false => self.value(memory, record, found).map(Some),
        }
    }
}
