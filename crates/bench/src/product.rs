//! What a benchmark is handed: the program that it measures.

use std::path::PathBuf;

use flow::{Parts, Program};
use serve::Language;
use tracing_subscriber::{Layer, Registry};

/// The program that is measured.
pub struct Product {
    /// What its gateway is made of.
    pub parts: Parts<'static>,
    /// How its gateway starts a process beside it; `None` where all is processed in one.
    pub process: Option<Program>,
    /// Its language of scripts, for people who look at a gateway.
    pub language: &'static dyn Language,
    /// Its file: the commands `run` and `bench` of it are run in processes of their own.
    pub executable: PathBuf,
    /// Sets where its log goes; called once.
    pub log: fn(Log),
}

/// Where the log goes while something is measured.
pub enum Log {
    /// To standard error.
    Console,
    /// To standard error, warnings alone.
    Warnings,
    /// To standard error, and to a listener.
    Heard(Box<dyn Layer<Registry> + Send + Sync>),
}
