//! Where the files of a flow come from: folders that files are collected from, and what puts files there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use transport::{Collect, Found};

use crate::collection::decompress::Packed;
use crate::collection::duplicate_files::DuplicateFiles;
use crate::collection::fetch::Pull;
use crate::collection::push::Listened;

/// Where the files of a flow come from.
#[derive(Default)]
pub(crate) struct Collection {
    /// By network element.
    pub(crate) sources: Vec<Source>,
    /// The far places that files are fetched from.
    pub(crate) pulls: Vec<Arc<Pull>>,
    /// Where files are pushed to, and by whom.
    pub(crate) listened: Arc<Listened>,
}

/// Where the files of a network element come from.
pub(crate) struct Source {
    pub(crate) network_element: String,
    /// The folder, and which files of it.
    pub(crate) collect: Collect,
    /// Whether its files are fetched from a far place: each of them is complete when it is here.
    pub(crate) is_fetched: bool,
    /// How its files are compressed, if they are.
    pub(crate) packed: Option<Packed>,
    /// What makes one of them the same as another.
    pub(crate) duplicates: DuplicateFiles,
}

/// A file to process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileJob {
    /// The place of its network element in the flow.
    pub(crate) element: usize,
    pub(crate) found: Found,
}
