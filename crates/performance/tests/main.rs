//! What the library promises to its users.

mod formula;
mod topology;
