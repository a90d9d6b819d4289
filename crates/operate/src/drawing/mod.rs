//! The drawing of the flow: its graph with the mistakes of its file, and edits of a text of the file.

mod check;
mod edit;
mod graph;
mod kinds;

pub use check::{CheckFlow, Looked};
pub use edit::{EditFlow, EditFlowError, Edited};
pub use graph::{From, Graph, Node, drawn};
pub use kinds::{Kind, Setting, SettingSort, kinds};

use serde::Serialize;
use utoipa::ToSchema;

use crate::mistakes::Mistakes;

/// The flow file as it is on the disk, with its graph and its mistakes.
#[derive(Debug, Serialize, ToSchema)]
pub struct Flow {
    /// The name of the flow: that of its file, or that of its folder if the file is called `flow.toml`.
    pub name: String,
    /// The text of the flow file.
    pub text: String,
    /// The digest of the text. It changes when the text does.
    pub digest: String,
    /// The graph.
    pub graph: Graph,
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
    /// The kinds of tables that a flow file can have, with their keys.
    pub kinds: Vec<Kind>,
}
