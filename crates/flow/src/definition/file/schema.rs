//! Schemas of tables that rooms read: a room declares the name and the keys of its table, and gets the table as it is
//! in the file.

use settings::Settings;

/// The schema of a table of the flow file, a network element or a post-processing system.
pub(crate) struct TableSchema {
    /// The name of the table: `archive`.
    pub(crate) name: &'static str,
    pub(crate) keys: Keys,
}

/// The keys that a table may have.
#[derive(Clone, Copy)]
pub(crate) enum Keys {
    /// Exactly these. `retry.longest` is the key `longest` of a table `retry` within it.
    These(&'static [&'static str]),
    /// Names that users choose.
    Chosen,
}

/// The schemas of all rooms, in the order in which a mistake lists them.
pub(crate) struct Schemas {
    /// Tables of the flow.
    pub(crate) flow: &'static [&'static TableSchema],
    /// Tables of each network element, besides `collect` and `decode`.
    pub(crate) network_element: &'static [&'static TableSchema],
    /// Tables of each post-processing system, besides `encode` and `deliver`.
    pub(crate) post_processing_system: &'static [&'static TableSchema],
    /// Keys of a `collect` table with a `url`, besides those for the access to a far place.
    pub(crate) fetch: &'static [&'static str],
    /// Keys of a `deliver` table for transfers, besides those for the access.
    pub(crate) deliver: &'static [&'static str],
}

/// The tables of rooms in a flow file, a network element or a post-processing system.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoomTables(Vec<(String, Settings)>);

impl RoomTables {
    /// Returns the table of a room, if there is one.
    pub(crate) fn get(&self, schema: &TableSchema) -> Option<&Settings> {
        self.0.iter().find(|(name, _)| name == schema.name).map(|(_, table)| table)
    }

    /// Removes the table of a room.
    pub(crate) fn remove(&mut self, schema: &TableSchema) {
        self.0.retain(|(name, _)| name != schema.name);
    }

    pub(super) fn push(&mut self, name: &str, table: Option<Settings>) {
        self.0.extend(table.map(|table| (name.to_owned(), table)));
    }
}
