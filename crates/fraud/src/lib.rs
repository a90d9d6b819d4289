//! Rules over what happens: so many calls of a subscriber within so long, to so many numbers.
//!
//! A worker notes of each record what it says of its subjects: which measures it counts for, and with which values ([`Notes`]). The
//! [judgement](Judgement) takes the notes of a job within its transaction, in the order of the journal. It has a profile of each
//! subject ([`measures`]), and judges the conditions of the rules by it. What a rule finds is an [alert](node::Alert).
//!
//! The same files in the same order give the same alerts, octet for octet. Time is that of the records: the watermark is the latest
//! time until which all network elements have brought them.

mod alerted;
mod definition;
mod ends;
mod form;
mod judgement;
mod judging;
mod lists;
mod notes;
mod octets;
mod profiles;
mod since;
mod stored;
mod watermark;

pub use definition::{Condition, ConditionPart, Limit, Occasion, Rule, Rules, Subject};
pub use judgement::Judgement;
pub use lists::List;
pub use notes::{Note, Notes};
pub use watermark::FileUnderWay;
