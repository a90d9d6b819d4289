//! Schemas of tables that rooms read: a room declares the name and the keys of its table, and gets the table as it is
//! in the file.

use settings::Settings;

/// The schema of a table of the flow file, a network element or a post-processing system.
pub struct TableSchema {
    /// The name of the table: `archive`.
    pub name: &'static str,
    /// The keys that the table may have.
    pub keys: Keys,
}

/// The keys that a table may have.
#[derive(Clone, Copy)]
pub enum Keys {
    /// Exactly these. `retry.longest` is the key `longest` of a table `retry` within it.
    These(&'static [&'static str]),
    /// Names that users choose.
    Chosen,
}

/// The schemas of all rooms, in the order in which a mistake lists them.
pub struct Schemas {
    /// Tables of the flow.
    pub flow: &'static [&'static TableSchema],
    /// Tables of each network element, besides `collect` and `decode`.
    pub network_element: &'static [&'static TableSchema],
    /// Tables of each post-processing system, besides `encode` and `deliver`.
    pub post_processing_system: &'static [&'static TableSchema],
    /// Keys of a `collect` table with a `url`, besides those for the access to a remote place.
    pub fetch: &'static [&'static str],
    /// Keys of a `deliver` table for transfers, besides those for the access.
    pub deliver: &'static [&'static str],
}

/// The tables of rooms in a flow file, a network element or a post-processing system.
#[derive(Clone, Debug, Default)]
pub struct RoomTables(Vec<(String, Settings)>);

impl RoomTables {
    /// Returns the table of a room, if there is one.
    pub fn get(&self, schema: &TableSchema) -> Option<&Settings> {
        self.0.iter().find(|(name, _)| name == schema.name).map(|(_, table)| table)
    }

    /// Removes the table of a room.
    pub fn remove(&mut self, schema: &TableSchema) {
        self.0.retain(|(name, _)| name != schema.name);
    }

    pub(super) fn push(&mut self, name: &str, table: Option<Settings>) {
        self.0.extend(table.map(|table| (name.to_owned(), table)));
    }
}
