//! Duplicate checks: a record whose key came before goes another way.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, plain};
use node::{
    Evaluator, Expression, FileKeys, FileNumber, JobNumber, KeyDigest, KeyRefusal, KeyedState,
    Keys, Kind, Language, Node, Occurrence, Origin, Output, Outputs, Passed, RecordEnd, Refusal,
    Refused, StateChanges, StateRefusal, Template, Value, key_digest,
};
use record::{Memory, Opened, Record, TypeId, Types};
use settings::Settings;

use crate::expression::Dup;
use crate::key_error::KeyError;
use crate::script::Execution;

/// How long a key is known, if nothing is said.
const WINDOW: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Most keys, if nothing is said.
const KEYS: usize = 10_000_000;

/// The stream of records that came for the first time.
const FIRST: u16 = 0;
const DUPLICATE: u16 = 1;

/// `[duplicate-check.name]` with a `type` and a `key`.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateCheck(pub Execution);

impl Kind for DuplicateCheck {
    fn name(&self) -> &'static str {
        "duplicate-check"
    }

    fn keys(&self) -> &'static [&'static str] {
        &["type", "key", "script", "window", "keys"]
    }

    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>> {
        let required = |key| settings.require(key).map_err(|mistake| vec![mistake]);
        let (ty, _) = (required("type")?, required("key")?);
        let input =
            types.find(&ty.value).map_err(|fault| vec![settings.error(ty, fault.to_string())])?;
        let mut mistakes = Vec::new();
        let mut key: Vec<Box<dyn Expression>> = Vec::new();
        for part in settings.all("key") {
            match Dup(self.0).expression(settings, part, input, types) {
                Ok(part) => key.push(part),
                Err(found) => mistakes.extend(found),
            }
        }
        let window = match settings.get("window").map(|window| settings.duration(window)) {
            Some(Ok(window)) => window,
            Some(Err(mistake)) => {
                mistakes.push(mistake);
                WINDOW
            }
            None => WINDOW,
        };
        let keys = match settings.get("keys").map(|keys| (keys, keys.value.parse())) {
            Some((_, Ok(keys))) if keys > 0 => keys,
            Some((keys, _)) => {
                mistakes.push(settings.error(keys, "\"keys\" is how many keys are known at most"));
                KEYS
            }
            None => KEYS,
        };
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let written: Vec<&str> = settings.all("key").map(|part| part.value.as_str()).collect();
        Ok(Box::new(DuplicateCheckTemplate {
            keys: Arc::new(Keys::new(
                format!("{}: {}{}", ty.value, written.join(", "), scripts(&key)),
                window,
                keys,
            )),
            input,
            key,
            outputs: [Output::passing("first"), Output::duplicates("duplicate")],
        }))
    }
}

/// What tells scripts of another text apart: keys by them are others.
fn scripts(key: &[Box<dyn Expression>]) -> String {
    let mut digest = blake3::Hasher::new();
    let files: Vec<PathBuf> = key.iter().flat_map(|part| part.files()).collect();
    for file in &files {
        // One that cannot be read was said to be a mistake.
        digest.update(&plain::read(file, plain::TABLE_OCTETS_MAX).unwrap_or_default());
    }
    if files.is_empty() { String::new() } else { format!(" by {}", digest.finalize().to_hex()) }
}

struct DuplicateCheckTemplate {
    input: TypeId,
    key: Vec<Box<dyn Expression>>,
    keys: Arc<Keys>,
    outputs: [Output; 2],
}

impl Template for DuplicateCheckTemplate {
    fn input(&self) -> Option<TypeId> {
        Some(self.input)
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn opened(&self) -> Opened {
        self.key.iter().map(|part| part.opened()).fold(Opened::none(), Opened::and)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.key.iter().flat_map(|part| part.files()).collect()
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        self.key.iter().flat_map(|part| part.warnings()).cloned().collect()
    }

    fn state(&self) -> Option<KeyedState<'_>> {
        Some(KeyedState::InMemory(&*self.keys))
    }

    fn instance(&self) -> Box<dyn Node> {
        Box::new(DuplicateCheckNode {
            key: self.key.iter().map(|part| part.evaluator()).collect(),
            keys: Arc::clone(&self.keys),
            written: Vec::new(),
            job: None,
            after: None,
        })
    }
}

struct DuplicateCheckNode {
    key: Vec<Box<dyn Evaluator>>,
    keys: Arc<Keys>,
    /// The parts of a key, as they are digested.
    written: Vec<u8>,
    job: Option<FileKeys>,
    /// The file that goes first, where the one before gave up.
    after: Option<FileNumber>,
}

impl DuplicateCheckNode {
    /// The key of a record: a collision-resistant digest of its parts and their lengths. Records
    /// whose parts are all empty are not compared.
    fn key(&mut self, memory: &mut Memory<'_>, record: Record) -> Result<KeyDigest, Refusal> {
        self.written.clear();
        let mut is_empty = true;
        for part in &mut self.key {
            match part.evaluate(memory, record)? {
                Value::Integer(number) => {
                    is_empty = false;
                    self.written.extend_from_slice(&number.to_be_bytes());
                }
                Value::Octets(octets) => {
                    is_empty &= octets.is_empty();
                    self.written.extend_from_slice(&(octets.len() as u64).to_be_bytes());
                    self.written.extend_from_slice(octets);
                }
            }
        }
        if is_empty {
            return Err(Refusal::new(&KeyError::Empty));
        }
        Ok(key_digest(&self.written))
    }
}

impl Node for DuplicateCheckNode {
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        _: &Origin<'_>,
        _: &mut Outputs,
    ) -> Result<Passed, Refusal> {
        let key = self.key(memory, record)?;
        let job = self.job.as_mut().ok_or_else(|| Refusal::new(&StateRefusal::NoFile))?;
        match job.take(key) {
            Ok(Occurrence::First) => Ok(Passed::On(FIRST, record)),
            Ok(Occurrence::Repeated) => Ok(Passed::On(DUPLICATE, record)),
            Err(later) => {
                let refused = match later {
                    KeyRefusal::Contested(other) => {
                        self.after = Some(other);
                        Refused::FileBegunAgain
                    }
                    KeyRefusal::Full(_) => Refused::File,
                };
                Err(Refusal::of(refused, &later))
            }
        }
    }

    fn begin_file(&mut self, job: JobNumber, _: &str) {
        self.job = Some(Keys::begin(&self.keys, job, self.after.take()));
    }

    fn end_record(&mut self, end: RecordEnd) {
        if let Some(job) = &mut self.job {
            job.end_record(end.is_accepted());
        }
    }

    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        self.job.take().map(|job| Box::new(job) as Box<dyn StateChanges>)
    }
}
