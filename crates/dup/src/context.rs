//! The context of a record, for scripts: the type `RecordContext`.

use record::{Field, Kind, Memory, Record, SlotIndex, TextKind, Type, TypeId, Types};

/// The origin of a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    /// The network element it was collected from.
    pub network_element: &'c str,
    /// The name of the file it was in.
    pub file: &'c str,
    /// Its number in the file, from 1.
    pub record: u64,
    /// The offset of its first octet in the file.
    pub offset: u64,
}

impl Context<'_> {
    /// The name of its type in scripts.
    pub const TYPE: &'static str = "RecordContext";

    /// Adds its type to those of a script, if it is missing.
    pub(crate) fn add(types: &mut dyn Types) {
        if types.schema().find(Self::TYPE).is_some() {
            return;
        }
        let mut add =
            |name: &str, kind| types.add(Type { name: format!("{}{name}", Self::TYPE), kind });
        let text = add(".text", Kind::Text(TextKind::Utf8));
        let number = add(".number", Kind::Integer { names: Vec::new() });
        let field =
            |name: &str, ty| Field { name: name.into(), ty, optional: false, default: None };
        add(
            "",
            Kind::Sequence(vec![
                field("networkElement", text),
                field("file", text),
                field("recordNumber", number),
                field("offset", number),
            ]),
        );
    }

    /// Creates a record of its type.
    pub fn make(&self, memory: &mut Memory<'_>, ty: TypeId) -> Record {
        let record = memory.create(ty);
        let frame = memory.make_structure(record.root, 4);
        let at = |place| SlotIndex(frame.0 + place);
        memory.set_octets(at(0), self.network_element.as_bytes());
        memory.set_octets(at(1), self.file.as_bytes());
        memory.set_number(at(2), i64::try_from(self.record).unwrap_or(i64::MAX));
        memory.set_number(at(3), i64::try_from(self.offset).unwrap_or(i64::MAX));
        record
    }
}
