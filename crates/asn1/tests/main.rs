//! Integration tests, one module per subject, linked as a single binary.

mod anatomy;
mod changed;
mod common;
mod contents;
mod correct;
mod limits;
mod meaning;
mod notation;
mod open_types;
mod properties;
mod real_modules;
mod reality;
mod reals;
mod room;
mod segments;
