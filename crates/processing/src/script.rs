//! The common part of all kinds: the settings `script` and `function`, and the function that they name.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use diagnostics::{Diagnostic, Source, did_you_mean, plain};
use dup::{Function, Machine, Native, Program};
use node::Refusal;
use record::{Memory, Opened, SlotIndex, Types};
use settings::{Setting, Settings};

/// The keys of a scripted node.
pub(crate) const KEYS: &[&str] = &["script", "function"];

/// How scripts are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// In machine code, as soon as it is compiled.
    MachineCode,
    /// By the interpreter alone.
    Interpreter,
}

/// A script, and its function that is called for each record.
pub(crate) struct Script {
    program: Arc<Program>,
    /// Its file; `None` if it is not in a file of its own.
    path: Option<PathBuf>,
    place: usize,
    execution: Execution,
    /// The machine code, compiled for the first worker; `None` inside if it cannot be compiled.
    native: Arc<OnceLock<Option<Arc<Native>>>>,
    /// Whether compilation has begun.
    begun: Arc<AtomicBool>,
}

impl Script {
    /// Reads and compiles the script of the settings, and finds its function: the one that `function` names, or else
    /// the one of the node's name, or the first. Warnings are not mistakes of the flow: `tollgate check` on the script
    /// shows them.
    pub(crate) fn load(
        settings: &Settings,
        function: Option<&Setting>,
        types: &mut dyn Types,
        execution: Execution,
    ) -> Result<Self, Vec<Diagnostic>> {
        let setting = settings.require("script").map_err(|mistake| vec![mistake])?;
        let path = settings.path(setting);
        let octets = plain::read(&path, plain::TEXT_OCTETS_MAX).map_err(|error| {
            let message = format!("could not read the script \"{}\": {error}", path.display());
            vec![settings.error(setting, message)]
        })?;
        let source = Source::decoded(path.display().to_string(), octets);
        let source = source.map_err(|mistake| vec![*mistake])?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let compiled = dup::compile(&source, folder, types);
        let Some(program) = compiled.program else {
            return Err(compiled.diagnostics);
        };
        let place = entry(&program, settings, function)?;
        Ok(Self::new(program, Some(path), place, execution))
    }

    /// Makes a script of a program that has one function and no file of its own.
    pub(crate) fn of(program: Program, execution: Execution) -> Self {
        Self::new(program, None, 0, execution)
    }

    fn new(program: Program, path: Option<PathBuf>, place: usize, execution: Execution) -> Self {
        Script {
            program: Arc::new(program.without_tests()),
            path,
            place,
            execution,
            native: Arc::default(),
            begun: Arc::default(),
        }
    }

    /// Returns another function of the same script by name.
    pub(crate) fn sibling(&self, name: &str) -> Option<Self> {
        Some(Script {
            program: Arc::clone(&self.program),
            path: self.path.clone(),
            place: self.program.find(name)?,
            execution: self.execution,
            native: Arc::clone(&self.native),
            begun: Arc::clone(&self.begun),
        })
    }

    /// Returns the names of its functions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.program.functions().iter().map(|function| function.name.as_str())
    }

    /// Returns the function.
    pub(crate) fn function(&self) -> &Function {
        &self.program.functions()[self.place]
    }

    /// Returns the exact text of the function and of those that it calls.
    pub(crate) fn text(&self) -> String {
        self.program.text_of(self.place)
    }

    /// Returns the files of the script, its tables and its tariffs.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let read = self.program.files().map(Path::to_path_buf);
        self.path.iter().cloned().chain(read).collect()
    }

    /// Returns which values its functions read.
    pub(crate) fn opened(&self) -> Opened {
        self.program.opened().iter().copied().collect()
    }

    /// Returns whether it may be part of the machine code of a chain.
    pub(crate) fn is_chainable(&self) -> bool {
        self.execution == Execution::MachineCode
            && !Native::takes_long(&self.program)
            && self.function().emits.is_empty()
    }

    /// Makes a link of a chain.
    pub(crate) fn link(&self, gives: dup::Gives) -> dup::Link {
        dup::Link { program: Arc::clone(&self.program), function: self.place, gives }
    }

    /// Makes a diagnostic at the function's name.
    pub(crate) fn error(&self, message: impl Into<String>, hint: &str) -> Vec<Diagnostic> {
        let span = self.function().span;
        vec![Diagnostic::error(self.program.source(), span, message).hint(hint)]
    }

    /// Makes a caller for a worker, with machine code or the interpreter; both have the same results. Workers do not
    /// wait for machine code that takes long to compile: the interpreter runs until it is ready.
    pub(crate) fn caller(&self) -> Caller {
        let machine = Machine::new(Arc::clone(&self.program));
        let mut caller = Caller { machine, function: self.place, awaited: None };
        if self.execution == Execution::Interpreter {
            return caller;
        }
        let compile = |program: &Arc<Program>| Native::compile(program).ok();
        if !Native::takes_long(&self.program) {
            self.native.get_or_init(|| compile(&self.program));
        } else if !self.begun.swap(true, Ordering::Relaxed) {
            let (program, native) = (Arc::clone(&self.program), Arc::clone(&self.native));
            std::thread::spawn(move || native.set(compile(&program)));
        }
        caller.awaited = Some(Arc::clone(&self.native));
        caller.take_native();
        caller
    }
}

/// Finds the function that a setting names; or else the one of the node's name, or the first.
fn entry(
    program: &Program,
    settings: &Settings,
    named: Option<&Setting>,
) -> Result<usize, Vec<Diagnostic>> {
    if let Some(setting) = named {
        return program.find(&setting.value).ok_or_else(|| {
            let names = program.functions().iter().map(|function| function.name.as_str());
            let message = format!("the script has no function \"{}\"", setting.value);
            vec![settings.error(setting, message).hint_maybe(did_you_mean(&setting.value, names))]
        });
    }
    match program.functions() {
        [] => {
            let message = "the script has no function";
            Err(vec![Diagnostic::error(program.source(), Default::default(), message)])
        }
        _ => Ok(program.find(&settings.name).unwrap_or(0)),
    }
}

/// A worker's caller of the function.
pub(crate) struct Caller {
    pub(crate) machine: Machine,
    function: usize,
    /// The machine code to come, if it is not ready yet.
    awaited: Option<Arc<OnceLock<Option<Arc<Native>>>>>,
}

impl Caller {
    #[cold]
    fn take_native(&mut self) {
        if let Some(made) = self.awaited.as_ref().and_then(|awaited| awaited.get()) {
            if let Some(native) = made {
                self.machine.upgrade(Arc::clone(native));
            }
            self.awaited = None;
        }
    }

    /// Calls the function. A fault refuses the record.
    #[inline(always)]
    pub(crate) fn call(
        &mut self,
        memory: &mut Memory<'_>,
        arguments: &[SlotIndex],
    ) -> Result<dup::Returned, Refusal> {
        if self.awaited.is_some() {
            self.take_native();
        }
        self.machine
            .call(self.function, memory, arguments)
            .map_err(|fault| refusal(self.machine.program(), &fault))
    }
}

/// Makes a refusal of a fault.
#[cold]
pub(crate) fn refusal(program: &Program, fault: &dup::Fault) -> Refusal {
    Refusal::because(program.reason(fault))
}
