//! The gateway: flow file, graph, jobs, workers; knows no node kind and no script.
