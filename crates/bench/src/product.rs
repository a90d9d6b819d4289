//! The program that a benchmark measures.

use std::path::PathBuf;

use gateway::{Parts, Program};
use operate::scripts::language::Language;
use tracing_subscriber::{Layer, Registry};

/// The program that is measured.
pub struct Product {
    /// The parts of its gateway.
    pub parts: Parts<'static>,
    /// How its gateway starts another process; `None` if it processes everything itself.
    pub process: Option<Program>,
    /// Its language of scripts, for viewers of the gateway.
    pub language: &'static dyn Language,
    /// Its executable, whose commands `run` and `bench` run in processes of their own.
    pub executable: PathBuf,
    /// Sets where its log goes. Called once.
    pub log: fn(Log),
    /// Shows what is done now, which takes minutes in all.
    pub stage: Box<dyn Fn(&str) + Send + Sync>,
    /// Writes a note, which is no result.
    pub note: fn(&str),
}

/// Where the log goes during a measurement.
pub enum Log {
    /// To standard error.
    Console,
    /// To standard error, only warnings and errors.
    Warnings,
    /// To standard error, and to a layer that listens.
    Heard(Box<dyn Layer<Registry> + Send + Sync>),
}
