//! Lists of keys that rules read: shown with how often their entries mattered, and changed.

mod change;
mod import;
mod list;
mod listed;
mod place;
mod show;

pub use change::{AddToFraudList, ChangeFraudListError, ChangedFraudList, RemoveFromFraudList};
pub use import::{
    DifferentEntry, ImportFraudList, ImportFraudListError, ImportedFraudList, WrittenEntry,
};
pub use list::{FraudListFigures, FraudListFolder, FraudLists, ListFraudLists};
pub use listed::ListedKey;
pub(super) use listed::{Listed, listed};
pub use place::FraudListError;
pub use show::{FraudList, FraudListEntry, ShowFraudList};
