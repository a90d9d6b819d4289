//! The tables of a flow file that are read by rooms above it: each hands in what its table is called and which keys it may
//! have, and is given the table as it stands in the file.

use settings::Settings;

/// A table of the flow file, or of a network element or post-processing system in it, that a room reads.
pub(crate) struct TableSchema {
    /// What it is called: `archive`.
    pub(crate) name: &'static str,
    pub(crate) keys: Keys,
}

/// Which keys a table may have.
#[derive(Clone, Copy)]
pub(crate) enum Keys {
    /// These. `retry.longest` is the key `longest` of a table `retry` within it.
    These(&'static [&'static str]),
    /// Names that people choose.
    Chosen,
}

/// The tables that rooms hand in, in the order in which a mistake lists them.
pub(crate) struct Schemas {
    /// Of the flow.
    pub(crate) flow: &'static [&'static TableSchema],
    /// Of each network element, besides `collect` and `decode`.
    pub(crate) network_element: &'static [&'static TableSchema],
    /// Of each post-processing system, besides `encode` and `deliver`.
    pub(crate) post_processing_system: &'static [&'static TableSchema],
    /// The keys of a `collect` table with a `url`, besides those by which a far place is reached.
    pub(crate) fetch: &'static [&'static str],
    /// The keys of a `deliver` table by which files are carried, besides those.
    pub(crate) deliver: &'static [&'static str],
}

/// Those tables of rooms that a flow file, a network element or a post-processing system has.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoomTables(Vec<(String, Settings)>);

impl RoomTables {
    /// The table of a room, if it is there.
    pub(crate) fn get(&self, schema: &TableSchema) -> Option<&Settings> {
        self.0.iter().find(|(name, _)| name == schema.name).map(|(_, table)| table)
    }

    /// Takes the table of a room away.
    pub(crate) fn remove(&mut self, schema: &TableSchema) {
        self.0.retain(|(name, _)| name != schema.name);
    }

    pub(super) fn push(&mut self, name: &str, table: Option<Settings>) {
        self.0.extend(table.map(|table| (name.to_owned(), table)));
    }
}
