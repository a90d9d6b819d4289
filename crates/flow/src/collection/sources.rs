//! The sources of a flow's files: the folders that are scanned, and what puts files there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use transport::{Collect, Found};

use crate::collection::decompress::Packed;
use crate::collection::duplicate_files::DuplicateFiles;
use crate::collection::fetch::Pull;
use crate::collection::push::Listened;

/// The sources of a flow's files.
#[derive(Default)]
pub(crate) struct Collection {
    /// The sources by place of the network element.
    pub(crate) sources: Vec<Source>,
    /// The far places that files are fetched from.
    pub(crate) pulls: Vec<Arc<Pull>>,
    /// The servers that files are pushed to, and their accounts.
    pub(crate) listened: Arc<Listened>,
}

/// The source of a network element's files.
pub(crate) struct Source {
    pub(crate) network_element: String,
    /// The folder, and the pattern of its files.
    pub(crate) collect: Collect,
    /// Whether the files are fetched from a far place. A fetched file is complete once it is in the folder.
    pub(crate) is_fetched: bool,
    /// The compression of the files, if any.
    pub(crate) packed: Option<Packed>,
    /// The rule that makes a file a duplicate.
    pub(crate) duplicates: DuplicateFiles,
}

/// A file to process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileJob {
    /// The place of its network element in the flow.
    pub(crate) element: usize,
    pub(crate) found: Found,
}
