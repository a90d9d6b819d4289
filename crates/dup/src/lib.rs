//! The DUP language: parse, check, lower, interpret, built-ins.
