//! The contract between the flow engine and its nodes.
