//! What the library promises to its users.

mod calendar;
mod formula;
mod topology;
mod usual;
