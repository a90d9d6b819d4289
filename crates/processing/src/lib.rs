//! The node kinds of a gateway that run scripts in the DUP language.
//!
//! | kind | its function | what becomes of the record |
//! |---|---|---|
//! | `filter` | `BOOLEAN name(record CONST T)` | goes on to `name` (or `name.true`) or to `name.false` |
//! | `filter` | `ENUMERATED { a, b } name(record CONST T)` | goes on to `name.a` or `name.b` |
//! | `formatter` | `NULL name(in CONST A, out B)` | `out` goes on; or what was emitted, if the script calls `emit` |
//! | `formatter` | `NULL name(record T)` | a copy, changed, goes on |
//! | `matching` | `NULL combine(parts CONST SEQUENCE OF A, out B)`, and others | waits until its group is complete, or its time is over; then `out` goes on, or what was emitted |
//! | `duplicate-check` | none: expressions are its key | goes on to `name`, or to `name.duplicate` if its key came before |
//! | `fraud` | none: rules have conditions | goes on; what rules find are alerts in the transaction of its file |
//! | `rating` | none: expressions are the usage | a copy with its price goes on; one without tariff is refused |
//!
//! It also has the [language](node::Language) of expressions for code other than nodes: [`Dup`].
#![forbid(unsafe_code)]

mod chain;
mod duplicate_check;
mod expression;
mod filter;
mod formatter;
mod fraud;
mod key_error;
mod matching;
mod rating;
mod script;

pub use self::fraud::Fraud;
pub use self::rating::Rating;
pub use duplicate_check::DuplicateCheck;
pub use expression::Dup;
pub use filter::Filter;
pub use formatter::Formatter;
pub use matching::Matching;
pub use script::Execution;

/// All kinds of this crate.
pub const KINDS: &[&dyn node::Kind] = &[
    &Filter(Execution::MachineCode),
    &Formatter(Execution::MachineCode),
    &DuplicateCheck(Execution::MachineCode),
    &Matching(Execution::MachineCode),
    &Rating(Execution::MachineCode),
    &Fraud(Execution::MachineCode),
];

/// The same kinds with interpreted scripts, to measure the gain by machine code.
pub const KINDS_INTERPRETED: &[&dyn node::Kind] = &[
    &Filter(Execution::Interpreter),
    &Formatter(Execution::Interpreter),
    &DuplicateCheck(Execution::Interpreter),
    &Matching(Execution::Interpreter),
    &Rating(Execution::Interpreter),
    &Fraud(Execution::Interpreter),
];

/// Returns the codes of the errors of this crate and of those below it, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        filter::NoStream::codes(),
        key_error::KeyError::codes(),
        matching::refusal::GroupRefusal::codes(),
        matching::refusal::Tardy::codes(),
        rating::price::PriceError::codes(),
        dup::codes(),
        ::rating::codes(),
        node::codes(),
    ]
    .concat()
}
