//! The sources of a flow's files: the folders that are scanned, and what puts files there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use transport::{Collect, FoundFile};

use crate::decompress::Packed;
use crate::duplicate_files::DuplicateFiles;
use crate::fetch::Pull;
use crate::push::Listened;

/// The sources of a flow's files.
#[derive(Default)]
pub struct Collection {
    /// The sources by place of the network element.
    pub sources: Vec<Source>,
    /// The remote places that files are fetched from.
    pub pulls: Vec<Arc<Pull>>,
    /// The servers that files are pushed to, and their accounts.
    pub listened: Arc<Listened>,
}

/// The source of a network element's files.
pub struct Source {
    /// The name of the network element.
    pub network_element: String,
    /// The folder, and the pattern of its files.
    pub collect: Collect,
    /// Whether the files are fetched from a remote place. A fetched file is complete once it is in the folder.
    pub is_fetched: bool,
    /// The compression of the files, if any.
    pub packed: Option<Packed>,
    /// The rule that makes a file a duplicate.
    pub duplicates: DuplicateFiles,
}

/// A file to process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileJob {
    /// The place of its network element in the flow.
    pub element: usize,
    /// Its path, its name and its version at the scan.
    pub found: FoundFile,
}
