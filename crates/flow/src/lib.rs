//! The gateway: flow file, graph, jobs, workers; knows no node kind and no script.
#![forbid(unsafe_code)]

pub mod file;
pub mod graph;
